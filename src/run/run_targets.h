// SPDX-License-Identifier: MIT
/*
 * Runs a command over targets: sources to jobs, jobs to facts, facts to documents, documents to the
 * chosen format, and the exit code.
 */
#ifndef RUN_RUN_TARGETS_H
#define RUN_RUN_TARGETS_H

#include "run/run.h"

/* Returns the exit code; -1 with err set if the run failed as a whole. */
int run_targets(struct run *run, const struct option_list *operands, struct err *err);

#endif
