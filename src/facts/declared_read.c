// SPDX-License-Identifier: MIT
/* Reads `declared` and `types` of a document back as facts. */
#include "facts/declared_codec.h"

#include "base/memory.h"
#include "facts/type_entry.h"
#include "model/escape.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	const char *path, *type;
	size_t n_type_chars;
	bool used;
};

struct plain_reader {
	struct arena *arena;
	struct err *err;
	struct entry *entries; /* sorted by path */
	size_t n_entries;
	struct text path, scratch;
	int depth;
	bool failed; /* err is set */
};

static struct value *read_plain(struct plain_reader *reader, const struct value *plain);

static void fail(struct plain_reader *reader, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void fail(struct plain_reader *reader, const char *format, ...)
{
	char message[512];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	err_set(reader->err, EXIT_USAGE, "%s", message);
	reader->failed = true;
}

static int compare_entries(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;

	return strcmp(a->path, b->path);
}

static int read_entries(struct plain_reader *reader, const struct value *types)
{
	if (value_is_null(types))
		return 0;
	if (!value_is(types, VALUE_MAP))
		return err_set(reader->err, EXIT_USAGE, "types: expected a map");
	reader->entries = mem_alloc((types->n_items + 1) * sizeof(*reader->entries));
	for (size_t i = 0; i < types->n_items; i++) {
		if (!value_is(types->items[i], VALUE_TEXT))
			return err_set(reader->err, EXIT_USAGE,
				"types: the type of '%s' is not a string", types->keys[i]);
		reader->entries[i] = (struct entry){ .path = types->keys[i],
			.type = types->items[i]->bytes,
			.n_type_chars = types->items[i]->n_bytes };
	}
	reader->n_entries = types->n_items;
	qsort(reader->entries, reader->n_entries, sizeof(*reader->entries), compare_entries);
	return 0;
}

static const struct entry *find_entry(struct plain_reader *reader)
{
	struct entry wanted = { .path = reader->path.bytes };
	struct entry *found = NULL;

	if (reader->n_entries)
		found = bsearch(&wanted, reader->entries, reader->n_entries, sizeof(wanted),
			compare_entries);
	if (found)
		found->used = true;
	return found;
}

static struct value *read_items(
	struct plain_reader *reader, const struct value *plain, enum value_kind kind)
{
	struct value *facts = kind == VALUE_MAP    ? value_map(reader->arena)
			      : kind == VALUE_LIST ? value_list(reader->arena)
						   : value_tuple(reader->arena);
	size_t n_path = reader->path.n_bytes;

	for (size_t i = 0; i < plain->n_items; i++) {
		struct value *item;

		if (kind == VALUE_MAP)
			path_add_key(&reader->path, plain->keys[i]);
		else
			text_printf(&reader->path, "[%zu]", i);
		item = read_plain(reader, plain->items[i]);
		if (!item)
			return NULL;
		text_truncate(&reader->path, n_path);
		if (kind != VALUE_MAP) {
			value_append(reader->arena, facts, item);
			continue;
		}
		text_clear(&reader->scratch);
		escape_undo(&reader->scratch, plain->keys[i], strlen(plain->keys[i]));
		value_add(reader->arena, facts, reader->scratch.bytes ? reader->scratch.bytes : "",
			item);
	}
	return facts;
}

/* Decimal text, or a wide int that YAML already read as one. */
static struct value *read_integer(struct plain_reader *reader, const struct value *plain)
{
	const char *digits = plain->bytes;

	if (plain->kind == VALUE_INT)
		return value_int(reader->arena, plain->integer);
	digits += *digits == '-';
	if (!*digits ||
		strspn(digits, "0123456789") != plain->n_bytes - (size_t)(digits - plain->bytes))
		return NULL;
	return value_wide_int(reader->arena, plain->bytes);
}

static struct value *read_real(struct plain_reader *reader, const struct value *plain)
{
	uint64_t bits;
	double real;
	char *end;

	if (plain->kind == VALUE_REAL)
		return value_real(reader->arena, plain->real);
	if (value_is_text(plain, "nan"))
		return value_real(reader->arena, (double)NAN);
	if (value_is_text(plain, "inf") || value_is_text(plain, "-inf"))
		return value_real(reader->arena, *plain->bytes == '-' ? -HUGE_VAL : HUGE_VAL);
	if (strncmp(plain->bytes, "nan 0x", 6) != 0)
		return NULL;
	bits = strtoull(plain->bytes + 6, &end, 16);
	memcpy(&real, &bits, sizeof(real));
	return *end || !isnan(real) ? NULL : value_real(reader->arena, real);
}

static struct value *read_escaped(
	struct plain_reader *reader, const struct value *plain, enum value_kind kind)
{
	struct text *scratch = &reader->scratch;
	struct value *facts;

	text_clear(scratch);
	escape_undo(scratch, plain->bytes, plain->n_bytes);
	facts = value_text_n(reader->arena, scratch->bytes ? scratch->bytes : "", scratch->n_bytes);
	facts->kind = kind;
	return facts;
}

/* NULL if a plain value cannot represent a value of the kind. */
static struct value *read_as(struct plain_reader *reader, const struct value *plain,
	enum value_kind kind, bool has_entry)
{
	bool is_text = plain->kind == VALUE_TEXT;

	switch (kind) {
	case VALUE_INT:
		return is_text || value_is_integer(plain) ? read_integer(reader, plain) : NULL;
	case VALUE_REAL:
		return is_text || plain->kind == VALUE_REAL ? read_real(reader, plain) : NULL;
	case VALUE_TEXT:
	case VALUE_BYTES:
	case VALUE_OPAQUE:
		if (is_text && !has_entry)
			return value_text_n(reader->arena, plain->bytes, plain->n_bytes);
		return is_text ? read_escaped(reader, plain, kind) : NULL;
	case VALUE_LIST:
	case VALUE_TUPLE:
		return value_is_sequence(plain) ? read_items(reader, plain, kind) : NULL;
	default:
		if (plain->kind != kind)
			return NULL;
		return kind == VALUE_MAP    ? read_items(reader, plain, kind)
		       : kind == VALUE_BOOL ? value_bool(reader->arena, plain->boolean)
					    : value_null(reader->arena);
	}
}

static struct value *read_plain(struct plain_reader *reader, const struct value *plain)
{
	const struct entry *entry = find_entry(reader);
	struct entry_meaning meaning =
		entry_read(plain, entry ? entry->type : NULL, entry ? entry->n_type_chars : 0);
	struct value *facts = NULL;

	if (++reader->depth > VALUE_MAX_DEPTH)
		fail(reader, "'%s': nested too deeply", reader->path.bytes);
	else
		facts = read_as(reader, plain, meaning.kind, entry != NULL);
	reader->depth--;
	if (facts && meaning.type_name)
		facts->type_name = arena_copy(reader->arena, meaning.type_name, meaning.n_chars);
	if (!facts && !reader->failed)
		fail(reader, "types: '%s': the value cannot be of type '%s'", reader->path.bytes,
			entry ? entry->type : "?");
	return facts;
}

struct value *plain_to_facts(
	struct arena *arena, const struct value *plain, const struct value *types, struct err *err)
{
	struct plain_reader reader = { .arena = arena, .err = err };
	struct value *facts = NULL;

	if (!read_entries(&reader, types)) {
		text_add(&reader.path, "");
		facts = read_plain(&reader, plain);
	}
	for (size_t i = 0; facts && i < reader.n_entries; i++) {
		if (reader.entries[i].used)
			continue;
		err_set(err, EXIT_USAGE, "types: '%s' does not exist in declared",
			reader.entries[i].path);
		facts = NULL;
	}
	free(reader.entries);
	text_free(&reader.path);
	text_free(&reader.scratch);
	return facts;
}
