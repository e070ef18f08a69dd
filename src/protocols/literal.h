// SPDX-License-Identifier: MIT
/*
 * For tests: facts written as Python literals, tables of changes to healthy facts, and the expected
 * results of describing them. `<numpy.ndarray>` is an opaque, `numpy.int64(3)` a value of that
 * type.
 */
#ifndef PROTOCOLS_LITERAL_H
#define PROTOCOLS_LITERAL_H

#include "base/array_size.h"
#include "base/test.h"
#include "base/text.h"
#include "model/value.h"
#include "protocols/protocol.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static struct value *literal_read(struct arena *arena, const char **at);

static bool literal_takes(const char **at, const char *token)
{
	*at += strspn(*at, " \n\t");
	if (strncmp(*at, token, strlen(token)) != 0)
		return false;
	*at += strlen(token);
	return true;
}

static struct value *literal_items(struct arena *arena, const char **at, char end)
{
	const char closing[] = { end, '\0' };
	struct value *value = end == ']'   ? value_list(arena)
			      : end == ')' ? value_tuple(arena)
					   : value_map(arena);
	struct value *item;

	while (!literal_takes(at, closing) && **at) {
		item = literal_read(arena, at);
		if (end == '}' && literal_takes(at, ":"))
			value_set(arena, value, item->bytes, literal_read(arena, at));
		else
			value_append(arena, value, item);
		literal_takes(at, ",");
	}
	return value;
}

static struct value *literal_number(struct arena *arena, const char **at)
{
	size_t n_chars = strspn(*at, "+-.0123456789e");
	const char *digits = arena_copy(arena, *at, n_chars);
	char *end;
	long long integer;

	*at += n_chars;
	if (strpbrk(digits, ".e"))
		return value_real(arena, strtod(digits, NULL));
	errno = 0;
	integer = strtoll(digits, &end, 10);
	return errno ? value_wide_int(arena, digits) : value_int(arena, integer);
}

/* A word: None, True, False, or the type of the value in parentheses after it. */
static struct value *literal_word(struct arena *arena, const char **at)
{
	size_t n_chars = strcspn(*at, "(),:]} ");
	const char *word = arena_copy(arena, *at, n_chars);
	struct value *value;

	*at += n_chars;
	if (!strcmp(word, "None"))
		return value_null(arena);
	if (!literal_takes(at, "("))
		return value_bool(arena, !strcmp(word, "True"));
	value = literal_read(arena, at);
	value->type_name = word;
	literal_takes(at, ")");
	return value;
}

static struct value *literal_read(struct arena *arena, const char **at)
{
	const char *start, *type;
	size_t n_chars;

	*at += strspn(*at, " \n\t");
	switch (*(*at)++) {
	case '(':
		return literal_items(arena, at, ')');
	case '[':
		return literal_items(arena, at, ']');
	case '{':
		return literal_items(arena, at, '}');
	case '\'':
		start = *at;
		n_chars = strcspn(start, "'");
		*at += n_chars + 1;
		return value_text_n(arena, start, n_chars);
	case '<':
		start = *at;
		n_chars = strcspn(start, ">");
		*at += n_chars + 1;
		type = arena_copy(arena, start, n_chars);
		return value_opaque(arena, type, type);
	default:
		(*at)--;
		return isalpha((unsigned char)**at) ? literal_word(arena, at)
						    : literal_number(arena, at);
	}
}

/* Removes the key from the map. */
static struct value *literal_without(struct arena *arena, struct value *map, const char *key)
{
	struct value *rest = value_map(arena);

	for (size_t i = 0; i < map->n_items; i++)
		if (strcmp(map->keys[i], key) != 0)
			value_set(arena, rest, map->keys[i], map->items[i]);
	return rest;
}

/* Sets the value at a dotted path of maps; an opaque `<absent>` removes the key. Values other than
 * maps stay. */
static struct value *literal_change(
	struct arena *arena, struct value *map, const char *path, struct value *to)
{
	const char *dot = strchr(path, '.');
	char *key;

	if (!value_is(map, VALUE_MAP))
		return map;
	if (!dot && value_is(to, VALUE_OPAQUE) && !strcmp(to->bytes, "absent"))
		return literal_without(arena, map, path);
	key = arena_copy(arena, path, dot ? (size_t)(dot - path) : strlen(path));
	if (dot)
		to = literal_change(arena, value_find(map, key), dot + 1, to);
	value_set(arena, map, key, to);
	return map;
}

