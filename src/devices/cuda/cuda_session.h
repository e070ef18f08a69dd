// SPDX-License-Identifier: MIT
/* A CUDA session, internal to devices/cuda. */
#ifndef DEVICES_CUDA_CUDA_SESSION_H
#define DEVICES_CUDA_CUDA_SESSION_H

#include "copy/kernels/kernels.h"
#include "devices/cuda/cuda.h"
#include "devices/cuda/cuda_api.h"
#include "devices/cuda/cuda_pointer.h"

struct cuda_session {
	struct device_session base;
	const struct cuda_api *api;
	void *context;               /* NULL: not required so far */
	int ordinal;                 /* of its device; -1: unknown */
	bool retained;               /* the primary context, which close releases */
	void *stream;                /* for copies; NULL: not required so far */
	bool borrows_stream;         /* the stream belongs to the caller */
	struct cuda_module *modules; /* loaded for kernels */
	bool has_producer;
	uint64_t producer; /* the stream to wait for */
};

/* Makes the session's context current until cuda_leave; finds or retains it first if necessary. */
int cuda_enter(struct cuda_session *session, struct err *err);
void cuda_leave(struct cuda_session *session);

/* Releases the primary context once if cuda_enter has retained it. */
void cuda_release_primary(const struct cuda_session *session);

/* The session's own stream; the session is entered. */
int cuda_session_stream(struct cuda_session *session, void **stream, struct err *err);

/* Starts the kernels of a plan on a stream without waiting for them; the session is entered. */
int cuda_launch_strided(struct cuda_session *session, const struct copy_plan *plan, uint64_t to,
	uint64_t from, void *stream, struct device_launch *result, struct err *err);

/* Unloads the kernels that copies have loaded; the session is entered. */
void cuda_unload_kernels(struct cuda_session *session);

/* Queries the driver about address. -1 with err set if the driver cannot answer any more. */
int cuda_pointer_query(const struct cuda_api *api, uint64_t address, struct cuda_pointer *pointer,
	struct err *err);

/* Functions of struct device_runtime. */
int cuda_locate(
	struct device_session *session, uint64_t address, struct memory *memory, struct err *err);
int cuda_wait(struct device_session *session, bool *waited, struct err *err);
int cuda_copy(struct device_session *session, void *to, const void *from, size_t n_bytes,
	struct err *err);
int cuda_allocate(struct device_session *session, enum memory_kind kind, size_t n_bytes,
	struct device_pointer *pointer, struct err *err);
void cuda_release(struct device_session *session, struct device_pointer pointer);
int cuda_read(struct device_session *session, void *to, struct device_pointer from, size_t n_bytes,
	struct err *err);
int cuda_write(struct device_session *session, struct device_pointer to, const void *from,
	size_t n_bytes, struct err *err);
int cuda_move(struct device_session *session, struct device_pointer to, struct device_pointer from,
	size_t n_bytes, struct err *err);
int cuda_copy_strided(struct device_session *session, const struct copy_plan *plan,
	struct device_pointer to, struct device_pointer from, struct device_launch *launch,
	struct err *err);
/* Starts one launch on a stream of the session, which is entered. */
int cuda_start_launch(struct cuda_session *session, const struct kernel_launch *launch, uint64_t to,
	uint64_t from, void *stream, struct err *err);
int cuda_run_launch(struct device_session *session, const struct kernel_launch *launch,
	struct device_pointer to, struct device_pointer from, struct err *err);

#endif
