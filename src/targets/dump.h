// SPDX-License-Identifier: MIT
/* Dumps: YAML documents that `inspect -f yaml` wrote, read back as facts. */
#ifndef TARGETS_DUMP_H
#define TARGETS_DUMP_H

#include "base/error.h"
#include "model/value.h"

/* A list of target facts, one for each target of the document; path "-" is standard input. NULL
 * with err set. */
struct value *dump_read(struct arena *arena, const char *path, struct err *err);

#endif
