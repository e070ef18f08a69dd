// SPDX-License-Identifier: MIT
/*
 * OpenCL's devices as sessions: by clinfo's numbers, and by the cl_mem of DLPack's kDLOpenCL, which
 * names no queue. device_id, which nobody defines, is the position in clinfo's list.
 */
#include "devices/opencl/opencl.h"
#include "worker/convert/device_session.h"

#include <stdio.h>
#include <stdlib.h>

static int load(struct err *err)
{
	int rc;

	WITHOUT_GIL(rc = opencl_load(err));
	return rc;
}

/* The numbers of the device at position, which a report tells. */
static int find_numbers(int position, int *platform, int *device, struct err *err)
{
	size_t n_devices = 0;
	struct opencl_device *devices;
	int rc = -1;

	WITHOUT_GIL(devices = opencl_find_devices(&n_devices, err));
	if (!devices)
		return -1;
	if (position < 0 || (size_t)position >= n_devices)
		err_set(err, EXIT_UNAVAILABLE, "OpenCL has %zu devices", n_devices);
	else if (sscanf(devices[position].filter, "opencl:%d.%d", platform, device) == 2)
		rc = 0;
	free(devices);
	return rc;
}

/* "0.1", or a position; NULL is the first device of the first platform. */
static struct device_session *open_numbers(const char *text, struct err *err)
{
	struct device_session *session;
	int platform = 0, device = 0;
	int n_numbers = text ? sscanf(text, "%d.%d", &platform, &device) : 2;

	if (n_numbers < 1) {
		err_set(err, EXIT_UNAVAILABLE, "'%s' is no number of an OpenCL device", text);
		return NULL;
	}
	if (load(err) || (n_numbers == 1 && find_numbers(platform, &platform, &device, err)))
		return NULL;
	WITHOUT_GIL(session = opencl_open_device(platform, device, err));
	return session;
}

static struct device_session *open_memory(uint64_t handle, struct err *err)
{
	struct device_session *session;

	if (load(err))
		return NULL;
	WITHOUT_GIL(session = opencl_open_memory(handle, err));
	return session;
}

static struct device_session *open_stream(
	struct device_session *session, PyObject *stream, struct err *err)
{
	(void)session;
	(void)stream;
	err_set(err, EXIT_USAGE,
		"--stream: OpenCL memory has none in DLPack, and is complete when convert ends; leave it "
		"out");
	return NULL;
}

static int name_device(struct device_session *session, enum memory_kind kind, struct device *device,
	struct err *err)
{
	(void)kind;
	device->type = "opencl";
	WITHOUT_GIL(device->id = opencl_session_position(session));
	if (device->id >= 0)
		return 0;
	return err_set(err, EXIT_TARGET, "the OpenCL device is a part of one, or no longer there");
}

static int check_stream(PyObject *stream)
{
	(void)stream;
	PyErr_SetString(PyExc_ValueError, "on OpenCL stream must be None");
	return -1;
}

extern const struct session_opener opencl_session_opener;

const struct session_opener opencl_session_opener = {
	.runtime = "opencl",
	.devices = "opencl",
	.open = open_numbers,
	.open_memory = open_memory,
	.open_stream = open_stream,
	.name_device = name_device,
	.check_stream = check_stream,
};
