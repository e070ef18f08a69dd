// SPDX-License-Identifier: MIT
/*
 * Parses the text, integers, True, False, None, tuples, lists and dictionaries that
 * ast.literal_eval accepts, in any spelling. Rejects reals, complex numbers, bytes and sets, which
 * no header that numpy.load accepts contains (testdata/npy/exceptions.txt).
 */
#include "protocols/npy_header.h"

#include "base/array_size.h"
#include "base/identifier.h"
#include "base/plural.h"
#include "base/text.h"
#include "base/utf8.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_HEADER_BYTES = 1 << 20, MAGIC_BYTES = 6 };

static const unsigned char magic[MAGIC_BYTES + 1] = "\x93NUMPY";

/* The rest of the header's text, which contains no zero byte and ends with one. Its lines end with
 * newlines. */
struct literal {
	const char *at;
	bool takes_long; /* 4L of Python 2, which NumPy reads in versions 1 and 2 */
	int depth;
};

static struct value *read_literal(struct arena *arena, struct literal *literal);

/* Inside brackets, if line ends are white space. */
static void skip_space(struct literal *literal)
{
	for (;;) {
		literal->at += strspn(literal->at, " \t\n\f");
		if (*literal->at == '#')
			literal->at += strcspn(literal->at, "\n");
		else if (!strncmp(literal->at, "\\\n", 2))
			literal->at += 2;
		else
			return;
	}
}

static void add_code_point(struct text *out, uint32_t point)
{
	char bytes[4];

	text_add_bytes(out, bytes, utf8_from_point(point, bytes));
}

/* Up to max_digits digits of the base; false if there are fewer than min_digits. */
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

/* The escape sequence at *at, after its backslash (Python's language reference, 2.4.1.1); unknown
 * ones are kept. */
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

/* The length of a string's prefix, r or u of either case; -1: no string begins here. */
static int string_prefix(const char *at, bool *is_raw)
{
	int n_chars = *at && strchr("rRuU", *at) ? 1 : 0;

	*is_raw = n_chars && (*at == 'r' || *at == 'R');
	return at[n_chars] == '\'' || at[n_chars] == '"' ? n_chars : -1;
}

/* One string with its quotes, single or triple. */
static bool read_quoted(const char **at, bool is_raw, struct text *out)
{
	const char quotes[] = { **at, **at, **at, '\0' };
	size_t n_quotes = strncmp(*at, quotes, 3) ? 1 : 3;

	for (*at += n_quotes; strncmp(*at, quotes, n_quotes) != 0;) {
		if (!**at || (**at == '\n' && n_quotes == 1))
			return false;
		if (**at != '\\') {
			text_add_bytes(out, (*at)++, 1);
		} else if (is_raw) {
			text_add_bytes(out, *at, (*at)[1] ? 2 : 1);
			*at += (*at)[1] ? 2 : 1;
		} else if (++*at, !read_escape(at, out)) {
			return false;
		}
	}
	*at += n_quotes;
	return true;
}

/* Adjacent strings are concatenated. */
static struct value *read_string(struct arena *arena, struct literal *literal)
{
	struct text out = { 0 };
	struct value *string = NULL;
	bool is_raw;
	int n_prefix;

	while ((n_prefix = string_prefix(literal->at, &is_raw)) >= 0) {
		literal->at += n_prefix;
		if (!read_quoted(&literal->at, is_raw, &out))
			goto out;
		skip_space(literal);
	}
	string = value_text_n(arena, out.bytes ? out.bytes : "", out.n_bytes);
out:
	text_free(&out);
	return string;
}

/* Copies digits of a base without the underscores between them; 0 if there are none, or underscores
 * are misplaced. */
static size_t read_digits_of(const char **at, const char *alphabet, struct text *digits)
{
	size_t n_before = digits->n_bytes;
	bool after_digit = false;

	for (; (**at && strchr(alphabet, **at)) || **at == '_'; ++*at) {
		if (**at == '_' && !(after_digit && (*at)[1] && strchr(alphabet, (*at)[1])))
			return 0;
		after_digit = **at != '_';
		if (after_digit)
			text_add_bytes(digits, *at, 1);
	}
	return digits->n_bytes - n_before;
}

/* The digits after a sign, without underscores; returns the base, or 0 if they are not an integer.
 */
