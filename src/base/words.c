// SPDX-License-Identifier: MIT
/* Splits text at blanks with quotes; no variables, patterns or commands. */
#include "base/words.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

/* Copies a quoted part to *out; returns the text after it, or NULL if it is unterminated. */
static const char *copy_quoted(const char *text, char **out)
{
	char quote = *text++;

	for (; *text && *text != quote; text++) {
		if (quote == '"' && *text == '\\' && (text[1] == '"' || text[1] == '\\'))
			text++;
		*(*out)++ = *text;
	}
	return *text ? text + 1 : NULL;
}

/* Copies one word to *out, and terminates it; returns the text after it, or NULL. */
static const char *copy_shell_word(const char *text, char **out)
{
	while (text && *text && !strchr(" \t\n", *text)) {
		if (*text == '\'' || *text == '"') {
			text = copy_quoted(text, out);
			continue;
		}
		if (*text == '\\' && text[1])
			text++;
		*(*out)++ = *text++;
	}
	*(*out)++ = '\0';
	return text;
}

char **words_split(struct arena *arena, const char *text, size_t *n_words, struct err *err)
{
	size_t n_chars = strlen(text);
	char *out = arena_alloc(arena, 2 * n_chars + 2);
	char **words = arena_alloc(arena, (n_chars / 2 + 2) * sizeof(*words));

	*n_words = 0;
	for (text += strspn(text, " \t\n"); *text; text += strspn(text, " \t\n")) {
		words[(*n_words)++] = out;
		text = copy_shell_word(text, &out);
		if (!text) {
			err_set(err, EXIT_USAGE, "unterminated quote");
			return NULL;
		}
	}
	return words;
}

const char *words_quote(struct arena *arena, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_-./:=,@%+";
	const char *quoted = "'";

	if (*word && !word[strspn(word, plain)])
		return word;
	for (size_t n_chars; *word; word += n_chars) {
		n_chars = *word == '\'' ? 1 : strcspn(word, "'");
		quoted = *word == '\'' ? arena_printf(arena, "%s'\\''", quoted)
				       : arena_printf(arena, "%s%.*s", quoted, (int)n_chars, word);
	}
	return arena_printf(arena, "%s'", quoted);
}

static const char *enumerate(
	struct arena *arena, const char *const *words, size_t n_words, const char *conjunction)
{
	const char *list = "";

	for (size_t i = 0; i < n_words; i++)
		list = !i ? words[i]
		       : i + 1 < n_words
			       ? arena_printf(arena, "%s, %s", list, words[i])
			       : arena_printf(arena, "%s %s %s", list, conjunction, words[i]);
	return list;
}

const char *words_enumerate(struct arena *arena, const char *const *words, size_t n_words)
{
	return enumerate(arena, words, n_words, "and");
}

const char *words_enumerate_text(struct arena *arena, const char *text, const char *conjunction)
{
	struct err ignored;
	size_t n_words;
	char **words = words_split(arena, text, &n_words, &ignored);

	return words ? enumerate(arena, (const char *const *)words, n_words, conjunction) : "";
}

const char *words_tuple(struct arena *arena, const int64_t *numbers, int n_numbers)
{
	const char *text = "";

	for (int i = 0; i < n_numbers; i++)
		text = arena_printf(arena, "%s%s%" PRId64, text, i ? ", " : "", numbers[i]);
	return arena_printf(arena, "(%s%s)", text, n_numbers == 1 ? "," : "");
}

const char *words_not_all_bytes(struct arena *arena, uint64_t low, uint64_t high)
{
	if (high - low == 1)
		return arena_printf(arena, "the byte at 0x%" PRIx64 " is not", low);
	return arena_printf(
		arena, "not all bytes from 0x%" PRIx64 " to 0x%" PRIx64 " are", low, high - 1);
}
