// SPDX-License-Identifier: MIT
/*
 * The header is the repr() of a dictionary, padded so that the elements are aligned to 64 bytes
 * and the first extent can grow in place, as in numpy.lib.format.
 */
#include "copy/npy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NPY_ALIGN = 64, NPY_GROWTH_DIGITS = 21, NPY_MAGIC_BYTES = 8 };

/* The code point at *at, which is advanced; text is well-formed (model/value.h). */
static uint32_t next_code_point(const char **at)
{
	const unsigned char *byte = (const unsigned char *)*at;
	int n_more = *byte >= 0xF0 ? 3 : *byte >= 0xE0 ? 2 : *byte >= 0xC0 ? 1 : 0;
	uint32_t point = n_more ? *byte & (0x3Fu >> n_more) : *byte;

	for (int i = 0; i < n_more && byte[1]; i++)
		point = point << 6 | (*++byte & 0x3Fu);
	*at = (const char *)byte + 1;
	return point;
}

/* repr() of a str: single quotes unless it contains only those. */
static void add_repr(struct text *out, const char *text)
{
	char quote = strchr(text, '\'') && !strchr(text, '"') ? '"' : '\'';
	const char *start;
	uint32_t point;

	text_add_bytes(out, &quote, 1);
	while (*text) {
		start = text;
		point = next_code_point(&text);
		if (point == (unsigned char)quote || point == '\\')
			text_printf(out, "\\%c", (char)point);
		else if (point == '\n' || point == '\r' || point == '\t')
			text_printf(out, "\\%c", point == '\n' ? 'n' : point == '\r' ? 'r' : 't');
		else if (point < 0x20 || (point >= 0x7F && point < 0xA1) || point == 0xAD)
			text_printf(out, "\\x%02" PRIx32, point);
		else if (point >= 0xD800 && point < 0xE000)
			text_printf(out, "\\u%04" PRIx32, point);
		else
			text_add_bytes(out, start, (size_t)(text - start));
	}
	text_add_bytes(out, &quote, 1);
}

/* repr() of the parts of a descr: text, integers, tuples, lists. */
static int add_value(struct text *out, const struct value *value, struct err *err)
{
	bool is_list = value_is(value, VALUE_LIST);

	if (value_is(value, VALUE_TEXT)) {
		add_repr(out, value->bytes);
		return 0;
	}
	if (value_is(value, VALUE_INT)) {
		text_printf(out, "%" PRId64, value->integer);
		return 0;
	}
	if (!value_is_sequence(value))
		return err_set(err, EXIT_TARGET, "the fields of 'descr' are malformed");
	text_add(out, is_list ? "[" : "(");
	for (size_t i = 0; i < value->n_items; i++) {
		text_add(out, i ? ", " : "");
		if (add_value(out, value->items[i], err))
			return -1;
	}
	text_add(out, is_list ? "]" : value->n_items == 1 ? ",)" : ")");
	return 0;
}

static int add_dictionary(struct text *out, const struct array *array, const struct value *descr,
	char order, struct err *err)
{
	int growing = order == 'F' ? array->n_dims - 1 : 0;
	char typestr[DTYPE_TEXT_BYTES], digits[24];
	int n_digits;

	text_add(out, "{'descr': ");
	if (descr) {
		if (add_value(out, descr, err))
			return -1;
	} else {
		if (dtype_to_typestr(&array->dtype, typestr, err))
			return -1;
		add_repr(out, typestr);
	}
	text_printf(out, ", 'fortran_order': %s, 'shape': (", order == 'F' ? "True" : "False");
	for (int i = 0; i < array->n_dims; i++)
		text_printf(out, i ? ", %" PRId64 : "%" PRId64, array->shape[i]);
	text_add(out, array->n_dims == 1 ? ",), }" : "), }");
	if (array->n_dims) {
		n_digits = snprintf(digits, sizeof(digits), "%" PRId64, array->shape[growing]);
		text_printf(out, "%*s", NPY_GROWTH_DIGITS - n_digits, "");
	}
	return 0;
}

/* Converts to Latin-1, in place; false if a character cannot be represented. */
static bool to_latin1(struct text *text)
{
	const char *from = text->bytes;
	char *to = text->bytes;
	uint32_t point;

	for (const char *probe = from; *probe;)
		if (next_code_point(&probe) > 0xFF)
			return false;
	while (*from) {
		point = next_code_point(&from);
		*to++ = (char)(unsigned char)point;
	}
	*to = '\0';
	text->n_bytes = (size_t)(to - text->bytes);
	return true;
}

/* The size of the dictionary with its padding and newline; there is always some padding. */
static size_t padded_bytes(size_t n_head, size_t n_dictionary)
{
	return ((n_head + n_dictionary + 1) / NPY_ALIGN + 1) * NPY_ALIGN - n_head;
}

int npy_write_header(struct text *out, const struct array *array, const struct value *descr,
	char order, struct err *err)
{
	struct text dictionary = { 0 };
	unsigned char head[NPY_MAGIC_BYTES + 4] = { 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0 };
	size_t n_head = NPY_MAGIC_BYTES + 2, n_padded;
	int rc = -1;

	if (add_dictionary(&dictionary, array, descr, order, err))
		goto out;
	if (!to_latin1(&dictionary))
		head[6] = 3;
	else if (padded_bytes(n_head, dictionary.n_bytes) > UINT16_MAX)
		head[6] = 2;
	if (head[6] > 1)
		n_head += 2;
	n_padded = padded_bytes(n_head, dictionary.n_bytes);
	for (size_t i = NPY_MAGIC_BYTES; i < n_head; i++)
		head[i] = (unsigned char)(n_padded >> 8 * (i - NPY_MAGIC_BYTES));
	text_add_bytes(out, head, n_head);
	text_add_bytes(out, dictionary.bytes, dictionary.n_bytes);
	text_printf(out, "%*s", (int)(n_padded - dictionary.n_bytes - 1), "");
	text_add(out, "\n");
	rc = 0;
out:
	text_free(&dictionary);
	return rc;
}
