// SPDX-License-Identifier: MIT
/*
 * CUDA's devices as sessions: by ordinal, which is DLPack's device_id too, and by a stream, an
 * integer as the array API standard has it (2025.12, __dlpack__, stream).
 */
#include "devices/cuda/cuda.h"
#include "worker/convert/device_session.h"

#include <stdlib.h>

/* "1"; NULL is the device 0, as the CUDA runtime has it. */
static struct device_session *open_ordinal(const char *text, struct err *err)
{
	struct cuda_source source = { .device = text ? strtol(text, NULL, 10) : 0 };
	struct device_session *session = NULL;
	struct cuda_device *devices = NULL;
	size_t n_devices = 0;

	WITHOUT_GIL(if (!cuda_load(err)) devices = cuda_find_devices(&n_devices, err));
	if (!devices)
		return NULL;
	free(devices);
	if (source.device < 0 || (uint64_t)source.device >= n_devices)
		err_set(err, EXIT_UNAVAILABLE,
			"the CUDA driver sees %zu devices, and none is cuda:%s", n_devices, text);
	else
		WITHOUT_GIL(session = cuda_open(&source, err));
	return session;
}

/* Pinned memory is the host's, and its producers take no stream. */
static struct device_session *open_device(
	const struct device *device, PyObject **stream, struct err *err)
{
	struct device_session *session;
	uint64_t handle;

	WITHOUT_GIL(session = cuda_open_stream(device->id < 0 ? 0 : device->id, 0, &handle, err));
	if (session && device_type_code(device->type) != device_type_code("cuda_host"))
		*stream = PyLong_FromUnsignedLongLong(handle);
	PyErr_Clear();
	return session;
}

static struct device_session *open_stream(
	struct device_session *session, PyObject *stream, struct err *err)
{
	struct device_session *beside = NULL;
	uint64_t handle = 0;

	if (stream)
		handle = PyLong_Check(stream) ? PyLong_AsUnsignedLongLong(stream) : 0;
	if (stream && (PyErr_Occurred() || !handle)) {
		PyErr_Clear();
		err_set(err, EXIT_TARGET,
			"a stream of CUDA is 1, 2 or the handle of a stream, an int");
		return NULL;
	}
	WITHOUT_GIL(beside = cuda_open_stream(cuda_session_device(session), handle, &handle, err));
	return beside;
}

static int name_device(struct device_session *session, enum memory_kind kind, struct device *device,
	struct err *err)
{
	(void)err;
	if (kind == MEMORY_MANAGED)
		*device = (struct device){ "cuda_managed", 0 };
	else if (kind == MEMORY_PINNED || kind == MEMORY_REGISTERED)
		*device = (struct device){ "cuda_host", 0 };
	else
		*device = (struct device){ "cuda", cuda_session_device(session) };
	return 0;
}

static int check_stream(PyObject *stream)
{
	int overflow;
	long long number;

	if (!PyLong_Check(stream)) {
		PyErr_SetString(PyExc_TypeError, "on CUDA stream must be None or an int");
		return -1;
	}
	number = PyLong_AsLongLongAndOverflow(stream, &overflow);
	if (!overflow && number != 0 && number >= -1)
		return 0;
	PyErr_SetString(PyExc_ValueError,
		"on CUDA stream must be -1, 1, 2 or the handle of a stream: 0 is ambiguous");
	return -1;
}

extern const struct session_opener cuda_session_opener;

const struct session_opener cuda_session_opener = {
	.runtime = "cuda",
	.devices = "cuda cuda_managed cuda_host",
	.open = open_ordinal,
	.open_device = open_device,
	.open_stream = open_stream,
	.name_device = name_device,
	.check_stream = check_stream,
};
