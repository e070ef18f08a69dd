// SPDX-License-Identifier: MIT
/* Reads what ast.literal_eval reads of the literals that NumPy writes: text, integers, True, False,
 * None, tuples, lists and dictionaries. */
#include "protocols/npy_header.h"

#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_HEADER_BYTES = 1 << 20, MAGIC_BYTES = 6 };

static const unsigned char magic[MAGIC_BYTES + 1] = "\x93NUMPY";

/* What is left of the header's text, which holds no zero byte and ends with one. */
struct literal {
	const char *at;
	int depth;
};

static struct value *read_literal(struct arena *arena, struct literal *literal);

static void skip_space(struct literal *literal)
{
	literal->at += strspn(literal->at, " \t\n\r\f");
}

/* UTF-8, surrogates as 3 bytes (model/value.h). */
static void add_code_point(struct text *out, uint32_t point)
{
	int n_more = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
	static const unsigned char first[] = { 0, 0xC0, 0xE0, 0xF0 };
	char bytes[4];

	for (int i = n_more; i > 0; i--, point >>= 6)
		bytes[i] = (char)(0x80 | (point & 0x3F));
	bytes[0] = (char)(first[n_more] | point);
	text_add_bytes(out, bytes, (size_t)n_more + 1);
}

/* Up to max_digits digits of the base; false where there are fewer than min_digits. */
static bool read_digits(
	const char **at, int base, size_t min_digits, size_t max_digits, uint32_t *point)
{
	size_t n_digits = strspn(*at, base == 8 ? "01234567" : "0123456789abcdefABCDEF");
	char digits[9] = "";

	n_digits = n_digits < max_digits ? n_digits : max_digits;
	if (n_digits < min_digits)
		return false;
	memcpy(digits, *at, n_digits);
	*at += n_digits;
	*point = (uint32_t)strtoul(digits, NULL, base);
	return *point <= 0x10FFFF;
}

/* The escape sequence at *at, behind its backslash (Python's language reference, 2.4.1.1); unknown
 * ones stay as they are. */
static bool read_escape(const char **at, struct text *out)
{
	static const char letters[] = "\\'\"abfnrtv", meanings[] = "\\'\"\a\b\f\n\r\t\v";
	const char *letter = **at ? strchr(letters, **at) : NULL;
	uint32_t point;

	if (letter) {
		text_add_bytes(out, &meanings[letter - letters], 1);
		++*at;
		return true;
	}
	switch (**at) {
	case '\0':
	case 'N': /* by name */
		return false;
	case '\n':
		++*at;
		return true;
	case 'x':
		++*at;
		if (!read_digits(at, 16, 2, 2, &point))
			return false;
		break;
	case 'u':
		++*at;
		if (!read_digits(at, 16, 4, 4, &point))
			return false;
		break;
	case 'U':
		++*at;
		if (!read_digits(at, 16, 8, 8, &point))
			return false;
		break;
	default:
		if (!read_digits(at, 8, 1, 3, &point)) {
			text_add(out, "\\");
			return true;
		}
	}
	add_code_point(out, point);
	return true;
}

static struct value *read_string(struct arena *arena, struct literal *literal)
{
	char quote = *literal->at++;
	struct text out = { 0 };
	struct value *string = NULL;

	while (*literal->at && *literal->at != quote && *literal->at != '\n') {
		if (*literal->at != '\\')
			text_add_bytes(&out, literal->at++, 1);
		else if (literal->at++, !read_escape(&literal->at, &out))
			goto out;
	}
	if (*literal->at == quote) {
		literal->at++;
		string = value_text_n(arena, out.bytes ? out.bytes : "", out.n_bytes);
	}
out:
	text_free(&out);
	return string;
}

/* Decimal; Python 2 wrote `4L`. */
static struct value *read_integer(struct arena *arena, struct literal *literal)
{
	const char *start = literal->at, *digits = start + (*start == '-' || *start == '+');
	size_t n_digits = strspn(digits, "0123456789");
	long long integer;

	if (!n_digits || (*digits == '0' && strspn(digits, "0") != n_digits))
		return NULL;
	literal->at = digits + n_digits + (digits[n_digits] == 'L');
	errno = 0;
	integer = strtoll(start, NULL, 10);
	if (!errno)
		return value_int(arena, integer);
	start = *start == '+' ? digits : start;
	return value_wide_int(arena, arena_copy(arena, start, (size_t)(digits + n_digits - start)));
}

/* (1) is an integer and (1,) a tuple. */
static struct value *read_items(struct arena *arena, struct literal *literal, char close)
{
	struct value *items = close == ')' ? value_tuple(arena) : value_list(arena), *item;
	bool has_comma = false;

	literal->at++;
	for (skip_space(literal); *literal->at != close; skip_space(literal)) {
		item = read_literal(arena, literal);
		if (!item)
			return NULL;
		value_append(arena, items, item);
		skip_space(literal);
		if (*literal->at == ',') {
			has_comma = true;
			literal->at++;
		} else if (*literal->at != close) {
			return NULL;
		}
	}
	literal->at++;
	return close == ')' && items->n_items == 1 && !has_comma ? items->items[0] : items;
}

static struct value *read_dict(struct arena *arena, struct literal *literal)
{
	struct value *map = value_map(arena), *key, *item;

