// SPDX-License-Identifier: MIT
/* The buffer protocol (PEP 3118; Python/C API): Py_buffer as returned for PyBUF_FULL_RO. */
#include "base/array_size.h"
#include "base/plural.h"
#include "model/runtimes.h"
#include "protocols/protocol.h"
#include "protocols/shared.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int buffer_read_type(const struct value *declared, struct array *array, struct err *err)
{
	const struct value *format = value_get(declared, "format");
	int64_t itemsize = value_int_or(value_get(declared, "itemsize"), -1), n_bytes;
	struct err unknown;
	char raw_bytes[24];

	if (itemsize < 0)
		return err_set(err, EXIT_FINDINGS, "itemsize is %" PRId64 ", expected 0 or more",
			itemsize);
	if (!value_is(format, VALUE_TEXT))
		return err_set(err, EXIT_FINDINGS,
			value_is_null(format) ? "format is NULL but was requested"
					      : "format points to memory that cannot be read");
	n_bytes = dtype_pep3118_bytes(format->bytes);
	if (n_bytes >= 0 && n_bytes != itemsize &&
		dtype_pep3118_padded_bytes(format->bytes) != itemsize)
		return err_set(err, EXIT_FINDINGS,
			"itemsize is %" PRId64 ", but format '%.60s' takes %" PRId64 " byte%s",
			itemsize, format->bytes, n_bytes, plural(n_bytes));
	if (!dtype_from_pep3118(&array->dtype, format->bytes, itemsize, &unknown))
		return 0;
	snprintf(raw_bytes, sizeof(raw_bytes), "|V%" PRId64, itemsize);
	return dtype_from_typestr(&array->dtype, raw_bytes, err);
}

/* Without dimensions shape, strides and suboffsets are all NULL. */
static int check_scalar(const struct value *declared, struct err *err)
{
	static const char *const fields[] = { "shape", "strides", "suboffsets" };

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (!value_is_null(value_get(declared, fields[i])))
			return err_set(
				err, EXIT_FINDINGS, "%s is not NULL but ndim is 0", fields[i]);
	return 0;
}

/* One dimension without a shape has len / itemsize elements. */
static int buffer_read_shape(const struct value *declared, struct array *array, struct err *err)
{
	const struct value *n_dims = value_get(declared, "ndim");
	const struct value *shape = value_get(declared, "shape");
	int64_t expected = value_int_or(n_dims, -1), itemsize = dtype_itemsize(&array->dtype);

	if (expected < 0 || expected > ARRAY_MAX_DIMS)
		return err_set(err, EXIT_FINDINGS, "ndim is %" PRId64 ", expected 0 to %d",
			expected, ARRAY_MAX_DIMS);
	if (!expected)
		return check_scalar(declared, err);
	if (value_is_null(shape) && expected == 1 && itemsize) {
		int64_t len = value_int_or(value_get(declared, "len"), 0);

		if (len < 0)
			return err_set(
				err, EXIT_FINDINGS, "len is %" PRId64 ", expected 0 or more", len);
		if (len % itemsize)
			return err_set(err, EXIT_FINDINGS,
				"len is %" PRId64 ", not a multiple of itemsize (%" PRId64 ")", len,
				itemsize);
		array->n_dims = 1;
		array->shape[0] = len / itemsize;
		return 0;
	}
	if (value_is_null(shape) && expected == 1)
		return err_set(err, EXIT_FINDINGS, "shape is NULL but itemsize is 0");
	if (value_is_null(shape))
		return err_set(err, EXIT_FINDINGS, "shape is NULL but ndim is %" PRId64, expected);
	if (protocol_read_counted(shape, "shape", expected, array->shape, err))
		return -1;
	array->n_dims = (int)expected;
	return protocol_check_extents(array, "shape", err);
}

static int check_len(const struct value *declared, const struct array *array, struct err *err)
{
	int64_t len = value_int_or(value_get(declared, "len"), -1), n_bytes = array_nbytes(array);

	if (len != n_bytes)
		return err_set(err, EXIT_FINDINGS,
			"len is %" PRId64 ", but the elements take %" PRId64 " byte%s", len,
			n_bytes, plural(n_bytes));
	return 0;
}

