// SPDX-License-Identifier: MIT
/* Reads numbers, layouts and addresses from facts, for all protocols. */
#include "protocols/shared.h"

#include "protocols/protocol.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MAX_DIGITS = 60 };

int protocol_refuse(
	const struct value *value, const char *field, const char *wanted, struct err *err)
{
	static const char *const names[] = {
		[VALUE_NULL] = "None",
		[VALUE_BOOL] = "bool",
		[VALUE_INT] = "int",
		[VALUE_WIDE_INT] = "int",
		[VALUE_REAL] = "float",
		[VALUE_TEXT] = "str",
		[VALUE_BYTES] = "bytes",
		[VALUE_OPAQUE] = "object",
		[VALUE_LIST] = "list",
		[VALUE_TUPLE] = "tuple",
		[VALUE_MAP] = "dict",
	};

	if (!value)
		return err_set(err, EXIT_FINDINGS, "%s is missing", field);
	if (value_exceeds_limit(value))
		return err_set(err, EXIT_FINDINGS, "cannot read %s: %s", field,
			value_is(value, VALUE_OPAQUE)
				? value->bytes
				: "it exceeds suai's limits on size and nesting");
	/* Of too many digits. */
	if (value_is(value, VALUE_OPAQUE) && value->type_name && !strcmp(value->type_name, "int") &&
		!strcmp(wanted, "an int"))
		return err_set(err, EXIT_FINDINGS, "cannot read %s: %s", field, value->bytes);
	/* Without a type, an opaque value shows why it was not read. */
	return err_set(err, EXIT_FINDINGS, "%s must be %s, not %s", field, wanted,
		value->type_name                ? value->type_name
		: value_is(value, VALUE_OPAQUE) ? value->bytes
						: names[value->kind]);
}

int protocol_refuse_integer(
	const struct value *integer, const char *field, const char *expected, struct err *err)
{
	if (value_is(integer, VALUE_WIDE_INT)) {
		bool is_long = integer->n_bytes > MAX_DIGITS;

		return err_set(err, EXIT_FINDINGS, "%s is %.*s%s, expected %s", field,
			is_long ? MAX_DIGITS : (int)integer->n_bytes, integer->bytes,
			is_long ? "..." : "", expected);
	}
	return err_set(err, EXIT_FINDINGS, "%s is %" PRId64 ", expected %s", field,
		integer->integer, expected);
}

int protocol_read_integers(const struct value *sequence, const char *field, int64_t *out,
	int max_items, int *n_items, struct err *err)
{
	char item[64];

	if (value_is(sequence, VALUE_OPAQUE)) /* of a C struct */
		return err_set(
			err, EXIT_FINDINGS, "%s points to memory that cannot be read", field);
	if (!value_is_sequence(sequence))
		return protocol_refuse(sequence, field, "a tuple", err);
	if (sequence->n_items > (size_t)max_items)
		return err_set(err, EXIT_FINDINGS, "%s has %zu entries, expected at most %d", field,
			sequence->n_items, max_items);
	for (size_t i = 0; i < sequence->n_items; i++) {
		snprintf(item, sizeof(item), "%s[%zu]", field, i);
		if (!value_is_integer(sequence->items[i]))
			return protocol_refuse(sequence->items[i], item, "an int", err);
		if (!value_to_int64(sequence->items[i], &out[i]))
			return protocol_refuse_integer(
				sequence->items[i], item, "a signed 64-bit integer", err);
	}
	*n_items = (int)sequence->n_items;
	return 0;
}

int protocol_read_counted(const struct value *sequence, const char *field, int64_t n_items,
	int64_t *out, struct err *err)
{
	int n_read = 0;

	if (protocol_read_integers(sequence, field, out, ARRAY_MAX_DIMS, &n_read, err))
		return -1;
	if (n_read != n_items)
		return err_set(err, EXIT_FINDINGS, "%s has %d %s, expected %" PRId64, field, n_read,
			n_read == 1 ? "entry" : "entries", n_items);
	return 0;
}

void protocol_start(struct array *array)
{
	memset(array, 0, sizeof(*array));
	array->readonly = READONLY_UNKNOWN;
	array->device = (struct device){ NULL, -1 };
}

int protocol_check_extents(const struct array *array, const char *field, struct err *err)
{
	for (int i = 0; i < array->n_dims; i++)
		if (array->shape[i] < 0)
			return err_set(err, EXIT_FINDINGS,
				"%s[%d] is %" PRId64 ", expected 0 or more", field, i,
				array->shape[i]);
	return 0;
}

int protocol_check_size(const struct array *array, struct err *err)
{
	if (array_nbytes(array) < 0)
		return err_set(err, EXIT_FINDINGS,
			"the size of the array in bytes exceeds a signed 64-bit integer");
	return 0;
}

int protocol_check_numpy_size(const struct array *array, struct err *err)
{
	struct array all = *array;

	for (int i = 0; i < all.n_dims; i++)
		all.shape[i] = all.shape[i] ? all.shape[i] : 1;
	return protocol_check_size(&all, err);
}

/* Adds a dimension's stride to the reach; whether the offsets fit in int64_t. */
static bool widen(int64_t bytes, int64_t extent, int64_t *low, int64_t *high)
{
	int64_t last, *end;

	if (__builtin_mul_overflow(bytes, extent - 1, &last))
		return false;
	end = last > 0 ? high : low;
	return !__builtin_add_overflow(*end, last, end);
}

int protocol_set_strides(struct array *array, const struct value *given, const char *field,
	int64_t unit_bytes, int64_t start_bytes, struct err *err)
{
	int64_t *bytes = array->stride_bytes, low = start_bytes, high = start_bytes;
	bool is_empty = array_elements(array) == 0;

	array->strides_given = !value_is_null(given);
	if (!array->strides_given) {
		array_set_compact_strides(array, 'C');
		return 0;
	}
	if (protocol_read_counted(given, field, array->n_dims, bytes, err))
		return -1;
	for (int i = 0; i < array->n_dims; i++) {
		bool is_stepped = !is_empty && array->shape[i] > 1;
		bool fits = !__builtin_mul_overflow(bytes[i], unit_bytes, &bytes[i]);

		if (is_stepped && !(fits && widen(bytes[i], array->shape[i], &low, &high)))
			return err_set(err, EXIT_FINDINGS,
				"%s[%d] places elements outside the address space", field, i);
		if (!fits) /* no index uses it */
			bytes[i] = 0;
	}
	return 0;
}

int protocol_move_pointer(
	struct array *array, int64_t offset_bytes, const char *field, struct err *err)
{
	const __int128 address = (__int128)array->pointer + offset_bytes;

	if (address < 0 || address > UINT64_MAX)
		return err_set(err, EXIT_FINDINGS,
			"%s places the first element outside the address space", field);
	array->pointer = (uint64_t)address;
	return 0;
}
