// SPDX-License-Identifier: MIT
/* Facts: creating, reading and comparing them. */
#include "model/value.h"

#include "model/number.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct value *value_make(struct arena *arena, enum value_kind kind)
{
	struct value *value = arena_alloc(arena, sizeof(*value));

	value->kind = kind;
	return value;
}

static struct value *make_bytes(
	struct arena *arena, enum value_kind kind, const void *bytes, size_t n_bytes)
{
	struct value *value = value_make(arena, kind);

	value->bytes = arena_copy(arena, bytes, n_bytes);
	value->n_bytes = n_bytes;
	return value;
}

struct value *value_null(struct arena *arena)
{
	return value_make(arena, VALUE_NULL);
}

struct value *value_bool(struct arena *arena, bool boolean)
{
	struct value *value = value_make(arena, VALUE_BOOL);

	value->boolean = boolean;
	return value;
}

struct value *value_int(struct arena *arena, int64_t integer)
{
	struct value *value = value_make(arena, VALUE_INT);

	value->integer = integer;
	return value;
}

struct value *value_uint(struct arena *arena, uint64_t integer)
{
	char decimal[24];

	if (integer <= INT64_MAX)
		return value_int(arena, (int64_t)integer);
	snprintf(decimal, sizeof(decimal), "%" PRIu64, integer);
	return value_wide_int(arena, decimal);
}

struct value *value_wide_int(struct arena *arena, const char *decimal)
{
	return make_bytes(arena, VALUE_WIDE_INT, decimal, strlen(decimal));
}

struct value *value_real(struct arena *arena, double real)
{
	struct value *value = value_make(arena, VALUE_REAL);

	value->real = real;
	return value;
}

struct value *value_text(struct arena *arena, const char *text)
{
	return text ? value_text_n(arena, text, strlen(text)) : value_null(arena);
}

struct value *value_text_n(struct arena *arena, const char *bytes, size_t n_bytes)
{
	return make_bytes(arena, VALUE_TEXT, bytes, n_bytes);
}

struct value *value_textf(struct arena *arena, const char *format, ...)
{
	struct value *value = value_make(arena, VALUE_TEXT);
	va_list args;

	va_start(args, format);
	value->bytes = arena_vprintf(arena, format, args);
	va_end(args);
	value->n_bytes = strlen(value->bytes);
	return value;
}

struct value *value_bytes(struct arena *arena, const void *bytes, size_t n_bytes)
{
	return make_bytes(arena, VALUE_BYTES, bytes, n_bytes);
}

struct value *value_opaque(struct arena *arena, const char *text, const char *type_name)
{
	struct value *value = make_bytes(arena, VALUE_OPAQUE, text, strlen(text));

	value->type_name = type_name ? arena_copy(arena, type_name, strlen(type_name)) : NULL;
	return value;
}

struct value *value_address(struct arena *arena, uint64_t address)
{
	return value_textf(arena, "0x%" PRIx64, address);
}

struct value *value_list(struct arena *arena)
{
	return value_make(arena, VALUE_LIST);
}

struct value *value_tuple(struct arena *arena)
{
	return value_make(arena, VALUE_TUPLE);
}

struct value *value_map(struct arena *arena)
{
	return value_make(arena, VALUE_MAP);
}

static void value_grow(struct arena *arena, struct value *value, bool with_keys)
{
	size_t capacity = value->capacity ? 2 * value->capacity : 8;
	struct value **items = arena_alloc(arena, capacity * sizeof(*items));
	const char **keys = NULL;

	if (value->n_items)
		memcpy(items, value->items, value->n_items * sizeof(*items));
	if (with_keys) {
		keys = arena_alloc(arena, capacity * sizeof(*keys));
		if (value->n_items)
			memcpy(keys, value->keys, value->n_items * sizeof(*keys));
	}
	value->items = items;
	value->keys = keys;
	value->capacity = capacity;
}

