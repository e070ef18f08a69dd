// SPDX-License-Identifier: MIT
/* The module-level names of a Python script, found in its text: nothing is run. */
#ifndef TARGETS_SCRIPT_NAMES_H
#define TARGETS_SCRIPT_NAMES_H

#include "base/arena.h"
#include "base/error.h"

#include <stddef.h>

struct script_names {
	const char **items;
	size_t n_items;
};

/*
 * The names that assignments, def and from ... import define at module level, also below if, try,
 * for, while and with, each once and in the order of the text. Any text is accepted; of one that is
 * not Python the result is arbitrary. At most 1000 names.
 */
void script_names_find(
	struct arena *arena, const char *text, size_t n_bytes, struct script_names *names);

/* Finds the names in a file, of which the first 4 MiB are read. EXIT_USAGE if it is not a regular
 * file. */
int script_names_read(
	struct arena *arena, const char *path, struct script_names *names, struct err *err);

#endif
