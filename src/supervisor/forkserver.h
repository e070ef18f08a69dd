// SPDX-License-Identifier: MIT
/*
 * An interpreter that has run none of the user's modules. It forks the workers of a run over many
 * modules, each as isolated as a new process, in 1 to 2 ms instead of the 10 to 30 ms in which
 * Python starts. If it cannot fork, since site code started threads, each worker is a new process.
 * SUAI_NO_FORKSERVER=1 disables it (for tests). A reply consists of two process ids: the worker's
 * and its session's.
 */
#ifndef SUPERVISOR_FORKSERVER_H
#define SUPERVISOR_FORKSERVER_H

#include "supervisor/worker.h"

struct forkserver {
	struct worker worker; /* the interpreter; its ring is not used */
	int fd;               /* requests and replies; -1: none */
};

/* Starts one unless --wrap or the environment forbids it. Undo with forkserver_stop, also if it did
 * not start. */
void forkserver_start(struct forkserver *server, const struct worker_options *options);
void forkserver_stop(struct forkserver *server);

/* Starts a worker with the job: forked by the server of the options, or as a new process if there
 * is none or it cannot fork. Undo with worker_stop, also after a failure. */
int forkserver_start_worker(struct worker *worker, const struct worker_options *options,
	const struct value *job, struct err *err);

#endif
