// SPDX-License-Identifier: MIT
/* The parts of the SYCL capture: worker/capture/sycl*.c. */
#ifndef WORKER_CAPTURE_SYCL_H
#define WORKER_CAPTURE_SYCL_H

#include "devices/sycl/sycl.h"
#include "worker/capture/capture.h"

/* A syclobj, and what is known about it without a driver. */
struct syclobj {
	PyObject *object; /* borrowed */
	PyObject *handle; /* new: the filter string or the capsule to resolve; NULL: none */
	const char *form; /* docs/facts.md */
	struct value *facts;
};

/* Fills handle, form and facts from object; calls _get_capsule() if it has one. */
void syclobj_read(struct arena *arena, struct syclobj *syclobj);

/* Functions of struct capture. */
void sycl_query_memory(
	struct capture_context *context, PyObject *object, struct fact_interface *interface);
struct device_session *sycl_open_session(
	struct capture_context *context, const struct fact_interface *interface, struct err *err);

#endif
