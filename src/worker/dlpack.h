// SPDX-License-Identifier: MIT
/* Calls of __dlpack__, and the capsules that they return. */
#ifndef WORKER_DLPACK_H
#define WORKER_DLPACK_H

#include "worker/worker.h"

/*
 * Calls object.__dlpack__ with the keywords of the map, as a step named as Python would write it,
 * and records it in the target's calls. An item {py: EXPR} or {new: true} stands for an object:
 * stream, which the step shows by that text. *record is the record of the call, or NULL where the
 * step is skipped. Gives what was returned; NULL where the record tells of an exception.
 */
PyObject *dlpack_call(struct capture_context *context, PyObject *object,
	const struct value *keywords, PyObject *stream, struct value **record);

/* Whether a call returned what DLPack names: a capsule not yet consumed, legacy or versioned. */
enum dlpack_capsule { DLPACK_NONE, DLPACK_LEGACY, DLPACK_VERSIONED };
enum dlpack_capsule dlpack_capsule_kind(struct arena *arena, PyObject *object);

/* Sets capsule, version, flags, manager_ctx, deleter and dl_tensor of declared (docs/facts.md);
 * NULL object: all null. The capsule is looked at, not consumed. */
void dlpack_read(struct arena *arena, struct value *declared, PyObject *object);

/* The address of the first element in the struct of a capsule of DLPack; null where there is none.
 */
struct value *dlpack_pointer(struct arena *arena, PyObject *object);

/*
 * The exchange API on the type of the object, or else on the object, as docs/facts.md says; null
 * where neither has it. device is what __dlpack_device__ gave.
 */
struct value *dlpack_exchange(struct arena *arena, PyObject *object, const struct value *device);

/* Whether the type has the exchange API under the name of DLPack 1.2's drafts; null where it was not
 * asked. */
struct value *dlpack_has_draft_exchange(struct arena *arena, PyObject *object);

/* Consumes a capsule of DLPack as a consumer does, renames it and calls its deleter once; leaves
 * any other object alone. */
void dlpack_consume(struct arena *arena, PyObject *capsule);

#endif
