// SPDX-License-Identifier: MIT
/*
 * Places (devices/device.h) as Python objects keep them, and what convert asks of a runtime beyond
 * struct device_runtime. A runtime to convert to is one session_opener, one file
 * (worker/convert/x_session.c); the list is in device_session.c.
 */
#ifndef WORKER_CONVERT_DEVICE_SESSION_H
#define WORKER_CONVERT_DEVICE_SESSION_H

#include "worker/convert/exported.h"
#include "worker/worker.h"

struct session_opener {
	const char
		*runtime; /* struct device_runtime's name, and the word before --device's colon */
	const char *devices; /* DLPack's, separated by spaces: "oneapi" */
	/* Gives the session of a device: of text, what follows the colon, or (NULL) the default
	 * one.
	 */
	struct device_session *(*open)(const char *text, struct err *err);
	/* Gives the session of one of them; *stream is what to hand to __dlpack__ there, or NULL. A
	 * NULL function: their sessions are known by their memory alone. */
	struct device_session *(*open_device)(
		const struct device *device, PyObject **stream, struct err *err);
	/* Gives the session of the handle that DLTensor.data is; a NULL function: it is an address.
	 */
	struct device_session *(*open_memory)(uint64_t handle, struct err *err);
	/* Gives the session of a stream that the user named; NULL stream: a new one beside session.
	 */
	struct device_session *(*open_stream)(
		struct device_session *session, PyObject *stream, struct err *err);
	/* How DLPack names memory of the kind there; EXIT_TARGET, saying why, where it cannot. */
	int (*name_device)(struct device_session *session, enum memory_kind kind,
		struct device *device, struct err *err);
	/* Whether stream may be handed to __dlpack__ of memory there; -1 with an exception. */
	int (*check_stream)(PyObject *stream);
};

/* The opener of a runtime's name, or of a type of DLPack's devices (or NULL); NULL: there is none.
 */
const struct session_opener *session_opener_of(const char *runtime);
const struct session_opener *session_opener_of_device(const char *type);

/* Gives the session of a --device that is not cpu, such as "sycl:cpu"; *opener is whose. */
struct device_session *session_open(
	const char *device, const struct session_opener **opener, struct err *err);

/* Takes session: gives an object that closes it with its last reference. NULL with an exception. */
PyObject *session_ref_new(struct device_session *session);

/*
 * Gives memory for n_bytes, 1 at least, of a kind as an object that releases it with its last
 * reference; fills location and *address. Keeps session_ref, session's. NULL with err set.
 */
PyObject *session_allocate(struct device_session *session, PyObject *session_ref,
	enum memory_kind kind, int64_t n_bytes, struct memory_location *location, uint64_t *address,
	struct err *err);

#endif