struct value *value_append(struct arena *arena, struct value *list, struct value *item)
{
	if (list->n_items == list->capacity)
		value_grow(arena, list, false);
	list->items[list->n_items++] = item;
	return item;
}

struct value *value_set(struct arena *arena, struct value *map, const char *key, struct value *item)
{
	for (size_t i = 0; i < map->n_items; i++)
		if (!strcmp(map->keys[i], key))
			return map->items[i] = item;
	return value_add(arena, map, key, item);
}

struct value *value_add(struct arena *arena, struct value *map, const char *key, struct value *item)
{
	if (map->n_items == map->capacity)
		value_grow(arena, map, true);
	map->keys[map->n_items] = arena_copy(arena, key, strlen(key));
	map->items[map->n_items++] = item;
	return item;
}

struct value *value_find(struct value *map, const char *key)
{
	if (!value_is(map, VALUE_MAP))
		return NULL;
	for (size_t i = 0; i < map->n_items; i++)
		if (!strcmp(map->keys[i], key))
			return map->items[i];
	return NULL;
}

const struct value *value_get(const struct value *map, const char *key)
{
	return value_find((struct value *)map, key);
}

const struct value *value_item(const struct value *list, size_t i)
{
	return value_is_sequence(list) && i < list->n_items ? list->items[i] : NULL;
}

const struct value *value_at(const struct value *root, const char *path)
{
	const struct value *here = root;
	char key[256];
	size_t n_chars;

	while (here && *path) {
		if (*path == '[') {
			here = value_item(here, strtoul(path + 1, NULL, 10));
			path = strchr(path, ']');
			if (!path)
				return NULL;
			path++;
			continue;
		}
		if (*path == '.')
			path++;
		n_chars = strcspn(path, ".[");
		if (!n_chars || n_chars >= sizeof(key))
			return NULL;
		memcpy(key, path, n_chars);
		key[n_chars] = '\0';
		here = value_get(here, key);
		path += n_chars;
	}
	return here;
}

bool value_is(const struct value *value, enum value_kind kind)
{
	return value && value->kind == kind;
}

bool value_is_null(const struct value *value)
{
	return !value || value->kind == VALUE_NULL;
}

bool value_is_sequence(const struct value *value)
{
	return value_is(value, VALUE_LIST) || value_is(value, VALUE_TUPLE);
}

bool value_is_integer(const struct value *value)
{
	return value_is(value, VALUE_INT) || value_is(value, VALUE_WIDE_INT);
}

bool value_is_text(const struct value *value, const char *text)
{
	return value_is(value, VALUE_TEXT) && value->n_bytes == strlen(text) &&
	       !memcmp(value->bytes, text, value->n_bytes);
}

bool value_lists_text(const struct value *list, const char *text)
{
	for (size_t i = 0; value_is_sequence(list) && i < list->n_items; i++)
		if (value_is_text(list->items[i], text))
			return true;
	return false;
}

const char *value_text_or(const struct value *value, const char *fallback)
{
	return value_is(value, VALUE_TEXT) ? value->bytes : fallback;
}

int64_t value_int_or(const struct value *value, int64_t fallback)
{
	return value_is(value, VALUE_INT) ? value->integer : fallback;
}

bool value_bool_or(const struct value *value, bool fallback)
{
	return value_is(value, VALUE_BOOL) ? value->boolean : fallback;
}

bool value_to_int64(const struct value *value, int64_t *out)
{
	if (!value_is(value, VALUE_INT))
		return false;
	*out = value->integer;
	return true;
}

bool value_to_uint64(const struct value *value, uint64_t *out)
{
	unsigned long long wide;
	char *end;

	if (value_is(value, VALUE_INT) && value->integer >= 0) {
		*out = (uint64_t)value->integer;
		return true;
	}
	if (!value_is(value, VALUE_WIDE_INT) || value->bytes[0] == '-')
		return false;
	errno = 0;
	wide = strtoull(value->bytes, &end, 10);
	if (errno || *end)
		return false;
	*out = wide;
	return true;
}

