// SPDX-License-Identifier: MIT
/*
 * One worker process: started, watched, killed, and what it leaves behind ended. Kernel features
 * that may lack have fallbacks, which an environment variable forces (for tests):
 * SUAI_NO_PROC_FD=1 passes the channel as an inherited descriptor instead of by its path under
 * /proc; SUAI_NO_PIDFD=1 waits by waitpid and SIGCHLD instead of a pidfd.
 */
#ifndef SUPERVISOR_WORKER_H
#define SUPERVISOR_WORKER_H

#include "base/error.h"
#include "supervisor/channel.h"
#include "supervisor/find_python.h"

#include <stdbool.h>
#include <sys/types.h>

struct worker_options {
	struct python python;
	char *module;     /* the file of _suai.abi3.so */
	char *bootstrap;  /* of suai-bootstrap.py */
	bool runs_python; /* a target is Python code */
	bool embed;
	bool must_embed;  /* no exec where libpython cannot be loaded */
	const char *wrap; /* a command, by the shell's rules, in front of an executed interpreter */
	bool stdin_is_input; /* the worker reads /dev/null */
	bool silent;         /* and writes to it */
	double timeout_seconds;
	struct forkserver *forkserver; /* or NULL */
};

struct worker {
	pid_t pid;  /* 0: none, or reaped */
	int pidfd;  /* -1: waitpid */
	int status; /* waitpid's, once it ended */
	/* It has a session and a process group of its own, both of this number: a script that
	 * signals its group reaches what it started, and neither suai nor other programs of the
	 * pipeline. 0: it shares suai's, because a debugger around it uses the terminal. */
	pid_t session;
	struct channel channel;
	bool is_started; /* and not stopped */
};

/*
 * Finds a file that belongs to suai: beside it, in ../lib/suai, or where chosen (NULL or empty:
 * nowhere) says. Gives *path (free with free).
 */
int worker_find_part(const char *name, const char *chosen, char **path, struct err *err);

/* The same of the module, which $SUAI_MODULE may name, and of the bootstrap, which may also be
 * beside the module. */
int worker_find_module(struct worker_options *options, struct err *err);

/* Starts a worker with the job, by the fork server where there is one. Undo with worker_stop, also
 * after a failure. */
int worker_start(struct worker *worker, const struct worker_options *options,
	const struct value *job, struct err *err);

/* Starts an interpreter that is no target's worker and inherits a descriptor. */
int worker_launch(struct worker *worker, const struct worker_options *options,
	const struct value *job, int inherited_fd, struct err *err);

/* Waits at most wait_ms for the end of one of them, or for a signal to suai. */
void workers_wait(struct worker *const *workers, size_t n_workers, int wait_ms);

/* True: it ended, status is set. */
bool worker_has_ended(struct worker *worker);

/* To the process, or to its whole process group as a terminal does. */
void worker_signal(const struct worker *worker, int signal);
void worker_signal_group(const struct worker *worker, int signal);

/* Kills it if it still runs, ends what it left in its session, and frees the channel. What moved to
 * another session is ended with the last worker: whose it is is not known while others run.
 * Harmless where none was started and pidfd and the channel's fd are -1. */
void worker_stop(struct worker *worker);

#endif
