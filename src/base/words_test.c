// SPDX-License-Identifier: MIT
/* Texts and the list of words that each is split into. */
#include "base/array_size.h"
#include "base/words.h"

#include "base/test.h"
#include "base/text.h"

#include <string.h>

static const struct {
	const char *text, *words; /* "|" between words; NULL: refused */
} rows[] = {
	{ "", "" },
	{ " \t\n ", "" },
	{ "-q", "-q" },
	{ "  -S error\n--strict ", "-S|error|--strict" },
	{ "'a b' c", "a b|c" },
	{ "'a\\b'", "a\\b" },
	{ "\"a \\\"b\\\" \\\\ \\n\"", "a \"b\" \\ \\n" },
	{ "a\\ b c", "a b|c" },
	{ "--python='/my dir/bin/python'x", "--python=/my dir/bin/pythonx" },
	{ "'' \"\"", "|" },
	{ "$HOME *.py `ls`", "$HOME|*.py|`ls`" },
	{ "a\\", "a\\" },
	{ "a b", "a|b" },
	{ "'a", NULL },
	{ "a \"b\\\"", NULL },
	{ "\"", NULL },
};

static const struct {
	const char *word, *quoted;
} quoted[] = {
	{ "src/a.py:b", "src/a.py:b" },
	{ "", "''" },
	{ "a b", "'a b'" },
	{ "d[\"k\"]", "'d[\"k\"]'" },
	{ "it's", "'it'\\''s'" },
	{ "'", "''\\'''" },
};

/* Lists of the first words of "a", "b", "c". */
static const char *const lists[] = { "", "a", "a and b", "a, b and c" };

int main(void)
{
	static const char *const letters[] = { "a", "b", "c" };
	static const int64_t numbers[] = { -1, INT64_MAX };
	struct arena arena = { 0 };
	struct err err;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct text joined = { 0 };
		size_t n_words;
		char **words = words_split(&arena, rows[i].text, &n_words, &err);

		CHECK(!words == !rows[i].words, "%s", rows[i].text);
		for (size_t k = 0; words && k < n_words; k++)
			text_printf(&joined, "%s%s", k ? "|" : "", words[k]);
		CHECK(!words || !words[n_words], "%s", rows[i].text);
		CHECK(!words || !rows[i].words ||
				!strcmp(joined.bytes ? joined.bytes : "", rows[i].words),
			"%s: %s", rows[i].text, joined.bytes);
		CHECK(words || !strcmp(err.message, "unterminated quote"), "%s", rows[i].text);
		text_free(&joined);
	}
	for (size_t i = 0; i < ARRAY_SIZE(quoted); i++) {
		const char *word = words_quote(&arena, quoted[i].word);
		size_t n_words;
		char **words = words_split(&arena, word, &n_words, &err);

		CHECK(!strcmp(word, quoted[i].quoted), "%s: %s", quoted[i].word, word);
		CHECK(words && n_words == 1 && !strcmp(words[0], quoted[i].word), "%s", word);
	}
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		CHECK(!strcmp(words_enumerate(&arena, letters, i), lists[i]), "%s", lists[i]);
	CHECK(!strcmp(words_enumerate_text(&arena, "1 2 4", "or"), "1, 2 or 4"), "or");
	CHECK(!strcmp(words_tuple(&arena, numbers, 0), "()"), "no numbers");
	CHECK(!strcmp(words_tuple(&arena, numbers, 1), "(-1,)"), "one number");
	CHECK(!strcmp(words_tuple(&arena, numbers, 2), "(-1, 9223372036854775807)"), "two");
	CHECK(!strcmp(words_not_all_bytes(&arena, 16, 17), "the byte at 0x10 is not"), "one byte");
	CHECK(!strcmp(words_not_all_bytes(&arena, 16, 18), "not all bytes from 0x10 to 0x11 are"),
		"two bytes");
	arena_free(&arena);
	return test_end();
}
