// SPDX-License-Identifier: MIT
/*
 * An interpreter that was started and has run none of the user's modules: it forks the workers of a
 * run over many modules, each as isolated as a new process, in 1 to 2 ms instead of the 10 to 30 ms
 * that Python takes to start. Where it cannot (code of the site runs threads), workers are started
 * one by one. SUAI_NO_FORKSERVER=1 does without (for tests).
 * A reply is two process ids: the worker's and its session's.
 */
#ifndef SUPERVISOR_FORKSERVER_H
#define SUPERVISOR_FORKSERVER_H

#include "supervisor/worker.h"

struct forkserver {
	struct worker worker; /* the interpreter; its ring is not used */
	int fd;               /* requests and replies; -1: none */
};

/* Starts one unless --wrap or the environment forbids it. Undo with forkserver_stop; harmless where
 * it did not start. */
void forkserver_start(struct forkserver *server, const struct worker_options *options);
void forkserver_stop(struct forkserver *server);

/* Forks a worker for a channel that it opens by its path: its process id and its session's, or 0
 * where the server is of no use, now and later. Waits until the interpreter has started, at most
 * timeout_seconds. */
pid_t forkserver_fork(
	struct forkserver *server, const char *channel, double timeout_seconds, pid_t *session);

#endif
