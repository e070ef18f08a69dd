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
/* Ends as a failed allocation does where the C library cannot format. */
void text_printf(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_vprintf(struct text *text, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

/* Back to empty; keeps the memory. */
void text_clear(struct text *text);
/* Back to n_bytes, of which there are as many. */
void text_truncate(struct text *text, size_t n_bytes);
void text_free(struct text *text);

/* Whether word, which is not empty, is among words, which single spaces separate; NULL: no words.
 */
bool text_lists_word(const char *words, const char *word);

#endif
