// SPDX-License-Identifier: MIT
/* Exports __dummy_array_interface__. */
#include "worker/export/exported.h"

static int adapt_to_dummy(struct arena *arena, struct element_array *elements, struct err *err)
{
	char typestr[40];

	(void)arena;
	return dtype_to_typestr(&elements->array.dtype, typestr, err);
}

static PyObject *get_dummy_interface(PyObject *object, void *closure)
{
	const struct array *array = &((const struct exported *)object)->elements.array;
	struct err err;
	char typestr[40];

	(void)closure;
	if (dtype_to_typestr(&array->dtype, typestr, &err))
		return PyErr_Format(PyExc_BufferError, "%s", err.message);
	return Py_BuildValue("{sisNsssNs(KO)}", "version", 7, "shape",
		exported_integers(array->shape, array->n_dims, 1), "typestr", typestr, "strides",
		exported_integers(array->stride_bytes, array->n_dims, 1), "data",
		(unsigned long long)array->pointer,
		array->readonly == READONLY_YES ? Py_True : Py_False);
}

static PyGetSetDef getters[] = {
	{ "__dummy_array_interface__", get_dummy_interface, NULL, NULL, NULL },
	{ NULL, NULL, NULL, NULL, NULL },
};

static const PyType_Slot slots[] = { { Py_tp_getset, getters }, { 0, NULL } };

const struct exporter dummy_exporter = {
	.protocol = &dummy_protocol,
	.adapt = adapt_to_dummy,
	.slots = slots,
};
