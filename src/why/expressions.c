// SPDX-License-Identifier: MIT
/* Texts that messages and lines are made of: words, and expressions of Python. */
#include "base/byte_size.h"
#include "base/identifier.h"
#include "why/why.h"

#include "base/array_size.h"
#include "base/text.h"

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

const char *why_substitute(struct arena *arena, const char *text, const char *instead)
{
	struct text out = { 0 };
	const char *copy;

	for (const char *at = text; *at; at++)
		if (*at == '_' && (at == text || (!is_identifier_byte(at[-1]) && at[-1] != '.')) &&
			!is_identifier_byte(at[1]))
			text_add(&out, instead);
		else
			text_add_bytes(&out, at, 1);
	copy = arena_copy(arena, out.bytes ? out.bytes : "", out.n_bytes);
	text_free(&out);
	return copy;
}

const char *why_operand(struct arena *arena, const char *text)
{
	int depth = 0;

	for (const char *c = text; *c; c++) {
		depth += strchr("([{", *c) ? 1 : strchr(")]}", *c) ? -1 : 0;
		if (depth == 0 && !is_identifier_byte(*c) && !strchr(".)]}", *c))
			return arena_printf(arena, "(%s)", text);
	}
	return isdigit((unsigned char)*text) ? arena_printf(arena, "(%s)", text) : text;
}

const char *why_size(struct arena *arena, int64_t n_bytes)
{
	double size;
	const char *unit = byte_size_scale((uint64_t)n_bytes, &size);

	return arena_printf(arena, "%.4g %s", size, unit);
}
