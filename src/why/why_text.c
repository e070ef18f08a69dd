// SPDX-License-Identifier: MIT
/* Words in texts by which causes are found, and sizes in messages. */
#include "why/why.h"

#include "base/byte_size.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

bool why_has_words(const char *text, const char *words)
{
	char word[64];
	size_t n_chars;

	for (; *words; words += n_chars + (words[n_chars] == '|')) {
		n_chars = strcspn(words, "|");
		snprintf(word, sizeof(word), "%.*s", (int)n_chars, words);
		if (strstr(text, word))
			return true;
	}
	return false;
}

const char *why_lower_text(struct arena *arena, const char *text)
{
	char *copy = arena_copy(arena, text, strlen(text));

	for (char *c = copy; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	return copy;
}

const char *why_size(struct arena *arena, int64_t n_bytes)
{
	double size;
	const char *unit = byte_size_scale((uint64_t)n_bytes, &size);

	return arena_printf(arena, "%.4g %s", size, unit);
}
