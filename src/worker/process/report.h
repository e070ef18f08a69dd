// SPDX-License-Identifier: MIT
/* The worker's end of the channel, for the main loop; captures use step.h. */
#ifndef WORKER_PROCESS_REPORT_H
#define WORKER_PROCESS_REPORT_H

#include "base/arena.h"
#include "base/error.h"
#include "model/job.h"
#include "model/value.h"

#include <stdbool.h>

/*
 * Maps the channel: a path (/proc/PID/fd/N), or the number of an inherited descriptor; closes the
 * descriptor. A process that the user's code forks has no channel.
 */
int report_open(const char *channel, struct err *err);

/* Maps another channel in place of the fork server's, in a worker that the server forked. */
int report_reopen(const char *channel, struct err *err);

/*
 * Makes this process the channel's writer. False: it is a fork that sitecustomize made before the
 * module was loaded, which must exit as a script's child does; or another process writes.
 */
bool report_claim(void);

/* The job, in the arena. */
const struct value *report_read_job(struct arena *arena, struct err *err);

/* Whether this process is the worker, not a child that the user's code forked. */
bool report_is_open(void);

/* Makes stack_fd the descriptor to which the stack of this process is written as it ends: the
 * channel, or in a child that the user's code forked standard error. Async-signal-safe. */
void report_open_stack(int stack_fd);

/* Keeps job, whose `skip` lists the steps that are not taken. */
void report_skip_steps(const struct job *job);

/* The last step of a process without a channel, and whether it is under way. Async-signal-safe. */
const char *report_own_step(bool *in_step);

/* Restarts the target's time limit, for work that takes long. */
void report_visit(void);

/* The time since worker_at(). */
int64_t report_spent_ms(void);

/* Before and after a fork whose child writes to this channel in place of its parent. */
void report_begin_fork(void);
void report_end_fork(void);

/* Sends that the child of such a fork ended early, where its last step is; or a thread of
 * process_survives(), with the stack of no other. */
void report_end_of_fork(int wait_status, bool is_thread);

/* The target that this process, or a fork in its place, reported last. */
int report_target(void);

/* Sends the last message. */
void report_done(void);

#endif
