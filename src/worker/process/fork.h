// SPDX-License-Identifier: MIT
/*
 * Forks a process that has loaded a module: each trial gets a process in the state right after the
 * import, without importing again.
 */
#ifndef WORKER_PROCESS_FORK_H
#define WORKER_PROCESS_FORK_H

#include "facts/fact.h"

#include <stdbool.h>
#include <sys/types.h>

/* fork() copies only the calling thread: locks that other threads hold are never released. */
bool process_has_one_thread(void);

/* Before a module is loaded: files, sockets and devices that are open are not the module's. */
void process_note_descriptors(void);

/*
 * Why a fork lacks something that this process has: threads that survive the handlers of
 * pthread_atfork (OpenBLAS ends its own), the library of a device runtime, open descriptors of the
 * module, shared memory that can be written, child processes or timers. NULL: it has all, except
 * for what idle lists.
 */
struct process_idle {
	int n_threads;  /* which hold no locks */
	bool has_timer; /* of ITIMER_REAL, which only the parent needs */
};
const char *process_fork_obstacle(struct process_idle idle);

/* Forks a child that dies with this process and writes to its channel. 0 in the child, -1 on
 * failure. The parent must not use the channel until process_await_child(). */
pid_t process_fork_child(void);

/* In the child: ends it, as the parent expects. */
_Noreturn void process_end_child(void);

/* Whether this process is such a child. */
bool process_is_child(void);

/* Waits for the child. False: it did not end by process_end_child(); *status is that of waitpid().
 */
bool process_await_child(pid_t child, int *status);

/*
 * Whether works() gives true, in a forked child without the channel, standard input and output,
 * whose crash or hang is a no. Unknown: a fork would share what both may change, or the child lacks
 * threads of this process and crashes or hangs. It must not announce steps.
 */
enum answer process_try(bool (*works)(void *context), void *context);

#endif
