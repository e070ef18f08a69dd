// SPDX-License-Identifier: MIT
/* Sessions of device runtimes (devices/device.h), their memory and their streams as Python objects.
 */
#ifndef WORKER_MEMORY_DEVICE_SESSION_H
#define WORKER_MEMORY_DEVICE_SESSION_H

#include "devices/runtimes.h"
#include "devices/transfer.h"
#include "worker/python/python.h"

/* Gives the session of a --device other than cpu, such as "sycl:cpu". NULL with err set. */
struct device_session *session_open(
	const char *runtime, const struct job_device *device, struct err *err);

/* Gives the session of one of DLPack's devices; *stream is what to pass to __dlpack__ there, or
 * NULL. NULL with err set. */
struct device_session *session_open_device(const struct device_runtime *runtime,
	const struct device *device, PyObject **stream, struct err *err);

/* Gives the session of a handle in DLTensor.data. NULL with err set. */
struct device_session *session_open_handle(
	const struct device_runtime *runtime, uint64_t handle, struct err *err);

/* Gives the session of a stream that the user named; NULL stream: a new one on the device of
 * session. NULL with err set. */
struct device_session *session_open_stream(
	struct device_session *session, PyObject *stream, struct err *err);

/* The DLPack device of memory of the kind there; EXIT_TARGET, with the reason, if there is none. */
int session_name_device(struct device_session *session, enum memory_kind kind,
	struct device *device, struct err *err);

/* Whether stream, not None, may be passed to __dlpack__ of the runtime's memory; -1 with an
 * exception. */
int session_check_stream(const struct device_runtime *runtime, PyObject *stream);

/* Takes session: gives an object that closes it with its last reference. NULL with an exception. */
PyObject *session_ref_new(struct device_session *session);

/* Whether the host can access n_bytes at pointer, as the runtime reports. Call without the GIL. */
bool session_host_reaches(
	struct device_session *session, struct device_pointer pointer, int64_t n_bytes);

/* Memory that was allocated in a session. */
struct session_memory {
	PyObject *owner; /* releases the memory with its last reference */
	struct memory_location location;
	uint64_t address; /* with a handle in location: the offset into its memory */
};

/*
 * Gives memory->owner: memory of a kind for n_bytes, or for 1 if that is less. The owner keeps
 * session_ref, which is that of session. -1 with err set.
 */
int session_allocate(struct device_session *session, PyObject *session_ref, enum memory_kind kind,
	int64_t n_bytes, struct session_memory *memory, struct err *err);

#endif
