// SPDX-License-Identifier: MIT
/* Growing text: doubling, always zero-terminated. */
#include "base/text.h"

#include "base/memory.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRUNCATED_BEFORE "... (truncated, "
#define TRUNCATED_AFTER " bytes in total)"

static void reserve(struct text *text, size_t more)
{
	size_t need;

	if (__builtin_add_overflow(text->n_bytes, more, &need) ||
		__builtin_add_overflow(need, 1, &need))
		mem_fail();
	if (need <= text->capacity)
		return;
	text->capacity = need / 2 > text->capacity ? need : 2 * text->capacity;
	text->capacity = need > text->capacity ? need : text->capacity;
	text->bytes = mem_resize(text->bytes, text->capacity);
}

void text_add_bytes(struct text *text, const void *bytes, size_t n_bytes)
{
	reserve(text, n_bytes);
	if (n_bytes)
		memcpy(text->bytes + text->n_bytes, bytes, n_bytes);
	text->n_bytes += n_bytes;
	text->bytes[text->n_bytes] = '\0';
}

void text_add(struct text *text, const char *more)
{
	text_add_bytes(text, more, strlen(more));
}

void text_vprintf(struct text *text, const char *format, va_list args)
{
	va_list again;
	int n_chars;

	va_copy(again, args);
	n_chars = vsnprintf(NULL, 0, format, args);
	if (n_chars < 0)
		mem_fail();
	reserve(text, (size_t)n_chars);
	if (vsnprintf(text->bytes + text->n_bytes, (size_t)n_chars + 1, format, again) != n_chars)
		mem_fail();
	text->n_bytes += (size_t)n_chars;
	va_end(again);
}

void text_printf(struct text *text, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	text_vprintf(text, format, args);
	va_end(args);
}

/* N at the end of text that was truncated before; otherwise n_bytes. */
static size_t total_bytes(const char *bytes, size_t n_bytes)
{
	static const char before[] = TRUNCATED_BEFORE, after[] = TRUNCATED_AFTER;
	size_t n_before = sizeof(before) - 1, n_total = 0, unit = 1;
	const char *end, *digits;

	if (!text_has_suffix(bytes, n_bytes, after))
		return n_bytes;
	end = bytes + n_bytes - (sizeof(after) - 1);
	for (digits = end; digits > bytes && digits[-1] >= '0' && digits[-1] <= '9';
		digits--, unit *= 10)
		n_total += unit * (size_t)(digits[-1] - '0');
	if (digits == end || (size_t)(digits - bytes) < n_before ||
		memcmp(digits - n_before, before, n_before) != 0)
		return n_bytes;
	return n_total;
}

void text_add_truncated(struct text *text, const char *more, size_t n_bytes, size_t max_bytes)
{
	size_t n_shown = utf8_truncated(more, n_bytes, max_bytes);

	text_add_bytes(text, more, n_shown);
	if (n_shown < n_bytes)
		text_printf(
			text, TRUNCATED_BEFORE "%zu" TRUNCATED_AFTER, total_bytes(more, n_bytes));
}

void text_truncate(struct text *text, size_t n_bytes)
{
	text->n_bytes = n_bytes;
	if (text->bytes)
		text->bytes[n_bytes] = '\0';
}

void text_clear(struct text *text)
{
	text_truncate(text, 0);
}

void text_free(struct text *text)
{
	free(text->bytes);
	*text = (struct text){ 0 };
}

bool text_lists_word(const char *words, const char *word)
{
	size_t n_chars = strlen(word), n_listed;

	for (; words && *words && n_chars; words += n_listed + (words[n_listed] == ' ')) {
		n_listed = strcspn(words, " ");
		if (n_listed == n_chars && !memcmp(words, word, n_chars))
			return true;
	}
	return false;
}

bool text_has_suffix(const char *text, size_t n_chars, const char *suffix)
{
	size_t n_suffix = strlen(suffix);

	return n_chars > n_suffix && !memcmp(text + n_chars - n_suffix, suffix, n_suffix);
}
