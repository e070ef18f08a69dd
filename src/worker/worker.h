// SPDX-License-Identifier: MIT
/* The parts of the main loop, which module.c calls. */
#ifndef WORKER_WORKER_H
#define WORKER_WORKER_H

#include "worker/capture/capture.h"
#include "worker/python/python.h"

#include "facts/facts.h"
#include "model/job.h"
#include "model/value.h"

#include <stdbool.h>
#include <stddef.h>

/* The interpreter, as the first message describes it. Keeps host. */
struct fact_hello worker_hello(struct arena *arena, const char *host);

/* Captures or converts an object into the context's target. expression denotes the object in the
 * context's names; NULL: its alternatives are not searched for. Sets drafts of the context. */
void worker_capture(struct capture_context *context, const char *expression, PyObject *object);

/* Runs the whole job: imports the module, captures targets, sends all messages but `done`. */
void worker_run(const struct job *job);

/* Forks workers on request (supervisor/forkserver.h). True: in a worker, whose channel is named.
 * False: no more are needed, or none can be forked. */
bool forkserver_serve(const struct value *job, char *channel, size_t n_chars);

#endif
