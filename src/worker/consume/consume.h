// SPDX-License-Identifier: MIT
/* One case of --consumer: creates a tracer, passes it to the consumer, and records what becomes of
 * it. */
#ifndef WORKER_CONSUME_CONSUME_H
#define WORKER_CONSUME_CONSUME_H

#include "worker/capture/capture.h"
#include "worker/python/consumer.h"

/* Finds the consumer of the job, in the names of its module. -1, with status, step and error of
 * result set, if there is none. */
int consume_prepare(struct arena *arena, const struct job *job, PyObject *names,
	struct fact_module_result *result);

/* After consume_prepare(). Fills consumption, type, status, step and error of context->target. The
 * case is that of the job's trial with the target's index. */
void consume_case(struct capture_context *context);

/* Begins a step and sends the record, which is all that is known if the process is lost in the
 * step. */
void consume_begin_step(const struct fact_consumption *record, const char *step);

/* The consumer's result for object, a new reference; NULL: it raised. Sets outcome, exception,
 * error and warnings of the record; no exception is left pending. */
PyObject *consume_call(struct capture_context *context, struct consumer *consumer, PyObject *object,
	struct fact_consumption *record);

#endif
