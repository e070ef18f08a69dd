// SPDX-License-Identifier: MIT
/* Dumps: reads documents that `inspect -f yaml` wrote, and captures. */
#ifndef TARGETS_DUMP_H
#define TARGETS_DUMP_H

#include "base/error.h"
#include "facts/facts.h"

#include <stdbool.h>

/* Reads all targets of a document or of captures, at least one; path "-" is standard input. -1 with
 * err set. */
int dump_read(struct arena *arena, const char *path, struct fact_target **targets,
	size_t *n_targets, struct err *err);

/* Whether a regular file begins as a capture does, whatever its name is. */
bool dump_is_capture(const char *path);

#endif
