// SPDX-License-Identifier: MIT
/*
 * BUF001 to BUF107: what a Py_buffer holds, as given for PyBUF_FULL_RO. The document
 * is Python's C API, Buffer Protocol (PEP 3118).
 */
#include "rules/buffer/buffer.h"

#include <string.h>

static void buf_check_plain_request(const struct subject *subject, struct report *report)
{
	shared_check_access(subject, report, "a request for the buffer", false);
}

const struct value *buffer_given(const struct subject *subject)
{
	return value_is(subject->declared, VALUE_MAP) ? subject->declared : NULL;
}

int64_t buffer_number(const struct subject *subject, const char *key)
{
	return value_int_or(value_get(subject->declared, key), -1);
}

int64_t buffer_elements_bytes(const struct subject *subject)
{
	const struct value *shape = value_get(subject->declared, "shape");
	int64_t n_bytes = buffer_number(subject, "itemsize"), extent;
	bool overflows = false, is_empty = false;

	if (!value_is_sequence(shape))
		return buffer_number(subject, "ndim") == 0 && value_is_null(shape) ? n_bytes : -2;
	for (size_t i = 0; i < shape->n_items; i++) {
		extent = value_int_or(shape->items[i], -1);
		if (extent < 0)
			return -2;
		is_empty |= extent == 0;
		overflows |= __builtin_mul_overflow(n_bytes, extent, &n_bytes);
	}
	return is_empty ? 0 : overflows ? -1 : n_bytes;
}

/* One dimension without a shape holds a whole number of elements. */
static void buf_check_flat_length(const struct subject *subject, struct report *report)
{
	int64_t len = buffer_number(subject, "len"), itemsize = buffer_number(subject, "itemsize");

	if (itemsize > 0 && (len < 0 || len % itemsize))
		rule_fail(report, "len", "len is %lld, no multiple of itemsize, %lld",
			(long long)len, (long long)itemsize);
}

static void buf_check_length(const struct subject *subject, struct report *report)
{
	int64_t len = buffer_number(subject, "len"), n_bytes;
	int64_t n_dims = buffer_number(subject, "ndim");

	if (!buffer_given(subject) || buffer_number(subject, "itemsize") < 0) /* BUF102 */
		return;
	if (n_dims < 0 || n_dims > ARRAY_MAX_DIMS) /* BUF104 */
		return;
	if (value_is_null(value_get(subject->declared, "shape")) && n_dims == 1) {
		buf_check_flat_length(subject, report);
		return;
	}
	n_bytes = buffer_elements_bytes(subject);
	if (n_bytes == -1)
		rule_fail(report, "len",
			"len is %lld, and the elements take more than 64 bits can say",
			(long long)len);
	else if (n_bytes >= 0 && len != n_bytes)
		rule_fail(report, "len", "len is %lld, and the elements take %lld bytes",
			(long long)len, (long long)n_bytes);
}

const char *buffer_format(const struct subject *subject)
{
	return value_text_or(value_get(buffer_given(subject), "format"), NULL);
}

bool buffer_lacks_padding(const struct subject *subject)
{
	const char *format = buffer_format(subject);
	int64_t n_bytes = format ? dtype_pep3118_bytes(format) : -1;
	int64_t itemsize = buffer_number(subject, "itemsize");

	return n_bytes >= 0 && n_bytes != itemsize &&
	       dtype_pep3118_padded_bytes(format) == itemsize;
}

static void buf_check_itemsize(const struct subject *subject, struct report *report)
{
	int64_t itemsize = buffer_number(subject, "itemsize"), n_bytes;
	const char *format = buffer_format(subject);

	if (!buffer_given(subject))
		return;
	if (itemsize < 0) {
		rule_fail(report, "itemsize", "itemsize is %lld", (long long)itemsize);
		return;
	}
	if (!format || buffer_lacks_padding(subject))
		return;
	n_bytes = dtype_pep3118_bytes(format);
	if (n_bytes < 0)
		rule_skip(report, "how many bytes format '%.60s' takes cannot be told", format);
	else if (n_bytes != itemsize)
		rule_fail(report, "itemsize",
			"itemsize is %lld, and format '%.60s' takes %lld bytes",
			(long long)itemsize, format, (long long)n_bytes);
}

