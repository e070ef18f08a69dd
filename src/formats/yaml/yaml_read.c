// SPDX-License-Identifier: MIT
/*
 * Reads YAML with libyaml's parser, event by event, into values. The limits bound the cost of a
 * hostile file; aliases are rejected, so that the values are never larger than the file.
 */
#include "formats/yaml/yaml_read.h"

#include "base/memory.h"
#include "base/text.h"
#include "formats/yaml/yaml_scalar.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

struct reader {
	yaml_parser_t parser;
	struct arena *arena;
	struct err *err;
	struct yaml_marks *marks; /* or NULL */
	int depth;
	size_t n_nodes;
};

static struct value *read_node(struct reader *reader, yaml_event_t *event);

static void add_mark(struct yaml_marks *marks, const struct value *value, size_t line,
	size_t column, const char *plain)
{
	if (marks->n_items == marks->capacity) {
		marks->capacity = marks->capacity ? 2 * marks->capacity : 64;
		marks->items = mem_resize(marks->items, marks->capacity * sizeof(*marks->items));
	}
	marks->items[marks->n_items++] = (struct yaml_mark){
		.value = value, .line = line, .column = column, .plain = plain
	};
}

/* Marks the key of the last value. A value is added when it ends. */
static void set_key_mark(
	struct yaml_marks *marks, const struct value *value, size_t line, size_t column)
{
	struct yaml_mark *last = &marks->items[marks->n_items - 1];

	if (last->value != value)
		return;
	last->key_line = line;
	last->key_column = column;
}

static void fail_at(struct reader *reader, yaml_mark_t mark, const char *what, const char *subject)
{
	const char *file = reader->marks ? reader->marks->file : NULL;

	err_set(reader->err, EXIT_USAGE, "%s%s%zu%s%zu: %s%s%.60s%s", file ? file : "line ",
		file ? ":" : "", mark.line + 1, file ? ":" : ", column ", mark.column + 1, what,
		subject ? " '" : "", subject ? subject : "", subject ? "'" : "");
}

static int next_event(struct reader *reader, yaml_event_t *event)
{
	const yaml_parser_t *parser = &reader->parser;

	if (yaml_parser_parse(&reader->parser, event))
		return 0;
	if (parser->error == YAML_MEMORY_ERROR)
		mem_fail();
	if (parser->error == YAML_READER_ERROR) {
		err_set(reader->err, EXIT_USAGE, "byte %zu: %s", parser->problem_offset,
			parser->problem ? parser->problem : "cannot be read");
		return reader->marks ? err_wrap(reader->err, "%s", reader->marks->file) : -1;
	}
	fail_at(reader, parser->problem_mark,
		parser->problem ? parser->problem : "cannot be parsed", NULL);
	return -1;
}

static bool tag_is_text(const yaml_event_t *event)
{
	const char *tag = (const char *)event->data.scalar.tag;

	return tag && (!strcmp(tag, "!") || !strcmp(tag, YAML_STR_TAG));
}

/* Rejects aliases, and tags, which could create any object. */
static int check_node(struct reader *reader, const yaml_event_t *event)
{
	const yaml_char_t *tag = NULL;
	char text[40];

	if (event->type == YAML_ALIAS_EVENT) {
		fail_at(reader, event->start_mark,
			"aliases are not supported:", (const char *)event->data.alias.anchor);
		return -1;
	}
	if (event->type == YAML_SCALAR_EVENT && !tag_is_text(event))
		tag = event->data.scalar.tag;
	else if (event->type == YAML_SEQUENCE_START_EVENT)
		tag = event->data.sequence_start.tag;
	else if (event->type == YAML_MAPPING_START_EVENT)
		tag = event->data.mapping_start.tag;
	if (tag) {
		fail_at(reader, event->start_mark, "tags are not supported:", (const char *)tag);
		return -1;
	}
	if (++reader->n_nodes > YAML_READ_MAX_NODES) {
		snprintf(text, sizeof(text), "more than %d values", YAML_READ_MAX_NODES);
		fail_at(reader, event->start_mark, text, NULL);
		return -1;
	}
	return 0;
}

