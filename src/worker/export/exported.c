// SPDX-License-Identifier: MIT
/* suai.Array: one heap type for each exporter, so that an object has no attribute but its own. */
#include "worker/export/exported.h"

#include "base/array_size.h"
#include "base/huge_pages.h"
#include "base/memory.h"
#include "model/runtimes.h"
#include "worker/capture/capture.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <structmember.h>

enum {
	MAX_SLOTS = 16,
	MEMORY_ALIGNMENT = 64,
};

#define COUNT(SYMBOL, NAME, EXPORT) +1
static PyObject *types[PROTOCOL_LIST(COUNT)]; /* by the index of captures */

const char *exporter_options(struct arena *arena, const struct element_array *elements)
{
	const char *list = "";
	struct err ignored;

	for (int of_host = 1; of_host >= 0; of_host--)
		for (size_t i = 0; captures[i]; i++) {
			const struct exporter *exporter = captures[i]->exporter;
			const char *runtime = captures[i]->protocol->runtime;
			struct element_array copy = *elements;

			if (exporter && of_host == (runtime && !strcmp(runtime, RUNTIME_HOST)) &&
				!exporter->adapt(arena, &copy, &ignored))
				list = arena_printf(arena, "%s%s%s", *list ? list : "--to ",
					*list ? ", " : "", captures[i]->protocol->name);
		}
	return list;
}

static void exported_free(PyObject *object)
{
	struct exported *self = (struct exported *)object;
	PyTypeObject *type = Py_TYPE(object);
	PyObject *error_type, *error, *traceback;
	freefunc free_object = (freefunc)PyType_GetSlot(type, Py_tp_free);

	PyErr_Fetch(&error_type, &error, &traceback);
	if (self->weak_references)
		PyObject_ClearWeakRefs(object);
	arena_free(&self->arena);
	Py_DecRef(self->memory_owner);
	Py_DecRef(self->session_ref);
	free_object(object);
	Py_DecRef((PyObject *)type);
	PyErr_Restore(error_type, error, traceback);
}

static PyMemberDef members[] = {
	{ "__weaklistoffset__", T_PYSSIZET, offsetof(struct exported, weak_references), READONLY,
		NULL },
	{ NULL, 0, 0, 0, NULL },
};

static PyObject *make_type(const struct exporter *exporter)
{
	static char doc[] = "An array that suai converted; it exports one protocol.";
	PyType_Slot slots[MAX_SLOTS] = {
		{ Py_tp_dealloc, (void *)exported_free },
		{ Py_tp_members, members },
		{ Py_tp_doc, doc },
	};
	PyType_Spec spec = {
		.name = "suai.Array",
		.basicsize = sizeof(struct exported),
		.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION |
			 Py_TPFLAGS_IMMUTABLETYPE,
		.slots = slots,
	};
	size_t n_slots = 3;

	for (const PyType_Slot *slot = exporter->slots; slot->slot; slot++)
		slots[n_slots++] = *slot;
	return PyType_FromSpec(&spec);
}

static PyObject *type_of(const struct exporter *exporter)
{
	size_t i = 0;

	while (captures[i]->exporter != exporter)
		i++;
	if (!types[i])
		types[i] = make_type(exporter);
	return types[i];
}

/* An empty array may have no address; consumers of most protocols require one. */
static uint64_t some_address(void)
{
	static const char byte[MEMORY_ALIGNMENT] __attribute__((aligned(MEMORY_ALIGNMENT)));

	return (uint64_t)(uintptr_t)byte;
}

const char *exported_origin(PyObject *object)
{
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (types[i] && (PyObject *)Py_TYPE(object) == types[i])
			return ((const struct exported *)object)->origin;
	return NULL;
}

PyObject *exported_new(const struct exporter *exporter, const struct element_array *elements,
	const char *origin, int64_t interface_version, PyObject *owner)
{
	PyTypeObject *type = exporter ? (PyTypeObject *)type_of(exporter) : NULL;
	allocfunc allocate = type ? (allocfunc)PyType_GetSlot(type, Py_tp_alloc) : NULL;
	struct exported *self = allocate ? (struct exported *)allocate(type, 0) : NULL;

	if (!self)
		return NULL;
	self->elements.array = elements->array;
	self->elements.location = elements->location;
	if (!elements->array.pointer && !elements->location.session)
		self->elements.array.pointer = some_address();
	if (elements->descr)
		self->elements.descr = value_copy(&self->arena, elements->descr);
	if (elements->format)
		self->elements.format =
			arena_copy(&self->arena, elements->format, strlen(elements->format));
	self->origin = origin;
	self->interface_version = interface_version;
	Py_IncRef(owner);
	self->memory_owner = owner;
	return (PyObject *)self;
}

void exported_set_session(PyObject *object, PyObject *session_ref, int64_t stream)
{
	struct exported *self = (struct exported *)object;

	Py_IncRef(session_ref);
	self->session_ref = session_ref;
	self->stream = stream;
}

int exported_wait(const struct exported *self)
{
	struct device_session *session = self->elements.location.session;
	struct err err;
	bool waited;
	int rc = 0;

	if (session)
		WITHOUT_GIL(rc = session->runtime->wait(session, &waited, &err));
	if (rc)
		PyErr_SetString(PyExc_RuntimeError, err.message);
	return rc;
}

uint64_t exported_base(const struct array *array)
{
	uint64_t low, high;
	struct err ignored;

	return array_extent(array, &low, &high, &ignored) ? array->pointer : low;
}

PyObject *exported_integers(const int64_t *items, int n_items, int64_t unit)
{
	PyObject *tuple = PyTuple_New(n_items), *item;

	for (int i = 0; tuple && i < n_items; i++) {
		item = PyLong_FromLongLong(items[i] / unit);
		if (!item || PyTuple_SetItem(tuple, i, item)) {
			Py_DecRef(tuple);
			return NULL;
		}
	}
	return tuple;
}

/* The content of an object of exported_hold. */
struct object_hold {
	void *handle;
	void (*release)(void *handle);
};

static void drop_hold(PyObject *capsule)
{
	PyObject *error_type, *error, *traceback;
	struct object_hold *hold;

	PyErr_Fetch(&error_type, &error, &traceback);
	hold = PyCapsule_GetPointer(capsule, "suai.holding");
	hold->release(hold->handle);
	free(hold);
	PyErr_Restore(error_type, error, traceback);
}

PyObject *exported_hold(void *handle, void (*release)(void *handle))
{
	struct object_hold *hold = mem_alloc(sizeof(*hold));
	PyObject *capsule;

	*hold = (struct object_hold){ handle, release };
	capsule = PyCapsule_New(hold, "suai.holding", drop_hold);
	if (!capsule)
		free(hold);
	return capsule;
}

PyObject *exported_allocate(int64_t n_bytes, uint64_t *address)
{
	void *block = huge_pages_allocate((size_t)n_bytes);
	PyObject *owner;

	if (!block)
		return PyErr_Format(PyExc_MemoryError, "%lld bytes", (long long)n_bytes);
	*address = (uint64_t)(uintptr_t)block;
	owner = exported_hold(block, free);
	if (!owner)
		free(block);
	return owner;
}
