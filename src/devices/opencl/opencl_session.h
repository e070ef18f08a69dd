// SPDX-License-Identifier: MIT
/* An OpenCL session, internal to devices/opencl. */
#ifndef DEVICES_OPENCL_OPENCL_SESSION_H
#define DEVICES_OPENCL_OPENCL_SESSION_H

#include "copy/kernels/kernels.h"
#include "devices/device.h"
#include "devices/opencl/opencl_api.h"

/* A kernel, built for the session's context and device. */
struct opencl_kernel {
	const struct kernel *row;
	void *program, *kernel;
	bool is_cached; /* its binary is on disk */
	struct opencl_kernel *next;
};

struct opencl_session {
	struct device_session base;
	const struct opencl_api *api;
	struct opencl_usm usm;
	void *platform, *device, *context, *queue;
	void *memory; /* retained; NULL: the session of a device */
	struct opencl_kernel *kernels;
};

struct opencl_handles {
	void **items; /* NULL: none */
	uint32_t n_items;
};

/*
 * Give the platforms, and the devices of a platform, in clinfo's order (free items with free()).
 * Return OpenCL's status: unless it is 0, only items may be used, to free it.
 */
int opencl_platform_handles(const struct opencl_api *api, struct opencl_handles *platforms);
int opencl_device_handles(
	const struct opencl_api *api, void *platform, struct opencl_handles *devices);

/* What OpenCL reports about a device, as text and as a number; empty or 0 if it reports nothing. */
void opencl_device_text(
	const struct opencl_api *api, void *device, uint32_t name, char *text, size_t n_text);
uint64_t opencl_device_number(const struct opencl_api *api, void *device, uint32_t name);

/*
 * Gives the kernel, owned by the session: built once per session, its binary cached on disk. NULL
 * with err set (EXIT_UNAVAILABLE) if it cannot be built.
 */
struct opencl_kernel *opencl_kernel_get(
	struct opencl_session *session, const struct kernel *row, struct err *err);

/*
 * Caches the binaries of new kernels on disk. Call it after they have run: PoCL compiles at the
 * first launch, and only then its binary contains the result.
 */
void opencl_kernels_cache(struct opencl_session *session);

void opencl_kernels_free(struct opencl_session *session);

/* Functions of struct device_runtime. */
int opencl_copy(struct device_session *session, void *to, const void *from, size_t n_bytes,
	struct err *err);
int opencl_allocate(struct device_session *session, enum memory_kind kind, size_t n_bytes,
	struct device_pointer *pointer, struct err *err);
void opencl_release(struct device_session *session, struct device_pointer pointer);
int opencl_read(struct device_session *session, void *to, struct device_pointer from,
	size_t n_bytes, struct err *err);
int opencl_write(struct device_session *session, struct device_pointer to, const void *from,
	size_t n_bytes, struct err *err);
int opencl_map(struct device_session *session, struct device_pointer pointer, size_t n_bytes,
	enum device_access access, bool waits, void **host, struct err *err);
int opencl_unmap(struct device_session *session, struct device_pointer pointer, void *host,
	bool waits, struct err *err);
int opencl_move(struct device_session *session, struct device_pointer to,
	struct device_pointer from, size_t n_bytes, struct err *err);
int opencl_copy_strided(struct device_session *session, const struct copy_plan *plan,
	struct device_pointer to, struct device_pointer from, struct device_launch *launch,
	struct err *err);
int opencl_run_launch(struct device_session *session, const struct kernel_launch *launch,
	struct device_pointer to, struct device_pointer from, struct err *err);

#endif
