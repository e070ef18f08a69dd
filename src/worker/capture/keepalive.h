// SPDX-License-Identifier: MIT
/*
 * What an object gave and what must outlive the questions about its memory: a dictionary may own
 * the array it tells of, and a DLPack export owns its memory.
 */
#ifndef WORKER_CAPTURE_KEEPALIVE_H
#define WORKER_CAPTURE_KEEPALIVE_H

#include "worker/worker.h"

/* Holds a new reference to object until keepalive_release. */
void keepalive_add(struct capture_context *context, PyObject *object);

/* Takes what the call of __dlpack__ named by step returned; keepalive_release consumes it. */
void keepalive_add_export(struct capture_context *context, const char *step, PyObject *returned);

/* Gives up all, the exports each in a step of its own. To be called after every read() of a
 * capture. */
void keepalive_release(struct capture_context *context);

/* The export number `position` of those held, borrowed; NULL after the last. */
PyObject *keepalive_export(const struct capture_context *context, Py_ssize_t position);

#endif
