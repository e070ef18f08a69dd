// SPDX-License-Identifier: MIT
/* Plain values as Python literals, laid out as pprint does. */
#include "formats/text/text_python.h"

#include "base/utf8.h"
#include "facts/declared_codec.h"
#include "facts/type_entry.h"
#include "formats/text/text_page.h"
#include "model/escape.h"
#include "model/number.h"

#include <inttypes.h>
#include <string.h>

enum { MAX_ITEMS = 24, MAX_KEYS = 48, MAX_TEXT_BYTES = 400 };

static void write_python_value(
	struct python_text *out, const struct value *plain, size_t column, size_t n_columns);

static const char *path_of(const struct python_text *out)
{
	return out->path.n_bytes ? out->path.bytes : "";
}

static struct entry_meaning meaning_of(const struct python_text *out, const struct value *plain)
{
	const struct value *entry = value_get(out->types, path_of(out));

	return value_is(entry, VALUE_TEXT) ? entry_read(plain, entry->bytes, entry->n_bytes)
					   : entry_read(plain, NULL, 0);
}

static void write_quoted(struct text *text, const char *bytes, size_t n_bytes)
{
	bool has_single = memchr(bytes, '\'', n_bytes), has_double = memchr(bytes, '"', n_bytes);
	const char *quote = has_single && !has_double ? "\"" : "'";
	size_t n_shown = utf8_truncated(bytes, n_bytes, MAX_TEXT_BYTES);

	text_add(text, quote);
	for (size_t i = 0, n; i < n_shown; i += n) {
		const char *found = memchr(bytes + i, *quote, n_shown - i);

		n = found ? (size_t)(found - bytes) - i : n_shown - i;
		escape_text(text, bytes + i, n, ESCAPE_TERMINAL);
		if (!found)
			break;
		text_printf(text, "\\%s", quote);
		n++;
	}
	text_add(text, quote);
	if (n_shown < n_bytes)
		text_printf(text, "... (%zu bytes)", n_bytes);
}

static bool is_address(const struct python_text *out, int64_t integer)
{
	const char *path = path_of(out);

	return integer > UINT16_MAX &&
	       (!strcmp(path, "data[0]") || !strcmp(path, "data") || !strcmp(path, "mask.data[0]"));
}

static bool is_bare(const struct python_text *out, const struct value *plain)
{
	return out->bare_addresses && !strncmp(plain->bytes, "0x", 2) &&
	       strspn(plain->bytes + 2, "0123456789abcdef") == plain->n_bytes - 2;
}

static void write_python_scalar(
	struct python_text *out, const struct value *plain, enum value_kind kind)
{
	struct text *text = &out->text;
	char number[NUMBER_TEXT_BYTES];

	if (plain->kind == VALUE_NULL)
		text_add(text, "None");
	else if (plain->kind == VALUE_BOOL)
		text_add(text, plain->boolean ? "True" : "False");
	else if (plain->kind == VALUE_INT)
		text_printf(text, is_address(out, plain->integer) ? "0x%" PRIx64 : "%" PRId64,
			plain->integer);
	else if (plain->kind == VALUE_REAL)
		text_add(text, number_text(plain->real, number));
	else if ((kind == VALUE_TEXT || kind == VALUE_BYTES) && !is_bare(out, plain)) {
		text_add(text, kind == VALUE_BYTES ? "b" : "");
		write_quoted(text, plain->bytes, plain->n_bytes);
	} else
		escape_text(text, plain->bytes, plain->n_bytes, ESCAPE_TERMINAL);
}

static void break_line(struct python_text *out, size_t column)
{
	text_printf(&out->text, "\n%*s", (int)column, "");
}

/* A key that is not a str is written as facts name it: <int 1>, without the escapes that documents
 * add. */
