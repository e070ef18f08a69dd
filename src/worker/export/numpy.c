// SPDX-License-Identifier: MIT
/* Exports __array_interface__, version 3 (NumPy, arrays.interface). */
#include "worker/export/exported.h"
#include "worker/python/object.h"

static int adapt_to_numpy(struct arena *arena, struct element_array *elements, struct err *err)
{
	char typestr[DTYPE_TEXT_BYTES];

	if (dtype_to_typestr(&elements->array.dtype, typestr, err))
		return -1;
	return exported_add_descr(arena, elements, err);
}

static PyObject *numpy_strides(const struct array *array)
{
	if (!array_is_c_contiguous(array))
		return exported_integers(array->stride_bytes, array->n_dims, 1);
	Py_IncRef(Py_None);
	return Py_None;
}

static PyObject *get_numpy_interface(PyObject *object, void *closure)
{
	const struct exported *self = (const struct exported *)object;
	const struct array *array = &self->elements.array;
	PyObject *interface, *descr;
	char typestr[DTYPE_TEXT_BYTES];

	(void)closure;
	if (exported_typestr(self, typestr))
		return NULL;
	interface = Py_BuildValue("{sisNsssNs(KO)}", "version", 3, "shape",
		exported_integers(array->shape, array->n_dims, 1), "typestr", typestr, "strides",
		numpy_strides(array), "data", (unsigned long long)array->pointer,
		array->readonly == READONLY_YES ? Py_True : Py_False);
	if (!interface || !self->elements.descr)
		return interface;
	descr = object_from_value(self->elements.descr);
	if (!descr || PyDict_SetItemString(interface, "descr", descr)) {
		Py_DecRef(interface);
		interface = NULL;
	}
	Py_DecRef(descr);
	return interface;
}

static PyGetSetDef getters[] = {
	{ "__array_interface__", get_numpy_interface, NULL, NULL, NULL },
	{ NULL, NULL, NULL, NULL, NULL },
};

static const PyType_Slot slots[] = { { Py_tp_getset, getters }, { 0, NULL } };

const struct exporter numpy_exporter = {
	.protocol = &numpy_protocol,
	.adapt = adapt_to_numpy,
	.slots = slots,
};
