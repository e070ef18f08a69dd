// SPDX-License-Identifier: MIT
/* The wire form: every kind of fact round-trips, malformed input is refused. */
#include "base/array_size.h"
#include "base/memory.h"
#include "model/wire.h"

#include "base/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct arena arena;

/* Writes, reads back, compares; the copy must not need the bytes it came from. */
static void check_round_trip(const struct value *value, const char *what)
{
	struct text wire = { 0 };
	struct value *back;
	struct err err = { .message = "" };

	wire_write(&wire, value);
	back = wire_read(&arena, wire.bytes, wire.n_bytes, &err);
	memset(wire.bytes, 0xAA, wire.n_bytes);
	CHECK(back && value_equal(value, back), "%s: %s", what, err.message);
	text_free(&wire);
}

static struct value *typed(struct value *value, const char *type_name)
{
	value->type_name = type_name;
	return value;
}

static void test_kinds(void)
{
	struct value *list = value_list(&arena), *map = value_map(&arena);

	check_round_trip(value_null(&arena), "null");
	check_round_trip(value_bool(&arena, true), "true");
	check_round_trip(value_bool(&arena, false), "false");
	check_round_trip(value_int(&arena, INT64_MIN), "the least integer");
	check_round_trip(value_int(&arena, -1), "-1");
	check_round_trip(value_uint(&arena, UINT64_MAX), "the largest address");
	check_round_trip(
		value_wide_int(&arena, "-340282366920938463463374607431768211456"), "-2^128");
	check_round_trip(value_real(&arena, -0.0), "-0.0");
	check_round_trip(value_real(&arena, NAN), "NaN");
	check_round_trip(value_real(&arena, INFINITY), "inf");
	check_round_trip(value_text(&arena, ""), "no text");
	check_round_trip(value_text(&arena, "€ \xF0\x9F\x90\x8D"), "text");
	check_round_trip(value_text(&arena, "\xED\xB2\x80"), "a surrogate");
	check_round_trip(value_text_n(&arena, "a\0b", 3), "text with a zero");
	check_round_trip(value_bytes(&arena, "\0\xFF\x80", 3), "bytes");
	check_round_trip(value_bytes(&arena, NULL, 0), "no bytes");
	check_round_trip(value_opaque(&arena, "<SyclQueue>", "dpctl.SyclQueue"), "an opaque");
	check_round_trip(value_opaque(&arena, "<cycle>", NULL), "an opaque without a type");
	check_round_trip(typed(value_int(&arena, 3), "numpy.int64"), "a typed integer");
	check_round_trip(typed(value_null(&arena), ""), "an empty type name");
	check_round_trip(list, "an empty list");
	check_round_trip(typed(map, "collections.OrderedDict"), "an empty map");
	value_append(&arena, list, value_int(&arena, 1));
	value_append(&arena, list, value_tuple(&arena));
	value_set(&arena, map, "zeta", list);
	value_set(&arena, map, "", value_null(&arena));
	value_set(&arena, map, "alpha", value_text(&arena, "later"));
	check_round_trip(map, "a map in its own order");
}

/* A message may quote bytes of an object, or end within a character. */
static void test_invalid_text(void)
{
	static const char invalid[] = "caf\xC3\xA9 \xFF\xE2\x82",
			  escaped[] = "caf\xC3\xA9 \\xff\\xe2\\x82";
	struct value *map = value_map(&arena), *back;
	struct text wire = { 0 };
	struct err err = { .message = "" };

	value_set(&arena, map, "text", value_text(&arena, invalid));
	value_set(&arena, map, "opaque", value_opaque(&arena, invalid, invalid));
	wire_write(&wire, map);
	back = wire_read(&arena, wire.bytes, wire.n_bytes, &err);
	CHECK(back, "%s", err.message);
	CHECK(value_is_text(value_get(back, "text"), escaped), "text");
	CHECK(back && !strcmp(value_get(back, "opaque")->bytes, escaped), "opaque");
	CHECK(back && !strcmp(value_get(back, "opaque")->type_name, escaped), "type name");
	text_free(&wire);
}

/* depth lists, one in the other; the innermost is empty. */
static struct value *nested(int depth)
{
	struct value *value = value_list(&arena);

	while (--depth > 0) {
		struct value *outer = value_list(&arena);

		value_append(&arena, outer, value);
		value = outer;
	}
	return value;
}

static void test_depth(void)
{
	struct text wire = { 0 };
	struct err err = { .message = "" };

	check_round_trip(nested(VALUE_MAX_DEPTH), "64 deep");
	wire_write(&wire, nested(VALUE_MAX_DEPTH + 1));
	CHECK(!wire_read(&arena, wire.bytes, wire.n_bytes, &err), "65 deep");
	CHECK(strstr(err.message, "too deep"), "%s", err.message);
	text_free(&wire);
}

#define ROW(bytes)                       \
	{                                \
		bytes, sizeof(bytes) - 1 \
	}