static void buf_check_format_given(const struct subject *subject, struct report *report)
{
	const struct value *format = value_get(buffer_given(subject), "format");

	if (!buffer_given(subject) || value_is(format, VALUE_TEXT))
		return;
	rule_fail(report, "format",
		value_is_null(format) ? "format is NULL, and was asked for (PyBUF_FORMAT)"
				      : "format points to memory that cannot be read");
}

/* Of "shape", "strides" and "suboffsets" those that are not NULL: "shape and strides". */
static const char *list_arrays(const struct subject *subject, const char **first, int *n_arrays)
{
	static const char *const arrays[] = { "shape", "strides", "suboffsets" };
	const char *list = "";

	*first = NULL;
	*n_arrays = 0;
	for (size_t i = 0; i < sizeof(arrays) / sizeof(*arrays); i++) {
		if (value_is_null(value_get(subject->declared, arrays[i])))
			continue;
		list = arena_printf(
			subject->arena, "%s%s%s", list, *first ? " and " : "", arrays[i]);
		*first = *n_arrays ? *first : arrays[i];
		++*n_arrays;
	}
	return list;
}

static void buf_check_dimensions(const struct subject *subject, struct report *report)
{
	int64_t n_dims = buffer_number(subject, "ndim");
	const char *given, *first;
	int n_given;

	if (!buffer_given(subject))
		return;
	given = list_arrays(subject, &first, &n_given);
	if (n_dims < 0 || n_dims > ARRAY_MAX_DIMS)
		rule_fail(report, "ndim", "ndim is %lld, not from 0 to %d", (long long)n_dims,
			ARRAY_MAX_DIMS);
	else if (n_dims == 0 && n_given)
		rule_fail(report, first, "%s %s not NULL, and ndim is 0", given,
			n_given == 1 ? "is" : "are");
	else if (n_dims > 1 && value_is_null(value_get(subject->declared, "shape")))
		rule_fail(report, "shape", "shape is NULL, and ndim is %lld", (long long)n_dims);
}

/* An array of ndim integers, where it is not NULL; false, with a failure, where it is none. */
static bool buf_check_array(const struct subject *subject, struct report *report, const char *key)
{
	const struct value *array = value_get(buffer_given(subject), key);
	int64_t n_dims = buffer_number(subject, "ndim");

	if (n_dims <= 0 || value_is_null(array))
		return false;
	if (n_dims > ARRAY_MAX_DIMS) /* BUF104 */
		return value_is_sequence(array) && array->n_items == (size_t)n_dims;
	if (!value_is_sequence(array))
		rule_fail(report, key, "%s points to memory that cannot be read", key);
	else if (array->n_items != (size_t)n_dims)
		rule_fail(report, key, "%s has %zu entries, and ndim is %lld", key, array->n_items,
			(long long)n_dims);
	else
		return true;
	return false;
}

static void buf_check_shape(const struct subject *subject, struct report *report)
{
	if (buf_check_array(subject, report, "shape"))
		shared_check_extents(subject, report);
}

static void buf_check_multiples(const struct subject *subject, struct report *report)
{
	const struct array *array = buffer_given(subject) ? shared_array(subject, report) : NULL;
	int64_t itemsize = array ? dtype_itemsize(&array->dtype) : 0;

	for (int i = 0; itemsize > 0 && i < array->n_dims; i++)
		if (array->shape[i] > 1 && array->stride_bytes[i] % itemsize)
			rule_fail(report, arena_printf(subject->arena, "strides[%d]", i),
				"strides[%d] is %lld, no multiple of itemsize, %lld", i,
				(long long)array->stride_bytes[i], (long long)itemsize);
}

bool buffer_is_indirect(const struct value *suboffsets)
{
	for (size_t i = 0; value_is_sequence(suboffsets) && i < suboffsets->n_items; i++)
		if (value_int_or(suboffsets->items[i], -1) >= 0)
			return true;
	return false;
}

static void buf_check_suboffsets(const struct subject *subject, struct report *report)
{
	if (buf_check_array(subject, report, "suboffsets") &&
		!buffer_is_indirect(value_get(subject->declared, "suboffsets")))
		rule_fail(
			report, "suboffsets", "suboffsets is given, and all of them are negative");
}

