// SPDX-License-Identifier: MIT
/*
 * Memory of a device runtime for tracers, which the host can access too: USM shared and CUDA
 * managed memory. It has no guard pages. The process keeps one session for each runtime, and all
 * memory: objects that a consumer keeps may be read until the process ends.
 */
#ifndef WORKER_CONSUME_DEVICE_MEMORY_H
#define WORKER_CONSUME_DEVICE_MEMORY_H

#include "worker/consume/guarded.h"

#include "base/error.h"
#include "consumers/tensor_interface.h"
#include "devices/device.h"
#include "model/array.h"

/* guarded_map() in memory of interface: returns its session, which stays open. NULL with err set:
 * EXIT_UNAVAILABLE if this machine lacks the means. */
struct device_session *device_memory_map(const struct tensor_interface *interface,
	struct guarded *guarded, const struct guarded_request *request, struct err *err);

/* Waits for the work of a consumer with memory at address, as far as the runtime can: of CUDA, the
 * work that the legacy default stream waits for. */
void device_memory_wait(const struct device_session *session, uint64_t address);

/* DLPack's device_id of the memory of an array whose interface declares none, as the runtime
 * reports it; -1: unknown. */
int64_t device_memory_id(const struct array *array);

/* Gives a session that reads the elements of an array on a device, after the work that
 * device_memory_wait() waits for; NULL: they cannot be read. */
struct device_session *device_memory_open(const struct array *array);

#endif
