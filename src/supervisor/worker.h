// SPDX-License-Identifier: MIT
/*
 * One worker process: detects its end, kills it, and ends processes it leaves behind.
 * SUAI_NO_PIDFD=1 waits by waitpid and SIGCHLD instead of a pidfd, as on kernels that lack it (for
 * tests).
 */
#ifndef SUPERVISOR_WORKER_H
#define SUPERVISOR_WORKER_H

#include "base/error.h"
#include "supervisor/channel.h"
#include "supervisor/worker_options.h"

#include <stdbool.h>
#include <sys/types.h>

struct worker {
	pid_t pid;  /* 0: none, or reaped */
	int pidfd;  /* -1: waitpid */
	int status; /* of waitpid, once it ended */
	/* The id of the worker's own session and process group: a script that signals its group
	 * reaches only the processes that it started, not suai or other programs of the pipeline.
	 * 0: the worker shares suai's session, because a debugger around it uses the terminal. */
	pid_t session;
	/* For a fork of the user's process: its own process group, which ends with it. 0: it has
	 * none. */
	pid_t group;
	struct channel channel;
	bool is_started; /* and not stopped yet */
};

/* Begins to monitor the end of a worker that was launched or forked. */
void worker_monitor(struct worker *worker);

/* Waits at most wait_ms for one of them to end, or for a signal to suai. */
void workers_wait(struct worker *const *workers, size_t n_workers, int wait_ms);

/* Whether the worker has ended; then status is set. */
bool worker_has_ended(struct worker *worker);

/* Signals the process, or its whole process group as a terminal does. */
void worker_signal(const struct worker *worker, int signal);
void worker_signal_group(const struct worker *worker, int signal);

/* Kills it if it still runs, ends what it left in its session, and frees the channel. Processes
 * that moved to another session are ended with the last worker, since their origin is unknown while
 * others run. Harmless if none was started and pidfd and the channel's fd are -1. */
void worker_stop(struct worker *worker);

#endif
