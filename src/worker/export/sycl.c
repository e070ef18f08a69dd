// SPDX-License-Identifier: MIT
/*
 * Exports __sycl_usm_array_interface__ version 1 (dpctl's document). syclobj is the object itself,
 * whose _get_capsule() gives the queue of its memory: the last of the document's six forms.
 */
#include "base/plural.h"
#include "worker/export/exported.h"
#include "worker/memory/sycl_capsule.h"

/* SYCL's booleans, integers, reals and complex numbers. */
static bool has_type(const struct dtype *dtype)
{
	switch (dtype->kind) {
	case DTYPE_BOOL:
	case DTYPE_INT:
	case DTYPE_UINT:
	case DTYPE_FLOAT:
		return dtype->lanes == 1 && dtype->bits <= 64;
	case DTYPE_COMPLEX:
		return dtype->lanes == 1 && (dtype->bits == 64 || dtype->bits == 128);
	default:
		return false;
	}
}

static int adapt_to_sycl(struct arena *arena, struct element_array *elements, struct err *err)
{
	(void)arena;
	if (!has_type(&elements->array.dtype))
		return err_set(err, EXIT_TARGET, "__sycl_usm_array_interface__ has no type for %s",
			elements->array.dtype.name);
	elements->descr = NULL;
	elements->format = NULL;
	return 0;
}

static const char *sycl_copy_reason(
	struct arena *arena, const struct array *array, int64_t interface_version)
{
	int64_t item_bytes = dtype_itemsize(&array->dtype);

	(void)interface_version;
	if (array->dtype.foreign_order)
		return "SYCL supports only native byte order, but the source is byte-swapped";
	for (int i = 0; i < array->n_dims; i++)
		if (array->shape[i] > 1 && array->stride_bytes[i] % item_bytes != 0)
			return arena_printf(arena,
				"strides of __sycl_usm_array_interface__ are in elements, but a stride of %lld byte%s is not a multiple of the element size, %lld",
				(long long)array->stride_bytes[i], plural(array->stride_bytes[i]),
				(long long)item_bytes);
	return NULL;
}

static PyObject *sycl_strides(const struct array *array)
{
	if (!array_is_c_contiguous(array))
		return exported_integers(
			array->stride_bytes, array->n_dims, dtype_itemsize(&array->dtype));
	Py_IncRef(Py_None);
	return Py_None;
}

/* dpctl's own arrays wait here as well: a consumer may use the address at once. */
static PyObject *get_sycl_interface(PyObject *object, void *closure)
{
	const struct exported *self = (const struct exported *)object;
	const struct array *array = &self->elements.array;
	uint64_t base = exported_base(array);
	int64_t offset = (int64_t)(array->pointer - base) / dtype_itemsize(&array->dtype);
	char typestr[DTYPE_TEXT_BYTES];

	(void)closure;
	if (exported_wait(self) || exported_typestr(self, typestr))
		return NULL;
	return Py_BuildValue("{sisNsssNs(KO)sLsO}", "version", 1, "shape",
		exported_integers(array->shape, array->n_dims, 1), "typestr", typestr, "strides",
		sycl_strides(array), "data", (unsigned long long)base,
		array->readonly == READONLY_YES ? Py_True : Py_False, "offset", (long long)offset,
		"syclobj", object);
}

static PyObject *get_capsule(PyObject *object, PyObject *unused)
{
	const struct exported *self = (const struct exported *)object;

	(void)unused;
	return sycl_capsule_new(self->elements.location.session);
}

static PyGetSetDef getters[] = {
	{ "__sycl_usm_array_interface__", get_sycl_interface, NULL, NULL, NULL },
	{ NULL, NULL, NULL, NULL, NULL },
};

static PyMethodDef methods[] = {
	{ "_get_capsule", get_capsule, METH_NOARGS, NULL },
	{ NULL, NULL, 0, NULL },
};

static const PyType_Slot slots[] = {
	{ Py_tp_getset, getters },
	{ Py_tp_methods, methods },
	{ 0, NULL },
};

const struct exporter sycl_exporter = {
	.protocol = &sycl_protocol,
	.adapt = adapt_to_sycl,
	.copy_reason = sycl_copy_reason,
	.native_order = true,
	.slots = slots,
};
