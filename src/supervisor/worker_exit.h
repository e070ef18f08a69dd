// SPDX-License-Identifier: MIT
/* Workers that ended early. */
#ifndef SUPERVISOR_WORKER_EXIT_H
#define SUPERVISOR_WORKER_EXIT_H

#include "supervisor/shard.h"

/* Python did not load the module: EXIT_UNAVAILABLE, with the reason. Returns -1. */
int worker_exit_at_start(
	const struct shard *shard, const struct worker_options *options, struct err *err);

/* The worker crashed, hung or exited after its start: reports it to the ledger. */
int worker_exit_at_work(struct shard *shard, struct err *err);

#endif
