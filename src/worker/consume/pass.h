// SPDX-License-Identifier: MIT
/* suai why: an object of the user is passed to a consumer, or as a line of Python states. */
#ifndef WORKER_CONSUME_PASS_H
#define WORKER_CONSUME_PASS_H

#include "worker/capture/capture.h"

/*
 * Fills context->target->why. The trial is of model/job.h: a line, where the value of its producer
 * for object, or its conversion, is passed to the trial's consumer; without a consumer, object
 * itself is passed to that of the job. Leaves no exception pending.
 */
void pass_object(struct capture_context *context, PyObject *object, const struct job_trial *trial);

#endif
