// SPDX-License-Identifier: MIT
/* The parts of the SYCL capture: worker/sycl*.c. */
#ifndef WORKER_CAPTURE_SYCL_H
#define WORKER_CAPTURE_SYCL_H

#include "devices/sycl/sycl.h"
#include "worker/worker.h"

#define QUEUE_CAPSULE "SyclQueueRef"
#define CONTEXT_CAPSULE "SyclContextRef"

/* A syclobj, and what is known of it without a driver. */
struct syclobj {
	PyObject *object; /* borrowed */
	PyObject *handle; /* new: the filter string or the capsule to resolve; NULL: none */
	const char *form; /* docs/facts.md */
	struct value *facts;
};

/* Fills handle, form and facts from object; calls _get_capsule() where there is one. */
void syclobj_read(struct arena *arena, struct syclobj *syclobj);

/*
 * Loads dpctl's C library: of this process or, by importing dpctl, of this interpreter. Called
 * often, tries once. EXIT_UNAVAILABLE where it cannot be.
 */
int sycl_runtime_load(struct err *err);

/*
 * Asks the USM runtime for the memory of an interface that names the device of this position in
 * dpctl.get_devices(), as DLPack's kDLOneAPI does, and tells the number of devices in details.
 * NULL, or why there is no answer.
 */
const char *sycl_ask_position(
	struct capture_context *context, int64_t position, struct value *interface);

/* Gives the session of that device, in the default context of its platform; NULL with err set. */
struct device_session *sycl_open_position(int64_t position, struct err *err);

/* The aspects that element types ask for and the device has: fp16, fp64. */
struct value *sycl_aspects(struct arena *arena, const struct sycl_device *device);

/* Functions of struct capture. */
void sycl_ask_memory(struct capture_context *context, PyObject *object, struct value *interface);
struct device_session *sycl_open_session(
	struct capture_context *context, const struct value *interface, struct err *err);

#endif
