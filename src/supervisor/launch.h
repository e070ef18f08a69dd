// SPDX-License-Identifier: MIT
/*
 * Starts a worker process. SUAI_NO_PROC_FD=1 passes the channel as an inherited descriptor instead
 * of by its path under /proc, as where that cannot be opened (for tests).
 */
#ifndef SUPERVISOR_LAUNCH_H
#define SUPERVISOR_LAUNCH_H

#include "supervisor/worker.h"

/* Starts an interpreter with the job, which inherits a descriptor (-1: none). Undo with
 * worker_stop, also after a failure. */
int worker_launch(struct worker *worker, const struct worker_options *options,
	const struct value *job, int inherited_fd, struct err *err);

#endif
