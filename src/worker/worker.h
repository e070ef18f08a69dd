// SPDX-License-Identifier: MIT
/* The parts of the main loop, which module.c calls. */
#ifndef WORKER_WORKER_H
#define WORKER_WORKER_H

#include "model/job.h"
#include "model/value.h"

#include <stdbool.h>
#include <stddef.h>

/* Runs the whole job: imports the module, captures targets, sends all messages but `done`. */
void worker_run(const struct job *job);

/* Forks workers on request (supervisor/forkserver.h). True: in a worker, whose channel is named.
 * False: no more are needed, or none can be forked. */
bool forkserver_serve(const struct value *job, char *channel, size_t n_chars);

#endif
