// SPDX-License-Identifier: MIT
/*
 * The fields of a Py_buffer, returned for PyBUF_FULL_RO or for another request. The document is
 * Python's C API, Buffer Protocol (PEP 3118).
 */
#include "rules/buffer/buffer.h"

#include "base/array_size.h"
#include "base/plural.h"

#include <string.h>

static void buf_check_request(const struct subject *subject, struct report *report)
{
	const struct value *record;
	const char *type;

	shared_check_access(subject, report, "a request for the buffer", false);
	for (size_t next = 0; (record = buffer_next_granted(subject, &next));) {
		type = value_text_or(value_at(record, "error.type"), NULL);
		if (!type)
			continue;
		rule_fail(report, NULL,
			"%s is granted, but it or the release of its buffer set the exception %s",
			buffer_request_of(record)->name,
			fact_exception(subject->arena, type,
				value_text_or(value_at(record, "error.message"), NULL)));
		return;
	}
}

const struct value *buffer_declared(const struct subject *subject)
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

/* One dimension without a shape contains a whole number of elements. */
static void buf_check_flat_length(const struct subject *subject, struct report *report)
{
	int64_t len = buffer_number(subject, "len"), itemsize = buffer_number(subject, "itemsize");

	if (itemsize > 0 && len < 0)
		rule_fail(report, "len", "len is %lld, expected 0 or more", (long long)len);
	else if (itemsize > 0 && len % itemsize)
		rule_fail(report, "len", "len is %lld, not a multiple of itemsize (%lld)",
			(long long)len, (long long)itemsize);
}

static void buf_check_length(const struct subject *subject, struct report *report)
{
	int64_t len = buffer_number(subject, "len"), n_bytes;
	int64_t n_dims = buffer_number(subject, "ndim");

	if (!buffer_declared(subject) || buffer_number(subject, "itemsize") < 0) /* BUF102 */
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
			"len is %lld, but the size of the elements exceeds a signed 64-bit integer",
			(long long)len);
	else if (n_bytes >= 0 && len != n_bytes)
		rule_fail(report, "len", "len is %lld, but the elements take %lld byte%s",
			(long long)len, (long long)n_bytes, plural(n_bytes));
}

const char *buffer_format(const struct subject *subject)
{
	return value_text_or(value_get(buffer_declared(subject), "format"), NULL);
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

	if (!buffer_declared(subject))
		return;
	if (itemsize < 0) {
		rule_fail(report, "itemsize", "itemsize is %lld, expected 0 or more",
			(long long)itemsize);
		return;
	}
	if (itemsize > DTYPE_MAX_BYTES) {
		rule_fail(report, "itemsize", "itemsize is %lld, more than any address space",
			(long long)itemsize);
		return;
	}
	if (!format || buffer_lacks_padding(subject))
		return;
	n_bytes = dtype_pep3118_bytes(format);
	if (n_bytes < 0)
		rule_skip(report, "the size of format '%.60s' is unknown", format);
	else if (n_bytes != itemsize)
		rule_fail(report, "itemsize",
			"itemsize is %lld, but format '%.60s' takes %lld byte%s",
			(long long)itemsize, format, (long long)n_bytes, plural(n_bytes));
}

static void buf_check_format_given(const struct subject *subject, struct report *report)
{
	const struct value *format = value_get(buffer_declared(subject), "format");

	if (!buffer_declared(subject) || value_is(format, VALUE_TEXT))
		return;
	rule_fail(report, "format",
		value_is_null(format) ? "format is NULL but was requested (PyBUF_FORMAT)"
				      : "format points to memory that cannot be read");
}

/* The names of the arrays that are not NULL: "shape, strides and suboffsets"; NULL if there are
 * none. */
static const char *list_arrays(const struct subject *subject, const char **first, int *n_arrays)
{
	static const char *const arrays[] = { "shape", "strides", "suboffsets" };
	const char *set[ARRAY_SIZE(arrays)];

	*n_arrays = 0;
	for (size_t i = 0; i < ARRAY_SIZE(arrays); i++)
		if (!value_is_null(value_get(subject->declared, arrays[i])))
			set[(*n_arrays)++] = arrays[i];
	*first = *n_arrays ? set[0] : NULL;
	if (*n_arrays == 3)
		return arena_printf(subject->arena, "%s, %s and %s", set[0], set[1], set[2]);
	if (*n_arrays == 2)
		return arena_printf(subject->arena, "%s and %s", set[0], set[1]);
	return *first;
}

