// SPDX-License-Identifier: MIT
/*
 * A device runtime (SYCL; later CUDA, OpenCL) as the truth checks and convert see it. A place is
 * where an object's memory lives: a queue or a context of one runtime, opened by worker/ from what
 * the object carries. Call nothing here with the GIL held: drivers call back into Python.
 */
#ifndef DEVICES_DEVICE_H
#define DEVICES_DEVICE_H

#include "base/error.h"
#include "model/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first member of each runtime's own place. */
struct device_place {
	const struct device_runtime *runtime;
};

struct device_runtime {
	const char *name; /* "sycl" */
	/*
	 * What is at address, in this place; and is [asked_low, asked_high) of memory, which
	 * memory_init() has set, within the same allocation? Reads no data. Memory that the runtime
	 * does not know is an answer: kind unknown. Whether a host loop may read it is
	 * memory->host_accessible.
	 */
	int (*locate)(struct device_place *place, uint64_t address, struct memory *memory,
		struct err *err);
	/* Waits for the producer's work. *waited false: the object names no queue to wait for. */
	int (*wait)(struct device_place *place, bool *waited, struct err *err);
	/* Copies between the host and the device, either way, and returns when it is done. */
	int (*copy)(struct device_place *place, void *to, const void *from, size_t n_bytes,
		struct err *err);
	/* Frees the place; NULL is nothing to do. */
	void (*close)(struct device_place *place);
};

#endif