static const struct row {
	const char *bytes;
	size_t n_bytes;
} malformed[] = {
	ROW(""),
	ROW("\x0B"), /* no such kind */
	ROW("\x7F"),
	ROW("\x00\x00"),                         /* trailing bytes */
	ROW("\x01"),                             /* a truncated bool */
	ROW("\x01\x02"),                         /* neither true nor false */
	ROW("\x02\x01\x00\x00\x00\x00\x00\x00"), /* 7 of 8 bytes */
	ROW("\x04\x01"),
	ROW("\x05\x02\x00\x00\x00"
	    "a"), /* text longer than the input */
	ROW("\x05\xFF\xFF\xFF\xFF"
	    "a"),
	ROW("\x05\x01\x00"),             /* a truncated length */
	ROW("\x05\x01\x00\x00\x00\x80"), /* not UTF-8 from here on */
	ROW("\x05\x01\x00\x00\x00\xC3"),
	ROW("\x05\x02\x00\x00\x00\xC0\x80"), /* overlong */
	ROW("\x05\x03\x00\x00\x00\xE0\x80\x80"),
	ROW("\x05\x04\x00\x00\x00\xF0\x80\x80\x80"),
	ROW("\x05\x04\x00\x00\x00\xF4\x90\x80\x80"), /* above U+10FFFF */
	ROW("\x05\x01\x00\x00\x00\xFF"),
	ROW("\x07\x01\x00\x00\x00\xFF"), /* an opaque's text */
	ROW("\x03\x00\x00\x00\x00"),     /* integers that are not decimal */
	ROW("\x03\x01\x00\x00\x00-"),
	ROW("\x03\x02\x00\x00\x00"
	    "1a"),
	ROW("\x80\x02\x00\x00\x00"
	    "a"), /* type names */
	ROW("\x80\x01\x00\x00\x00\xFF"),
	ROW("\x80\x01\x00\x00\x00\x00"),
	ROW("\x08\x01\x00\x00\x00"), /* lists with too few items */
	ROW("\x08\xFF\xFF\xFF\xFF\x00\x00"),
	ROW("\x0A\x01\x00\x00\x00\x01\x00\x00\x00"
	    "a"), /* a key without a value */
	ROW("\x0A\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00"),
	ROW("\x0A\x01\x00\x00\x00\x01\x00\x00\x00\xFF\x00"),
};

static void test_malformed(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(malformed); i++) {
		/* In a separate block, so that a sanitizer detects a read beyond the end. */
		char *bytes = mem_alloc(malformed[i].n_bytes + 1);
		struct err err = { .code = EXIT_DONE, .message = "" };

		memcpy(bytes + 1, malformed[i].bytes, malformed[i].n_bytes);
		CHECK(!wire_read(&arena, bytes + 1, malformed[i].n_bytes, &err), "row %zu", i);
		CHECK(err.code == EXIT_BUG && !strncmp(err.message, "malformed fact: ", 16),
			"row %zu: %s", i, err.message);
		free(bytes);
	}
}

/* Every proper beginning of a fact is refused. */
static void test_cut_short(void)
{
	struct value *map = value_map(&arena), *list = value_tuple(&arena);
	struct text wire = { 0 };
	struct err err;

	value_append(&arena, list, typed(value_real(&arena, 1.5), "numpy.float64"));
	value_set(&arena, map, "list", list);
	value_set(&arena, map, "text", value_text(&arena, "x"));
	wire_write(&wire, map);
	for (size_t n_bytes = 0; n_bytes < wire.n_bytes; n_bytes++)
		CHECK(!wire_read(&arena, wire.bytes, n_bytes, &err), "%zu bytes", n_bytes);
	text_free(&wire);
}

static void test_size(void)
{
	size_t n_text = VALUE_MAX_WIRE_BYTES - 5;
	char *text = mem_alloc(n_text + 1);
	struct text wire = { 0 };
	struct err err;

	memset(text, 'a', n_text + 1);
	wire_write(&wire, value_text_n(&arena, text, n_text));
	CHECK(wire.n_bytes == VALUE_MAX_WIRE_BYTES, "%zu", wire.n_bytes);
	CHECK(wire_read(&arena, wire.bytes, wire.n_bytes, &err), "8 MiB: %s", err.message);
	text_clear(&wire);
	wire_write(&wire, value_text_n(&arena, text, n_text + 1));
	CHECK(!wire_read(&arena, wire.bytes, wire.n_bytes, &err), "8 MiB and a byte");
	CHECK(strstr(err.message, "8 MiB"), "%s", err.message);
	text_free(&wire);
	free(text);
}

/* 300,000 keys: a reader that compared each with all others would take minutes. */
static void test_large_map(void)
{
	struct value *map = value_map(&arena);
	char key[16];

	for (int i = 0; i < 300000; i++) {
		snprintf(key, sizeof(key), "key%d", i);
		value_add(&arena, map, key, value_int(&arena, i));
	}
	check_round_trip(map, "a large map");
}

int main(void)
{
	test_kinds();
	test_invalid_text();
	test_depth();
	test_malformed();
	test_cut_short();
	test_size();
	test_large_map();
	arena_free(&arena);
	return test_end();
}