	literal->at++;
	for (skip_space(literal); *literal->at != '}'; skip_space(literal)) {
		key = read_literal(arena, literal);
		skip_space(literal);
		if (!value_is(key, VALUE_TEXT) || strlen(key->bytes) != key->n_bytes ||
			*literal->at++ != ':')
			return NULL;
		item = read_literal(arena, literal);
		if (!item)
			return NULL;
		value_set(arena, map, key->bytes, item);
		skip_space(literal);
		if (*literal->at == ',')
			literal->at++;
		else if (*literal->at != '}')
			return NULL;
	}
	literal->at++;
	return map;
}

static bool take_word(struct literal *literal, const char *word)
{
	size_t n_chars = strlen(word);

	if (strncmp(literal->at, word, n_chars) != 0)
		return false;
	literal->at += n_chars;
	return true;
}

static struct value *read_literal(struct arena *arena, struct literal *literal)
{
	struct value *value;

	if (++literal->depth > VALUE_MAX_DEPTH)
		return NULL;
	skip_space(literal);
	switch (*literal->at) {
	case '\'':
	case '"':
		value = read_string(arena, literal);
		break;
	case '(':
		value = read_items(arena, literal, ')');
		break;
	case '[':
		value = read_items(arena, literal, ']');
		break;
	case '{':
		value = read_dict(arena, literal);
		break;
	default:
		if (take_word(literal, "True"))
			value = value_bool(arena, true);
		else if (take_word(literal, "False"))
			value = value_bool(arena, false);
		else if (take_word(literal, "None"))
			value = value_null(arena);
		else
			value = read_integer(arena, literal);
	}
	literal->depth--;
	return value;
}

int64_t npy_header_end(const unsigned char *bytes, int64_t file_bytes, struct err *err)
{
	size_t n_magic = file_bytes < MAGIC_BYTES ? (size_t)file_bytes : MAGIC_BYTES;
	int64_t n_prefix, length = 0;

	if (!file_bytes)
		return err_set(err, EXIT_TARGET, "the file is empty");
	if (memcmp(bytes, magic, n_magic) != 0)
		return err_set(
			err, EXIT_TARGET, "not a .npy file: it does not begin with \\x93NUMPY");
	if (file_bytes > MAGIC_BYTES && (bytes[MAGIC_BYTES] < 1 || bytes[MAGIC_BYTES] > 3))
		return err_set(err, EXIT_TARGET,
			"unknown .npy format version %d; expected 1, 2 or 3", bytes[MAGIC_BYTES]);
	n_prefix = file_bytes > MAGIC_BYTES && bytes[MAGIC_BYTES] == 1 ? 10 : NPY_PREFIX_BYTES;
	if (file_bytes < n_prefix)
		return err_set(err, EXIT_TARGET,
			"file truncated at %" PRId64 " bytes, inside the header", file_bytes);
	for (int64_t i = n_prefix - 1; i >= MAGIC_BYTES + 2; i--)
		length = length << 8 | bytes[i];
	if (length > file_bytes - n_prefix)
		return err_set(err, EXIT_TARGET,
			"file truncated at %" PRId64 " bytes; its header ends at %" PRId64,
			file_bytes, n_prefix + length);
	if (length > MAX_HEADER_BYTES)
		return err_set(err, EXIT_TARGET,
			"the header has %" PRId64 " bytes; suai reads headers of at most 1 MiB",
			length);
	return n_prefix + length;
}

/* The header as UTF-8: Latin-1 before version 3. False where it is not what its version says. */
static bool decode(const unsigned char *bytes, size_t n_bytes, bool is_utf8, struct text *out)
{
	for (size_t i = 0, length; i < n_bytes; i += length) {
		const char *start = (const char *)bytes + i;
		bool is_surrogate = bytes[i] == 0xED && i + 1 < n_bytes && bytes[i + 1] >= 0xA0;

		length = is_utf8 ? value_utf8_sequence(start, n_bytes - i) : 1;
		if (!length || !bytes[i] || (is_utf8 && is_surrogate))
			return false;
		if (is_utf8)
			text_add_bytes(out, start, length);
		else
			add_code_point(out, bytes[i]);
	}
	return true;
}

int npy_header_read(struct arena *arena, const unsigned char *bytes, int64_t header_end,
	int64_t file_bytes, struct value *interface, struct err *err)
{
	int64_t n_prefix = bytes[MAGIC_BYTES] == 1 ? 10 : NPY_PREFIX_BYTES;
	struct value *declared = NULL, *details = value_map(arena), *version = value_tuple(arena);
	struct literal literal;
	struct text text = { 0 };

	if (decode(bytes + n_prefix, (size_t)(header_end - n_prefix), bytes[MAGIC_BYTES] == 3,
		    &text)) {
		literal = (struct literal){ .at = text.bytes ? text.bytes : "" };
		declared = read_literal(arena, &literal);
		skip_space(&literal);
	}
	if (!value_is(declared, VALUE_MAP) || *literal.at) {
		text_free(&text);
		return err_set(err, EXIT_TARGET,
			"the header is not a Python dictionary of plain literals");
	}
	text_free(&text);
	value_append(arena, version, value_int(arena, bytes[MAGIC_BYTES]));
	value_append(arena, version, value_int(arena, bytes[MAGIC_BYTES + 1]));
	value_set(arena, details, "version", version);
	value_set(arena, details, "data_offset", value_int(arena, header_end));
	value_set(arena, details, "file_bytes", value_int(arena, file_bytes));
	value_set(arena, interface, "declared", declared);
	value_set(arena, interface, "details", details);
	return 0;
}