static void write_key(struct python_text *out, const char *key, size_t *column)
{
	size_t start = out->text.n_bytes, n_bytes = strlen(key);
	struct text typed = { 0 };

	if (value_key_is_typed(key, n_bytes) && n_bytes <= MAX_TEXT_BYTES) {
		escape_undo(&typed, key, n_bytes);
		escape_text(&out->text, typed.bytes, typed.n_bytes, ESCAPE_TERMINAL);
	} else
		write_quoted(&out->text, key, n_bytes);
	text_free(&typed);
	text_add(&out->text, ": ");
	*column += page_columns(out->text.bytes + start, out->text.n_bytes - start);
}

/* How many lines of the text that begins at start, in that column, are too long; after the last
 * follows a comma. */
static int count_overlong(
	const struct python_text *out, size_t start, size_t column, size_t n_columns)
{
	const char *at = out->text.bytes + start, *end = out->text.bytes + out->text.n_bytes;
	int n_overlong = 0;

	for (;;) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		size_t n_wide = page_columns(at, (size_t)((stop ? stop : end) - at));

		n_overlong += column + n_wide + !stop > n_columns;
		if (!stop)
			return n_overlong;
		at = stop + 1;
		column = 0;
	}
}

/* The value after its key at column, or on a new line at hung if that makes it fit better. */
static void write_after_key(struct python_text *out, const struct value *plain, size_t column,
	size_t hung, size_t n_columns)
{
	size_t start = out->text.n_bytes;
	bool is_nested = out->never_hangs;
	int n_overlong;

	out->never_hangs = true;
	write_python_value(out, plain, column, n_columns);
	out->never_hangs = is_nested;
	if (is_nested || n_columns == SIZE_MAX || hung >= column)
		return;
	n_overlong = count_overlong(out, start, column, n_columns);
	if (!n_overlong)
		return;
	text_truncate(&out->text, start - 1); /* the space after the colon, too */
	break_line(out, hung);
	write_python_value(out, plain, hung, n_columns);
	if (count_overlong(out, start + hung, hung, n_columns) < n_overlong)
		return;
	text_truncate(&out->text, start - 1);
	text_add(&out->text, " ");
	write_python_value(out, plain, column, n_columns);
}

static void write_python_item(struct python_text *out, const struct value *plain, size_t i,
	size_t column, size_t n_columns)
{
	size_t n_path = out->path.n_bytes, start = out->text.n_bytes, hung = column + 2;

	if (plain->kind == VALUE_MAP) {
		write_key(out, plain->keys[i], &column);
		path_add_key(&out->path, plain->keys[i]);
		write_after_key(out, plain->items[i], column, hung, n_columns);
	} else {
		text_printf(&out->path, "[%zu]", i);
		write_python_value(out, plain->items[i], column, n_columns);
	}
	for (size_t m = 0; m < out->n_marks; m++)
		if (!strcmp(out->marks[m].path, path_of(out))) {
			out->marks[m].found = true;
			out->marks[m].start = start;
			out->marks[m].end = out->text.n_bytes;
		}
	text_truncate(&out->path, n_path);
}

/* The column at the end of the text. */
static size_t end_column(const struct python_text *out, size_t line_start, size_t column)
{
	const char *bytes = out->text.bytes;
	const char *stop = memrchr(bytes + line_start, '\n', out->text.n_bytes - line_start);

	if (stop)
		return page_columns(stop + 1, (size_t)(bytes + out->text.n_bytes - stop) - 1);
	return column + page_columns(bytes + line_start, out->text.n_bytes - line_start);
}

/* One item, on a new line if it does not fit on the current one. */
static void write_packed(struct python_text *out, const struct value *plain, size_t i,
	size_t column, size_t here, size_t n_columns)
{
	size_t start = out->text.n_bytes, n_wide;

	text_add(&out->text, " ");
	write_python_item(out, plain, i, here + 1, SIZE_MAX);
	n_wide = page_columns(out->text.bytes + start, out->text.n_bytes - start);
	if (here + n_wide + 2 <= n_columns)
		return;
	text_truncate(&out->text, start);
	break_line(out, column);
	write_python_item(out, plain, i, column, n_columns);
}

