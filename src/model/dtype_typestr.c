// SPDX-License-Identifier: MIT
/* NumPy's typestr: byte order, kind, byte count (numpy.org, arrays.interface version 3), with the
 * time units of "M8[25s]". */
#include "base/array_size.h"
#include "model/dtype.h"

#include "model/dtype_make.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct kind {
	char letter;
	enum dtype_kind kind;
	int unit_bits;    /* of the count in the typestr */
	int64_t sizes[4]; /* the counts that exist; none: any */
} kinds[] = {
	{ 'b', DTYPE_BOOL, 8, { 1 } },
	{ 'i', DTYPE_INT, 8, { 1, 2, 4, 8 } },
	{ 'u', DTYPE_UINT, 8, { 1, 2, 4, 8 } },
	{ 'f', DTYPE_FLOAT, 8, { 2, 4, 8, sizeof(long double) } },
	{ 'c', DTYPE_COMPLEX, 8, { 4, 8, 16, 2 * sizeof(long double) } },
	{ 'm', DTYPE_TIMEDELTA, 8, { 8 } },
	{ 'M', DTYPE_DATETIME, 8, { 8 } },
	{ 'O', DTYPE_OBJECT, 8, { sizeof(void *) } },
	{ 'S', DTYPE_BYTES, 8, { 0 } },
	{ 'U', DTYPE_UNICODE, 32, { 0 } },
	{ 'V', DTYPE_VOID, 8, { 0 } },
	{ 't', DTYPE_BITFIELD, 1, { 0 } },
};

enum { N_KINDS = ARRAY_SIZE(kinds) };

static bool size_exists(const struct kind *kind, int64_t size)
{
	if (!kind->sizes[0])
		return true;
	for (int i = 0; i < 4 && kind->sizes[i]; i++)
		if (kind->sizes[i] == size)
			return true;
	return false;
}

/* Reads decimal digits; false if there are none or too many. */
static bool read_typestr_count(const char **at, int64_t *count)
{
	const char *start = *at;

	for (*count = 0; isdigit((unsigned char)**at); (*at)++)
		if (__builtin_mul_overflow(*count, 10, count) ||
			__builtin_add_overflow(*count, **at - '0', count))
			return false;
	return *at > start;
}

/* Time units in descending order, and those that NumPy divides them into, the largest first
 * (_multiples_table of numpy/_core/src/multiarray/datetime.c). */
static const struct time_unit {
	const char *name;
	int64_t parts[3];
	const char *part_names[3];
} time_units[] = {
	{ "Y", { 12, 52, 365 }, { "M", "W", "D" } },
	{ "M", { 4, 30, 720 }, { "W", "D", "h" } },
	{ "W", { 7, 168, 10080 }, { "D", "h", "m" } },
	{ "D", { 24, 1440, 86400 }, { "h", "m", "s" } },
	{ "h", { 60, 3600 }, { "m", "s" } },
	{ "m", { 60, 60000 }, { "s", "ms" } },
	{ "s", { 1000, 1000000 }, { "ms", "us" } },
	{ "ms", { 1000, 1000000 }, { "us", "ns" } },
	{ "us", { 1000, 1000000 }, { "ns", "ps" } },
	{ "ns", { 1000, 1000000 }, { "ps", "fs" } },
	{ "ps", { 1000, 1000000 }, { "fs", "as" } },
	{ "fs", { 1000 }, { "as" } },
	{ "as", { 0 }, { NULL } },
};

/* Divides count units as NumPy does: "[s/2]" is "[500ms]". The name of the unit of *count; NULL if
 * the divisor has no whole number of parts. */
static const char *divide_unit(const struct time_unit *unit, int64_t *count, int64_t divisor)
{
	if (divisor == 1)
		return unit->name;
	for (size_t i = 0; i < ARRAY_SIZE(unit->parts) && unit->parts[i]; i++)
		if (divisor > 0 && unit->parts[i] % divisor == 0) {
			*count *= unit->parts[i] / divisor;
			return unit->part_names[i];
		}
	return NULL;
}