/* A suboffset that is not negative means pointers to rows, which strides cannot express. */
static int check_suboffsets(const struct value *declared, struct array *array, struct err *err)
{
	const struct value *given = value_get(declared, "suboffsets");
	int64_t suboffsets[ARRAY_MAX_DIMS];

	if (value_is_null(given))
		return 0;
	if (protocol_read_counted(given, "suboffsets", array->n_dims, suboffsets, err))
		return -1;
	for (int i = 0; i < array->n_dims; i++)
		if (suboffsets[i] >= 0)
			return err_set(err, EXIT_FINDINGS,
				"suboffsets[%d] is %" PRId64
				": an indirect buffer is not a strided array",
				i, suboffsets[i]);
	return err_set(err, EXIT_FINDINGS,
		"suboffsets is not NULL, although all its entries are negative; expected NULL");
}

/* The extents and strides of a Py_buffer; strides is NULL if they are those of C order. False if
 * they cannot be read. */
static bool read_dimensions(const struct value *declared, const struct value **shape,
	const struct value **strides, size_t *n_dims)
{
	int64_t reported = value_int_or(value_get(declared, "ndim"), -1);

	*shape = value_get(declared, "shape");
	*strides = value_get(declared, "strides");
	*n_dims = (size_t)reported;
	if (value_is_null(*strides))
		*strides = NULL;
	return reported >= 0 && value_is_sequence(*shape) && (*shape)->n_items == *n_dims &&
	       (!*strides || (value_is_sequence(*strides) && (*strides)->n_items == *n_dims));
}

static bool is_contiguous_by(const struct value *shape, const struct value *strides, size_t n_dims,
	int64_t itemsize, char order)
{
	int64_t expected = itemsize, extent, stride;
	bool overflows = false;

	for (size_t n = 0; n < n_dims; n++) {
		size_t i = order == 'F' ? n : n_dims - 1 - n;

		extent = value_int_or(shape->items[i], -1);
		stride = value_int_or(strides->items[i], 0);
		if (extent == 1)
			continue;
		if (overflows || stride != expected)
			return false;
		/* The outermost stride is right even if the size in bytes is out of range. */
		overflows = __builtin_mul_overflow(expected, extent, &expected);
	}
	return true;
}

enum answer protocol_buffer_is_contiguous(const struct value *declared, char order)
{
	const char *format = value_text_or(value_get(declared, "format"), NULL);
	int64_t itemsizes[] = { value_int_or(value_get(declared, "itemsize"), -1),
		format ? dtype_pep3118_bytes(format) : -1,
		format ? dtype_pep3118_padded_bytes(format) : -1 };
	const struct value *shape, *strides;
	size_t n_dims, n_long = 0;

	if (value_int_or(value_get(declared, "ndim"), -1) == 0)
		return ANSWER_YES;
	/* One dimension without a shape has len bytes. */
	if (value_is_null(value_get(declared, "shape")) &&
		value_is_null(value_get(declared, "strides")))
		return ANSWER_YES;
	if (!read_dimensions(declared, &shape, &strides, &n_dims))
		return ANSWER_UNKNOWN;
	for (size_t i = 0; i < n_dims; i++) {
		int64_t extent = value_int_or(shape->items[i], -1);

		if (extent == 0)
			return ANSWER_YES;
		if (extent < 0 || (strides && !value_is_integer(strides->items[i])))
			return ANSWER_UNKNOWN;
		n_long += extent > 1;
	}
	if (!strides)
		return order == 'C' || n_long < 2 ? ANSWER_YES : ANSWER_NO;
	for (size_t i = 0; i < ARRAY_SIZE(itemsizes); i++)
		if (itemsizes[i] == 0 || (itemsizes[i] > 0 && is_contiguous_by(shape, strides,
								      n_dims, itemsizes[i], order)))
			return ANSWER_YES;
	return itemsizes[0] < 0 && itemsizes[1] < 0 ? ANSWER_UNKNOWN : ANSWER_NO;
}

static int buffer_describe(
	const struct fact_interface *interface, struct array *array, struct err *err)
{
	const struct value *declared = interface->declared;
	const struct value *readonly = value_get(declared, "readonly");

	protocol_start(array);
	if (!value_is(declared, VALUE_MAP))
		return protocol_refuse(declared, buffer_protocol.attribute, "a Py_buffer", err);
	if (buffer_read_type(declared, array, err) || buffer_read_shape(declared, array, err) ||
		protocol_check_size(array, err) || check_len(declared, array, err) ||
		protocol_set_strides(array, value_get(declared, "strides"), "strides", 1, 0, err) ||
		check_suboffsets(declared, array, err))
		return -1;
	value_to_address(value_get(declared, "buf"), &array->pointer);
	if (value_is(readonly, VALUE_BOOL))
		array->readonly = readonly->boolean ? READONLY_YES : READONLY_NO;
	array->device = (struct device){ DEVICE_CPU, 0 };
	return 0;
}

