// SPDX-License-Identifier: MIT
/* Facts: creating and reading, paths, ranges of integers, equality, copies, UTF-8. */
#include "base/array_size.h"
#include "model/value.h"

#include "base/test.h"

#include <string.h>

static struct arena arena;

static struct value *make_tensor(void)
{
	struct value *root = value_map(&arena), *tensor = value_map(&arena);
	struct value *shape = value_tuple(&arena);

	for (int64_t i = 0; i < 20; i++)
		value_append(&arena, shape, value_int(&arena, i * i));
	value_set(&arena, tensor, "shape", shape);
	value_set(&arena, root, "dl_tensor", tensor);
	value_set(&arena, root, "name", value_text(&arena, "x"));
	return root;
}

static void test_paths(void)
{
	const struct value *root = make_tensor();

	CHECK(value_at(root, "") == root, "the root");
	CHECK(value_int_or(value_at(root, "dl_tensor.shape[19]"), 0) == 361, "an item");
	CHECK(value_is_text(value_at(root, "name"), "x"), "a key");
	CHECK(!value_at(root, "dl_tensor.shape[20]"), "beyond the end");
	CHECK(!value_at(root, "dl_tensor.shape.x"), "a key of a tuple");
	CHECK(!value_at(root, "name[0]"), "an item of text");
	CHECK(!value_at(root, "dl_tensor.strides"), "a missing key");
	CHECK(!value_at(root, "dl_tensor.shape[1"), "an open bracket");
	CHECK(!value_at(NULL, "x") && !value_get(NULL, "x") && !value_item(NULL, 0), "nothing");
}

static void test_maps(void)
{
	struct value *map = value_map(&arena);
	char key[] = "key";

	value_set(&arena, map, key, value_int(&arena, 1));
	key[0] = 'z';
	value_set(&arena, map, "other", value_int(&arena, 2));
	value_set(&arena, map, "key", value_int(&arena, 3));
	CHECK(map->n_items == 2 && !strcmp(map->keys[0], "key"), "replaced in its place");
	CHECK(value_int_or(value_get(map, "key"), 0) == 3, "key");
	CHECK(value_int_or(value_add(&arena, map, "new", value_int(&arena, 4)), 0) == 4, "new");
	CHECK(map->n_items == 3 && !strcmp(map->keys[2], "new"), "added at the end");
}

static void test_integers(void)
{
	int64_t number = 0;
	uint64_t address = 0;

	CHECK(value_to_int64(value_int(&arena, INT64_MIN), &number) && number == INT64_MIN, "int");
	CHECK(!value_to_int64(value_bool(&arena, true), &number), "a bool is not an integer");
	CHECK(!value_to_int64(value_wide_int(&arena, "9223372036854775808"), &number), "2^63");
	CHECK(value_is(value_uint(&arena, INT64_MAX), VALUE_INT), "2^63 - 1 is not a wide one");
	CHECK(value_to_uint64(value_uint(&arena, UINT64_MAX), &address) && address == UINT64_MAX,
		"2^64 - 1");
	CHECK(!value_to_uint64(value_wide_int(&arena, "18446744073709551616"), &address), "2^64");
	CHECK(!value_to_uint64(value_int(&arena, -1), &address), "-1");
	CHECK(!value_to_uint64(value_wide_int(&arena, "-9223372036854775809"), &address), "wide");
	CHECK(value_is_integer(value_wide_int(&arena, "18446744073709551616")), "wide");
	CHECK(!value_is_integer(value_bool(&arena, false)), "bool");
}

static void test_addresses(void)
{
	static const char *const wrong[] = { "", "0x", "1000", "0xg", "0x10000000000000000", "0x1 ",
		"-0x1", "0x-1", "0x 1", "0x+1", "0x0x1" };
	uint64_t address = 0;

	CHECK(value_to_address(value_address(&arena, UINT64_MAX), &address) &&
			address == UINT64_MAX,
		"the largest");
	CHECK(value_to_address(value_int(&arena, 4096), &address) && address == 4096, "an integer");
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		CHECK(!value_to_address(value_text(&arena, wrong[i]), &address), "'%s'", wrong[i]);
	CHECK(!value_to_address(value_text_n(&arena, "0x1\0", 4), &address), "a zero behind it");
	CHECK(!value_to_address(NULL, &address), "nothing");
}

