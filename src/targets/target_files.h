// SPDX-License-Identifier: MIT
/* `--targets-from FILE`: lists of TARGET words, one a line. */
#ifndef TARGETS_TARGET_FILES_H
#define TARGETS_TARGET_FILES_H

#include "base/error.h"
#include "base/option.h"
#include "model/value.h"

struct listed_target {
	const char *word;
	const char *file; /* of the list it stands in; "-": standard input */
	size_t line;      /* from 1; 0: the list is separated by zero bytes */
};

struct target_files {
	struct listed_target *items;
	size_t n_items;
};

/*
 * Reads the lists into the arena, in order. Lines are trimmed; empty ones and those that begin with
 * '#' are left out. A list that holds a zero byte is separated by them, and its words are taken as
 * they are. EXIT_USAGE where a list cannot be read, names nothing, or is standard input twice.
 */
int target_files_read(struct arena *arena, const struct option_list *paths,
	struct target_files *out, struct err *err);

/* Puts "list.txt, line 3: " in front of the message. Returns -1. */
int target_files_wrap(const struct listed_target *target, struct err *err);

#endif
