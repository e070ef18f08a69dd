// SPDX-License-Identifier: MIT
/* Lists and texts of records, and their tables. */
#include "facts/fact.h"

#include "base/text.h"
#include "base/utf8.h"
#include "facts/fact_codec.h"
#include "facts/facts.h"

#include <string.h>

enum { MAX_SHOWN_BYTES = 200 };

/* --- building records --- */

struct fact_ints fact_ints(struct arena *arena, const int64_t *items, size_t n_items)
{
	struct fact_ints ints = { .known = true, .n_items = n_items };

	ints.items = arena_alloc(arena, (n_items + 1) * sizeof(*ints.items));
	if (n_items)
		memcpy(ints.items, items, n_items * sizeof(*items));
	return ints;
}

void fact_texts_add(struct arena *arena, struct fact_texts *texts, const char *text)
{
	texts->items = arena_grow(arena, texts->items, texts->n_items, sizeof(*texts->items));
	texts->items[texts->n_items++] = arena_copy(arena, text, strlen(text));
	texts->known = true;
}

const char *fact_text(struct arena *arena, const struct value *text)
{
	struct text escaped = { 0 };
	const char *copy;

	if (!value_is(text, VALUE_TEXT))
		return NULL;
	if (strlen(text->bytes) == text->n_bytes)
		return text->bytes;
	for (size_t i = 0; i < text->n_bytes; i++)
		text_add_bytes(
			&escaped, text->bytes[i] ? &text->bytes[i] : "\\0", text->bytes[i] ? 1 : 2);
	copy = arena_copy(arena, escaped.bytes, escaped.n_bytes);
	text_free(&escaped);
	return copy;
}

/* Every list begins like struct fact_call_list. */
void *fact_list_add(struct arena *arena, void *opaque, size_t n_item_bytes)
{
	struct fact_call_list *list = opaque;
	char *item;

	list->items = arena_grow(arena, list->items, list->n_items, n_item_bytes);
	item = (char *)list->items + list->n_items++ * n_item_bytes;
	memset(item, 0, n_item_bytes);
	list->known = true;
	*(bool *)item = true;
	return item;
}

void fact_list_extend(struct arena *arena, void *list, const void *more, size_t n_item_bytes)
{
	const struct fact_call_list *from = more;

	((struct fact_call_list *)list)->known |= from->known;
	for (size_t i = 0; i < from->n_items; i++)
		memcpy(fact_list_add(arena, list, n_item_bytes),
			(const char *)from->items + i * n_item_bytes, n_item_bytes);
}

bool fact_text_is(const char *text, const char *other)
{
	return text && !strcmp(text, other);
}

#define BREAKS "\t\n\v\f\r"

/* Each line break, with the blanks around it, as one space; none at the beginning or the end. */
static char *join_lines(struct arena *arena, const char *text)
{
	char *line = arena_copy(arena, text, strlen(text)), *out = line;

	for (const char *next = text; *next;) {
		const size_t n_blanks = strspn(next, " " BREAKS);
		const size_t n_bytes = n_blanks ? n_blanks : 1;

		if (strspn(next, " ") == n_blanks)
			out = (char *)memcpy(out, next, n_bytes) + n_bytes;
		else if (out > line && next[n_bytes])
			*out++ = ' ';
		next += n_bytes;
	}
	*out = '\0';
	return line;
}

const char *fact_message_line(struct arena *arena, const char *message)
{
	const char *text = message ? message : "";
	size_t n_bytes, n_shown, n_words;

	if (text[strcspn(text, BREAKS)])
		text = join_lines(arena, text);
	n_bytes = strlen(text);
	n_shown = utf8_truncated(text, n_bytes, MAX_SHOWN_BYTES);
	if (n_shown == n_bytes)
		return text;
	n_words = n_shown;
	while (n_words && text[n_words] != ' ')
		n_words--;
	while (n_words && text[n_words - 1] == ' ')
		n_words--;
	return arena_printf(arena, "%.*s...", (int)(n_words ? n_words : n_shown), text);
}

const char *fact_exception(struct arena *arena, const char *type, const char *message)
{
	const char *line = fact_message_line(arena, message);
	const bool has_type = type && *type;

	if (has_type && *line)
		return arena_printf(arena, "%s: %s", type, line);
	return has_type ? type : *line ? line : "an exception";
}

bool fact_texts_have(const struct fact_texts *texts, const char *text)
{
	for (size_t i = 0; i < texts->n_items; i++)
		if (!strcmp(texts->items[i], text))
			return true;
	return false;
}

/* --- tables --- */

const struct fact_field *fact_find_field(
	const struct fact_record *record, const char *name, size_t n_chars)
{
	for (size_t i = 0; i < record->n_fields; i++) {
		const struct fact_field *field = &record->fields[i];

		if (strlen(field->name) == n_chars && !memcmp(field->name, name, n_chars))
			return field;
	}
	return NULL;
}

const struct fact_field *fact_field_at(const struct fact_record *record, const char *path)
{
	size_t n_chars = strcspn(path, ".[");
	const struct fact_field *field = fact_find_field(record, path, n_chars);

	path += n_chars;
	path += *path == '[' ? strcspn(path, ".") : 0;
	if (!field || field->place == FACT_IN_WIRE)
		return NULL;
	if (!*path)
		return field;
	return *path == '.' && field->record ? fact_field_at(field->record, path + 1) : NULL;
}

bool fact_word_number(const char *const *words, const char *word, int *out)
{
	for (int i = 0; words[i]; i++)
		if (*word && !strcmp(words[i], word)) {
			*out = i;
			return true;
		}
	return false;
}

struct value *fact_make_null(struct fact_codec *codec, const struct fact_field *field)
{
	bool is_list = field->type == FACT_LIST || field->type == FACT_TEXTS;

	return field->is_required && is_list ? value_list(codec->arena) : value_null(codec->arena);
}
