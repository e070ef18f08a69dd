// SPDX-License-Identifier: MIT
/* Comments of a Python file that ignore rules, read without Python. */
#ifndef TARGETS_FILE_IGNORES_H
#define TARGETS_FILE_IGNORES_H

#include "facts/facts.h"

/* Adds the comments `# suai: ignore[RULE]` of a regular file of at most 32 MiB; none of one that
 * cannot be read. */
void file_ignores_read(struct arena *arena, const char *path, struct fact_ignore_list *list);

#endif