/* Reads "s" or "s/2" before "]" at the end of the text. The name of the unit of *count, which is
 * multiplied; NULL if it is invalid. */
static const char *read_divided_unit(const char *at, int64_t *count)
{
	for (size_t i = 0; i < ARRAY_SIZE(time_units); i++) {
		size_t n_chars = strlen(time_units[i].name);
		const char *rest = at + n_chars;
		int64_t divisor = 1;

		if (strncmp(at, time_units[i].name, n_chars) != 0 || (*rest != ']' && *rest != '/'))
			continue;
		if (*rest == '/' && (rest++, !read_typestr_count(&rest, &divisor)))
			return NULL;
		return strcmp(rest, "]") != 0 ? NULL : divide_unit(&time_units[i], count, divisor);
	}
	return NULL;
}

/* Reads "[25s]" up to the end of the text and appends it to the name; no unit is "generic". */
static bool read_unit(struct dtype *dtype, const char *at)
{
	size_t used = strlen(dtype->name);
	char *end = dtype->name + used;
	const char *unit;
	int64_t count = 1;

	if (!*at || !strcmp(at, "[generic]"))
		return true;
	if (*at++ != '[')
		return false;
	if (isdigit((unsigned char)*at) &&
		(!read_typestr_count(&at, &count) || count < 1 || count > INT32_MAX))
		return false;
	unit = read_divided_unit(at, &count);
	if (!unit || count > INT32_MAX)
		return false;
	if (count == 1)
		snprintf(end, sizeof(dtype->name) - used, "[%s]", unit);
	else
		snprintf(end, sizeof(dtype->name) - used, "[%" PRId64 "%s]", count, unit);
	return true;
}

static int read_typestr_kind(
	struct dtype *dtype, const struct kind *kind, const char *typestr, struct err *err)
{
	const char *at = typestr + 2;
	int64_t count = sizeof(void *);

	/* NumPy itself writes "|O" without a count. */
	if (!(kind->kind == DTYPE_OBJECT && !*at) && !read_typestr_count(&at, &count))
		return err_set(err, EXIT_FINDINGS, "'%.60s' has no valid size after '%c'", typestr,
			kind->letter);
	if (!size_exists(kind, count) || (kind->kind == DTYPE_BITFIELD && count < 1))
		return err_set(err, EXIT_FINDINGS,
			"'%.60s': %" PRId64 " is not a valid size for kind '%c'", typestr, count,
			kind->letter);
	if (dtype_make(dtype, kind->kind, count, kind->unit_bits, err))
		return err_wrap(err, "'%.60s'", typestr);
	if (kind->kind == DTYPE_DATETIME || kind->kind == DTYPE_TIMEDELTA) {
		if (!read_unit(dtype, at))
			return err_set(err, EXIT_FINDINGS,
				"'%.60s': '%.40s' is not a valid time unit", typestr, at);
	} else if (*at) {
		return err_set(err, EXIT_FINDINGS, "'%.60s': unexpected '%.40s' after the size",
			typestr, at);
	}
	return 0;
}

/* Names of numpy.dtype, with their sizes on this machine; those of one character may follow a byte
 * order. */
