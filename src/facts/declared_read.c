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

struct reading {
	struct arena *arena;
	struct err *err;
	struct entry *entries; /* sorted by path */
	size_t n_entries;
	struct text path, scratch;
	int depth;
	bool failed; /* err is set */
};

static struct value *read_plain(struct reading *reading, const struct value *plain);

static void fail(struct reading *reading, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void fail(struct reading *reading, const char *format, ...)
{
	char message[512];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	err_set(reading->err, EXIT_USAGE, "%s", message);
	reading->failed = true;
}

static int compare_entries(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;

	return strcmp(a->path, b->path);
}

static int read_entries(struct reading *reading, const struct value *types)
{
	if (value_is_null(types))
		return 0;
	if (!value_is(types, VALUE_MAP))
		return err_set(reading->err, EXIT_USAGE, "types: expected a map");
	reading->entries = mem_alloc((types->n_items + 1) * sizeof(*reading->entries));
	for (size_t i = 0; i < types->n_items; i++) {
		if (!value_is(types->items[i], VALUE_TEXT))
			return err_set(reading->err, EXIT_USAGE, "types: '%s' is not a string",
				types->keys[i]);
		reading->entries[i] = (struct entry){ .path = types->keys[i],
			.type = types->items[i]->bytes,
			.n_type_chars = types->items[i]->n_bytes };
	}
	reading->n_entries = types->n_items;
	qsort(reading->entries, reading->n_entries, sizeof(*reading->entries), compare_entries);
	return 0;
}

static const struct entry *find_entry(struct reading *reading)
{
	struct entry wanted = { .path = reading->path.bytes };
	struct entry *found = NULL;

	if (reading->n_entries)
		found = bsearch(&wanted, reading->entries, reading->n_entries, sizeof(wanted),
			compare_entries);
	if (found)
		found->used = true;
	return found;
}

static struct value *read_items(
	struct reading *reading, const struct value *plain, enum value_kind kind)
{
	struct value *facts = kind == VALUE_MAP    ? value_map(reading->arena)
			      : kind == VALUE_LIST ? value_list(reading->arena)
						   : value_tuple(reading->arena);
	size_t n_path = reading->path.n_bytes;

	for (size_t i = 0; i < plain->n_items; i++) {
		struct value *item;

		if (kind == VALUE_MAP)
			path_add_key(&reading->path, plain->keys[i]);
		else
			path_add_index(&reading->path, i);
		item = read_plain(reading, plain->items[i]);
		if (!item)
			return NULL;
		path_cut(&reading->path, n_path);
		if (kind != VALUE_MAP) {
			value_append(reading->arena, facts, item);
			continue;
		}
		text_clear(&reading->scratch);
		escape_undo(&reading->scratch, plain->keys[i], strlen(plain->keys[i]));
		value_add(reading->arena, facts,
			reading->scratch.bytes ? reading->scratch.bytes : "", item);
	}
	return facts;
}

/* Decimal text, or a wide int that YAML already read as one. */
static struct value *read_integer(struct reading *reading, const struct value *plain)
{
	const char *digits = plain->bytes;

	if (plain->kind == VALUE_INT)
		return value_int(reading->arena, plain->integer);
	digits += *digits == '-';
	if (!*digits ||
		strspn(digits, "0123456789") != plain->n_bytes - (size_t)(digits - plain->bytes))
		return NULL;
	return value_wide_int(reading->arena, plain->bytes);
}

static struct value *read_real(struct reading *reading, const struct value *plain)
{
	uint64_t bits;
	double real;
	char *end;

	if (plain->kind == VALUE_REAL)
		return value_real(reading->arena, plain->real);
	if (value_is_text(plain, "nan"))
		return value_real(reading->arena, (double)NAN);
	if (value_is_text(plain, "inf") || value_is_text(plain, "-inf"))
		return value_real(reading->arena, *plain->bytes == '-' ? -HUGE_VAL : HUGE_VAL);
	if (strncmp(plain->bytes, "nan 0x", 6) != 0)
		return NULL;
	bits = strtoull(plain->bytes + 6, &end, 16);
	memcpy(&real, &bits, sizeof(real));
	return *end || !isnan(real) ? NULL : value_real(reading->arena, real);
}

static struct value *read_escaped(
	struct reading *reading, const struct value *plain, enum value_kind kind)
{
	struct text *scratch = &reading->scratch;
	struct value *facts;

	text_clear(scratch);
	escape_undo(scratch, plain->bytes, plain->n_bytes);
	facts = value_text_n(
		reading->arena, scratch->bytes ? scratch->bytes : "", scratch->n_bytes);
	facts->kind = kind;
	return facts;
}

/* Whether a plain value can represent a value of the kind. */
static bool fits(const struct value *plain, enum value_kind kind)
{
	switch (kind) {
	case VALUE_INT:
		return value_is_integer(plain) || plain->kind == VALUE_TEXT;
	case VALUE_REAL:
		return plain->kind == VALUE_REAL || plain->kind == VALUE_TEXT;
	case VALUE_TEXT:
	case VALUE_BYTES:
	case VALUE_OPAQUE:
		return plain->kind == VALUE_TEXT;
	case VALUE_LIST:
	case VALUE_TUPLE:
		return value_is_sequence(plain);
	default:
		return plain->kind == kind;
	}
}

static struct value *read_as(
	struct reading *reading, const struct value *plain, enum value_kind kind, bool has_entry)
{
	switch (kind) {
	case VALUE_NULL:
		return value_null(reading->arena);
	case VALUE_BOOL:
		return value_bool(reading->arena, plain->boolean);
	case VALUE_INT:
		return read_integer(reading, plain);
	case VALUE_REAL:
		return read_real(reading, plain);
	case VALUE_TEXT:
		if (!has_entry)
			return value_text_n(reading->arena, plain->bytes, plain->n_bytes);
		return read_escaped(reading, plain, kind);
	case VALUE_BYTES:
	case VALUE_OPAQUE:
		return read_escaped(reading, plain, kind);
	default:
		return read_items(reading, plain, kind);
	}
}

static struct value *read_plain(struct reading *reading, const struct value *plain)
{
	const struct entry *entry = find_entry(reading);
	struct entry_meaning meaning = { .kind = entry_default_kind(plain) };
	struct value *facts = NULL;

	if (entry)
		meaning = entry_read(plain, entry->type, entry->n_type_chars);
	if (++reading->depth > VALUE_MAX_DEPTH)
		fail(reading, "'%s': nested too deep", reading->path.bytes);
	else if (fits(plain, meaning.kind))
		facts = read_as(reading, plain, meaning.kind, entry != NULL);
	reading->depth--;
	if (facts && meaning.type_name)
		facts->type_name = arena_copy(reading->arena, meaning.type_name, meaning.n_chars);
	if (!facts && !reading->failed)
		fail(reading, "types: '%s': the value cannot be of type '%s'", reading->path.bytes,
			entry ? entry->type : "?");
	return facts;
}

struct value *plain_to_facts(
	struct arena *arena, const struct value *plain, const struct value *types, struct err *err)
{
	struct reading reading = { .arena = arena, .err = err };
	struct value *facts = NULL;

	if (!read_entries(&reading, types)) {
		text_add(&reading.path, "");
		facts = read_plain(&reading, plain);
	}
	for (size_t i = 0; facts && i < reading.n_entries; i++) {
		if (reading.entries[i].used)
			continue;
		err_set(err, EXIT_USAGE, "types: '%s' does not exist in declared",
			reading.entries[i].path);
		facts = NULL;
	}
	free(reading.entries);
	text_free(&reading.path);
	text_free(&reading.scratch);
	return facts;
}
