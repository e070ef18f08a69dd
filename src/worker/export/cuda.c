// SPDX-License-Identifier: MIT
/*
 * Exports __cuda_array_interface__, versions 0 to 3 (Numba's document). The result is complete when
 * convert ends, so stream (version 3) is None unless the user names one.
 */
#include "model/cuda_streams.h"
#include "worker/export/exported.h"
#include "worker/python/object.h"

enum { NEWEST = 3, SINCE_NULL_FOR_EMPTY = 2 };

static int adapt_to_cuda(struct arena *arena, struct element_array *elements, struct err *err)
{
	char typestr[DTYPE_TEXT_BYTES];

	if (elements->holds_objects || elements->may_hold_objects)
		return err_set(err, EXIT_TARGET,
			"the elements %s references to Python objects, which are meaningless on a device",
			elements->holds_objects ? "contain" : "may contain");
	if (dtype_to_typestr(&elements->array.dtype, typestr, err)) {
		err->code = EXIT_TARGET;
		return -1;
	}
	return exported_add_descr(arena, elements, err);
}

static const char *cuda_copy_reason(
	struct arena *arena, const struct array *array, int64_t interface_version)
{
	(void)arena;
	(void)interface_version;
	return array->dtype.foreign_order
		       ? "consumers of __cuda_array_interface__ support only native byte order, but the source is byte-swapped"
		       : NULL;
}

/* Sets an item; takes value. -1 with an exception. */
static int set(PyObject *interface, const char *key, PyObject *value)
{
	int rc = value ? PyDict_SetItemString(interface, key, value) : -1;

	Py_DecRef(value);
	return rc;
}

/* Adds the keys that only some versions have. */
static int add_optional(PyObject *interface, const struct exported *self, int64_t version)
{
	const struct array *array = &self->elements.array;

	if (!array_is_c_contiguous(array) &&
		set(interface, "strides", exported_integers(array->stride_bytes, array->n_dims, 1)))
		return -1;
	if (self->elements.descr &&
		set(interface, "descr", object_from_value(self->elements.descr)))
		return -1;
	if (version < CUDA_INTERFACE_WITH_STREAM)
		return 0;
	if (self->stream)
		return set(interface, "stream", PyLong_FromLongLong(self->stream));
	return PyDict_SetItemString(interface, "stream", Py_None);
}

static PyObject *get_cuda_interface(PyObject *object, void *closure)
{
	const struct exported *self = (const struct exported *)object;
	const struct array *array = &self->elements.array;
	int64_t version = self->interface_version < 0 ? NEWEST : self->interface_version;
	bool is_null = !array_elements(array) && version >= SINCE_NULL_FOR_EMPTY;
	PyObject *interface;
	char typestr[DTYPE_TEXT_BYTES];

	(void)closure;
	if (exported_wait(self) || exported_typestr(self, typestr))
		return NULL;
	interface = Py_BuildValue("{sisNsss(KO)}", "version", (int)version, "shape",
		exported_integers(array->shape, array->n_dims, 1), "typestr", typestr, "data",
		is_null ? 0ULL : (unsigned long long)array->pointer,
		array->readonly == READONLY_YES ? Py_True : Py_False);
	if (!interface || !add_optional(interface, self, version))
		return interface;
	Py_DecRef(interface);
	return NULL;
}

static PyGetSetDef getters[] = {
	{ "__cuda_array_interface__", get_cuda_interface, NULL, NULL, NULL },
	{ NULL, NULL, NULL, NULL, NULL },
};

static const PyType_Slot slots[] = { { Py_tp_getset, getters }, { 0, NULL } };

const struct exporter cuda_exporter = {
	.protocol = &cuda_protocol,
	.adapt = adapt_to_cuda,
	.copy_reason = cuda_copy_reason,
	.native_order = true,
	.slots = slots,
};
