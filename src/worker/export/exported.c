// SPDX-License-Identifier: MIT
/* suai.Array: one heap type for each exporter, so that an object has no attribute but its own. */
#include "worker/export/exported.h"

#include "base/array_size.h"
#include "model/fields.h"
#include "model/runtimes.h"

#include <stddef.h>
#include <string.h>
#include <structmember.h>

enum {
	MAX_SLOTS = 16,
	MEMORY_ALIGNMENT = 64,
};

#define ROW(SYMBOL, NAME, EXPORT) ROW_IF_##EXPORT(SYMBOL)
#define ROW_IF_EXPORTED(SYMBOL) &SYMBOL##_exporter,
#define ROW_IF_NO(SYMBOL)
static const struct exporter *const exporters[] = { PROTOCOL_LIST(ROW) };

static PyObject *types[ARRAY_SIZE(exporters)];

const struct exporter *exporter_find(const char *protocol)
{
	for (size_t i = 0; i < ARRAY_SIZE(exporters); i++)
		if (!strcmp(exporters[i]->protocol->name, protocol))
			return exporters[i];
	return NULL;
}

const char *exporter_options(struct arena *arena, const struct element_array *elements)
{
	const char *names[ARRAY_SIZE(exporters)], *list = "";
	size_t n_names = 0;
	struct err ignored;

	for (int of_host = 1; of_host >= 0; of_host--)
		for (size_t i = 0; i < ARRAY_SIZE(exporters); i++) {
			const struct protocol *protocol = exporters[i]->protocol;
			const char *runtime = protocol->runtime;
			struct element_array copy = *elements;

			if (of_host == (runtime && !strcmp(runtime, RUNTIME_HOST)) &&
				!exporters[i]->adapt(arena, &copy, &ignored))
				names[n_names++] = protocol->name;
		}
	for (size_t i = 0; i < n_names; i++)
		list = arena_printf(arena, "%s%s%s", list,
			!i                 ? "--to "
			: i == n_names - 1 ? " or "
					   : ", ",
			names[i]);
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

	while (exporters[i] != exporter)
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
	if (elements->descr) /* NumPy rejects its own descr of some structures */
		self->elements.descr = fields_name_padding(&self->arena, elements->descr);
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

int exported_add_descr(struct arena *arena, struct element_array *elements, struct err *err)
{
	const struct dtype *dtype = &elements->array.dtype;

	if (dtype->kind != DTYPE_VOID || elements->descr || !elements->format)
		return 0;
	elements->descr = fields_from_pep3118(arena, elements->format, dtype_itemsize(dtype), err);
	return elements->descr ? 0 : -1;
}

int exported_typestr(const struct exported *self, char out[DTYPE_TEXT_BYTES])
{
	struct err err;

	if (!dtype_to_typestr(&self->elements.array.dtype, out, &err))
		return 0;
	PyErr_SetString(PyExc_BufferError, err.message);
	return -1;
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
