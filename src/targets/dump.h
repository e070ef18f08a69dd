// SPDX-License-Identifier: MIT
/* Dumps: reads documents that `inspect -f yaml` wrote, and captures. */
#ifndef TARGETS_DUMP_H
#define TARGETS_DUMP_H

#include "base/error.h"
#include "facts/capture_stream.h"
#include "facts/facts.h"
#include "targets/piece_list.h"

#include <stdbool.h>

/* What a file contains: targets, or a list of dumps with targets. */
struct dump {
	size_t n_targets;
	struct piece_list list;
	struct fact_target *targets; /* of a document */
	struct text captures;        /* otherwise: many, which are read one at a time */
	struct capture_stream stream;
	size_t n_read;
};

/* Reads and checks a document, captures or a list of pieces: at least one target or entry; path "-"
 * is standard input. The time limits the wait for the writer of a FIFO. The dump borrows from the
 * arena. -1 with err set. Undo with dump_close, also after a failure. */
int dump_open(struct dump *dump, struct arena *arena, const char *path, int64_t timeout_seconds,
	struct err *err);
void dump_close(struct dump *dump);

/* The next target, in the arena; false: there are no more. */
bool dump_next(struct dump *dump, struct arena *arena, struct fact_target *target);

/* Whether a regular file begins as a capture does, whatever its name is. */
bool dump_is_capture(const char *path);

#endif
