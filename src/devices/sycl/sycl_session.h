// SPDX-License-Identifier: MIT
/* A SYCL session, internal to devices/sycl. */
#ifndef DEVICES_SYCL_SYCL_SESSION_H
#define DEVICES_SYCL_SYCL_SESSION_H

#include "copy/kernels/kernels.h"
#include "devices/sycl/sycl.h"
#include "devices/sycl/sycl_api.h"

struct sycl_session {
	struct device_session base;
	const struct sycl_api *api;
	void *context;
	void *device; /* NULL: unknown so far, for a context */
	void *queue;  /* NULL: created by the first copy, for a context */
	bool queue_given, device_given;
	enum answer same_device; /* struct sycl_facts */
};

/* devices/sycl/sycl_device.c. */
void sycl_device_describe(
	const struct sycl_api *api, const void *device, struct sycl_device *facts);

/* Gives the default context of the device's platform, or NULL. */
void *sycl_device_default_context(const struct sycl_api *api, const void *device);

/* Gives the devices in the order of dpctl.get_devices() (free with free()). */
struct sycl_device *sycl_device_list(const struct sycl_api *api, size_t *n_devices);

/* Whether the device has USM: querying a context of one without it throws an uncaught exception. */
bool sycl_has_usm(const struct sycl_api *api, const void *device);

/* The kind of memory of a type of DPCTLUSM_GetPointerType. */
enum memory_kind sycl_usm_kind(int usm_type);

/* Gives the device of an address that is USM in the session, otherwise NULL; *kind is its kind. */
void *sycl_device_at(const struct sycl_session *session, uint64_t address, enum memory_kind *kind);

/*
 * The session's queue; that of a context is created on the device of the first of the two
 * addresses that is USM. NULL with err set (EXIT_UNAVAILABLE) if there is none.
 */
void *sycl_queue_for(
	struct sycl_session *session, const void *to, const void *from, struct err *err);

/* Functions of struct device_runtime. */
int sycl_locate(
	struct device_session *session, uint64_t address, struct memory *memory, struct err *err);
int sycl_copy(struct device_session *session, void *to, const void *from, size_t n_bytes,
	struct err *err);
int sycl_allocate(struct device_session *session, enum memory_kind kind, size_t n_bytes,
	struct device_pointer *pointer, struct err *err);
void sycl_release(struct device_session *session, struct device_pointer pointer);
int sycl_read(struct device_session *session, void *to, struct device_pointer from, size_t n_bytes,
	struct err *err);
int sycl_write(struct device_session *session, struct device_pointer to, const void *from,
	size_t n_bytes, struct err *err);
int sycl_move(struct device_session *session, struct device_pointer to, struct device_pointer from,
	size_t n_bytes, struct err *err);

/*
 * The kernel for the session's context and device, owned by the process: built once, from SPIR-V
 * if this build has it, otherwise from source, and tested on a few bytes. NULL with err set
 * (EXIT_UNAVAILABLE) if it is not available. SUAI_SYCL_KERNELS=source disables SPIR-V.
 */
void *sycl_kernel_get(struct sycl_session *session, const struct kernel *row, struct err *err);

/* Runs one launch on the session's queue and waits for it. */
int sycl_launch(struct sycl_session *session, void *kernel, const struct kernel_launch *launch,
	struct device_pointer to, struct device_pointer from, struct err *err);

int sycl_copy_strided(struct device_session *session, const struct copy_plan *plan,
	struct device_pointer to, struct device_pointer from, struct device_launch *launch,
	struct err *err);
int sycl_run_launch(struct device_session *session, const struct kernel_launch *launch,
	struct device_pointer to, struct device_pointer from, struct err *err);

/*
 * Gives a closed gate on the session's queue, in order or not, which blocks all work that is
 * submitted from then on. NULL with err set (EXIT_UNAVAILABLE) if its kernel cannot be built.
 */
struct gate *sycl_gate_shut(struct device_session *session, struct err *err);
void sycl_gate_end(struct device_session *session, struct gate *gate);

#endif
