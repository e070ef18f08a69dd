// SPDX-License-Identifier: MIT
/* Growing text: adding, formatting, clearing, embedded zeros. */
#include "base/text.h"

#include "base/test.h"

#include <string.h>

static void test_growth(void)
{
	struct text text = { 0 };

	for (int i = 0; i < 1000; i++)
		text_printf(&text, "%d,", i);
	CHECK(text.n_bytes == 3890, "%zu", text.n_bytes);
	CHECK(strlen(text.bytes) == text.n_bytes, "%zu", strlen(text.bytes));
	CHECK(!strncmp(text.bytes, "0,1,2,", 6), "%.10s", text.bytes);
	CHECK(!strcmp(text.bytes + text.n_bytes - 4, "999,"), "%s", text.bytes + text.n_bytes - 4);
	text_free(&text);
	CHECK(!text.bytes && !text.n_bytes && !text.capacity, "not empty after text_free");
}

static void test_words(void)
{
	CHECK(text_lists_word("sycl", "sycl"), "the only word");
	CHECK(text_lists_word("numpy numpy-struct", "numpy"), "the first, which begins another");
	CHECK(text_lists_word("numpy-struct numpy", "numpy"), "the last, which begins another");
	CHECK(!text_lists_word("numpy-struct", "numpy"), "the beginning of a word");
	CHECK(!text_lists_word("numpy", "numpy-struct"), "a longer word");
	CHECK(!text_lists_word("", "numpy") && !text_lists_word(NULL, "numpy"), "no words");
	CHECK(!text_lists_word("a b", ""), "the empty word");
}

static void test_truncation(void)
{
	static const struct {
		const char *text;
		size_t max_bytes;
		const char *shown;
	} rows[] = {
		{ "", 0, "" },
		{ "abc", 3, "abc" },
		{ "abc", 2, "ab... (truncated, 3 bytes in total)" },
		{ "a\xe2\x82\xac", 3, "a... (truncated, 4 bytes in total)" },
		{ "abc... (truncated, 5000000000 bytes in total)", 2,
			"ab... (truncated, 5000000000 bytes in total)" },
		{ "abc... (truncated,  bytes in total)", 2,
			"ab... (truncated, 35 bytes in total)" },
		{ "abc, 12 bytes in total)", 2, "ab... (truncated, 23 bytes in total)" },
		{ "1 bytes in total)", 1, "1... (truncated, 17 bytes in total)" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct text text = { 0 };

		text_add(&text, "");
		text_add_truncated(&text, rows[i].text, strlen(rows[i].text), rows[i].max_bytes);
		CHECK(!strcmp(text.bytes, rows[i].shown), "%s, not %s", text.bytes, rows[i].shown);
		text_free(&text);
	}
}

int main(void)
{
	struct text text = { 0 };
	size_t capacity;

	text_add(&text, "");
	CHECK(text.bytes && !*text.bytes, "adding nothing gives an empty C string");
	text_add(&text, "ab");
	text_add_bytes(&text, "\0c", 2);
	CHECK(text.n_bytes == 4 && !memcmp(text.bytes, "ab\0c", 5), "%zu bytes", text.n_bytes);
	capacity = text.capacity;
	text_clear(&text);
	CHECK(!text.n_bytes && !*text.bytes && text.capacity == capacity, "%zu", text.n_bytes);
	text_printf(&text, "%s", "");
	CHECK(!text.n_bytes, "%zu", text.n_bytes);
	text_free(&text);
	test_growth();
	test_words();
	test_truncation();
	return test_end();
}
