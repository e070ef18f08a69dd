// SPDX-License-Identifier: MIT
/*
 * A device runtime (SYCL, CUDA, OpenCL) as the truth checks and convert see it. A session is
 * where an object's memory lives: a queue or a context of one runtime, opened by worker/ from what
 * the object carries. Call nothing here with the GIL held: drivers call back into Python.
 */
#ifndef DEVICES_DEVICE_H
#define DEVICES_DEVICE_H

#include "base/error.h"
#include "copy/plan.h"
#include "facts/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first member of each runtime's own session. */
struct device_session {
	const struct device_runtime *runtime;
	bool maps; /* the memory of its handles is the host's, once it is mapped */
};

/* Where bytes are on a device: an address, or a runtime's handle (OpenCL's cl_mem) and an offset
 * into it in address. */
struct device_pointer {
	uint64_t handle;
	uint64_t address;
};

/* What a strided copy ran. */
struct device_launch {
	const char *kernel; /* of kernels.list: "transpose4"; of the copy's largest part */
	int item_bytes; /* of the kernel's elements, which may be wider or narrower than the plan's
			 */
	int n_launches;
};

/* What the host's loops do with memory that is mapped: DEVICE_FILL writes every byte of it. */
enum device_access { DEVICE_READ, DEVICE_WRITE, DEVICE_FILL };

struct kernel_launch; /* copy/kernels/kernels.h */

/*
 * Every function returns 0, or -1 with err set: EXIT_UNAVAILABLE where this machine or device lacks
 * the means, EXIT_TARGET where the driver refuses what it was given. read, write, move,
 * copy_strided and launch are done on return and are ordered after what wait has waited for.
 */
struct device_runtime {
	const char *name;             /* "sycl" */
	enum memory_kind device_kind; /* of the device's own memory, which allocate gives */
	/*
	 * What is at address, in this session; and is [asked_low, asked_high) of memory, which
	 * memory_init() has set, within the same allocation? Reads no data. Memory that the runtime
	 * does not know is an answer: kind unknown. Whether a host loop may read it is
	 * memory->host_accessible.
	 */
	int (*locate)(struct device_session *session, uint64_t address, struct memory *memory,
		struct err *err);
	/* Waits for the producer's work. *waited false: the object names no queue to wait for. */
	int (*wait)(struct device_session *session, bool *waited, struct err *err);
	/* Copies between the host and the device, either way, and returns when it is done. */
	int (*copy)(struct device_session *session, void *to, const void *from, size_t n_bytes,
		struct err *err);
	/*
	 * Gives memory of a kind that the runtime has (EXIT_UNAVAILABLE for others), aligned to 64
	 * bytes at least; n_bytes is over 0. Free it with release, before close.
	 */
	int (*allocate)(struct device_session *session, enum memory_kind kind, size_t n_bytes,
		struct device_pointer *pointer, struct err *err);
	void (*release)(struct device_session *session, struct device_pointer pointer);
	/* Device to host, host to device, and within the session. */
	int (*read)(struct device_session *session, void *to, struct device_pointer from,
		size_t n_bytes, struct err *err);
	int (*write)(struct device_session *session, struct device_pointer to, const void *from,
		size_t n_bytes, struct err *err);
	int (*move)(struct device_session *session, struct device_pointer to,
		struct device_pointer from, size_t n_bytes, struct err *err);
	/*
	 * Maps n_bytes, which are over 0, of a handle's memory of a session that maps: the host has
	 * them at *host until unmap. EXIT_UNAVAILABLE where the runtime refuses. Without waits both
	 * are done when the next call for the session that does wait is.
	 */
	int (*map)(struct device_session *session, struct device_pointer pointer, size_t n_bytes,
		enum device_access access, bool waits, void **host, struct err *err);
	int (*unmap)(struct device_session *session, struct device_pointer pointer, void *host,
		bool waits, struct err *err);
	/*
	 * Copies by the plan with kernels on the device; to and from are where element 0,0,... of
	 * both sides is. EXIT_UNAVAILABLE where no kernel can be had, and nothing was written: the
	 * caller falls back, and says so.
	 */
	int (*copy_strided)(struct device_session *session, const struct copy_plan *plan,
		struct device_pointer to, struct device_pointer from, struct device_launch *launch,
		struct err *err);
	/*
	 * Runs a kernel; its arguments' offsets are from to and from, which may be the same memory.
	 * EXIT_UNAVAILABLE where it cannot be had, and nothing was written.
	 */
	int (*launch)(struct device_session *session, const struct kernel_launch *launch,
		struct device_pointer to, struct device_pointer from, struct err *err);
	/* Frees the session; NULL is nothing to do. */
	void (*close)(struct device_session *session);
};

#endif
