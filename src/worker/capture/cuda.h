// SPDX-License-Identifier: MIT
/* The parts of the CUDA capture: worker/capture/cuda*.c. */
#ifndef WORKER_CAPTURE_CUDA_H
#define WORKER_CAPTURE_CUDA_H

#include "devices/cuda/cuda.h"
#include "model/array.h"
#include "worker/capture/capture.h"

/*
 * Refines the kind of host memory that /proc/self/maps reported: if this process uses CUDA and the
 * driver knows the address, the driver's kind replaces it. Does not initialize the driver.
 */
void cuda_refine_memory(struct memory *memory);

/* A stream on a CUDA device as the integer that __dlpack__ takes; it is destroyed by
 * keepalive_release(). NULL with the exception pending. */
PyObject *cuda_new_stream(struct capture_context *context, int64_t device);

/* Functions of struct capture. */
void cuda_query_memory(
	struct capture_context *context, PyObject *object, struct fact_interface *interface);
struct device_session *cuda_open_session(
	struct capture_context *context, const struct fact_interface *interface, struct err *err);

#endif