static int read_number(struct literal *literal, struct text *digits)
{
	static const struct {
		char letter;
		int base;
		const char *alphabet;
	} prefixes[] = { { 'x', 16, "0123456789abcdefABCDEF" }, { 'o', 8, "01234567" },
		{ 'b', 2, "01" } };
	size_t n_before = digits->n_bytes;

	for (size_t i = 0; literal->at[0] == '0' && i < ARRAY_SIZE(prefixes); i++)
		if ((literal->at[1] | 0x20) == prefixes[i].letter) {
			literal->at += 2 + (literal->at[2] == '_');
			return read_digits_of(&literal->at, prefixes[i].alphabet, digits)
				       ? prefixes[i].base
				       : 0;
		}
	if (!read_digits_of(&literal->at, "0123456789", digits))
		return 0;
	return digits->bytes[n_before] == '0' &&
			       strspn(digits->bytes + n_before, "0") != digits->n_bytes - n_before
		       ? 0
		       : 10;
}

/* Python 2 wrote 4L; a real or a name after an integer is rejected. */
static bool end_number(struct literal *literal)
{
	const char *at = literal->at + strspn(literal->at, " \t\f");

	if (literal->takes_long && *at == 'L' && !is_identifier_byte(at[1]))
		literal->at = at + 1;
	return !is_identifier_byte(*literal->at) && *literal->at != '.';
}

static struct value *npy_read_integer(struct arena *arena, struct literal *literal)
{
	struct text digits = { 0 };
	struct value *integer = NULL;
	long long number;
	int base;

	if (*literal->at == '-' || *literal->at == '+') {
		text_add(&digits, *literal->at == '-' ? "-" : "");
		literal->at++;
		skip_space(literal);
	}
	base = read_number(literal, &digits);
	if (base && end_number(literal)) {
		errno = 0;
		number = strtoll(digits.bytes, NULL, base);
		if (!errno)
			integer = value_int(arena, number);
		else if (base == 10)
			integer = value_wide_int(
				arena, arena_copy(arena, digits.bytes, digits.n_bytes));
	}
	text_free(&digits);
	return integer;
}

/* (1) is an integer and (1,) a tuple. */
static struct value *npy_read_items(struct arena *arena, struct literal *literal, char close)
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
		if (!value_is(key, VALUE_TEXT) || strlen(key->bytes) != key->n_bytes)
			return NULL;
		skip_space(literal);
		if (*literal->at != ':')
			return NULL;
		literal->at++;
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

	if (strncmp(literal->at, word, n_chars) != 0 || is_identifier_byte(literal->at[n_chars]))
		return false;
	literal->at += n_chars;
	return true;
}

static struct value *read_literal(struct arena *arena, struct literal *literal)
{
	struct value *value;
	bool is_raw;

	if (++literal->depth > VALUE_MAX_DEPTH)
		return NULL;
	skip_space(literal);
	switch (*literal->at) {
	case '(':
		value = npy_read_items(arena, literal, ')');
		break;
	case '[':
		value = npy_read_items(arena, literal, ']');
		break;
	case '{':
		value = read_dict(arena, literal);
		break;
	default:
		if (string_prefix(literal->at, &is_raw) >= 0)
			value = read_string(arena, literal);
		else if (take_word(literal, "True"))
			value = value_bool(arena, true);
		else if (take_word(literal, "False"))
			value = value_bool(arena, false);
		else if (take_word(literal, "None"))
			value = value_null(arena);
		else
			value = npy_read_integer(arena, literal);
	}
	literal->depth--;
	return value;
}

/* Outside of brackets: skips blanks, comments and empty lines. False if what follows, the end
 * included, is indented, which Python rejects. */
static bool skip_lines(struct literal *literal, bool begins_line)
{
	bool is_indented = false;

	for (;;) {
		if (*literal->at == ' ' || *literal->at == '\t') {
			is_indented = begins_line;
			literal->at++;
		} else if (*literal->at == '\f') {
			is_indented = false;
			literal->at++;
		} else if (*literal->at == '#') {
			is_indented = false;
			literal->at += strcspn(literal->at, "\n");
		} else if (*literal->at == '\n') {
			is_indented = false;
			begins_line = true;
			literal->at++;
		} else if (!strncmp(literal->at, "\\\n", 2) && literal->at[2]) {
			literal->at += 2;
		} else {
			return !is_indented;
		}
	}
}

