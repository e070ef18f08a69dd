// SPDX-License-Identifier: MIT
/* Reading YAML: what each spelling is, and where and why text is rejected. */
#include "formats/yaml/yaml_read.h"

#include "base/array_size.h"
#include "base/test.h"
#include "base/text.h"
#include "model/number.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static struct arena arena;

/* A value in one line: "{a: [1, 2.0, 'x', null]}", wide ints with a w. */
static void show(struct text *out, const struct value *value)
{
	char number[40];

	switch (value->kind) {
	case VALUE_NULL:
		text_add(out, "null");
		break;
	case VALUE_BOOL:
		text_add(out, value->boolean ? "true" : "false");
		break;
	case VALUE_INT:
		text_printf(out, "%" PRId64, value->integer);
		break;
	case VALUE_WIDE_INT:
		text_printf(out, "%sw", value->bytes);
		break;
	case VALUE_REAL:
		text_add(out, number_text(value->real, number));
		break;
	case VALUE_TEXT:
		text_printf(out, "'%s'", value->bytes);
		break;
	default:
		text_add(out, value->kind == VALUE_MAP ? "{" : "[");
		for (size_t i = 0; i < value->n_items; i++) {
			text_add(out, i ? ", " : "");
			if (value->kind == VALUE_MAP)
				text_printf(out, "%s: ", value->keys[i]);
			show(out, value->items[i]);
		}
		text_add(out, value->kind == VALUE_MAP ? "}" : "]");
	}
}

static void check_reads(const char *yaml, const char *expected)
{
	struct err err = { .message = "" };
	struct value *value = yaml_read(&arena, yaml, strlen(yaml), &err);
	struct text text = { 0 };

	if (value)
		show(&text, value);
	CHECK(value && !strcmp(text.bytes, expected), "%s is %s, not %s: %s", yaml,
		text.bytes ? text.bytes : "refused", expected, err.message);
	text_free(&text);
}

static void check_refuses(const char *yaml, size_t n_bytes, const char *message)
{
	struct err err = { .message = "" };
	struct value *value = yaml_read(&arena, yaml, n_bytes, &err);

	CHECK(!value && err.code == EXIT_USAGE && strstr(err.message, message),
		"%.60s: '%s', not '%s'", yaml, value ? "is read" : err.message, message);
}

