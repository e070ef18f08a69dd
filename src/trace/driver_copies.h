// SPDX-License-Identifier: MIT
/*
 * What calls of the CUDA driver copy between host and device, or between devices. Copies within the
 * host or a device are not counted. Call without the lock of trace/lock.h.
 */
#ifndef TRACE_DRIVER_COPIES_H
#define TRACE_DRIVER_COPIES_H

#include "trace/record.h"

#include <stddef.h>
#include <stdint.h>

enum { TRACE_N_DIRECTIONS = TRACE_CUDA_WAIT - TRACE_CUDA_TO_DEVICE };

/* Functions of the driver that are looked up where libraries look up the others; NULL: none. */
struct copy_driver {
	int (*pointer_attribute)(void *value, int attribute, uintptr_t pointer);
	int (*device_count)(int *n_devices);
	int (*describe_array)(void *descriptor, void *array); /* cuArray3DGetDescriptor() */
};
extern struct copy_driver trace_copy_driver;

/* One copy. */
struct driver_copy {
	enum trace_kind kind; /* TRACE_N_KINDS: within the host or a device */
	uint64_t n_bytes;
};

/* Copies of one call, by direction: kinds from TRACE_CUDA_TO_DEVICE on. */
struct driver_copies {
	struct {
		uint64_t n_copies, n_bytes;
	} directions[TRACE_N_DIRECTIONS];
	uint64_t n_below; /* smaller than trace_memory.min_bytes, and not in directions */
};

/* Counts a copy unless it has no bytes, or is within the host or a device. */
void trace_copies_add(struct driver_copies *copies, struct driver_copy copy);

/* The direction follows from the addresses, whatever function copies: XLA passes pinned memory of
 * the host as device memory, for example. */
struct driver_copy trace_copy_between(uintptr_t target, uintptr_t source, uint64_t n_bytes);

/* Between memory and an array of the driver. */
struct driver_copy trace_copy_from_array(uintptr_t target, uint64_t n_bytes);
struct driver_copy trace_copy_to_array(uintptr_t source, uint64_t n_bytes);

/* CUDA_MEMCPY3D; CUDA_MEMCPY3D_PEER is read as one, as its other members are contexts. */
struct volume_side {
	size_t x, y, z, level;
	int memory_type;
	const void *host;
	uintptr_t device;
	void *array, *context; /* the context of CUDA_MEMCPY3D_PEER; otherwise reserved */
	size_t pitch, height;
};

struct volume_copy {
	struct volume_side source, target;
	size_t width_bytes, height, depth;
};

/* The copy that a CUDA_MEMCPY2D, or one of the above, describes. */
struct driver_copy trace_copy_of_plane(const void *plane);
struct driver_copy trace_copy_of_volume(const struct volume_copy *volume);

/* Counts the copies of n_copies CUDA_MEMCPY3D_BATCH_OP. */
void trace_copies_add_volumes(struct driver_copies *copies, const void *volumes, size_t n_copies);

#endif
