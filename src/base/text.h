// SPDX-License-Identifier: MIT
/* Growing text. Zero-initialise; bytes is NULL until something is added. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct text {
	char *bytes; /* always zero-terminated once not NULL */
	size_t n_bytes, capacity;
};

void text_add(struct text *text, const char *more);
void text_add_bytes(struct text *text, const void *bytes, size_t n_bytes);
/* If the C library cannot format, ends the process as a failed allocation does. */
void text_printf(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_vprintf(struct text *text, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

enum { TEXT_MESSAGE_BYTES = 600 }; /* of a message of a finding or an exception in one line */

/* Appends at most max_bytes of UTF-8, and if there are more, "... (truncated, N bytes in total)".
 * Of text that was truncated like this before, the N stays. */
void text_add_truncated(struct text *text, const char *more, size_t n_bytes, size_t max_bytes);

/* Makes it empty; keeps the memory. */
void text_clear(struct text *text);
/* Truncates to n_bytes, at most its length. */
void text_truncate(struct text *text, size_t n_bytes);
void text_free(struct text *text);

/* Whether a non-empty word is in words, separated by single spaces; NULL: no words. */
bool text_lists_word(const char *words, const char *word);

/* Whether the first n_chars of text are more than the suffix, and end in it. */
bool text_has_suffix(const char *text, size_t n_chars, const char *suffix);

#endif
