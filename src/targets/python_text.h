// SPDX-License-Identifier: MIT
/* What can be read in the text of a Python file without Python. */
#ifndef TARGETS_PYTHON_TEXT_H
#define TARGETS_PYTHON_TEXT_H

#include "facts/facts.h"

/* The end of the string whose quote is at `at`. One with single quotes ends with its line at the
 * latest. */
const char *python_string_end(const char *at, const char *end);

/* Adds the comments `# suai: ignore[RULE]` of a regular file of at most 32 MiB; none of one that
 * cannot be read. */
void python_ignores_read(struct arena *arena, const char *path, struct fact_ignore_list *list);

#endif
