// SPDX-License-Identifier: MIT
/* NumPy's typestr: byte order, kind, byte count (numpy.org, arrays.interface version 3), with the
 * time units of "M8[25s]". */
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

enum { N_KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static bool size_exists(const struct kind *kind, int64_t size)
{
	if (!kind->sizes[0])
		return true;
	for (int i = 0; i < 4 && kind->sizes[i]; i++)
		if (kind->sizes[i] == size)
			return true;
	return false;
}

/* Reads decimal digits; false where there are none or too many. */
static bool read_count(const char **at, int64_t *count)
{
	const char *start = *at;

	for (*count = 0; isdigit((unsigned char)**at); (*at)++)
		if (__builtin_mul_overflow(*count, 10, count) ||
			__builtin_add_overflow(*count, **at - '0', count))
			return false;
	return *at > start;
}

/* Reads "[25s]" up to the end of the text and puts it behind the name; no unit is "generic". */
static bool read_unit(struct dtype *dtype, const char *at)
{
	static const char *const units[] = { "Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns",
		"ps", "fs", "as" };
	size_t used = strlen(dtype->name);
	char *end = dtype->name + used;
	int64_t count = 1;

	if (!*at || !strcmp(at, "[generic]"))
		return true;
	if (*at++ != '[')
		return false;
	if (isdigit((unsigned char)*at) &&
		(!read_count(&at, &count) || count < 1 || count > INT32_MAX))
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		size_t n_chars = strlen(units[i]);

		if (strncmp(at, units[i], n_chars) != 0 || strcmp(at + n_chars, "]") != 0)
			continue;
		if (count == 1)
			snprintf(end, sizeof(dtype->name) - used, "[%s]", units[i]);
		else
			snprintf(end, sizeof(dtype->name) - used, "[%" PRId64 "%s]", count,
				units[i]);
		return true;
	}
	return false;
}

static int read_kind(
	struct dtype *dtype, const struct kind *kind, const char *typestr, struct err *err)
{
	const char *at = typestr + 2;
	int64_t count = sizeof(void *);

	/* NumPy itself writes "|O" without a count. */
	if (!(kind->kind == DTYPE_OBJECT && !*at) && !read_count(&at, &count))
		return err_set(err, EXIT_FINDINGS, "'%.60s' has no byte count after '%c'", typestr,
			kind->letter);
	if (!size_exists(kind, count) || (kind->kind == DTYPE_BITFIELD && count < 1))
		return err_set(err, EXIT_FINDINGS,
			"'%.60s': no type of kind '%c' has size %" PRId64, typestr, kind->letter,
			count);
	if (dtype_make_counted(dtype, kind->kind, count, kind->unit_bits, err))
		return err_wrap(err, "'%.60s'", typestr);
	if (kind->kind == DTYPE_DATETIME || kind->kind == DTYPE_TIMEDELTA) {
		if (!read_unit(dtype, at))
			return err_set(err, EXIT_FINDINGS, "'%.60s': '%.40s' is no time unit",
				typestr, at);
	} else if (*at) {
		return err_set(
			err, EXIT_FINDINGS, "'%.60s': '%.40s' follows the byte count", typestr, at);
	}
	return 0;
}

int dtype_from_typestr(struct dtype *dtype, const char *typestr, struct err *err)
{
	char order = typestr[0];

	if (!order || !strchr("<>|=", order))
		return err_set(err, EXIT_FINDINGS,
			"'%.60s' does not begin with a byte order: <, > or |", typestr);
	for (int i = 0; i < N_KINDS; i++) {
		if (typestr[1] != kinds[i].letter)
			continue;
		if (read_kind(dtype, &kinds[i], typestr, err))
			return -1;
		dtype->foreign_order =
			dtype_order_is_foreign(order) && dtype_order_char(dtype) != '|';
		return 0;
	}
	return err_set(
		err, EXIT_FINDINGS, "'%.60s' has no kind that NumPy knows (biufcmMOSUVt)", typestr);
}

int dtype_to_typestr(const struct dtype *dtype, char out[40], struct err *err)
{
	const char *unit = strchr(dtype->name, '[');

	for (int i = 0; i < N_KINDS; i++) {
		int64_t size = dtype->bits / kinds[i].unit_bits;

		if (kinds[i].kind != dtype->kind || dtype->lanes != 1 ||
			dtype->bits % kinds[i].unit_bits || !size_exists(&kinds[i], size) ||
			(dtype->kind == DTYPE_COMPLEX && size == 4))
			continue;
		if (dtype->kind == DTYPE_OBJECT)
			snprintf(out, 40, "|O");
		else
			snprintf(out, 40, "%c%c%" PRId64 "%.14s", dtype_order_char(dtype),
				kinds[i].letter, size, unit ? unit : "");
		return 0;
	}
	return err_set(err, EXIT_UNAVAILABLE, "NumPy has no typestr for %s", dtype->name);
}
