// SPDX-License-Identifier: MIT
/* The buffer protocol (PEP 3118): one request for all that an exporter may say. */
#include "worker/facts.h"

static const char step[] = "PyObject_GetBuffer(PyBUF_FULL_RO)";

static bool exposes(struct capture_context *context, PyObject *object)
{
	(void)context;
	return PyObject_CheckBuffer(object);
}

static struct value *declare(struct arena *arena, const Py_buffer *view)
{
	struct value *declared = value_map(arena);

	value_set(arena, declared, "buf", fact_of_pointer(arena, view->buf));
	value_set(arena, declared, "len", value_int(arena, view->len));
	value_set(arena, declared, "itemsize", value_int(arena, view->itemsize));
	value_set(arena, declared, "readonly", value_bool(arena, view->readonly));
	value_set(arena, declared, "ndim", value_int(arena, view->ndim));
	value_set(arena, declared, "format", fact_of_text(arena, view->format));
	value_set(arena, declared, "shape", fact_of_integers(arena, view->shape, view->ndim));
	value_set(arena, declared, "strides", fact_of_integers(arena, view->strides, view->ndim));
	value_set(arena, declared, "suboffsets",
		fact_of_integers(arena, view->suboffsets, view->ndim));
	return declared;
}

static struct value *read_interface(struct capture_context *context, PyObject *object)
{
	struct arena *arena = context->arena;
	struct value *interface;
	Py_buffer view = { 0 };

	if (!worker_step(step))
		return NULL;
	interface = interface_new(arena, "buffer");
	if (PyObject_GetBuffer(object, &view, PyBUF_FULL_RO)) {
		interface_set_error(arena, interface);
	} else {
		value_set(arena, interface, "declared", declare(arena, &view));
		PyBuffer_Release(&view);
		PyErr_Clear();
	}
	worker_step_done();
	return interface;
}

const struct capture buffer_capture = {
	.protocol = "buffer",
	.exposes = exposes,
	.read = read_interface,
};
