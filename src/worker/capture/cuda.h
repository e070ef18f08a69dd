// SPDX-License-Identifier: MIT
/* The parts of the CUDA capture: worker/cuda*.c. */
#ifndef WORKER_CAPTURE_CUDA_H
#define WORKER_CAPTURE_CUDA_H

#include "devices/cuda/cuda.h"
#include "model/array.h"
#include "worker/worker.h"

/*
 * Asks the CUDA driver for the memory of an interface that claims CUDA; the elements are at
 * [low, high), or low is the address alone. NULL, or why there is no answer.
 */
const char *cuda_ask_address(struct capture_context *context, struct value *interface,
	uint64_t address, uint64_t low, uint64_t high);

/*
 * Of host memory that the maps have told about: where somebody in this process uses CUDA and the
 * driver knows the address, its answer is put in front of theirs. Starts no driver.
 */
void cuda_refine_memory(struct memory *memory);

/*
 * The session of memory that an interface of cuda or DLPack declares; it waits for the stream that
 * the interface names or, where it cannot name one (version 2 and before, DLPack), for the legacy
 * default stream. NULL with err set.
 */
struct device_session *cuda_open_ordered(
	const struct value *interface, uint64_t address, struct err *err);

/* A stream on a CUDA device as the integer that __dlpack__ takes; it is destroyed by
 * keepalive_release(). NULL with the exception pending. */
PyObject *cuda_new_stream(struct capture_context *context, int64_t device);

/* Functions of struct capture. */
void cuda_ask_memory(struct capture_context *context, PyObject *object, struct value *interface);
struct device_session *cuda_open_session(
	struct capture_context *context, const struct value *interface, struct err *err);

#endif
