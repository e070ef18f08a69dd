// SPDX-License-Identifier: MIT
/* Facts as Python literals, laid out as pprint does. */
#include "formats/text/text_python.h"

#include "base/utf8.h"
#include "facts/type_entry.h"
#include "formats/text/text_page.h"
#include "model/escape.h"
#include "model/number.h"

#include <inttypes.h>
#include <string.h>

enum { MAX_ITEMS = 24, MAX_KEYS = 48, MAX_TEXT_BYTES = 400 };

static const char *path_of(const struct python_text *out)
{
	return out->path.n_bytes ? out->path.bytes : "";
}

/* A literal of a str, or, with the prefix "b", of bytes. */
static void write_quoted(struct text *text, const char *prefix, const char *bytes, size_t n_bytes)
{
	bool has_single = memchr(bytes, '\'', n_bytes), has_double = memchr(bytes, '"', n_bytes);
	const char *quote = has_single && !has_double ? "\"" : "'";
	size_t n_shown = utf8_truncated(bytes, n_bytes, MAX_TEXT_BYTES);

	text_printf(text, "%s%s", prefix, quote);
	for (size_t i = 0, n; i < n_shown; i += n) {
		const char *found = memchr(bytes + i, *quote, n_shown - i);

		n = found ? (size_t)(found - bytes) - i : n_shown - i;
		if (*prefix)
			escape_bytes(text, bytes + i, n);
		else
			escape_text(text, bytes + i, n, ESCAPE_FIELD);
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

static bool is_bare(const struct python_text *out, const struct value *facts)
{
	return out->bare_addresses && !strncmp(facts->bytes, "0x", 2) &&
	       strspn(facts->bytes + 2, "0123456789abcdef") == facts->n_bytes - 2;
}

static void write_python_scalar(struct python_text *out, const struct value *facts)
{
	struct text *text = &out->text;
	char number[NUMBER_TEXT_BYTES];

	if (facts->kind == VALUE_BOOL)
		text_add(text, facts->boolean ? "True" : "False");
	else if (facts->kind == VALUE_INT)
		text_printf(text, is_address(out, facts->integer) ? "0x%" PRIx64 : "%" PRId64,
			facts->integer);
	else if (facts->kind == VALUE_REAL)
		text_add(text, number_text(facts->real, number));
	else if (facts->kind == VALUE_BYTES)
		write_quoted(text, "b", facts->bytes, facts->n_bytes);
	else if (facts->kind == VALUE_TEXT && !is_bare(out, facts))
		write_quoted(text, "", facts->bytes, facts->n_bytes);
	else
		escape_text(text, facts->bytes, facts->n_bytes, ESCAPE_TERMINAL);
}

static void break_line(struct python_text *out, size_t column)
{
	text_printf(&out->text, "\n%*s", (int)column, "");
}

/* A key that is not a str is written as facts name it: <int 1>. */
static void write_key(struct python_text *out, const char *key, size_t *column)
{
	size_t start = out->text.n_bytes, n_bytes = strlen(key);

	if (value_key_is_typed(key, n_bytes) && n_bytes <= MAX_TEXT_BYTES)
		escape_text(&out->text, key, n_bytes, ESCAPE_TERMINAL);
	else
		write_quoted(&out->text, "", key, n_bytes);
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
static void write_after_key(struct python_text *out, const struct value *facts, size_t column,
	size_t hung, size_t n_columns)
{
	size_t start = out->text.n_bytes;
	bool is_nested = out->never_hangs;
	int n_overlong;

	out->never_hangs = true;
	text_python_write(out, facts, column, n_columns);
	out->never_hangs = is_nested;
	if (is_nested || n_columns == SIZE_MAX || hung >= column)
		return;
	n_overlong = count_overlong(out, start, column, n_columns);
	if (!n_overlong)
		return;
	text_truncate(&out->text, start - 1); /* the space after the colon, too */
	break_line(out, hung);
	text_python_write(out, facts, hung, n_columns);
	if (count_overlong(out, start + hung, hung, n_columns) < n_overlong)
		return;
	text_truncate(&out->text, start - 1);
	text_add(&out->text, " ");
	text_python_write(out, facts, column, n_columns);
}

static void write_python_item(struct python_text *out, const struct value *facts, size_t i,
	size_t column, size_t n_columns)
{
	size_t n_path = out->path.n_bytes, start = out->text.n_bytes, hung = column + 2;

	if (facts->kind == VALUE_MAP) {
		write_key(out, facts->keys[i], &column);
		path_add_key(&out->path, facts->keys[i]);
		write_after_key(out, facts->items[i], column, hung, n_columns);
	} else {
		text_printf(&out->path, "[%zu]", i);
		text_python_write(out, facts->items[i], column, n_columns);
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
static void write_packed(struct python_text *out, const struct value *facts, size_t i,
	size_t column, size_t here, size_t n_columns)
{
	size_t start = out->text.n_bytes, n_wide;

	text_add(&out->text, " ");
	write_python_item(out, facts, i, here + 1, SIZE_MAX);
	n_wide = page_columns(out->text.bytes + start, out->text.n_bytes - start);
	if (here + n_wide + 2 <= n_columns)
		return;
	text_truncate(&out->text, start);
	break_line(out, column);
	write_python_item(out, facts, i, column, n_columns);
}

/* All items, in brackets, in one line or in several. */
static void write_python_items(struct python_text *out, const struct value *facts, size_t column,
	size_t n_columns, bool broken)
{
	const enum value_kind kind = facts->kind;
	const char *brackets = kind == VALUE_MAP ? "{}" : kind == VALUE_LIST ? "[]" : "()";
	size_t most = kind == VALUE_MAP ? MAX_KEYS : MAX_ITEMS, start = out->text.n_bytes;
	size_t n_shown = facts->n_items > most && !out->whole ? most : facts->n_items;

	text_printf(&out->text, "%c", brackets[0]);
	for (size_t i = 0; i < n_shown; i++) {
		if (i)
			text_add(&out->text, broken ? "," : ", ");
		if (i && broken && out->packed) {
			write_packed(out, facts, i, column + 1, end_column(out, start, column),
				n_columns);
			continue;
		}
		if (i && broken)
			break_line(out, column + 1);
		write_python_item(out, facts, i, column + 1, n_columns);
	}
	if (n_shown < facts->n_items)
		text_printf(&out->text, ", ... %zu more", facts->n_items - n_shown);
	if (kind == VALUE_TUPLE && facts->n_items == 1)
		text_add(&out->text, ",");
	text_printf(&out->text, "%c", brackets[1]);
}

static void write_collection(
	struct python_text *out, const struct value *facts, size_t column, size_t n_columns)
{
	size_t start = out->text.n_bytes, n_wide;

	write_python_items(out, facts, column, SIZE_MAX, false);
	n_wide = page_columns(out->text.bytes + start, out->text.n_bytes - start);
	/* Leaves two columns for what follows. */
	if (n_columns == SIZE_MAX || column + n_wide + 2 <= n_columns || !facts->n_items)
		return;
	text_truncate(&out->text, start);
	write_python_items(out, facts, column, n_columns, true);
}

void text_python_write(
	struct python_text *out, const struct value *facts, size_t column, size_t n_columns)
{
	const size_t start = out->text.n_bytes;
	bool is_call;

	if (value_is_null(facts)) {
		text_add(&out->text, "None");
		return;
	}
	is_call = facts->type_name && facts->kind != VALUE_OPAQUE;
	if (is_call) {
		escape_text(
			&out->text, facts->type_name, strlen(facts->type_name), ESCAPE_TERMINAL);
		text_add(&out->text, "(");
		column += page_columns(out->text.bytes + start, out->text.n_bytes - start);
	}
	if (value_is_sequence(facts) || facts->kind == VALUE_MAP)
		write_collection(out, facts, column, n_columns);
	else
		write_python_scalar(out, facts);
	if (is_call)
		text_add(&out->text, ")");
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

const struct value *text_python_declared(
	struct arena *arena, const struct value *declared, const char *mask_type)
{
	const struct value *mask = value_get(declared, "mask");
	struct value *shown;

	if (!value_get(mask, "exposes"))
		return declared;
	shown = value_copy(arena, declared);
	value_set(arena, shown, "mask", mask_object(arena, mask, mask_type));
	return shown;
}

void text_python_free(struct python_text *out)
{
	text_free(&out->text);
	text_free(&out->path);
}