bool value_to_address(const struct value *value, uint64_t *out)
{
	char *end;

	if (!value_is(value, VALUE_TEXT))
		return value_to_uint64(value, out);
	if (strncmp(value->bytes, "0x", 2) != 0 || !value->bytes[2])
		return false;
	errno = 0;
	*out = strtoull(value->bytes, &end, 16);
	return !errno && end == value->bytes + value->n_bytes;
}

static bool items_equal(const struct value *a, const struct value *b)
{
	if (a->n_items != b->n_items)
		return false;
	for (size_t i = 0; i < a->n_items; i++) {
		if (a->kind == VALUE_MAP && strcmp(a->keys[i], b->keys[i]) != 0)
			return false;
		if (!value_equal(a->items[i], b->items[i]))
			return false;
	}
	return true;
}

bool value_equal(const struct value *a, const struct value *b)
{
	if (!a || !b)
		return a == b;
	if (a->kind != b->kind || !a->type_name != !b->type_name ||
		(a->type_name && strcmp(a->type_name, b->type_name) != 0))
		return false;
	switch (a->kind) {
	case VALUE_NULL:
		return true;
	case VALUE_BOOL:
		return a->boolean == b->boolean;
	case VALUE_INT:
		return a->integer == b->integer;
	case VALUE_REAL:
		return !memcmp(&a->real, &b->real, sizeof(a->real));
	case VALUE_LIST:
	case VALUE_TUPLE:
	case VALUE_MAP:
		return items_equal(a, b);
	default:
		return a->n_bytes == b->n_bytes && !memcmp(a->bytes, b->bytes, a->n_bytes);
	}
}

bool value_add_scalar(struct text *out, const struct value *value)
{
	char number[NUMBER_TEXT_BYTES];

	switch (value->kind) {
	case VALUE_NULL:
		text_add(out, "null");
		return true;
	case VALUE_BOOL:
		text_add(out, value->boolean ? "true" : "false");
		return true;
	case VALUE_INT:
		text_printf(out, "%" PRId64, value->integer);
		return true;
	case VALUE_REAL:
		text_add(out, number_text(value->real, number));
		return true;
	default:
		return false;
	}
}

struct value *value_copy(struct arena *arena, const struct value *value)
{
	struct value *copy = value_make(arena, value->kind);
	const char *type_name = value->type_name;

	*copy = *value;
	copy->type_name = type_name ? arena_copy(arena, type_name, strlen(type_name)) : NULL;
	switch (value->kind) {
	case VALUE_WIDE_INT:
	case VALUE_TEXT:
	case VALUE_BYTES:
	case VALUE_OPAQUE:
		copy->bytes = arena_copy(arena, value->bytes, value->n_bytes);
		break;
	case VALUE_LIST:
	case VALUE_TUPLE:
	case VALUE_MAP:
		copy->n_items = copy->capacity = 0;
		for (size_t i = 0; i < value->n_items; i++) {
			struct value *item = value_copy(arena, value->items[i]);

			if (value->kind == VALUE_MAP)
				value_add(arena, copy, value->keys[i], item);
			else
				value_append(arena, copy, item);
		}
		break;
	default:
		break;
	}
	return copy;
}

bool value_exceeds_limit(const struct value *value)
{
	static const char end[] = VALUE_LIMIT ">";
	const size_t n_end = sizeof(end) - 1;

	if (value_is(value, VALUE_OPAQUE))
		return value->n_bytes > n_end &&
		       !memcmp(value->bytes + value->n_bytes - n_end, end, n_end);
	if (!value_is_sequence(value) && !value_is(value, VALUE_MAP))
		return false;
	for (size_t i = 0; i < value->n_items; i++)
		if (value_exceeds_limit(value->items[i]))
			return true;
	return false;
}