static struct value *buffer_version(struct arena *arena, const struct fact_interface *interface)
{
	(void)interface;
	return value_null(arena);
}

/* The bytes of all elements; -1 if shape cannot be read. */
static int64_t buffer_count_bytes(const struct value *shape, int64_t itemsize)
{
	int64_t n_bytes = itemsize;

	for (size_t i = 0; i < shape->n_items; i++)
		if (__builtin_mul_overflow(n_bytes, value_int_or(shape->items[i], -1), &n_bytes))
			return -1;
	return n_bytes;
}

/* Whether format takes itemsize bytes, or a number that cannot be determined. */
static bool is_format_right(const struct value *format, int64_t itemsize)
{
	int64_t n_bytes = value_is(format, VALUE_TEXT) ? dtype_pep3118_bytes(format->bytes) : -1;

	return value_is(format, VALUE_TEXT) &&
	       (n_bytes < 0 || n_bytes == itemsize ||
		       dtype_pep3118_padded_bytes(format->bytes) == itemsize);
}

/* If format is wrong, the elements are itemsize raw bytes, as many as shape declares. Suboffsets
 * that are all negative are removed, and the fields that a scalar must not have. */
static struct value *buffer_repair(struct arena *arena, const struct fact_interface *interface)
{
	const struct value *declared = interface->declared;
	static const char *const arrays[] = { "shape", "strides", "suboffsets" };
	struct value *repaired = value_copy(arena, declared);
	int64_t itemsize = value_int_or(value_get(declared, "itemsize"), -1);
	const struct value *shape = value_get(declared, "shape");
	const struct value *suboffsets = value_get(declared, "suboffsets");
	bool is_scalar = value_int_or(value_get(declared, "ndim"), -1) == 0, is_indirect = false;

	if (!is_format_right(value_get(declared, "format"), itemsize))
		value_set(arena, repaired, "format",
			value_text(arena, arena_printf(arena, "%llds", (long long)itemsize)));
	for (size_t i = 0; is_scalar && i < ARRAY_SIZE(arrays); i++)
		value_set(arena, repaired, arrays[i], value_null(arena));
	if (is_scalar || value_is_sequence(shape))
		value_set(arena, repaired, "len",
			value_int(
				arena, is_scalar ? itemsize : buffer_count_bytes(shape, itemsize)));
	for (size_t i = 0; value_is_sequence(suboffsets) && i < suboffsets->n_items; i++)
		is_indirect |= value_int_or(suboffsets->items[i], 0) >= 0;
	if (!is_indirect)
		value_set(arena, repaired, "suboffsets", value_null(arena));
	protocol_drop_unit_dims(arena, repaired, "ndim");
	return repaired;
}

/* The size is a separate field. */
static bool buffer_untype(struct arena *arena, struct value *declared, bool *has_size)
{
	int64_t n_bytes = value_int_or(value_get(declared, "itemsize"), -1);

	*has_size = n_bytes >= 0;
	value_set(arena, declared, "format", value_textf(arena, "%" PRId64 "s", n_bytes));
	return *has_size;
}

static const struct struct_field buffer_struct_fields[] = {
	{ .kind = STRUCT_POINTER, .path = "buf" },
	{ .kind = STRUCT_INT64, .path = "len" },
	{ .kind = STRUCT_INT64, .path = "itemsize" },
	{ .kind = STRUCT_FLAG, .path = "readonly" },
	{ .kind = STRUCT_INT32, .path = "ndim" },
	{ .kind = STRUCT_TEXT, .path = "format" },
	{ .kind = STRUCT_ENTRIES, .path = "shape", .count = "ndim" },
	{ .kind = STRUCT_ENTRIES, .path = "strides", .count = "ndim" },
	{ .kind = STRUCT_ENTRIES, .path = "suboffsets", .count = "ndim" },
	{ .kind = STRUCT_END },
};

static const struct struct_fields buffer_fields = {
	.gate = "",
	.fields = buffer_struct_fields,
};

const struct protocol buffer_protocol = {
	.name = PROTOCOL_BUFFER,
	.attribute = "buffer",
	.title = "the buffer protocol (PEP 3118)",
	.rule_prefix = "BUF",
	.edition_key = "pep3118",
	.editions = "3",
	.runtime = RUNTIME_HOST,
	.device_family = "host",
	.trials = "rounds",
	.details = &fact_buffer_details_record,
	.fields = &buffer_fields,
	.rank = 5,
	.describe = buffer_describe,
	.repair = buffer_repair,
	.untype = buffer_untype,
	.version = buffer_version,
};
