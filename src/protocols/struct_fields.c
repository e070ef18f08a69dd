// SPDX-License-Identifier: MIT
#include "protocols/struct_fields.h"

#include "model/array.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const expected_values[] = {
	[STRUCT_INT32] = "an integer from -2^31 to 2^31-1",
	[STRUCT_INT64] = "an integer from -2^63 to 2^63-1",
	[STRUCT_UINT8] = "an integer from 0 to 255",
	[STRUCT_UINT16] = "an integer from 0 to 65535",
	[STRUCT_UINT64] = "an integer from 0 to 2^64-1",
	[STRUCT_FLAG] = "true or false",
	[STRUCT_CHAR] = "one character",
	[STRUCT_TEXT] = "text or null",
	[STRUCT_POINTER] = "an address, such as '0x1000'",
	[STRUCT_ENTRIES] = "a list of integers from -2^63 to 2^63-1, or null",
	[STRUCT_VERSION] = "two integers from 0 to 2^32-1",
};

static bool is_between(const struct value *value, int64_t low, int64_t high)
{
	int64_t number;

	return value_is_integer(value) && value_to_int64(value, &number) && number >= low &&
	       number <= high;
}

/* Whether the value is a sequence of n integers from low to high; n -1: of any number of them. */
static bool has_integers(const struct value *value, int64_t n, int64_t low, int64_t high)
{
	if (!value_is_sequence(value) || (n >= 0 && value->n_items != (size_t)n))
		return false;
	for (size_t i = 0; i < value->n_items; i++)
		if (!is_between(value->items[i], low, high))
			return false;
	return true;
}

static bool is_character(const struct value *value)
{
	return value_is(value, VALUE_TEXT) &&
	       (value->n_bytes == 1 || (value->n_bytes == 4 && !strncmp(value->bytes, "\\x", 2) &&
					       strspn(value->bytes + 2, "0123456789abcdef") == 2));
}

static bool can_hold(enum struct_field_kind kind, const struct value *value)
{
	uint64_t number;

	switch (kind) {
	case STRUCT_INT32:
		return is_between(value, INT32_MIN, INT32_MAX);
	case STRUCT_INT64:
		return is_between(value, INT64_MIN, INT64_MAX);
	case STRUCT_UINT8:
		return is_between(value, 0, UINT8_MAX);
	case STRUCT_UINT16:
		return is_between(value, 0, UINT16_MAX);
	case STRUCT_UINT64:
		return value_is_integer(value) && value_to_uint64(value, &number);
	case STRUCT_FLAG:
		return value_is(value, VALUE_BOOL);
	case STRUCT_CHAR:
		return is_character(value);
	case STRUCT_TEXT:
		return value_is_null(value) || value_is(value, VALUE_TEXT) ||
		       value_is(value, VALUE_OPAQUE);
	case STRUCT_POINTER:
		return value_is(value, VALUE_OPAQUE) || value_to_address(value, &number);
	case STRUCT_ENTRIES:
		return value_is_null(value) || value_is(value, VALUE_OPAQUE) ||
		       has_integers(value, -1, INT64_MIN, INT64_MAX);
	case STRUCT_VERSION:
		return has_integers(value, 2, 0, UINT32_MAX);
	case STRUCT_END:
		break;
	}
	return false;
}

/* What a document contains instead, in its own words. */
static const char *show_value(const struct value *value, char *shown, size_t n_bytes)
{
	static const char *const kinds[] = {
		[VALUE_BOOL] = "a boolean",
		[VALUE_REAL] = "a real number",
		[VALUE_BYTES] = "bytes",
		[VALUE_OPAQUE] = "an object",
		[VALUE_LIST] = "a list",
		[VALUE_TUPLE] = "a list",
		[VALUE_MAP] = "a map",
	};

	if (!value)
		return "no such key";
	if (value_is_null(value))
		return "null";
	if (value_is(value, VALUE_INT))
		snprintf(shown, n_bytes, "%" PRId64, value->integer);
	else if (value_is(value, VALUE_WIDE_INT))
		snprintf(shown, n_bytes, "%.40s", value->bytes);
	else if (value_is(value, VALUE_TEXT))
		snprintf(shown, n_bytes, "'%.40s'", value->bytes);
	else
		return kinds[value->kind];
	return shown;
}

static const char remedy[] = "correct it, or write the file again with 'suai inspect -f yaml'";

static int refuse_value(const char *path, const char *field, const char *expected,
	const struct value *value, struct err *err)
{
	char shown[64];

	return err_set(err, EXIT_USAGE, "'%s.%s': expected %s, got %s; %s", path, field, expected,
		show_value(value, shown, sizeof(shown)), remedy);
}

/* The first entry that no int64_t holds, or the list if that is not one. */
static int refuse_entries(
	const char *path, const char *field, const struct value *value, struct err *err)
{
	char item[128];

	for (size_t i = 0; value_is_sequence(value) && i < value->n_items; i++) {
		if (can_hold(STRUCT_INT64, value->items[i]))
			continue;
		snprintf(item, sizeof(item), "%s[%zu]", field, i);
		return refuse_value(
			path, item, expected_values[STRUCT_INT64], value->items[i], err);
	}
	return refuse_value(path, field, expected_values[STRUCT_ENTRIES], value, err);
}

/* The worker reads at most ARRAY_MAX_DIMS entries. */
static int check_count(const struct struct_field *field, const struct value *declared,
	const char *path, struct err *err)
{
	const struct value *entries = value_at(declared, field->path);
	int64_t n = value_int_or(value_at(declared, field->count), 0), expected = n;

	if (n < 0)
		expected = 0;
	else if (n > ARRAY_MAX_DIMS)
		expected = ARRAY_MAX_DIMS;
	if (!value_is_sequence(entries) || entries->n_items == (size_t)expected)
		return 0;
	return err_set(err, EXIT_USAGE,
		"'%s.%s': expected %" PRId64 " %s, since %s is %" PRId64 ", got %zu; %s", path,
		field->path, expected, expected == 1 ? "entry" : "entries", field->count, n,
		entries->n_items, remedy);
}

int struct_fields_check(const struct struct_fields *fields, const struct value *declared,
	const char *path, struct err *err)
{
	const struct value *gate = value_at(declared, fields->gate);

	if (!value_is(declared, VALUE_MAP) || value_is_null(gate) || value_is(gate, VALUE_OPAQUE))
		return 0;
	for (const struct struct_field *field = fields->fields; field->kind != STRUCT_END;
		field++) {
		const struct value *value = value_at(declared, field->path);

		if (field->is_optional && value_is_null(value))
			continue;
		if (!can_hold(field->kind, value))
			return field->kind == STRUCT_ENTRIES
				       ? refuse_entries(path, field->path, value, err)
				       : refuse_value(path, field->path,
						 expected_values[field->kind], value, err);
		if (field->count && check_count(field, declared, path, err))
			return -1;
	}
	return 0;
}
