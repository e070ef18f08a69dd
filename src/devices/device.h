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
#include "facts/facts.h"
#include "model/job.h"
#include "model/value.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first member of the session of each runtime. */
struct device_session {
	const struct device_runtime *runtime;
	bool maps; /* the host can access memory behind its handles while it is mapped */
};

/*
 * The location of bytes on a device: an address; or a handle of the runtime (OpenCL's cl_mem),
 * with address as the offset into it.
 */
struct device_pointer {
	uint64_t handle;
	uint64_t address;
};

/* The kernels that a strided copy ran. */
struct device_launch {
	const char *kernel; /* name in kernels.list ("transpose4") of the one that copied most */
	int item_bytes; /* of the kernel's elements, which may be wider or narrower than those of
			   the plan */
	int n_launches;
};

/* Counts a launch of a copy, the first of which copies most: see kernel_launches(). */
static inline void device_launch_add(
	struct device_launch *launch, const char *kernel, int item_bytes)
{
	if (launch->n_launches++)
		return;
	launch->kernel = kernel;
	launch->item_bytes = item_bytes;
}

/* How the host accesses mapped memory; DEVICE_FILL: writes every byte of it. */
enum device_access { DEVICE_READ, DEVICE_WRITE, DEVICE_FILL };

struct gate;          /* devices/gate.h */
struct kernel_launch; /* copy/kernels/kernels.h */

/* Memory that an interface declares. */
struct device_claim {
	int64_t device_id; /* DLPack's; -1: not declared */
	uint64_t address;  /* 0: unknown */
	uint64_t handle;   /* of a runtime with data_is_handle */
};

/* How consumers name a stream of the runtime in __dlpack__(stream=). */
enum device_stream_form {
	STREAM_NONE,   /* only None */
	STREAM_NUMBER, /* -1, or a positive number */
	STREAM_QUEUE,  /* an object of the runtime's package */
};

/* A stream, in the form of the runtime. */
struct device_stream {
	uint64_t number;
	const void *queue; /* borrowed until the call returns */
};

/* The Python package that contains the library of a runtime. */
struct device_package {
	const char *name;          /* "dpctl" */
	const char *queue_class;   /* class in the package; called with the number of a device, it
				      returns a queue */
	const char *queue_capsule; /* name of the capsule that _get_capsule() of a queue returns */
	/* Opens the library below the directory of the package. */
	int (*load_from)(const char *directory, struct err *err);
};

/*
 * Every function returns 0, or -1 with err set: EXIT_UNAVAILABLE if this machine or device lacks
 * the means, EXIT_TARGET if the driver rejects an argument. read, write, move, copy_strided and
 * launch have completed on return and are ordered after the work that wait has waited for.
 */
