// SPDX-License-Identifier: MIT
/* Facts of targets that were never had: their module failed, or their file cannot be read. */
#ifndef TARGETS_BARE_FACTS_H
#define TARGETS_BARE_FACTS_H

#include "base/error.h"
#include "model/value.h"

/* A target that ended as like did: its status, step, error and buffers, null where it has none. */
struct value *bare_facts(struct arena *arena, const char *name, const struct value *like);

/* A file that could not be read, which is a missing target. */
struct value *bare_unreadable(struct arena *arena, const char *path, const struct err *why);

#endif
