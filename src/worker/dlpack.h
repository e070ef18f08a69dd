// SPDX-License-Identifier: MIT
/* Calls of __dlpack__, and the capsules that they return. */
#ifndef WORKER_DLPACK_H
#define WORKER_DLPACK_H

#include "worker/worker.h"

/*
 * Calls object.__dlpack__ with the keywords of the map, as a step named as Python would write it,
 * and records it in the target's calls, as held until the target's end. An item {py: EXPR} or
 * {new: true} stands for an object: stream, which the step shows by that text. An item whose key is
 * empty is given by position. *record is the record of the call, or NULL where the
 * step is skipped. Gives what was returned; NULL where the record tells of an exception.
 */
PyObject *dlpack_call(struct capture_context *context, PyObject *object,
	const struct value *keywords, PyObject *stream, struct value **record);

/* The call as Python would write it: the step's name. */
const char *dlpack_call_text(struct arena *arena, const struct value *keywords);

/* Whether a call returned what DLPack names: a capsule not yet consumed, legacy or versioned. */
enum dlpack_capsule { DLPACK_NONE, DLPACK_LEGACY, DLPACK_VERSIONED };
enum dlpack_capsule dlpack_capsule_kind(struct arena *arena, PyObject *object);

/* Sets capsule, version, flags, manager_ctx, deleter and dl_tensor of declared (docs/facts.md);
 * NULL object: all null. The capsule is looked at, not consumed. */
void dlpack_read(struct arena *arena, struct value *declared, PyObject *object);

/* The address of the first element of a dl_tensor as dlpack_read() set it; null where it has none.
 */
struct value *dlpack_pointer(struct arena *arena, const struct value *tensor);

/*
 * --calls: the keyword grid of __dlpack__ on an object whose interface was read. Every cell is a
 * step and a record in the target's calls, its export released at once.
 */
void dlpack_grid(struct capture_context *context, PyObject *object, struct value *interface);

/* A stream of suai's own on the device that declared tells: a new reference, or NULL with an
 * exception pending that says why there is none. */
PyObject *dlpack_new_stream(
	struct capture_context *context, PyObject *object, const struct value *declared);

/*
 * The exchange API on the type of the object, or else on the object, as docs/facts.md says; null
 * where neither has it. device is what __dlpack_device__ gave.
 */
struct value *dlpack_exchange(struct arena *arena, PyObject *object, const struct value *device);

/* Whether the type has the exchange API under the name of DLPack 1.2's drafts; null where it was
 * not asked. */
struct value *dlpack_has_draft_exchange(struct arena *arena, PyObject *object);

/* Consumes a capsule of DLPack as a consumer does, renames it and calls its deleter once; leaves
 * any other object alone. */
void dlpack_consume(struct arena *arena, PyObject *capsule);

#endif