static struct value *read_scalar_node(struct reader *reader, const yaml_event_t *event)
{
	const char *bytes = (const char *)event->data.scalar.value;
	size_t n_bytes = event->data.scalar.length;
	struct value *value;

	if (event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE || tag_is_text(event))
		return value_text_n(reader->arena, bytes, n_bytes);
	value = yaml_scalar_resolve(reader->arena, bytes, n_bytes);
	if (!value)
		fail_at(reader, event->start_mark, "number out of range:", bytes);
	return value;
}

static void mark_scalar(struct reader *reader, const struct value *value, const yaml_event_t *event)
{
	bool is_plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;

	add_mark(reader->marks, value, event->start_mark.line + 1, event->start_mark.column + 1,
		is_plain ? arena_copy(reader->arena, event->data.scalar.value,
				   event->data.scalar.length)
			 : NULL);
}

static int enter_collection(struct reader *reader, const yaml_event_t *event)
{
	char text[40];

	if (++reader->depth <= YAML_READ_MAX_DEPTH)
		return 0;
	snprintf(text, sizeof(text), "nested more than %d levels deep", YAML_READ_MAX_DEPTH);
	fail_at(reader, event->start_mark, text, NULL);
	return -1;
}

static struct value *read_sequence(struct reader *reader)
{
	struct value *list = value_list(reader->arena), *item;
	yaml_event_t event;

	for (;;) {
		if (next_event(reader, &event))
			return NULL;
		if (event.type == YAML_SEQUENCE_END_EVENT) {
			yaml_event_delete(&event);
			return list;
		}
		item = read_node(reader, &event);
		if (!item)
			return NULL;
		value_append(reader->arena, list, item);
	}
}

/* The position of each key of a map, to find duplicates when it ends. */
struct map_keys {
	struct map_key {
		const char *key;
		yaml_mark_t mark;
	} * items;
	size_t n_items, capacity;
};

static int compare_map_keys(const void *left, const void *right)
{
	const struct map_key *a = left, *b = right;
	int order = strcmp(a->key, b->key);

	if (order)
		return order;
	return a->mark.index < b->mark.index ? -1 : a->mark.index > b->mark.index;
}

static int check_duplicates(struct reader *reader, struct map_keys *keys)
{
	if (keys->n_items)
		qsort(keys->items, keys->n_items, sizeof(*keys->items), compare_map_keys);
	for (size_t i = 1; i < keys->n_items; i++) {
		const struct map_key *key = &keys->items[i];

		if (!strcmp(key->key, key[-1].key)) {
			fail_at(reader, key->mark, "duplicate key", key->key);
			return -1;
		}
	}
	return 0;
}

static void add_map_key(struct map_keys *keys, const char *key, yaml_mark_t mark)
{
	if (keys->n_items == keys->capacity) {
		keys->capacity = keys->capacity ? 2 * keys->capacity : 16;
		keys->items = mem_resize(keys->items, keys->capacity * sizeof(*keys->items));
	}
	keys->items[keys->n_items++] = (struct map_key){ key, mark };
}

/* Takes the event. The key in the arena; NULL if it is invalid. */
static const char *read_key(struct reader *reader, yaml_event_t *event)
{
	yaml_mark_t mark = event->start_mark;
	struct value *key;

	if (event->type == YAML_MAPPING_START_EVENT || event->type == YAML_SEQUENCE_START_EVENT) {
		fail_at(reader, mark, "the key is not a string", NULL);
		yaml_event_delete(event);
		return NULL;
	}
	key = read_node(reader, event);
	if (!key)
		return NULL;
	if (!value_is(key, VALUE_TEXT)) {
		fail_at(reader, mark, "the key is not a string; quote it", NULL);
		return NULL;
	}
	if (strlen(key->bytes) != key->n_bytes) {
		fail_at(reader, mark, "the key contains a NUL byte", NULL);
		return NULL;
	}
	return key->bytes;
}

