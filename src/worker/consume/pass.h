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

/*
 * Imports the consumer's module, and NumPy if lines use it, in this process, whose forks would
 * otherwise import them again. It does not if a fork would then lack something, such as the threads
 * that a module starts, or if the import does not end, which a fork shows first.
 */
void pass_import_modules(struct capture_context *context);

#endif
