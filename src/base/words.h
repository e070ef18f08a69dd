// SPDX-License-Identifier: MIT
/* Words of a text, split as a shell would without expanding anything, and lists of words. */
#ifndef BASE_WORDS_H
#define BASE_WORDS_H

#include "base/arena.h"
#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Splits text at blanks and line ends. In '…' every character is literal; in "…" all except a
 * backslash before " or \; elsewhere a backslash makes the next character literal. Gives words in
 * the arena, ended by NULL, and their number; NULL with err set (EXIT_USAGE) for an unterminated
 * quote.
 */
char **words_split(struct arena *arena, const char *text, size_t *n_words, struct err *err);

/* The word as a POSIX shell reads it: in single quotes if it has other characters than letters,
 * digits and _ - . / : = , @ % +. In the arena. */
const char *words_quote(struct arena *arena, const char *word);

/* "a", "a and b", "a, b and c"; empty without words. In the arena. */
const char *words_enumerate(struct arena *arena, const char *const *words, size_t n_words);

/* The words of a text, without quotes and with a conjunction: "a, b or c". */
const char *words_enumerate_text(struct arena *arena, const char *text, const char *conjunction);

/* "(2, 3)", "(2,)", "()": numbers as a Python tuple. In the arena. */
const char *words_tuple(struct arena *arena, const int64_t *numbers, int n_numbers);

/* The subject of "readable": "the byte at 0x10 is not", "not all bytes from 0x10 to 0x1f are".
 * high: the address after the last byte. In the arena. */
const char *words_not_all_bytes(struct arena *arena, uint64_t low, uint64_t high);

#endif
