// SPDX-License-Identifier: MIT
/*
 * What an object returned and what must outlive queries about its memory: a dictionary may own the
 * array it describes, and a DLPack export owns its memory.
 */
#ifndef WORKER_CAPTURE_KEEPALIVE_H
#define WORKER_CAPTURE_KEEPALIVE_H

#include "worker/capture/capture.h"

/* Holds a new reference to object until keepalive_release. */
void keepalive_add(struct capture_context *context, PyObject *object);

/* Takes the result of the __dlpack__ call named by step; keepalive_release consumes it. */
void keepalive_add_export(struct capture_context *context, const char *step, PyObject *returned);

/* Releases everything, each export in a separate step. Must be called after every read() of a
 * capture. */
void keepalive_release(struct capture_context *context);

/* The export number `position` of those held, borrowed; NULL after the last. */
PyObject *keepalive_export(const struct capture_context *context, Py_ssize_t position);

#endif