/* YAML 1.2.2, section 10.3.2, and YAML 1.1 keywords, which are text there. */
static void test_scalars(void)
{
	static const char *const rows[][2] = {
		{ "null", "null" },
		{ "~", "null" },
		{ "a:", "{a: null}" },
		{ "Null", "null" },
		{ "nULL", "'nULL'" },
		{ "true", "true" },
		{ "FALSE", "false" },
		{ "yes", "'yes'" },
		{ "on", "'on'" },
		{ "0", "0" },
		{ "-0", "0" },
		{ "+12", "12" },
		{ "012", "12" },
		{ "0o17", "15" },
		{ "0x7fFF", "32767" },
		{ "0x", "'0x'" },
		{ "0b1", "'0b1'" },
		{ "1_000", "'1_000'" },
		{ "1:30", "'1:30'" },
		{ "9223372036854775807", "9223372036854775807" },
		{ "9223372036854775808", "9223372036854775808w" },
		{ "-9223372036854775808", "-9223372036854775808" },
		{ "-009223372036854775809", "-9223372036854775809w" },
		{ "0xffffffffffffffff", "18446744073709551615w" },
		{ "1.", "1.0" },
		{ ".5", "0.5" },
		{ ".", "'.'" },
		{ "1e3", "1000.0" },
		{ "-1.5E-3", "-0.0015" },
		{ "1e", "'1e'" },
		{ "1e22", "1.0e+22" },
		{ ".inf", "inf" },
		{ "-.INF", "-inf" },
		{ ".nan", "nan" },
		{ "nan", "'nan'" },
		{ "2001-01-01", "'2001-01-01'" },
		{ "'1'", "'1'" },
		{ "\"0x1\"", "'0x1'" },
		{ "!!str 1", "'1'" },
		{ "! 1", "'1'" },
		{ "\"\\u20ac\\t\"", "'€\t'" },
		{ "|\n  a\n  b\n", "'a\nb\n'" },
		{ "<f4", "'<f4'" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		check_reads(rows[i][0], rows[i][1]);
}

static void test_collections(void)
{
	check_reads("[]", "[]");
	check_reads("{}", "{}");
	check_reads("{\"a\": \"\\ud83d\\ude00\"}", "{a: '\xf0\x9f\x98\x80'}");
	check_reads("\n {\"a\": \"\\ud83d\\ude00\"}", "{a: '\xf0\x9f\x98\x80'}");
	check_reads("- 1\n- [2, {a: b}]\n-\n", "[1, [2, {a: 'b'}], null]");
	check_reads("# comment\n%YAML 1.2\n--- \na: 1\n...\n", "{a: 1}");
	check_reads("'1': 2\n\"null\": 3\n'': 4", "{1: 2, null: 3, : 4}");
	check_reads("a: &anchor 1\nb: 2", "{a: 1, b: 2}");
	check_reads("<<: {a: 1}", "{<<: {a: 1}}");
}

static void test_refusals(void)
{
	static const char *const rows[][2] = {
		{ "", "line 1, column 1: the document is empty" },
		{ "# nothing\n", "the document is empty" },
		{ "a: 1\nb: [1, 2", "did not find expected" },
		{ "a: 1\n b: 2\n", "line 2, column 3" },
		{ "\ta: 1", "line 1, column 1" },
		{ "a: 1\nb: 2\na: 3", "line 3, column 1: duplicate key 'a'" },
		{ "a: 1\n'a': 2", "line 2, column 1: duplicate key 'a'" },
		{ "1: a", "line 1, column 1: the key is not a string; quote it" },
		{ "a:\n  true: a", "line 2, column 3: the key is not a string; quote it" },
		{ "? [a]\n: 1", "line 1, column 3: the key is not a string" },
		{ "\"a\\0b\": 1", "key contains a NUL byte" },
		{ "a: &x 1\nb: *x", "line 2, column 4: aliases are not supported: 'x'" },
		{ "a: !!python/object:os.system x", "line 1, column 4: tags are not supported: '" },
		{ "!!int '1'", "tags are not supported" },
		{ "!!map {}", "tags are not supported" },
		{ "a: 1\n---\nb: 2", "line 2, column 1: unexpected second document" },
		{ "0x10000000000000000", "number out of range: '0x10000000000000000'" },
		{ "a: 1e400", "line 1, column 4: number out of range: '1e400'" },
		{ "a: \xff", "byte 3: invalid leading UTF-8 octet" },
		{ "a: \"\\ud800\"", "line 1, column" },
		{ "a: \x01", "byte 3: control characters are not allowed" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		check_refuses(rows[i][0], strlen(rows[i][0]), rows[i][1]);
	check_refuses("a: \0", 4, "byte 3: control characters are not allowed");
}

static char *repeat(const char *text, size_t n_times)
{
	struct text out = { 0 };

	for (size_t i = 0; i < n_times; i++)
		text_add(&out, text);
	return out.bytes;
}

static void test_limits(void)
{
	static const char *const openers[] = { "[", "{a: ", "- " };
	char *deep;
	struct text keys = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(openers); i++) {
		deep = repeat(openers[i], 100000);
		check_refuses(deep, strlen(deep), "nested more than 80 levels deep");
		free(deep);
	}
	for (int i = 0; i < 20000; i++)
		text_printf(&keys, "k%d: 1\n", i);
	text_add(&keys, "k7: 2\n");
	check_refuses(keys.bytes, keys.n_bytes, "line 20001, column 1: duplicate key 'k7'");
	text_free(&keys);
}

static void check_mark(const struct yaml_marks *marks, const struct value *value, size_t line,
	size_t column, size_t key_line, const char *plain)
{
	const struct yaml_mark *mark = yaml_mark_of(marks, value);

	CHECK(mark->line == line && mark->column == column && mark->key_line == key_line,
		"%zu:%zu, key in %zu", mark->line, mark->column, mark->key_line);
	CHECK(!plain == !mark->plain && (!plain || !strcmp(plain, mark->plain)), "plain '%s'",
		mark->plain ? mark->plain : "NULL");
}

static void test_marks(void)
{
	static const char text[] = "# c\na: 1.10\nlist:\n- x\n- {b: 'y'}\n";
	struct yaml_marks marks = { .file = "a.yaml" };
	struct err err;
	struct value *map = yaml_read_marked(&arena, text, strlen(text), &marks, &err);

	check_mark(&marks, map, 2, 1, 0, NULL);
	check_mark(&marks, value_get(map, "a"), 2, 4, 2, "1.10");
	check_mark(&marks, value_get(map, "list"), 4, 1, 3, NULL);
	check_mark(&marks, value_at(map, "list[0]"), 4, 3, 0, "x");
	check_mark(&marks, value_at(map, "list[1].b"), 5, 7, 5, NULL);
	check_mark(&marks, &(struct value){ .kind = VALUE_NULL }, 1, 1, 1, NULL);
	yaml_marks_free(&marks);
	CHECK(value_is_null(yaml_read_marked(&arena, "# c", 3, &marks, &err)), "only a comment");
	CHECK(!yaml_read_marked(&arena, "a: [", 4, &marks, &err), "not closed");
	CHECK(!strncmp(err.message, "a.yaml:2:1: ", 12), "%s", err.message);
	CHECK(!yaml_read_marked(&arena, "\xff", 1, &marks, &err), "not UTF-8");
	CHECK(!strncmp(err.message, "a.yaml: byte 0: ", 16), "%s", err.message);
	yaml_marks_free(&marks);
}

int main(void)
{
	test_marks();
	test_scalars();
	test_collections();
	test_refusals();
	test_limits();
	arena_free(&arena);
	return test_end();
}
