// SPDX-License-Identifier: MIT
/* Exports the buffer protocol (PEP 3118; Python's C-API, "Buffer Protocol", its tables of flags).
 */
#include "worker/export/exported.h"

#include "base/text.h"
#include "model/fields.h"

#include <string.h>

static int adapt_to_buffer(struct arena *arena, struct element_array *elements, struct err *err)
{
	struct text text = { 0 };
	char format[DTYPE_TEXT_BYTES];
	int rc;

	if (elements->format)
		return 0;
	if (!elements->descr) {
		rc = dtype_to_pep3118(&elements->array.dtype, format, err);
		elements->format = rc ? NULL : arena_copy(arena, format, strlen(format));
		return rc;
	}
	rc = fields_to_pep3118(&text, elements->descr, err);
	elements->format = rc ? NULL : arena_copy(arena, text.bytes, text.n_bytes);
	text_free(&text);
	return rc;
}

/* Why a request cannot be granted; NULL: it can. */
static const char *refusal(const struct array *array, int flags)
{
	bool c_contiguous = array_is_c_contiguous(array);
	bool f_contiguous = array_is_f_contiguous(array);

	if ((flags & PyBUF_WRITABLE) && array->readonly == READONLY_YES)
		return "the memory is read-only";
	if ((flags & PyBUF_C_CONTIGUOUS) == PyBUF_C_CONTIGUOUS && !c_contiguous)
		return "the array is not C-contiguous";
	if ((flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS && !f_contiguous)
		return "the array is not Fortran-contiguous";
	if ((flags & PyBUF_ANY_CONTIGUOUS) == PyBUF_ANY_CONTIGUOUS && !c_contiguous &&
		!f_contiguous)
		return "the array is not contiguous";
	if ((flags & PyBUF_STRIDES) != PyBUF_STRIDES && !c_contiguous)
		return "the array is not C-contiguous and strides were not requested";
	return NULL;
}

static int get_buffer(PyObject *object, Py_buffer *view, int flags)
{
	struct exported *self = (struct exported *)object;
	struct array *array = &self->elements.array;
	const char *why = refusal(array, flags);
	bool with_shape = (flags & PyBUF_ND) == PyBUF_ND && array->n_dims > 0;

	_Static_assert(
		sizeof(Py_ssize_t) == sizeof(int64_t), "shapes are exported without conversion");
	memset(view, 0, sizeof(*view));
	if (why) {
		PyErr_SetString(PyExc_BufferError, why);
		return -1;
	}
	view->buf = (void *)(uintptr_t)array->pointer;
	view->itemsize = (Py_ssize_t)dtype_itemsize(&array->dtype);
	view->len = (Py_ssize_t)array_nbytes(array);
	view->readonly = array->readonly == READONLY_YES;
	view->ndim = (flags & PyBUF_ND) == PyBUF_ND ? array->n_dims : 1;
	view->format = (flags & PyBUF_FORMAT) ? (char *)self->elements.format : NULL;
	view->shape = with_shape ? (Py_ssize_t *)array->shape : NULL;
	view->strides = with_shape && (flags & PyBUF_STRIDES) == PyBUF_STRIDES
				? (Py_ssize_t *)array->stride_bytes
				: NULL;
	Py_IncRef(object);
	view->obj = object;
	return 0;
}

static const PyType_Slot slots[] = { { Py_bf_getbuffer, (void *)get_buffer }, { 0, NULL } };

const struct exporter buffer_exporter = {
	.protocol = &buffer_protocol,
	.adapt = adapt_to_buffer,
	.slots = slots,
};
