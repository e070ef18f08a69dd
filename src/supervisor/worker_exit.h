// SPDX-License-Identifier: MIT
/* How a worker ended before its work was done. */
#ifndef SUPERVISOR_WORKER_EXIT_H
#define SUPERVISOR_WORKER_EXIT_H

#include "supervisor/shard.h"

/* Python never came as far as the module: EXIT_UNAVAILABLE, with the reason. Returns -1. */
int worker_exit_at_start(
	const struct shard *shard, const struct worker_options *options, struct err *err);

/* It crashed, hung or exited at work: reports it to the ledger. */
int worker_exit_at_work(struct shard *shard, struct err *err);

#endif
