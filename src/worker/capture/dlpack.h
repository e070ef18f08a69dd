// SPDX-License-Identifier: MIT
/* Calls of __dlpack__, and the capsules that they return. */
#ifndef WORKER_CAPTURE_DLPACK_H
#define WORKER_CAPTURE_DLPACK_H

#include "worker/capture/capture.h"
#include "worker/capture/dlpack_read.h"

/*
 * Calls object.__dlpack__ with the keywords of the map, as a step named by its Python source, and
 * fills *call, as held until the target's end; not present if the step is skipped. An item {py:
 * EXPR} or {new: true} stands for an object, stream, which the step shows by that text. An item
 * with an empty key is a positional argument. Returns the call's result; NULL with the exception in
 * call.
 */
PyObject *dlpack_call(struct capture_context *context, PyObject *object,
	const struct value *keywords, PyObject *stream, struct fact_call *call);

/* dlpack_call() as a step with the given name. */
PyObject *dlpack_call_as(struct capture_context *context, PyObject *object,
	const struct value *keywords, PyObject *stream, const char *step, struct fact_call *call);

/*
 * __dlpack__() or __dlpack__(max_version=...) with suai's version; no warning is shown, or raised
 * under -W error. Announces no step and records nothing. A new reference, or NULL with the
 * exception pending.
 */
PyObject *dlpack_export_quietly(PyObject *object, bool is_versioned);

/* The call's Python source: the step's name. */
const char *dlpack_call_text(struct arena *arena, const struct value *keywords);

/*
 * --calls: the keyword grid of __dlpack__ on an object whose interface was read. Every cell is a
 * step and a record in the target's calls, its export released at once.
 */
void dlpack_grid(
	struct capture_context *context, PyObject *object, struct fact_interface *interface);

/* A new stream on the declared device: a new reference, or NULL with the exception pending. */
PyObject *dlpack_new_stream(
	struct capture_context *context, PyObject *object, const struct value *declared);

#endif
