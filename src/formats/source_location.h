// SPDX-License-Identifier: MIT
/* Where a target or a finding is in the user's repository. */
#ifndef FORMATS_SOURCE_LOCATION_H
#define FORMATS_SOURCE_LOCATION_H

#include "base/arena.h"
#include "facts/facts.h"

#include <stdbool.h>
#include <stdint.h>

struct source_location {
	/* Relative to the root, or absolute if the file is outside; raw bytes. NULL: not from a
	 * file (-c). */
	const char *path;
	const char *name;       /* the file in the target's name; NULL: it has none */
	const char *expression; /* such as "a[::2]"; NULL: the whole file */
	int64_t line;           /* 0: unknown */
	int64_t cell;           /* of a notebook, with its line; 0: none */
};

/* An entry of a traceback, or of the stack that faulthandler writes. */
struct stack_frame {
	const char *file, *function; /* function NULL: unknown */
	int64_t line;
	int64_t cell; /* of a notebook, whose file it is; 0: none */
};

/*
 * Finds locations. The root is $GITHUB_WORKSPACE, otherwise the nearest directory with .git above
 * the first file, otherwise the working directory. Zero-initialise.
 */
struct source_locator {
	struct arena arena;
	char *root;
	const char *file, *path; /* the last file, and its path */
};

/*
 * With a traceback, its innermost entry in the user's code, that is in the target's file or below
 * the root and not in site-packages; otherwise where the target is defined. Lives in the arena.
 */
struct source_location source_location_of(struct source_locator *locator, struct arena *arena,
	const struct fact_target *target, const char *traceback);

/* The location of a file and line. */
struct source_location source_location_at(
	struct source_locator *locator, struct arena *arena, const char *file, int64_t line);

/* The root, an absolute path; NULL: no file was located yet. */
const char *source_root(const struct source_locator *locator);

void source_locator_free(struct source_locator *locator);

/* Reads a traceback, or of a stack of several threads the current one. */
struct stack_reader {
	const char *at;
	bool innermost_first;
};

struct stack_reader stack_open(const char *traceback);

/* The next entry, in the arena; false: there are no more. */
bool stack_next(struct stack_reader *reader, struct arena *arena, struct stack_frame *out);

/* The innermost entry, "FILE", line N, in NAME, in the arena; NULL: none but suai's own. */
const char *stack_raised_at(struct arena *arena, const char *traceback);

#endif