struct device_runtime {
	const char *name;             /* in --device and `suai devices` */
	const char *title;            /* name in messages about streams: "oneAPI" */
	const char *device_types;     /* DLPack's, separated by spaces */
	const char *located_by;       /* value of `by` in memory that locate found */
	enum memory_kind device_kind; /* kind of the device's own memory, which allocate returns */
	enum device_stream_form stream_form;
	const char *streamless_type; /* a device type whose producers take no stream, or NULL */
	bool data_is_handle;         /* DLTensor.data is a handle, not an address */
	bool locates_data;           /* memory is looked up by DLTensor.data without byte_offset */
	bool reads_host_memory;      /* the runtime reads located memory even if the host could */
	const struct device_package *package; /* NULL: the library is installed in the system */
	/*
	 * Opens the library, once, before any other call. EXIT_UNAVAILABLE with the reason if
	 * there is no library or no device.
	 */
	int (*load)(struct err *err);
	/* Fills devices, which is null, in the arena. */
	int (*list)(struct arena *arena, struct fact_device_entry_list *devices, struct err *err);
	/* The number of devices that DLPack's device_id counts; NULL: not reported. */
	size_t (*count)(void);
	/*
	 * Gives the session of a device; NULL: of the default device. NULL with err set, here and
	 * below.
	 */
	struct device_session *(*open)(const struct job_device *device, struct err *err);
	/*
	 * Gives the session of memory; it waits for the producer's work as consumers do for an
	 * interface without a stream.
	 */
	struct device_session *(*open_memory)(const struct device_claim *claim, struct err *err);
	/*
	 * Gives a session on stream, which stays the caller's, or if that is NULL on a new stream
	 * on the device of neighbour, or if that is NULL too, of device_id, which a runtime of
	 * STREAM_QUEUE does not support. *opened is the stream.
	 */
	struct device_session *(*open_stream)(struct device_session *neighbour, int64_t device_id,
		const struct device_stream *stream, struct device_stream *opened, struct err *err);
	/*
	 * DLPack's name for memory of the kind in this session; EXIT_TARGET with the reason if
	 * there is none.
	 */
	int (*name_device)(struct device_session *session, enum memory_kind kind,
		struct device *device, struct err *err);
	/* Whether the device of the session is the processor or unknown; NULL: never. */
	bool (*is_cpu)(struct device_session *session);
	/*
	 * Looks up address in this session, and whether [asked_low, asked_high) of memory, which
	 * the caller sets, is within the same allocation. Reads no data. Memory unknown to the
	 * runtime is not an error: its kind is unknown. memory->host_accessible states whether
	 * the host may read it.
	 */
	int (*locate)(struct device_session *session, uint64_t address, struct memory *memory,
		struct err *err);
	/*
	 * Waits for the producer's work. *waited false: the object declares no queue to wait for.
	 */
	int (*wait)(struct device_session *session, bool *waited, struct err *err);
	/* Copies between host and device in either direction; returns on completion. */
	int (*copy)(struct device_session *session, void *to, const void *from, size_t n_bytes,
		struct err *err);
	/*
	 * Gives memory of a kind that the runtime supports (EXIT_UNAVAILABLE for others), aligned
	 * to at least 64 bytes; n_bytes is positive. Free it with release, before close.
	 */
	int (*allocate)(struct device_session *session, enum memory_kind kind, size_t n_bytes,
		struct device_pointer *pointer, struct err *err);
	void (*release)(struct device_session *session, struct device_pointer pointer);
	/* Copies from device to host, from host to device, and within the session. */
	int (*read)(struct device_session *session, void *to, struct device_pointer from,
		size_t n_bytes, struct err *err);
	int (*write)(struct device_session *session, struct device_pointer to, const void *from,
		size_t n_bytes, struct err *err);
	int (*move)(struct device_session *session, struct device_pointer to,
		struct device_pointer from, size_t n_bytes, struct err *err);
	/*
	 * Maps n_bytes, a positive number, of the memory of a handle, in a session whose maps is
	 * true: the host can access them at *host until unmap. EXIT_UNAVAILABLE if the runtime
	 * refuses. Without waits, map and unmap have completed when the next waiting call for the
	 * session has.
	 */
	int (*map)(struct device_session *session, struct device_pointer pointer, size_t n_bytes,
		enum device_access access, bool waits, void **host, struct err *err);
	int (*unmap)(struct device_session *session, struct device_pointer pointer, void *host,
		bool waits, struct err *err);
	/*
	 * Copies according to the plan with kernels on the device; to and from are the addresses
	 * of element 0,0,... on both sides. EXIT_UNAVAILABLE, with nothing written, if no kernel
	 * is available: the caller falls back and reports it.
	 */
	int (*copy_strided)(struct device_session *session, const struct copy_plan *plan,
		struct device_pointer to, struct device_pointer from, struct device_launch *launch,
		struct err *err);
	/*
	 * Runs a kernel; the offsets in its arguments are relative to to and from, which may be
	 * the same memory. EXIT_UNAVAILABLE, with nothing written, if the kernel is not
	 * available.
	 */
	int (*launch)(struct device_session *session, const struct kernel_launch *launch,
		struct device_pointer to, struct device_pointer from, struct err *err);
	/*
	 * gate_shut gives a closed gate on the session's stream, which blocks all work that is
	 * submitted from then on. gate_end opens it, waits until the stream has passed it, and
	 * frees it. NULL: the runtime has no gates.
	 */
	struct gate *(*gate_shut)(struct device_session *session, struct err *err);
	void (*gate_end)(struct device_session *session, struct gate *gate);
	/* Submits a copy of the bytes to address behind the gate. NULL: no copy can be pending
	 * there. */
	int (*write_behind)(struct device_session *session, struct gate *gate, uint64_t address,
		const void *bytes, size_t n_bytes, struct err *err);
	/* Frees the session; accepts NULL. */
	void (*close)(struct device_session *session);
};

#endif
