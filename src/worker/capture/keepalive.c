// SPDX-License-Identifier: MIT
/* A list of (object,) and of (step, export). */
#include "worker/capture/keepalive.h"

#include "worker/capture/dlpack_read.h"

/* Takes entry. */
static void add(struct capture_context *context, PyObject *entry)
{
	if (!context->keepalive)
		context->keepalive = PyList_New(0);
	if (entry && context->keepalive)
		PyList_Append(context->keepalive, entry);
	Py_DecRef(entry);
	object_drop_error();
}

void keepalive_add(struct capture_context *context, PyObject *object)
{
	add(context, PyTuple_Pack(1, object));
}

void keepalive_add_export(struct capture_context *context, const char *step, PyObject *returned)
{
	add(context, Py_BuildValue("sN", step, returned));
}

PyObject *keepalive_export(const struct capture_context *context, Py_ssize_t position)
{
	Py_ssize_t n_entries = context->keepalive ? PyList_Size(context->keepalive) : 0;

	for (Py_ssize_t i = 0; i < n_entries; i++) {
		PyObject *entry = PyList_GetItem(context->keepalive, i);

		if (PyTuple_Size(entry) == 2 && position-- == 0)
			return PyTuple_GetItem(entry, 1);
	}
	return NULL;
}

/* Destroying the capsule runs the producer's code, as its deleter does. A deleter that crashed a
 * worker is not called again: the export and its capsule are leaked. */
static void release_export(struct arena *arena, PyObject *entry)
{
	const char *call = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(entry, 0), NULL);

	if (worker_step(arena_printf(arena, "deleter of %s", call ? call : "?")))
		dlpack_consume(arena, PyTuple_GetItem(entry, 1));
	else
		Py_IncRef(entry);
}

void keepalive_release(struct capture_context *context)
{
	PyObject *held = context->keepalive;

	context->keepalive = NULL;
	while (held && PyList_Size(held) > 0) {
		PyObject *entry = PyList_GetItem(held, 0);

		Py_IncRef(entry);
		PyList_SetSlice(held, 0, 1, NULL);
		if (PyTuple_Size(entry) == 2)
			release_export(context->arena, entry);
		Py_DecRef(entry);
		object_drop_error();
		worker_step_done();
	}
	Py_DecRef(held);
}
