// SPDX-License-Identifier: MIT
/* Words in quotes and blanks; no variables, no patterns, no commands. */
#include "base/words.h"

#include <stdbool.h>
#include <string.h>

/* Copies a quoted part to *out; gives what follows its end, or NULL where it has none. */
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

/* Copies one word to *out, and ends it; gives what follows, or NULL. */
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
			err_set(err, EXIT_USAGE, "a quote is not closed");
			return NULL;
		}
	}
	return words;
}
