// SPDX-License-Identifier: MIT
/* Headers of .npy files: what ast.literal_eval accepts is read in the same way, everything else is
 * refused. */
#include "base/array_size.h"
#include "protocols/npy_header.h"

#include "base/test.h"
#include "base/text.h"

#include <string.h>

/* The `declared` of a file of that version whose header is text, or NULL. */
static const struct value *read_file(
	struct arena *arena, int version, const char *text, size_t n_bytes, struct err *err)
{
	struct fact_interface interface = { 0 };
	struct text file = { 0 };
	int64_t end;

	text_add_bytes(&file, "\x93NUMPY", 6);
	text_add_bytes(&file, (const char[]){ (char)version, 0 }, 2);
	for (int i = 0; i < (version == 1 ? 2 : 4); i++)
		text_add_bytes(&file, (const char[]){ (char)(n_bytes >> 8 * i) }, 1);
	text_add_bytes(&file, text, n_bytes);
	end = npy_header_end((unsigned char *)file.bytes, (int64_t)file.n_bytes, err);
	if (end < 0 || npy_header_read(arena, (unsigned char *)file.bytes, end,
			       (int64_t)file.n_bytes, &interface, err))
		interface.declared = NULL;
	text_free(&file);
	return interface.declared;
}

/* The value of key a in the header {'a': TEXT}. */
static const struct value *read_value(struct arena *arena, int version, const char *text)
{
	struct err err;
	const char *header = arena_printf(arena, "{'a': %s}\n", text);

	return value_get(read_file(arena, version, header, strlen(header), &err), "a");
}

static void test_text(void)
{
	static const struct {
		int version;
		const char *literal, *expected; /* NULL: refused */
	} cases[] = {
		{ 1, "'<f8'", "<f8" },
		{ 1, "\"it's\"", "it's" },
		{ 1, "'it\\'s'", "it's" },
		{ 1, "'a\\\\b'", "a\\b" },
		{ 1, "'\\n\\r\\t\\a\\b\\f\\v'", "\n\r\t\a\b\f\v" },
		{ 1, "'\\x41\\u00e9\\U0001F600\\101'", "A\u00e9\U0001F600A" },
		{ 1, "'\\d'", "\\d" },
		{ 1, "'a' \"b\"\n'c'", "abc" },
		{ 1, "r'\\n' u'\\x41'", "\\nA" },
		{ 1, "'''a'\nb'''", "a'\nb" },
		{ 1, "b'a'", NULL },
		{ 1, "'a' b'b'", NULL },
		{ 1, "'a\rb'", NULL },
		{ 1, "'a\\\nb'", "ab" },
		{ 1, "'\xe9'", "\u00e9" },
		{ 2, "'\xff'", "\u00ff" },
		{ 3, "'\u00e9\u4e2d'", "\u00e9\u4e2d" },
		{ 3, "'\\ud800'", "\xed\xa0\x80" },
		{ 3, "'\xe9'", NULL },
		{ 3, "'\xed\xa0\x80'", NULL },
		{ 1, "'a\nb'", NULL },
		{ 1, "'open", NULL },
		{ 1, "'open\\", NULL },
		{ 1, "'\\x4'", NULL },
		{ 1, "'\\U00110000'", NULL },
	};
	struct arena arena = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct value *value = read_value(&arena, cases[i].version, cases[i].literal);

		CHECK(cases[i].expected ? value_is_text(value, cases[i].expected) : !value, "%s",
			cases[i].literal);
	}
	arena_free(&arena);
}

static void test_integers(void)
{
	static const struct {
		const char *literal;
		int64_t expected;
	} cases[] = { { "12", 12 }, { "-3", -3 }, { "+3", 3 }, { "0", 0 }, { "4L", 4 },
		{ "4 L", 4 }, { "0x1_0", 16 }, { "0o17", 15 }, { "0B11", 3 }, { "1_000", 1000 },
		{ "00", 0 }, { "- 3", -3 }, { "3 # three\n", 3 }, { "\\\n3", 3 }, { "(5)", 5 },
		{ "9223372036854775807", INT64_MAX } };
	static const char *const refused[] = { "012", "1__0", "1_", "0x", "4LL", "--3", "Trueish",
		"1.5", "1e3", "- 3 -", "", "None1", "x", "1 2", "[1", "(1", "{1: 2}", "{'a'}",
		"(,)", "[1 2]", "__import__('os')", "'a' 'b" };
	struct arena arena = { 0 };
	int64_t integer;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		CHECK(value_to_int64(read_value(&arena, 1, cases[i].literal), &integer) &&
				integer == cases[i].expected,
			"%s", cases[i].literal);
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
		CHECK(!read_value(&arena, 1, refused[i]), "%s", refused[i]);
	CHECK(value_is(read_value(&arena, 1, "9223372036854775808"), VALUE_WIDE_INT), "wide");
	CHECK(value_is(read_value(&arena, 1, "(5,)"), VALUE_TUPLE), "a tuple of one");
	CHECK(value_is(read_value(&arena, 1, "[5]"), VALUE_LIST), "a list of one");
	CHECK(value_is(read_value(&arena, 1, "( )"), VALUE_TUPLE), "an empty tuple");
	arena_free(&arena);
}

/* Text after the dictionary, or after a zero byte, is not ignored. */
static void test_whole_header(void)
{
	static const char behind[] = "{'a': 1}\0{'b': 2}", inside[] = "{'a': 'x\0y'}";
	struct arena arena = { 0 };
	struct text deep = { 0 };
	struct err err;

	CHECK(!read_file(&arena, 1, behind, sizeof(behind) - 1, &err), "a NUL byte");
	CHECK(!read_file(&arena, 1, inside, sizeof(inside) - 1, &err), "a NUL byte in text");
	CHECK(!read_file(&arena, 1, "{'a': 1} x", 10, &err), "more text");
	CHECK(!read_file(&arena, 1, "{'a\\0b': 1}", 11, &err), "a NUL byte in a key");
	CHECK(!read_file(&arena, 1, "['a']", 5, &err), "a list");
	CHECK(!read_file(&arena, 1, "", 0, &err), "nothing");
	CHECK(read_file(&arena, 1, " \n{'a': 1,}  \n", 14, &err), "%s", err.message);
	for (int i = 0; i < 100000; i++)
		text_add(&deep, "[");
	CHECK(!read_file(&arena, 2, deep.bytes, deep.n_bytes, &err), "deep");
	text_free(&deep);
	arena_free(&arena);
}

static void test_length(void)
{
	static const unsigned char whole[] = "\x93NUMPY\x01\0\x02\0{}";
	unsigned char huge[12] = "\x93NUMPY\x02\0\xff\xff\xff";
	struct err err;

	CHECK(npy_header_end(whole, 12, &err) == 12, "%s", err.message);
	for (int64_t n_bytes = 0; n_bytes < 12; n_bytes++)
		CHECK(npy_header_end(whole, n_bytes, &err) == -1 && err.code == EXIT_TARGET,
			"%d bytes", (int)n_bytes);
	CHECK(npy_header_end(huge, INT64_MAX, &err) == -1 && strstr(err.message, "1 MiB"), "%s",
		err.message);
}

int main(void)
{
	test_text();
	test_integers();
	test_whole_header();
	test_length();
	return test_end();
}
