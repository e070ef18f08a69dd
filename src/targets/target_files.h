// SPDX-License-Identifier: MIT
/* `--targets-from FILE`: lists of TARGET words, one per line. */
#ifndef TARGETS_TARGET_FILES_H
#define TARGETS_TARGET_FILES_H

#include "base/error.h"
#include "base/option.h"
#include "model/value.h"

struct listed_target {
	const char *word;
	const char *file; /* the list; "-": standard input */
	size_t line;      /* from 1; 0: the list is separated by zero bytes */
};

struct target_files {
	struct listed_target *items;
	size_t n_items;
};

/*
 * Reads the lists into the arena, in order. Lines are trimmed; empty ones and those that begin with
 * '#' are skipped. A list that contains a zero byte is split at zero bytes instead, without
 * trimming. EXIT_USAGE if a list cannot be read, has no words, or standard input is given twice.
 */
int target_files_read(struct arena *arena, const struct option_list *paths,
	struct target_files *out, struct err *err);

/* Prefixes the message with "list.txt, line 3: ". Returns -1. */
int target_files_wrap(const struct listed_target *target, struct err *err);

#endif
