// SPDX-License-Identifier: MIT
/* Calls of __dlpack__, and the capsules that they return. */
#ifndef WORKER_CAPTURE_DLPACK_H
#define WORKER_CAPTURE_DLPACK_H

#include "worker/capture/capture.h"

/*
 * Calls object.__dlpack__ with the keywords of the map, as a step named by its Python source, and
 * fills *call, as held until the target's end; not present if the step is skipped. An item {py:
 * EXPR} or {new: true} stands for an object, stream, which the step shows by that text. An item
 * with an empty key is a positional argument. Returns the call's result; NULL with the exception in
 * call.
 */
PyObject *dlpack_call(struct capture_context *context, PyObject *object,
	const struct value *keywords, PyObject *stream, struct fact_call *call);

/* The same call as a step with another name. */
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

/* Whether a call returned a capsule of DLPack that is not consumed, legacy or versioned. */
enum dlpack_capsule { DLPACK_NONE, DLPACK_LEGACY, DLPACK_VERSIONED };
enum dlpack_capsule dlpack_capsule_kind(struct arena *arena, PyObject *object);

/* The managed tensor of such a capsule; NULL of any other object. */
void *dlpack_managed(struct arena *arena, PyObject *capsule);

/* Sets capsule, version, flags, manager_ctx, deleter and dl_tensor of declared (docs/facts.md);
 * NULL object: all null. The capsule is not consumed. */
void dlpack_read(struct arena *arena, struct value *declared, PyObject *object);

/* Sets all of these but capsule, for a DLManagedTensorVersioned. */
void dlpack_read_managed(struct arena *arena, struct value *declared, const void *managed);

/* dl_tensor of declared, for a DLTensor that can be read. */
struct value *dlpack_tensor_to_value(struct arena *arena, const void *tensor);

/* The address of the first element of a dl_tensor as dlpack_read() set it. */
struct fact_address dlpack_pointer(const struct value *tensor);

/*
 * --calls: the keyword grid of __dlpack__ on an object whose interface was read. Every cell is a
 * step and a record in the target's calls, its export released at once.
 */
void dlpack_grid(
	struct capture_context *context, PyObject *object, struct fact_interface *interface);

/* A new stream on the declared device: a new reference, or NULL with the exception pending. */
PyObject *dlpack_new_stream(
	struct capture_context *context, PyObject *object, const struct value *declared);

/*
 * Replaces a managed tensor's deleter by one that counts its calls and passes on only the first, as
 * a second would free twice. One tensor at a time.
 */
void dlpack_count_deleter(void (**deleter)(void *tensor));
int dlpack_deleter_calls(void);
/* Calls it unless it was called. */
void dlpack_delete_counted(void *tensor);

/* Of a capsule whose major version is newer than suai's: what the field `deleter` points to:
 * "code", "NULL", or "data", which is not callable. NULL for any other. */
const char *dlpack_newer_deleter(struct arena *arena, PyObject *capsule);

/* Consumes a capsule of DLPack as consumers do: renames it and calls its deleter once. Ignores any
 * other object. */
void dlpack_consume(struct arena *arena, PyObject *capsule);

#endif