const struct rule buffer_rules[] = {
	{
		BUFFER_RULE("BUF001", "plain-request", ERROR, MUST),
		.clause = CLAUSE_BUFFER "PyObject_GetBuffer (\"MUST raise BufferError\")",
		.says = "a request for the buffer is granted, or refused with BufferError and nothing else",
		.why = "consumers catch BufferError to try another way; any other exception ends the program that "
		       "passed the object on",
		.fix = "raise BufferError in getbuffer (__buffer__ in Python 3.12) for what cannot be exported",
		.check = buf_check_plain_request,
	},
	{
		BUFFER_RULE("BUF101", "length", ERROR, MUST),
		.clause = CLAUSE_BUFFER
		"Py_buffer.len (\"product(shape) * itemsize\"); Py_buffer.shape",
		.says = "len is the product of shape times itemsize",
		.why = "consumers copy len bytes: b''.join() reads past the end where it is too large, and loses elements where "
		       "it is too small",
		.fix = "set len to the bytes of all elements, even where strides leave gaps between them",
		.check = buf_check_length,
	},
	{
		BUFFER_RULE("BUF102", "itemsize", ERROR, MUST),
		.clause = CLAUSE_BUFFER
		"Py_buffer.itemsize (\"Same as the value of struct.calcsize() called on non-NULL format values\")",
		.says = "itemsize is the number of bytes that format takes",
		.why = "numpy.asarray raises RuntimeError; memoryview reads elements that are parts of two others",
		.fix = "write the format of the whole element, padding ('x') included, or correct itemsize",
		.check = buf_check_itemsize,
	},
	{
		BUFFER_RULE("BUF103", "format-given", ERROR, MUST),
		.clause = CLAUSE_BUFFER "PyBUF_FORMAT (\"this field MUST be filled in correctly\")",
		.says = "format is not NULL where it was asked for",
		.why = "NULL means unsigned bytes: memoryview reads one byte of each element, and numpy.asarray raises "
		       "RuntimeError",
		.fix = "point format to a string that lives as long as the exporter, such as \"f\" or \"B\"",
		.check = buf_check_format_given,
	},
	{
		BUFFER_RULE("BUF104", "dimensions", ERROR, MUST),
		.clause = CLAUSE_BUFFER
		"Py_buffer.ndim (\"shape, strides and suboffsets MUST be NULL\", \"Exporters MUST respect this limit\")",
		.says = "ndim is from 0 to 64; where it is 0 shape, strides and suboffsets are NULL, where it is above 1 "
			"shape is not",
		.why = "memoryview raises ValueError for more than 64 dimensions, numpy.asarray makes an array of one object, "
		       "and both crash where shape is NULL",
		.fix = "set ndim to the length of shape; for a scalar set ndim to 0 and the three pointers to NULL",
		.check = buf_check_dimensions,
	},
	{
		BUFFER_RULE("BUF105", "shape-extents", ERROR, MUST),
		.clause = CLAUSE_BUFFER
		"Py_buffer.shape (\"Shape values are restricted to shape[n] >= 0\")",
		.says = "shape points to ndim extents, none of them negative",
		.why = "numpy.asarray raises ValueError, and memoryview.tolist() SystemError",
		.fix = "give the number of elements in each dimension, 0 or more",
		.check = buf_check_shape,
	},
	{
		BUFFER_RULE("BUF106", "stride-multiples", NOTE, HAZARD),
		.clause = CLAUSE_BUFFER "NumPy-style: shape and strides (\"verify_structure\")",
		.says = "strides are multiples of itemsize",
		.why = "the document's own check refuses other strides, and so do consumers that count elements (DLPack, "
		       "many GPU libraries); a field of a structure has such strides",
		.fix = "copy the field into an array of its own before it is shared",
		.check = buf_check_multiples,
	},
	{
		BUFFER_RULE("BUF107", "suboffsets", ERROR, MUST),
		.clause = CLAUSE_BUFFER "Py_buffer.suboffsets (\"then this field must be NULL\")",
		.says = "suboffsets is NULL where nothing is to be dereferenced",
		.why = "numpy.asarray raises BufferError for any suboffsets, and memoryview.cast() TypeError: the buffer counts "
		       "as an indirect one",
		.fix = "set suboffsets to NULL unless rows are reached through pointers",
		.check = buf_check_suboffsets,
	},
	{ .id = NULL },
};
