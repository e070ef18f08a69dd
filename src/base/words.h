// SPDX-License-Identifier: MIT
/* Words of a text, split as a shell would without expanding anything. */
#ifndef BASE_WORDS_H
#define BASE_WORDS_H

#include "base/arena.h"
#include "base/error.h"

#include <stddef.h>

/*
 * Splits text at blanks and line ends. Between '…' every character stands for itself; between "…"
 * so does all but a backslash before " or \; elsewhere a backslash does that for the character
 * after it. Gives words in the arena, ended by NULL, and their number; NULL with err set
 * (EXIT_USAGE) where a quote is not closed.
 */
char **words_split(struct arena *arena, const char *text, size_t *n_words, struct err *err);

#endif