/* Reads one key and its value, or the end of the map: 1. */
static int read_map_entry(struct reader *reader, struct value *map, struct map_keys *keys)
{
	yaml_event_t event;
	struct value *item;
	const char *key;
	yaml_mark_t mark;

	if (next_event(reader, &event))
		return -1;
	if (event.type == YAML_MAPPING_END_EVENT) {
		yaml_event_delete(&event);
		return 1;
	}
	mark = event.start_mark;
	key = read_key(reader, &event);
	if (!key || next_event(reader, &event))
		return -1;
	item = read_node(reader, &event);
	if (!item)
		return -1;
	value_add(reader->arena, map, key, item);
	add_map_key(keys, key, mark);
	if (reader->marks)
		set_key_mark(reader->marks, item, mark.line + 1, mark.column + 1);
	return 0;
}

static struct value *read_mapping(struct reader *reader)
{
	struct value *map = value_map(reader->arena);
	struct map_keys keys = { 0 };
	int status;

	do
		status = read_map_entry(reader, map, &keys);
	while (!status);
	if (status > 0)
		status = check_duplicates(reader, &keys);
	free(keys.items);
	return status < 0 ? NULL : map;
}

/* Takes the event, which begins a value, and reads to the value's end. */
static struct value *read_node(struct reader *reader, yaml_event_t *event)
{
	yaml_event_type_t type = event->type;
	yaml_mark_t mark = event->start_mark;
	struct value *value = NULL;
	int status = check_node(reader, event);

	if (!status && type == YAML_SCALAR_EVENT)
		value = read_scalar_node(reader, event);
	else if (!status)
		status = enter_collection(reader, event);
	if (value && reader->marks)
		mark_scalar(reader, value, event);
	yaml_event_delete(event);
	if (status || type == YAML_SCALAR_EVENT)
		return value;
	value = type == YAML_MAPPING_START_EVENT ? read_mapping(reader) : read_sequence(reader);
	if (value && reader->marks)
		add_mark(reader->marks, value, mark.line + 1, mark.column + 1, NULL);
	reader->depth--;
	return value;
}

/* Reads an event without content: 0 if it is the expected one, 1 if it is the other. */
static int expect(struct reader *reader, yaml_event_type_t wanted, yaml_event_type_t other,
	const char *otherwise)
{
	yaml_event_t event;
	yaml_event_type_t type;
	yaml_mark_t mark;

	if (next_event(reader, &event))
		return -1;
	type = event.type;
	mark = event.start_mark;
	yaml_event_delete(&event);
	if (type == wanted || type == other)
		return type != wanted;
	fail_at(reader, mark, otherwise, NULL);
	return -1;
}

static struct value *read_document(struct reader *reader)
{
	yaml_event_type_t end = reader->marks ? YAML_STREAM_END_EVENT : YAML_NO_EVENT;
	yaml_event_t event;
	struct value *value;
	int status;

	if (expect(reader, YAML_STREAM_START_EVENT, YAML_NO_EVENT, "not a YAML document"))
		return NULL;
	status = expect(reader, YAML_DOCUMENT_START_EVENT, end, "the document is empty");
	if (status)
		return status > 0 ? value_null(reader->arena) : NULL;
	if (next_event(reader, &event))
		return NULL;
	value = read_node(reader, &event);
	if (!value ||
		expect(reader, YAML_DOCUMENT_END_EVENT, YAML_NO_EVENT, "more than one value") ||
		expect(reader, YAML_STREAM_END_EVENT, YAML_NO_EVENT, "unexpected second document"))
		return NULL;
	return value;
}

static int compare_marks(const void *left, const void *right)
{
	uintptr_t a = (uintptr_t)((const struct yaml_mark *)left)->value;
	uintptr_t b = (uintptr_t)((const struct yaml_mark *)right)->value;

	return a < b ? -1 : a > b;
}

