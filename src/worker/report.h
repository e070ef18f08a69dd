// SPDX-License-Identifier: MIT
/* The worker's end of the channel, as worker/module.c opens it; worker.h has what captures use. */
#ifndef WORKER_REPORT_H
#define WORKER_REPORT_H

#include "base/arena.h"
#include "base/error.h"
#include "model/job.h"
#include "model/value.h"

#include <stdbool.h>

/*
 * Maps the channel: a path (/proc/PID/fd/N), or the number of an inherited descriptor; closes the
 * descriptor. In a process that the user's code forks the channel is gone.
 */
int report_open(const char *channel, struct err *err);

/* The same in a worker that the fork server forked, whose channel was the server's so far. */
int report_reopen(const char *channel, struct err *err);

/*
 * Makes this process the channel's writer. False: it is a fork that code of the site made before
 * the module was loaded, and shall end as a script's child does; or another process writes.
 */
bool report_claim(void);

/* The job, in the arena. */
const struct value *report_read_job(struct arena *arena, struct err *err);

/* Keeps job, whose `skip` lists the steps that are not taken. */
void report_skip_steps(const struct job *job);

/* Something goes on that takes long: the target's time limit begins anew. */
void report_visit(void);

/* The time since worker_at(). */
int64_t report_spent_ms(void);

/* --- forkserver.c --- */

/* Forks workers on request (supervisor/forkserver.h). True: in a worker, whose channel is named.
 * False: no more are needed, or none can be forked. */
bool forkserver_serve(const struct value *job, char *channel, size_t n_chars);

/* --- module.c --- */

/* Sends the last message. */
void report_done(void);

/* Runs what ends a Python program (atexit, flushing) and leaves the process. */
_Noreturn void worker_end(void);

#endif
