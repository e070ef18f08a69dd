// SPDX-License-Identifier: MIT
/* Dumps: reads documents that `inspect -f yaml` wrote. */
#ifndef TARGETS_DUMP_H
#define TARGETS_DUMP_H

#include "base/error.h"
#include "facts/facts.h"

/* Reads all targets of the document, at least one; path "-" is standard input. -1 with err set. */
int dump_read(struct arena *arena, const char *path, struct fact_target **targets,
	size_t *n_targets, struct err *err);

#endif
