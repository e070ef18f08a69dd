// SPDX-License-Identifier: MIT
/*
 * DLPack capsules: their creation, consumption and destruction, and the release of their tensors.
 * The deleter of a tensor and the destructor of its capsule are replaced when the capsule is
 * created, since a consumer may release the tensor before it renames the capsule. The originals are
 * kept in the private memory of the process, so that forked children release their copies as well.
 */
#ifndef TRACE_CAPSULES_H
#define TRACE_CAPSULES_H

#include "trace/python.h"

#include <dlpack/dlpack.h>
#include <stdint.h>

void *trace_capsule_new(void *pointer, const char *name, trace_capsule_destructor destructor);
int trace_capsule_set_name(void *capsule, const char *name);
int trace_capsule_set_destructor(void *capsule, trace_capsule_destructor destructor);
trace_capsule_destructor trace_capsule_get_destructor(void *capsule);

/* A tensor, or a view, that a library passes to another one without a capsule. Call with the lock.
 */
void trace_tensor_passed(
	DLManagedTensorVersioned *managed, uint32_t producer, uint32_t consumer, uint32_t site);
void trace_view_passed(const DLTensor *view, uint32_t producer, uint32_t consumer, uint32_t site);

/* The tensor of a struct that has not been released; TRACE_NONE: none. Call with the lock. */
uint32_t trace_capsules_tensor(const void *managed);

/* In a forked child, with the lock: its copies of tensors are recorded by its parent. */
void trace_capsules_fork(void);

#endif