static void buf_check_dimensions(const struct subject *subject, struct report *report)
{
	int64_t n_dims = buffer_number(subject, "ndim");
	const char *given, *first;
	int n_given;

	if (!buffer_declared(subject))
		return;
	given = list_arrays(subject, &first, &n_given);
	if (n_dims < 0 || n_dims > ARRAY_MAX_DIMS)
		rule_fail(report, "ndim", "ndim is %lld, expected 0 to %d", (long long)n_dims,
			ARRAY_MAX_DIMS);
	else if (n_dims == 0 && n_given)
		rule_fail(report, first, "%s %s not NULL but ndim is 0", given,
			n_given == 1 ? "is" : "are");
	else if (n_dims > 1 && value_is_null(value_get(subject->declared, "shape")))
		rule_fail(report, "shape", "shape is NULL but ndim is %lld", (long long)n_dims);
	else if (n_dims == 1 && value_is_null(value_get(subject->declared, "shape")) &&
		 buffer_number(subject, "itemsize") == 0)
		rule_fail(report, "shape", "shape is NULL but itemsize is 0");
}

bool buffer_check_array(const struct subject *subject, struct report *report, const char *key)
{
	const struct value *array = value_get(buffer_declared(subject), key);
	int64_t n_dims = buffer_number(subject, "ndim");

	if (n_dims <= 0 || n_dims > ARRAY_MAX_DIMS || value_is_null(array)) /* BUF104 */
		return false;
	return shared_check_entries(subject, report, key, n_dims);
}

static void buf_check_shape(const struct subject *subject, struct report *report)
{
	if (buffer_check_array(subject, report, "shape"))
		shared_check_extents(subject, report);
}