/* All items, in brackets, in one line or in several. */
static void write_python_items(struct python_text *out, const struct value *plain,
	enum value_kind kind, size_t column, size_t n_columns, bool broken)
{
	const char *brackets = kind == VALUE_MAP ? "{}" : kind == VALUE_LIST ? "[]" : "()";
	size_t most = kind == VALUE_MAP ? MAX_KEYS : MAX_ITEMS, start = out->text.n_bytes;
	size_t n_shown = plain->n_items > most && !out->whole ? most : plain->n_items;

	text_printf(&out->text, "%c", brackets[0]);
	for (size_t i = 0; i < n_shown; i++) {
		if (i)
			text_add(&out->text, broken ? "," : ", ");
		if (i && broken && out->packed) {
			write_packed(out, plain, i, column + 1, end_column(out, start, column),
				n_columns);
			continue;
		}
		if (i && broken)
			break_line(out, column + 1);
		write_python_item(out, plain, i, column + 1, n_columns);
	}
	if (n_shown < plain->n_items)
		text_printf(&out->text, ", ... %zu more", plain->n_items - n_shown);
	if (kind == VALUE_TUPLE && plain->n_items == 1)
		text_add(&out->text, ",");
	text_printf(&out->text, "%c", brackets[1]);
}

static void write_collection(struct python_text *out, const struct value *plain,
	enum value_kind kind, size_t column, size_t n_columns)
{
	size_t start = out->text.n_bytes, n_wide;

	write_python_items(out, plain, kind, column, SIZE_MAX, false);
	n_wide = page_columns(out->text.bytes + start, out->text.n_bytes - start);
	/* Leaves two columns for what follows. */
	if (n_columns == SIZE_MAX || column + n_wide + 2 <= n_columns || !plain->n_items)
		return;
	text_truncate(&out->text, start);
	write_python_items(out, plain, kind, column, n_columns, true);
}

static void write_python_value(
	struct python_text *out, const struct value *plain, size_t column, size_t n_columns)
{
	struct entry_meaning meaning = meaning_of(out, plain);
	bool is_call = meaning.type_name && meaning.kind != VALUE_OPAQUE;
	size_t start = out->text.n_bytes;

	if (is_call) {
		escape_text(&out->text, meaning.type_name, meaning.n_chars, ESCAPE_TERMINAL);
		text_add(&out->text, "(");
		column += page_columns(out->text.bytes + start, out->text.n_bytes - start);
	}
	if (value_is_sequence(plain) || plain->kind == VALUE_MAP)
		write_collection(out, plain, meaning.kind, column, n_columns);
	else
		write_python_scalar(out, plain, meaning.kind);
	if (is_call)
		text_add(&out->text, ")");
}

void text_python_write(struct python_text *out, const struct value *plain,
	const struct value *types, size_t column, size_t n_columns)
{
	out->types = types;
	write_python_value(out, plain, column, n_columns);
}

static struct value *mask_object(
	struct arena *arena, const struct value *mask, const char *mask_type)
{
	const char *type = mask->type_name ? mask->type_name : mask_type;
	const struct value *dictionary = value_get(mask, "declared");
	struct value *object;

	if (!value_is(dictionary, VALUE_MAP))
		return value_opaque(arena, arena_printf(arena, "<%s>", type), type);
	object = value_copy(arena, dictionary);
	object->type_name = type;
	return object;
}

struct value *text_python_declared(struct arena *arena, const struct value *declared,
	const char *mask_type, struct value *types)
{
	const struct value *mask = value_get(declared, "mask");
	struct value *shown;

	if (!value_get(mask, "exposes"))
		return plain_from_facts(arena, declared, types);
	shown = value_copy(arena, declared);
	value_set(arena, shown, "mask", mask_object(arena, mask, mask_type));
	return plain_from_facts(arena, shown, types);
}

void text_python_free(struct python_text *out)
{
	text_free(&out->text);
	text_free(&out->path);
}
