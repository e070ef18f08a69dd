// SPDX-License-Identifier: MIT
/* What the text of Python code shows without Python; it need not be valid. */
#ifndef BASE_PYTHON_CODE_H
#define BASE_PYTHON_CODE_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

/* The end of the string whose quote is at `at`, at most end. One with single quotes ends with its
 * line at the latest. */
const char *python_string_end(const char *at, const char *end);

/* The end of the argument of a call that begins at `at`: a comma, or a bracket that it does not
 * open. */
const char *python_argument_end(const char *at);

/* A scan of an expression for names: keywords of Python among them, but neither attributes, names
 * of keyword arguments, nor what strings contain, except between the braces of f-strings. */
struct name_scan {
	const char *at;       /* where the scan continues; set it to the expression */
	const char *name;     /* what it found, in the expression */
	size_t n_bytes;       /* of the name */
	const char *f_string; /* the end of the f-string around `at`; NULL: there is none */
	int n_braces;         /* open ones in it */
};

/* Finds the next name; false: there is none. */
bool name_scan_next(struct name_scan *scan);

/* How often the expression has the name. */
size_t expression_count_name(const char *expression, const char *name);

/* The expression with the text instead of each such name, in the arena. */
const char *expression_replace_name(
	struct arena *arena, const char *expression, const char *name, const char *instead);

/* The expression, in parentheses unless ".attribute", "()" and "[0]" can follow it. In the arena,
 * or the expression itself. */
const char *expression_as_primary(struct arena *arena, const char *expression);

#endif