static void test_equality(void)
{
	struct value *one = value_int(&arena, 1), *typed = value_int(&arena, 1);
	struct value *a = make_tensor(), *b = make_tensor();

	typed->type_name = "numpy.int64";
	CHECK(!value_equal(one, typed) && value_equal(typed, typed), "type names count");
	CHECK(!value_equal(one, value_bool(&arena, true)), "kinds count");
	CHECK(!value_equal(value_list(&arena), value_tuple(&arena)), "kinds count");
	CHECK(!value_equal(value_text(&arena, "a"), value_bytes(&arena, "a", 1)), "kinds count");
	CHECK(!value_equal(value_real(&arena, 0.0), value_real(&arena, -0.0)), "bits count");
	CHECK(!value_equal(value_text_n(&arena, "a\0b", 3), value_text_n(&arena, "a\0c", 3)),
		"zero");
	CHECK(value_equal(a, b), "equal maps");
	value_set(&arena, b, "more", value_null(&arena));
	CHECK(!value_equal(a, b) && !value_equal(b, a), "more keys");
	CHECK(value_equal(NULL, NULL) && !value_equal(one, NULL), "nothing");
}

static void test_copy(void)
{
	struct arena other = { 0 };
	struct value *root = make_tensor(), *copy;

	value_set(&arena, root, "queue", value_opaque(&arena, "<SyclQueue>", "dpctl.SyclQueue"));
	value_set(&arena, root, "raw", value_bytes(&arena, "\0\1", 2));
	value_set(&arena, root, "wide", value_uint(&arena, UINT64_MAX));
	copy = value_copy(&other, root);
	CHECK(value_equal(root, copy), "a copy");
	value_set(&other, copy, "name", value_text(&other, "y"));
	CHECK(value_is_text(value_get(root, "name"), "x"), "the original stays");
	arena_free(&arena);
	CHECK(value_is_text(value_get(copy, "name"), "y"), "the copy lives on");
	CHECK(!strcmp(value_get(copy, "queue")->type_name, "dpctl.SyclQueue"), "type name");
	CHECK(value_int_or(value_at(copy, "dl_tensor.shape[3]"), 0) == 9, "item");
	arena_free(&other);
}

static void test_utf8(void)
{
	static const struct {
		const char *bytes;
		size_t n_sequence;
	} rows[] = { { "a", 1 }, { "\x7F", 1 }, { "\xC2\x80", 2 }, { "\xDF\xBF", 2 },
		{ "\xE0\xA0\x80", 3 }, { "\xED\xA0\x80", 3 }, { "\xEF\xBF\xBF", 3 },
		{ "\xF0\x90\x80\x80", 4 }, { "\xF4\x8F\xBF\xBF", 4 }, { "\x80", 0 },
		{ "\xC1\xBF", 0 }, { "\xC3", 0 }, { "\xC3(", 0 }, { "\xE0\x9F\xBF", 0 },
		{ "\xE2\x82", 0 }, { "\xF0\x8F\xBF\xBF", 0 }, { "\xF4\x90\x80\x80", 0 },
		{ "\xF5\x80\x80\x80", 0 }, { "", 0 } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK(value_utf8_sequence(rows[i].bytes, strlen(rows[i].bytes)) ==
				rows[i].n_sequence,
			"row %zu", i);
	CHECK(value_is_text(value_text_escaped(&arena, "a\x80\xC3\xA9\xC3"),
		      "a\xED\xB2\x80\xC3\xA9\xED\xB3\x83"),
		"surrogates for bytes that are not UTF-8");
	for (int byte = 1; byte < 256; byte++) {
		const char name[] = { 'a', (char)byte, '\xC3', '\xA9', (char)byte, '\0' };

		CHECK(!strcmp(value_text_unescape(&arena, value_text_escaped(&arena, name)->bytes),
			      name),
			"byte %d is not restored", byte);
	}
}

static void test_scalars(void)
{
	struct text text = { 0 };
	const struct value *scalars[] = { value_null(&arena), value_bool(&arena, true),
		value_int(&arena, -3), value_real(&arena, 0.1) };

	for (size_t i = 0; i < ARRAY_SIZE(scalars); i++) {
		CHECK(value_add_scalar(&text, scalars[i]), "scalar %zu", i);
		text_add(&text, " ");
	}
	CHECK(!value_add_scalar(&text, value_text(&arena, "x")), "a text is no scalar");
	CHECK(!value_add_scalar(&text, value_list(&arena)), "a list is no scalar");
	CHECK(!strcmp(text.bytes, "null true -3 0.1 "), "'%s'", text.bytes);
	text_free(&text);
}

int main(void)
{
	test_paths();
	test_maps();
	test_integers();
	test_addresses();
	test_equality();
	test_copy();
	test_utf8();
	test_scalars();
	arena_free(&arena);
	return test_end();
}
