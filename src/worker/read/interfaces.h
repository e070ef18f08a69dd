// SPDX-License-Identifier: MIT
/* All interfaces of an object. */
#ifndef WORKER_READ_INTERFACES_H
#define WORKER_READ_INTERFACES_H

#include "worker/capture/capture.h"

/*
 * All interfaces of an object, for a target and for convert's results: exposes, read, describe,
 * query_memory, each a step. Fills interfaces, calls and data of context->target, and its status,
 * step and error if an option of the command line cannot be carried out.
 */
void read_interfaces(struct capture_context *context, PyObject *object);

#endif
