// SPDX-License-Identifier: MIT
/* Says how a worker was lost. */
#ifndef SUPERVISOR_WORKER_EXIT_H
#define SUPERVISOR_WORKER_EXIT_H

#include "supervisor/shard.h"

/* Python never came as far as the module: EXIT_UNAVAILABLE, with the reason. Returns -1. */
int lost_at_start(const struct part *part, const struct worker_options *options, struct err *err);

/* It crashed, hung or left at work: tells the ledger. */
int lost_at_work(struct part *part, struct err *err);

#endif