static const struct {
	const char *name;
	char letter;
	int size;
} names[] = {
	{ "?", 'b', 1 },
	{ "b", 'i', sizeof(signed char) },
	{ "B", 'u', sizeof(signed char) },
	{ "h", 'i', sizeof(short) },
	{ "H", 'u', sizeof(short) },
	{ "i", 'i', sizeof(int) },
	{ "I", 'u', sizeof(int) },
	{ "l", 'i', sizeof(long) },
	{ "L", 'u', sizeof(long) },
	{ "q", 'i', sizeof(long long) },
	{ "Q", 'u', sizeof(long long) },
	{ "p", 'i', sizeof(void *) },
	{ "P", 'u', sizeof(void *) },
	{ "e", 'f', 2 },
	{ "f", 'f', sizeof(float) },
	{ "d", 'f', sizeof(double) },
	{ "g", 'f', sizeof(long double) },
	{ "F", 'c', 2 * sizeof(float) },
	{ "D", 'c', 2 * sizeof(double) },
	{ "G", 'c', 2 * sizeof(long double) },
	{ "bool", 'b', 1 },
	{ "int8", 'i', 1 },
	{ "int16", 'i', 2 },
	{ "int32", 'i', 4 },
	{ "int64", 'i', 8 },
	{ "uint8", 'u', 1 },
	{ "uint16", 'u', 2 },
	{ "uint32", 'u', 4 },
	{ "uint64", 'u', 8 },
	{ "int", 'i', 8 },
	{ "float16", 'f', 2 },
	{ "float32", 'f', 4 },
	{ "float64", 'f', 8 },
	{ "half", 'f', 2 },
	{ "single", 'f', 4 },
	{ "double", 'f', 8 },
	{ "float", 'f', 8 },
	{ "complex64", 'c', 8 },
	{ "complex128", 'c', 16 },
	{ "complex", 'c', 16 },
};

bool dtype_spell_out(const char *text, char typestr[DTYPE_TEXT_BYTES])
{
	const char native = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? '>' : '<';
	bool has_order = *text && strchr("<>|=", *text);
	const char *rest = text + has_order;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char order = has_order && *text != '=' ? *text : native;

		if (strcmp(rest, names[i].name) != 0 || (has_order && rest[1]))
			continue;
		snprintf(typestr, DTYPE_TEXT_BYTES, "%c%c%d", names[i].size == 1 ? '|' : order,
			names[i].letter, names[i].size);
		return true;
	}
	if (has_order || !*rest || !strchr("biufcmMOSUV", *rest) ||
		!isdigit((unsigned char)rest[1]))
		return false;
	return snprintf(typestr, DTYPE_TEXT_BYTES, "%c%s",
		       strchr("bOSV", *rest) || !strcmp(rest + 1, "1") ? '|' : native,
		       rest) < DTYPE_TEXT_BYTES;
}

int dtype_from_typestr(struct dtype *dtype, const char *typestr, struct err *err)
{
	char spelt[DTYPE_TEXT_BYTES];
	char order;

	if (dtype_spell_out(typestr, spelt))
		typestr = spelt;
	order = typestr[0];

	if (!order || !strchr("<>|=", order))
		return err_set(err, EXIT_FINDINGS,
			"'%.60s' does not begin with a byte order (< > | =)", typestr);
	for (int i = 0; i < N_KINDS; i++) {
		if (typestr[1] != kinds[i].letter)
			continue;
		if (read_typestr_kind(dtype, &kinds[i], typestr, err))
			return -1;
		dtype->foreign_order =
			dtype_order_is_foreign(order) && dtype_order_char(dtype) != '|';
		return 0;
	}
	return err_set(err, EXIT_FINDINGS,
		"'%.60s' has no kind that the array interface defines (biufcmMOSUVt)", typestr);
}

int dtype_to_typestr(const struct dtype *dtype, char out[DTYPE_TEXT_BYTES], struct err *err)
{
	const char *unit = strchr(dtype->name, '[');

	for (int i = 0; i < N_KINDS; i++) {
		int64_t size = dtype->bits / kinds[i].unit_bits;

		if (kinds[i].kind != dtype->kind || dtype->lanes != 1 ||
			dtype->bits % kinds[i].unit_bits || !size_exists(&kinds[i], size) ||
			(dtype->kind == DTYPE_COMPLEX && size == 4))
			continue;
		if (dtype->kind == DTYPE_OBJECT)
			snprintf(out, DTYPE_TEXT_BYTES, "|O");
		else
			snprintf(out, DTYPE_TEXT_BYTES, "%c%c%" PRId64 "%.14s",
				dtype_order_char(dtype), kinds[i].letter, size, unit ? unit : "");
		return 0;
	}
	return err_set(err, EXIT_UNAVAILABLE, "NumPy has no typestr for %s", dtype->name);
}
