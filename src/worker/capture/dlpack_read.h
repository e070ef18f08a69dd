// SPDX-License-Identifier: MIT
/* Capsules of DLPack and their managed tensors: reading and consuming them. */
#ifndef WORKER_CAPTURE_DLPACK_READ_H
#define WORKER_CAPTURE_DLPACK_READ_H

#include "worker/python/python.h"

#include "base/arena.h"
#include "facts/facts.h"
#include "model/value.h"

/* Whether a call returned a capsule of DLPack that is not consumed, legacy or versioned. */
enum dlpack_capsule { DLPACK_NONE, DLPACK_LEGACY, DLPACK_VERSIONED };
enum dlpack_capsule dlpack_capsule_kind(struct arena *arena, PyObject *object);

/* The managed tensor of such a capsule; NULL for any other object. */
void *dlpack_managed(struct arena *arena, PyObject *capsule);

/* Calls __dlpack_device__(): the type and the number of the device, -1 for what is not an integer
 * or if it raises. */
struct dlpack_device {
	int64_t type, id;
};
struct dlpack_device dlpack_read_device(PyObject *object);

/* Sets capsule, version, flags, manager_ctx, deleter and dl_tensor of declared (docs/facts.md);
 * NULL object: all null. The capsule is not consumed. */
void dlpack_read(struct arena *arena, struct value *declared, PyObject *object);

/* Sets the same fields except capsule, for a DLManagedTensorVersioned. */
void dlpack_read_managed(struct arena *arena, struct value *declared, const void *managed);

/* dl_tensor of declared, for a DLTensor that can be read. */
struct value *dlpack_tensor_to_value(struct arena *arena, const void *tensor);

/* The address of the first element of a dl_tensor as dlpack_read() set it. */
struct fact_address dlpack_pointer(const struct value *tensor);

/*
 * Replaces a managed tensor's deleter by one that counts its calls and passes on only the first, as
 * a second would free twice. One tensor at a time.
 */
void dlpack_count_deleter(void (**deleter)(void *tensor));
int dlpack_deleter_calls(void);
/* Calls the replaced deleter unless it was already called. */
void dlpack_delete_counted(void *tensor);

/* Whether a deleter is neither NULL nor an address that is not code, as far as is known. */
bool dlpack_can_delete(uint64_t deleter);

/* What the field `deleter` points to in a capsule whose major version is newer than suai's: "code",
 * "NULL", or "data", which cannot be called. NULL for any other capsule. */
const char *dlpack_newer_deleter(struct arena *arena, PyObject *capsule);

/* Consumes a capsule of DLPack as consumers do: renames it and calls its deleter once. Ignores any
 * other object. */
void dlpack_consume(struct arena *arena, PyObject *capsule);

#endif