int64_t npy_header_end(const unsigned char *bytes, int64_t file_bytes, struct err *err)
{
	size_t n_magic = file_bytes < MAGIC_BYTES ? (size_t)file_bytes : MAGIC_BYTES;
	int64_t n_prefix, length = 0;
	int minor;

	if (!file_bytes)
		return err_set(err, EXIT_TARGET, "the file is empty");
	if (memcmp(bytes, magic, n_magic) != 0)
		return err_set(
			err, EXIT_TARGET, "not a .npy file: it does not begin with \\x93NUMPY");
	minor = file_bytes > MAGIC_BYTES + 1 ? bytes[MAGIC_BYTES + 1] : 0;
	if (file_bytes > MAGIC_BYTES && (bytes[MAGIC_BYTES] < 1 || bytes[MAGIC_BYTES] > 3 || minor))
		return err_set(err, EXIT_TARGET,
			"unknown .npy format version %d.%d; expected 1.0, 2.0 or 3.0",
			bytes[MAGIC_BYTES], minor);
	n_prefix = file_bytes > MAGIC_BYTES && bytes[MAGIC_BYTES] == 1 ? 10 : NPY_PREFIX_BYTES;
	if (file_bytes < n_prefix)
		return err_set(err, EXIT_TARGET,
			"file truncated at %" PRId64 " byte%s, inside the header", file_bytes,
			plural(file_bytes));
	for (int64_t i = n_prefix - 1; i >= MAGIC_BYTES + 2; i--)
		length = length << 8 | bytes[i];
	if (length > file_bytes - n_prefix)
		return err_set(err, EXIT_TARGET,
			"file truncated at %" PRId64 " bytes; its header ends at byte %" PRId64,
			file_bytes, n_prefix + length);
	if (length > MAX_HEADER_BYTES)
		return err_set(err, EXIT_TARGET,
			"the header has %" PRId64 " bytes, but suai reads headers of at most 1 MiB",
			length);
	return n_prefix + length;
}

/* The header, Latin-1 before version 3, as UTF-8, and its number of characters; -1 if its encoding
 * is invalid. As in Python a carriage return ends a line, with or without a newline. */
static int64_t decode(const unsigned char *bytes, size_t n_bytes, bool is_utf8, struct text *out)
{
	int64_t n_chars = 0;

	for (size_t i = 0, length; i < n_bytes; i += length, n_chars++) {
		const char *start = (const char *)bytes + i;
		bool is_surrogate = bytes[i] == 0xED && i + 1 < n_bytes && bytes[i + 1] >= 0xA0;

		length = is_utf8 ? value_utf8_sequence(start, n_bytes - i) : 1;
		if (!length || !bytes[i] || (is_utf8 && is_surrogate))
			return -1;
		if (bytes[i] == '\r')
			text_add(out, i + 1 < n_bytes && bytes[i + 1] == '\n' ? "" : "\n");
		else if (is_utf8)
			text_add_bytes(out, start, length);
		else
			add_code_point(out, bytes[i]);
	}
	return n_chars;
}

int npy_header_read(struct arena *arena, const unsigned char *bytes, int64_t header_end,
	int64_t file_bytes, struct fact_interface *interface, struct err *err)
{
	int major = bytes[MAGIC_BYTES];
	int64_t n_prefix = major == 1 ? 10 : NPY_PREFIX_BYTES, n_chars;
	struct value *declared = NULL, *details = value_map(arena), *version = value_tuple(arena);
	struct literal literal;
	struct text text = { 0 };
	bool is_whole = false;

	n_chars = decode(bytes + n_prefix, (size_t)(header_end - n_prefix), major == 3, &text);
	literal = (struct literal){ .at = text.bytes ? text.bytes : "", .takes_long = major < 3 };
	literal.at += strspn(literal.at, " \t"); /* as ast.literal_eval does */
	if (n_chars >= 0 && skip_lines(&literal, true)) {
		declared = read_literal(arena, &literal);
		is_whole = value_is(declared, VALUE_MAP) && skip_lines(&literal, false) &&
			   !*literal.at;
	}
	text_free(&text);
	if (!is_whole)
		return err_set(err, EXIT_TARGET,
			"the header is not a Python dictionary of strings, integers, bools, tuples and lists");
	value_append(arena, version, value_int(arena, major));
	value_append(arena, version, value_int(arena, bytes[MAGIC_BYTES + 1]));
	value_set(arena, details, "version", version);
	value_set(arena, details, "header_characters", value_int(arena, n_chars));
	value_set(arena, details, "data_offset", value_int(arena, header_end));
	value_set(arena, details, "file_bytes", value_int(arena, file_bytes));
	interface->declared = declared;
	interface->details = details;
	return 0;
}