static void buf_check_multiples(const struct subject *subject, struct report *report)
{
	const struct array *array = buffer_declared(subject) ? shared_array(subject, report) : NULL;
	int64_t itemsize = array ? dtype_itemsize(&array->dtype) : 0;

	for (int i = 0; itemsize > 0 && i < array->n_dims; i++)
		if (array->shape[i] > 1 && array->stride_bytes[i] % itemsize)
			rule_fail(report, arena_printf(subject->arena, "strides[%d]", i),
				"strides[%d] is %lld, not a multiple of itemsize (%lld)", i,
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
	if (buffer_check_array(subject, report, "suboffsets") &&
		!buffer_is_indirect(value_get(subject->declared, "suboffsets")))
		rule_fail(report, "suboffsets",
			"suboffsets is not NULL, but all its entries are negative");
}

static void buf_check_direct(const struct subject *subject, struct report *report)
{
	if (buffer_is_indirect(value_get(buffer_declared(subject), "suboffsets")))
		rule_fail(report, "suboffsets",
			"suboffsets has an entry of 0 or more: elements are reached through pointers");
}

/* "(3, 4)", "12". */
static const char *show_field(struct arena *arena, const struct value *value)
{
	const char *items = "";

	if (!value_is_sequence(value))
		return value_is(value, VALUE_TEXT) ? value->bytes : shared_show(arena, value);
	for (size_t i = 0; i < value->n_items && i < 8; i++)
		items = arena_printf(
			arena, "%s%s%s", items, i ? ", " : "", shared_show(arena, value->items[i]));
	return arena_printf(arena, "(%s%s)", items,
		value->n_items > 8    ? ", ..."
		: value->n_items == 1 ? ","
				      : "");
}

const struct buffer_request *buffer_request_of(const struct value *record)
{
	static const struct buffer_request unknown = { .fields = "" };
	static const struct buffer_request requests[] = {
		{ "PyBUF_SIMPLE", "", false },
		{ "PyBUF_FORMAT", "format", false },
		{ "PyBUF_WRITABLE", "", true },
		{ "PyBUF_WRITABLE|PyBUF_FORMAT", "format", true },
		{ "PyBUF_ND", "shape", false },
		{ "PyBUF_ND|PyBUF_FORMAT", "format shape", false },
		{ "PyBUF_CONTIG", "shape", true },
		{ "PyBUF_CONTIG|PyBUF_FORMAT", "format shape", true },
		{ "PyBUF_STRIDES", "shape strides", false },
		{ "PyBUF_C_CONTIGUOUS", "shape strides", false },
		{ "PyBUF_F_CONTIGUOUS", "shape strides", false },
		{ "PyBUF_ANY_CONTIGUOUS", "shape strides", false },
		{ "PyBUF_FULL_RO", "format shape strides suboffsets", false },
		{ "PyBUF_FULL", "format shape strides suboffsets", true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(requests); i++)
		if (value_is_text(value_get(record, "request"), requests[i].name))
			return &requests[i];
	return &unknown;
}

bool buffer_request_includes(const struct buffer_request *request, const char *field)
{
	return strstr(request->fields, field) != NULL;
}

bool buffer_was_granted(const struct value *record)
{
	return value_is_text(value_get(record, "outcome"), "returned");
}

const struct value *buffer_next_granted(const struct subject *subject, size_t *next)
{
	const struct value *records = value_get(subject->details, "requests");

	while (value_is_sequence(records) && *next < records->n_items) {
		const struct value *record = records->items[(*next)++];

		if (buffer_request_of(record)->name && buffer_was_granted(record))
			return record;
	}
	return NULL;
}

bool buffer_is_same_block(const struct subject *subject, const struct value *record)
{
	uint64_t buf, full, low, high;
	struct err ignored;

	if (!value_to_address(value_get(record, "buf"), &buf) ||
		!value_to_address(value_get(subject->declared, "buf"), &full) || buf == full)
		return true;
	return subject->array && !array_extent(subject->array, &low, &high, &ignored) &&
	       buf >= low && buf < high;
}

static bool sets_field(const struct value *record, const char *field)
{
	const struct value *set = value_get(record, "set");

	for (size_t i = 0; value_is_sequence(set) && i < set->n_items; i++)
		if (value_is_text(set->items[i], field))
			return true;
	return false;
}

/* The fields of a smaller request are present if PyBUF_FULL_RO returned them. */
static void buf_check_smaller_requests(const struct subject *subject, struct report *report)
{
	static const char *const fields[] = { "format", "shape", "strides" };
	const struct value *record;

	for (size_t f = 0; f < ARRAY_SIZE(fields); f++)
		for (size_t next = 0; (record = buffer_next_granted(subject, &next));) {
			const struct buffer_request *request = buffer_request_of(record);
			int64_t n_dims = value_int_or(
				value_get(record, "ndim"), buffer_number(subject, "ndim"));

			if (!buffer_request_includes(request, fields[f]) ||
				sets_field(record, fields[f]) ||
				value_is_null(value_get(subject->declared, fields[f])) ||
				(n_dims == 0 && strcmp(fields[f], "format") != 0))
				continue;
			rule_fail(report, fields[f], "%s is NULL for %s, which requests it",
				fields[f], request->name);
			break;
		}
}

static void buf_check_requested(const struct subject *subject, struct report *report)
{
	const struct value *declared = buffer_declared(subject);
	int64_t n_dims = buffer_number(subject, "ndim");

	if (n_dims == 1 && value_is_null(value_get(declared, "shape")))
		rule_fail(report, "shape", "shape is NULL but was requested (PyBUF_ND)");
	if (n_dims > 0 && value_is_null(value_get(declared, "strides")))
		rule_fail(report, "strides", "strides is NULL but was requested (PyBUF_STRIDES)");
	if (declared)
		buf_check_smaller_requests(subject, report);
}

/* "shape (PyBUF_SIMPLE and 2 others)": the requests that return the field although they do not
 * include it; or NULL. */
static const char *show_unrequested(const struct subject *subject, const char *field)
{
	const struct value *record;
	const char *first = NULL;
	size_t n_others = 0;

	for (size_t next = 0; (record = buffer_next_granted(subject, &next));) {
		const struct buffer_request *request = buffer_request_of(record);

		if (!sets_field(record, field) || buffer_request_includes(request, field))
			continue;
		if (first)
			n_others++;
		else
			first = request->name;
	}
	if (!n_others)
		return first ? arena_printf(subject->arena, "%s (%s)", field, first) : NULL;
	return arena_printf(subject->arena, "%s (%s and %zu other%s)", field, first, n_others,
		plural(n_others));
}

static void buf_check_unrequested(const struct subject *subject, struct report *report)
{
	static const char *const fields[] = { "format", "shape", "strides", "suboffsets" };
	const char *all = "";

	for (size_t f = 0; f < ARRAY_SIZE(fields); f++) {
		const char *shown = show_unrequested(subject, fields[f]);

		if (shown)
			all = arena_printf(subject->arena, "%s%s%s", all, *all ? ", " : "", shown);
	}
	if (*all)
		rule_fail(report, NULL, "fields that were not requested are not NULL: %s", all);
}

/* Whether the strides reach the same elements: those of extents 0 and 1 are arbitrary. */
static bool are_same_strides(
	const struct value *shape, const struct value *strides, const struct value *others)
{
	bool is_same = strides->n_items == others->n_items;

	for (size_t i = 0; value_is_sequence(shape) && i < shape->n_items; i++)
		if (value_int_or(shape->items[i], 0) == 0)
			return true;
	for (size_t i = 0; is_same && i < strides->n_items; i++)
		is_same = value_equal(strides->items[i], others->items[i]) ||
			  value_int_or(value_item(shape, i), 0) == 1;
	return is_same;
}

/* A document does not distinguish the tuples of details from lists. */
static bool is_same_value(const struct value *value, const struct value *other)
{
	if (!value_is_sequence(value) || !value_is_sequence(other))
		return value_equal(value, other);
	if (value->n_items != other->n_items)
		return false;
	for (size_t i = 0; i < value->n_items; i++)
		if (!value_equal(value->items[i], other->items[i]))
			return false;
	return true;
}

/* Without PyBUF_ND consumers ignore ndim (1 from memoryview, 0 from NumPy) and must assume that
 * itemsize is 1, as VTK reports it. */
static bool is_same_field(
	const struct subject *subject, const struct value *record, const char *key)
{
	const struct buffer_request *request = buffer_request_of(record);
	const struct value *value = value_get(record, key);
	const struct value *full = value_get(subject->declared, key);

	if (value_is_null(value) || is_same_value(value, full))
		return true;
	if (!strcmp(key, "ndim"))
		return !buffer_request_includes(request, "shape");
	if (!strcmp(key, "itemsize"))
		return !buffer_request_includes(request, "shape") && value_int_or(value, 0) == 1;
	if (!strcmp(key, "shape") || !strcmp(key, "strides")) {
		if (!buffer_request_includes(request, key) || !value_is_sequence(full) ||
			!value_equal(
				value_get(record, "ndim"), value_get(subject->declared, "ndim")))
			return true;
		return !strcmp(key, "strides") && value_is_sequence(value) &&
		       (!buffer_is_same_block(subject, record) ||
			       are_same_strides(
				       value_get(subject->declared, "shape"), value, full));
	}
	if (!strcmp(key, "format"))
		return !buffer_request_includes(request, key) || !value_is(full, VALUE_TEXT);
	if (!strcmp(key, "buf"))
		return !buffer_is_same_block(subject, record);
	return false;
}

static void buf_check_same(const struct subject *subject, struct report *report)
{
	static const char *const keys[] = { "buf", "len", "itemsize", "ndim", "format", "shape",
		"strides" };
	struct arena *arena = subject->arena;
	const struct value *record;

	for (size_t k = 0; buffer_declared(subject) && k < ARRAY_SIZE(keys); k++)
		for (size_t next = 0; (record = buffer_next_granted(subject, &next));) {
			const char *request = buffer_request_of(record)->name;
			const struct value *value = value_get(record, keys[k]);
			bool is_lost = value_is_null(value) && sets_field(record, keys[k]) &&
				       value_is_integer(value_get(record, "ndim")) &&
				       strcmp(keys[k], "format") != 0;

			/* Unreadable for every request: BUF105, BUF302. */
			if (is_lost &&
				value_is(value_get(subject->declared, keys[k]), VALUE_OPAQUE))
				continue;
			if (is_lost)
				rule_fail(report, keys[k],
					"%s for %s points to memory that cannot be read", keys[k],
					request);
			else if (!is_same_field(subject, record, keys[k]))
				rule_fail(report, keys[k],
					"%s is %s for %s, but %s for PyBUF_FULL_RO", keys[k],
					show_field(arena, value), request,
					show_field(arena, value_get(subject->declared, keys[k])));
			else
				continue;
			break;
		}
}

static void buf_check_padding(const struct subject *subject, struct report *report)
{
	if (buffer_lacks_padding(subject))
		rule_fail(report, "format",
			"format '%.60s' omits padding: its members take %lld byte%s, but itemsize is %lld",
			buffer_format(subject),
			(long long)dtype_pep3118_bytes(buffer_format(subject)),
			plural(dtype_pep3118_bytes(buffer_format(subject))),
			(long long)buffer_number(subject, "itemsize"));
}

const struct rule buffer_rules[] = {
	{
		BUFFER_RULE("BUF001", "plain-request", ERROR, MUST),
		.clause = CLAUSE_BUFFER "PyObject_GetBuffer (\"MUST raise BufferError\")",
		.summary =
			"a request for the buffer is granted, and neither it nor the release of the buffer sets an exception, or it raises BufferError and no other exception",
		.why = "a consumer that falls back to another protocol may catch only BufferError, and any other exception reaches the code that passed the object; an exception set although the request is granted, or none although it fails, becomes a SystemError",
		.fix = "raise BufferError in bf_getbuffer (__buffer__ since Python 3.12) if the object cannot be exported; clear exceptions before bf_getbuffer returns 0, and in bf_releasebuffer",
		.check = buf_check_request,
	},
	{
		BUFFER_RULE("BUF101", "length", ERROR, MUST),
		.clause = CLAUSE_BUFFER
		"Py_buffer.len (\"product(shape) * itemsize\"); Py_buffer.shape",
		.summary =
			"len is itemsize times the product of shape; without a shape, it is itemsize if ndim is 0, and a non-negative multiple of itemsize if ndim is 1",
		.why = "consumers copy len bytes: b''.join() reads past the end if len is too large, loses elements if it is too small, and raises SystemError if it is negative",
		.fix = "set len to the number of bytes of all elements, even if strides leave gaps between them",
		.check = buf_check_length,
	},
	{
		BUFFER_RULE("BUF102", "itemsize", ERROR, MUST),
		.clause = CLAUSE_BUFFER
		"Py_buffer.itemsize (\"Same as the value of struct.calcsize() called on non-NULL format values\")",
		.summary = "itemsize is the size in bytes of one element as described by format",
		.why = "numpy.asarray raises RuntimeError; if the element is a number, memoryview reads bytes of the next one if itemsize is too small, and ignores bytes of each one if it is too large",
		.fix = "write the format of the whole element, including padding ('x'), or correct itemsize",
		.check = buf_check_itemsize,
	},
	{
		BUFFER_RULE("BUF103", "format-present", ERROR, MUST),
		.clause = CLAUSE_BUFFER "PyBUF_FORMAT (\"this field MUST be filled in correctly\")",
		.summary = "format, if requested, points to a string",
		.why = "NULL means unsigned bytes: if itemsize is not 1, memoryview reads one byte of each element, and numpy.asarray "
		       "raises RuntimeError; consumers that read format crash if it points to unmapped memory",
		.fix = "point format to a string that lives as long as the exporter, such as \"f\" or \"B\"",
		.check = buf_check_format_given,
	},
	{
		BUFFER_RULE("BUF104", "dimensions", ERROR, MUST),
		.clause = CLAUSE_BUFFER
		"Py_buffer.ndim (\"shape, strides and suboffsets MUST be NULL\", \"Exporters MUST respect this limit\")",
		.summary =
			"ndim is from 0 to 64; if it is 0, shape, strides and suboffsets are NULL; if it is above 1, or itemsize is 0, shape is not NULL",
		.why = "memoryview rejects an ndim that is out of range, and numpy.asarray returns an object array; both crash if shape is NULL above one dimension; memoryview divides by itemsize if shape is NULL; numpy.asarray rejects suboffsets if ndim is 0",
		.fix = "set ndim to the length of shape, at most 64; for a zero-dimensional array, set ndim to 0, and shape, strides and suboffsets to NULL",
		.check = buf_check_dimensions,
	},
	{
		BUFFER_RULE("BUF105", "shape-extents", ERROR, MUST),
		.clause = CLAUSE_BUFFER
		"Py_buffer.shape (\"Shape values are restricted to shape[n] >= 0\")",
		.summary = "shape is NULL, or points to ndim non-negative extents",
		.why = "for a negative extent, numpy.asarray raises ValueError and memoryview.tolist() raises SystemError; consumers crash if shape points to unmapped memory",
		.fix = "point shape to ndim values, each the number of elements in its dimension, 0 or more",
		.check = buf_check_shape,
	},
	{
		BUFFER_RULE("BUF307", "strides-unit", WARNING, MUST),
		.requires = { "BUF102" },
		.subsumed_by = { "NAI307" },
		.clause = CLAUSE_BUFFER
		"Py_buffer.strides (\"the number of bytes to skip to get to a new element in each dimension\")",
		.summary = SHARED_STRIDE_UNIT_SUMMARY,
		.why = "in DLPack, PyTorch and SYCL, strides are in elements; if they are exported unchanged, adjacent elements overlap, and memoryview and numpy.asarray return wrong values without an error",
		.fix = "multiply each stride by itemsize",
		.check = shared_check_stride_unit,
	},
	{
		BUFFER_RULE("BUF106", "stride-multiples", NOTE, HAZARD),
		.subsumed_by = { "NAI307", "BUF307" },
		.clause = CLAUSE_BUFFER "NumPy-style: shape and strides (\"verify_structure\")",
		.summary =
			"the strides of dimensions of more than one element are multiples of itemsize",
		.why = "the check in Python's documentation rejects other strides, and protocols with strides in elements, such as DLPack, cannot describe them; fields of structured arrays can have such strides",
		.fix = "share a contiguous copy: numpy.ascontiguousarray(array)",
		.check = buf_check_multiples,
	},
	{
		BUFFER_RULE("BUF107", "suboffsets", ERROR, MUST),
		.clause = CLAUSE_BUFFER "Py_buffer.suboffsets (\"then this field must be NULL\")",
		.summary =
			"suboffsets is NULL, or points to ndim entries of which at least one is 0 or more",
		.why = "numpy.asarray raises BufferError and memoryview.cast() raises TypeError, because both treat any buffer with "
		       "suboffsets as indirect; both crash if suboffsets points to unmapped memory",
		.fix = "set suboffsets to NULL unless elements are reached through pointers",
		.check = buf_check_suboffsets,
	},
	{
		BUFFER_RULE("BUF108", "fields-requested", WARNING, MUST),
		.requires = { "BUF104" },
		.clause =
			CLAUSE_BUFFER "PyBUF_INDIRECT; PyBUF_STRIDES; PyBUF_ND (table of requests)",
		.summary =
			"requested fields are not NULL: format and, unless ndim is 0, shape and strides",
		.why = "memoryview and NumPy check for NULL, but C code that requests a field and reads it without a check crashes",
		.fix = "fill in every field that flags request, even for a contiguous buffer: format for PyBUF_FORMAT, shape for PyBUF_ND, strides for PyBUF_STRIDES",
		.check = buf_check_requested,
	},
	{
		BUFFER_RULE("BUF109", "indirect", WARNING, HAZARD),
		.clause = CLAUSE_BUFFER "PIL-style: shape and strides and suboffsets",
		.summary = "elements are reached through strides only, without indirection",
		.why = "memoryview follows the pointers of an indirect buffer, but numpy.asarray raises BufferError, and no other protocol can describe indirection; suai does not check the layout of such a buffer",
		.fix = "export memory that shape and strides describe, or raise BufferError",
		.check = buf_check_direct,
	},
	{
		BUFFER_RULE("BUF110", "fields-unrequested", NOTE, MUST),
		.clause = CLAUSE_BUFFER
		"PyBUF_FORMAT (\"Otherwise, this field MUST be NULL\"); PyBUF_STRIDES; PyBUF_ND",
		.summary =
			"format, shape, strides and suboffsets are NULL if they were not requested",
		.why = "a consumer that requested plain bytes and finds a format may use it; most consumers, such as hashlib, ignore "
		       "fields that they did not request",
		.fix = "set fields that flags do not request to NULL; PyBuffer_FillInfo does so for plain bytes",
		.check = buf_check_unrequested,
	},
	{
		BUFFER_RULE("BUF111", "format-padding", WARNING, MUST),
		.clause = CLAUSE_BUFFER
		"Py_buffer.itemsize (\"Same as the value of struct.calcsize() called on non-NULL format values\")",
		.summary = "format includes the padding of a structure",
		.why = "numpy.asarray raises RuntimeError (for a ctypes array before Python 3.12, it warns and derives the type from "
		       "ctypes); other consumers that read format place the fields after the gap at the wrong offset",
		.fix = "write padding as 'x' (\"T{<i:a:4x<d:b:}\"), or omit byte orders so that native alignment applies",
		.check = buf_check_padding,
	},
	{
		BUFFER_RULE("BUF113", "request-independent", ERROR, MUST),
		.requires = { "BUF104" },
		.clause = CLAUSE_BUFFER
		"request-independent fields (\"must always be filled in with the correct values\")",
		.summary =
			"len and itemsize are the same for every request (itemsize may be 1 without PyBUF_ND), as are ndim, shape, strides (of extents above 1) and format if requested; buf and strides may differ if a request returns a copy",
		.why = "consumers that make different requests see different memory, sizes or layouts of the same object",
		.fix = "set buf, len, itemsize and ndim before testing flags, and point shape, strides and format, if requested, to the same memory each time",
		.check = buf_check_same,
	},
	{ .id = NULL },
};
