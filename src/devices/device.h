// SPDX-License-Identifier: MIT
/*
 * A device runtime (SYCL, CUDA, OpenCL) as one table; devices/runtimes.h lists them. A session is a
 * queue or a context of one runtime, in which memory is located, allocated and copied. Call nothing
 * here with the GIL held: drivers call back into Python.
 */
#ifndef DEVICES_DEVICE_H
#define DEVICES_DEVICE_H

#include "base/error.h"
#include "copy/plan.h"
#include "facts/memory.h"
#include "model/job.h"
#include "model/value.h"

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

struct gate;          /* devices/gate.h */
struct kernel_launch; /* copy/kernels/kernels.h */

/* Memory that an interface declares. */
struct device_claim {
	int64_t device_id; /* DLPack's; -1: not declared */
	uint64_t address;  /* 0: not known */
	uint64_t handle;   /* of a runtime whose data_is_handle */
};

/* How consumers name a stream of the runtime in __dlpack__(stream=). */
enum device_stream_form {
	STREAM_NONE,   /* only None */
	STREAM_NUMBER, /* -1, or a number over 0 */
	STREAM_QUEUE,  /* an object of the runtime's package */
};

/* A stream, in the runtime's form. */
struct device_stream {
	uint64_t number;
	const void *queue; /* kept until the call returns */
};

/* The Python package that ships a runtime's library. */
struct device_package {
	const char *name;          /* "dpctl" */
	const char *queue_class;   /* of the package; called with a device's number it returns a
				    * queue */
	const char *queue_capsule; /* name of the capsule that the queue's _get_capsule() returns */
	/* Opens the library of the directory that the package is in. */
	int (*load_from)(const char *directory, struct err *err);
};

/*
 * Every function returns 0, or -1 with err set: EXIT_UNAVAILABLE where this machine or device lacks
 * the means, EXIT_TARGET where the driver refuses what it was given. read, write, move,
 * copy_strided and launch are done on return and are ordered after what wait has waited for.
 */
struct device_runtime {
	const char *name;             /* of --device and `suai devices` */
	const char *title;            /* as messages about streams name it: "oneAPI" */
	const char *device_types;     /* DLPack's, separated by spaces */
	const char *located_by;       /* memory's `by`, where locate answered */
	enum memory_kind device_kind; /* of the device's own memory, which allocate gives */
	enum device_stream_form stream_form;
	const char *streamless_type; /* a device type whose producers take no stream; or NULL */
	bool data_is_handle;         /* DLTensor.data is one, not an address */
	bool locates_data;           /* is asked about DLTensor.data, without byte_offset */
	bool reads_host_memory;      /* reads what it locates even where the host could */
	const struct device_package *package; /* NULL: the library is the system's */
	/* Opens the library, once; called before all that follows. EXIT_UNAVAILABLE with the reason
	 * where there is no library or no device. */
	int (*load)(struct err *err);
	/* Fills devices, which is null, in the arena. */
	int (*list)(struct arena *arena, struct fact_device_entry_list *devices, struct err *err);
	/* How many devices DLPack's device_id counts; NULL: not reported. */
	size_t (*count)(void);
	/* Gives the session of a device; NULL: the default one. NULL with err set, here and below.
	 */
	struct device_session *(*open)(const struct job_device *device, struct err *err);
	/* Gives the session of memory; it waits for the producer's work as consumers do for an
	 * interface that names no stream. */
	struct device_session *(*open_memory)(const struct device_claim *claim, struct err *err);
	/*
	 * Gives a session that runs on stream, which the caller keeps, or (NULL) on a new one on
	 * the device of beside or, where that is NULL, of device_id; *opened is the stream.
	 */
	struct device_session *(*open_stream)(struct device_session *beside, int64_t device_id,
		const struct device_stream *stream, struct device_stream *opened, struct err *err);
	/* How DLPack names memory of the kind there; EXIT_TARGET, with the reason, where it cannot.
	 */
	int (*name_device)(struct device_session *session, enum memory_kind kind,
		struct device *device, struct err *err);
	/* Whether the session's device is the processor, or not known; NULL: never. */
	bool (*is_cpu)(struct device_session *session);
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
	/* Gives a shut gate on the session's stream, behind which all work waits that is submitted
	 * from now on; and opens it, waits until the stream has passed it, and frees it. NULL
	 * functions: the runtime has none. */
	struct gate *(*gate_shut)(struct device_session *session, struct err *err);
	void (*gate_end)(struct device_session *session, struct gate *gate);
	/* Frees the session; NULL is nothing to do. */
	void (*close)(struct device_session *session);
};

#endif
