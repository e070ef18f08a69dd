// SPDX-License-Identifier: MIT
/* The comments `# suai: ignore[RULE]` of source text, by Python's tokenizer, with the lines of the
 * statements that they belong to. Nothing raises. */
#ifndef WORKER_PYTHON_SOURCE_COMMENTS_H
#define WORKER_PYTHON_SOURCE_COMMENTS_H

#include "worker/python/python.h"

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

/* A comment, and the lines of its statement. */
struct source_comment {
	size_t unit; /* the index of its text in definitions.c */
	long first, last, line;
	bool is_alone;    /* on its line */
	const char *text; /* from its # on */
};

struct source_comment_list {
	struct source_comment *items; /* in the arena, as their texts */
	size_t n_items;
};

/* Adds the comments of a unit's text, bytes or a str; NULL: it has none. */
void source_comments_scan(
	struct arena *arena, PyObject *text, size_t unit, struct source_comment_list *list);

#endif
