// SPDX-License-Identifier: MIT
/* What a consumer returned for a tracer: its elements, its type and whose memory it uses. */
#ifndef WORKER_CONSUME_EXAMINE_H
#define WORKER_CONSUME_EXAMINE_H

#include "worker/capture/capture.h"
#include "worker/consume/tracer.h"

/* Fills the fields of record about the result. May change the elements of the tracer. Leaves no
 * exception pending. */
void examine_result(const struct job *job, struct tracer *tracer, PyObject *result,
	struct fact_consumption *record);

#endif