/* "float32 (2, 3) (12, 4) 0x1000 ro cpu:0"; implied strides are in brackets. */
static void literal_show(struct text *out, const struct array *array)
{
	static const char *const flags[] = { "unknown", "rw", "ro" };
	const char *comma = array->n_dims == 1 ? "," : "";
	char open = array->strides_given ? '(' : '[', close = array->strides_given ? ')' : ']';

	text_printf(out, "%s%s (", array->dtype.foreign_order ? "swapped " : "", array->dtype.name);
	for (int i = 0; i < array->n_dims; i++)
		text_printf(out, "%s%" PRId64, i ? ", " : "", array->shape[i]);
	text_printf(out, "%s) %c", comma, open);
	for (int i = 0; i < array->n_dims; i++)
		text_printf(out, "%s%" PRId64, i ? ", " : "", array->stride_bytes[i]);
	text_printf(out, "%s%c 0x%" PRIx64 " %s %s:%" PRId64, comma, close, array->pointer,
		flags[array->readonly + 1], array->device.type ? array->device.type : "?",
		array->device.id);
}

struct literal_case {
	const char *changes;  /* "'shape': (2,), 'data': <absent>": keys of `declared`, or paths */
	const char *expected; /* as literal_show writes the array, or the whole error */
};

/* Sets a key of the interface's dictionary, or another fact by its path. */
static struct value *literal_set_fact(
	struct arena *arena, struct value *interface, const char *path, struct value *to)
{
	static const char *const facts[] = { "declared", "details", "memory", "status", "error" };

	for (size_t i = 0; i < ARRAY_SIZE(facts); i++)
		if (!strncmp(path, facts[i], strlen(facts[i])))
			return literal_change(arena, interface, path, to);
	return literal_change(arena, interface, arena_printf(arena, "declared.%s", path), to);
}

static struct fact_interface literal_facts(
	struct arena *arena, const char *base, const char *changes)
{
	const char *text = arena_printf(arena, "{%s}", changes);
	struct value *interface = literal_read(arena, &base);
	struct value *map = literal_read(arena, &text);
	struct fact_interface facts;
	struct err err;

	for (size_t i = 0; i < map->n_items; i++)
		interface = literal_set_fact(arena, interface, map->keys[i], map->items[i]);
	CHECK(!fact_read(&fact_interface_record, arena, interface, FACT_WIRE, NULL, &facts, &err),
		"{%s}: %s", changes, err.message);
	return facts;
}

/* Describes base, an interface's facts, with each row's changes. */
__attribute__((unused)) static void literal_check(const struct protocol *protocol, const char *base,
	const struct literal_case *cases, size_t n_cases)
{
	struct arena arena = { 0 };
	struct text got = { 0 };
	struct array array;
	struct err err;

	for (size_t i = 0; i < n_cases; i++) {
		struct fact_interface facts = literal_facts(&arena, base, cases[i].changes);

		text_clear(&got);
		if (!protocol->describe(&facts, &array, &err))
			literal_show(&got, &array);
		else
			text_add(&got, err.code == EXIT_FINDINGS ? err.message : "wrong code");
		CHECK(!strcmp(got.bytes, cases[i].expected), "%s: {%s} gave '%s'", protocol->name,
			cases[i].changes, got.bytes);
	}
	text_free(&got);
	arena_free(&arena);
}

/* The version that base with changes has is the literal expected. */
__attribute__((unused)) static void literal_check_version(const struct protocol *protocol,
	const char *base, const char *changes, const char *expected)
{
	struct arena arena = { 0 };
	struct fact_interface facts = literal_facts(&arena, base, changes);
	struct value *version = protocol->version(&arena, &facts);
	const char *version_text = expected;
	struct value *wanted = literal_read(&arena, &expected);

	CHECK(value_equal(version, wanted), "%s: {%s} is not of version %s", protocol->name,
		changes, version_text);
	arena_free(&arena);
}

#define LITERAL_CHECK(PROTOCOL, BASE, CASES) literal_check(PROTOCOL, BASE, CASES, ARRAY_SIZE(CASES))

#endif