/* The number of \uXXXX at the position; -1: it is another escape. */
static long read_json_escape(const char *bytes, size_t n_bytes)
{
	char digits[5] = { 0 }, *end;
	long number;

	if (n_bytes < 6 || bytes[0] != '\\' || bytes[1] != 'u')
		return -1;
	memcpy(digits, bytes + 2, 4);
	number = strtol(digits, &end, 16);
	return *end ? -1 : number;
}

/*
 * JSON escapes a character beyond U+FFFF as two halves, which YAML does not have: they become one
 * \UXXXXXXXX. Documents that are not JSON, where a backslash may have no meaning, stay as they
 * are.
 */
static void join_halves(const char *bytes, size_t n_bytes, struct text *out)
{
	for (size_t i = 0; i < n_bytes;) {
		long high = read_json_escape(bytes + i, n_bytes - i), low = -1;

		if (high >= 0xD800 && high < 0xDC00)
			low = read_json_escape(bytes + i + 6, n_bytes - i - 6);
		if (low >= 0xDC00 && low < 0xE000) {
			text_printf(
				out, "\\U%08lx", 0x10000 + ((high - 0xD800) << 10) + low - 0xDC00);
			i += 12;
		} else {
			size_t n = bytes[i] == '\\' && i + 1 < n_bytes ? 2 : 1;

			text_add_bytes(out, bytes + i, n);
			i += n;
		}
	}
}

/* Whether the text is JSON, perhaps after white space, with surrogate escapes. In YAML, a backslash
 * may be a character of a plain scalar. */
static bool has_halves(const char *bytes, size_t n_bytes)
{
	size_t i = 0;

	while (i < n_bytes && bytes[i] && strchr(" \t\r\n", bytes[i]))
		i++;
	return i < n_bytes && bytes[i] == '{' &&
	       (memmem(bytes, n_bytes, "\\ud", 3) || memmem(bytes, n_bytes, "\\uD", 3));
}

struct value *yaml_read_marked(struct arena *arena, const char *bytes, size_t n_bytes,
	struct yaml_marks *marks, struct err *err)
{
	struct reader reader = { .arena = arena, .err = err, .marks = marks };
	struct text joined = { 0 };
	struct value *value;

	if (!yaml_parser_initialize(&reader.parser))
		mem_fail();
	if (has_halves(bytes, n_bytes)) {
		join_halves(bytes, n_bytes, &joined);
		bytes = joined.bytes;
		n_bytes = joined.n_bytes;
	}
	yaml_parser_set_input_string(/* asserts that there are bytes */
		&reader.parser, (const unsigned char *)(bytes ? bytes : ""), n_bytes);
	yaml_parser_set_encoding(&reader.parser, YAML_UTF8_ENCODING);
	value = read_document(&reader);
	yaml_parser_delete(&reader.parser);
	text_free(&joined);
	if (value && marks && marks->n_items)
		qsort(marks->items, marks->n_items, sizeof(*marks->items), compare_marks);
	return value;
}

struct value *yaml_read(struct arena *arena, const char *bytes, size_t n_bytes, struct err *err)
{
	return yaml_read_marked(arena, bytes, n_bytes, NULL, err);
}

const struct yaml_mark *yaml_mark_of(const struct yaml_marks *marks, const struct value *value)
{
	static const struct yaml_mark nowhere = {
		.line = 1, .column = 1, .key_line = 1, .key_column = 1
	};
	struct yaml_mark key = { .value = value };
	const struct yaml_mark *found = marks->n_items ? bsearch(&key, marks->items, marks->n_items,
								 sizeof(key), compare_marks)
						       : NULL;

	return found ? found : &nowhere;
}

void yaml_marks_free(struct yaml_marks *marks)
{
	free(marks->items);
	marks->items = NULL;
	marks->n_items = marks->capacity = 0;
}
