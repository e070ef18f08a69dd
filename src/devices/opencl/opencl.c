// SPDX-License-Identifier: MIT
/* OpenCL sessions: of a cl_mem that a producer declares, and of a device that suai chooses. */
#include "devices/opencl/opencl.h"

#include "base/memory.h"
#include "devices/opencl/opencl_session.h"
#include "devices/runtimes.h"

#include <stdio.h>
#include <stdlib.h>

static const struct opencl_api *api;

int opencl_load(struct err *err)
{
	api = opencl_api_open(err);
	return api ? 0 : -1;
}

bool opencl_is_cpu(const struct device_session *base)
{
	const struct opencl_session *session = (const struct opencl_session *)base;

	return opencl_device_number(api, session->device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU;
}

static void opencl_close(struct device_session *base)
{
	struct opencl_session *session = (struct opencl_session *)base;

	if (!session)
		return;
	opencl_kernels_free(session);
	if (session->queue)
		api->clReleaseCommandQueue(session->queue);
	if (session->memory)
		api->clReleaseMemObject(session->memory);
	if (session->context)
		api->clReleaseContext(session->context);
	free(session);
}

static enum answer is_below(uint64_t offset, uint64_t size)
{
	return offset < size ? ANSWER_YES : ANSWER_NO;
}

static int locate_buffer(const struct opencl_session *session, uint64_t offset,
	struct memory *memory, struct err *err)
{
	size_t size = 0;
	int status =
		api->clGetMemObjectInfo(session->memory, CL_MEM_SIZE, sizeof(size), &size, NULL);

	if (status)
		return opencl_fail(err, EXIT_TARGET, "clGetMemObjectInfo", status);
	memory->how = "exact";
	memory->kind = MEMORY_OPENCL_BUFFER;
	memory->size = size;
	memory->device_pointer = offset;
	memory->managed = ANSWER_NO;
	memory->host_accessible = ANSWER_NO;
	if (memory->asked_low < memory->asked_high) {
		memory->low_inside = is_below(memory->asked_low, size);
		memory->high_inside = is_below(memory->asked_high - 1, size);
	}
	return 0;
}

static enum memory_kind usm_kind(uint32_t type)
{
	switch (type) {
	case CL_MEM_TYPE_HOST_INTEL:
		return MEMORY_USM_HOST;
	case CL_MEM_TYPE_DEVICE_INTEL:
		return MEMORY_USM_DEVICE;
	case CL_MEM_TYPE_SHARED_INTEL:
		return MEMORY_USM_SHARED;
	default:
		return MEMORY_UNKNOWN;
	}
}

static void locate_usm(
	const struct opencl_session *session, uint64_t address, struct memory *memory)
{
	const void *pointer = (const void *)(uintptr_t)address;
	void *base = NULL;
	size_t size = 0;
	uint32_t type = 0;

	if (!session->usm.clGetMemAllocInfoINTEL ||
		session->usm.clGetMemAllocInfoINTEL(session->context, pointer,
			CL_MEM_ALLOC_TYPE_INTEL, sizeof(type), &type, NULL))
		return;
	memory->kind = usm_kind(type);
	if (memory->kind == MEMORY_UNKNOWN)
		return;
	session->usm.clGetMemAllocInfoINTEL(
		session->context, pointer, CL_MEM_ALLOC_BASE_PTR_INTEL, sizeof(base), &base, NULL);
	session->usm.clGetMemAllocInfoINTEL(
		session->context, pointer, CL_MEM_ALLOC_SIZE_INTEL, sizeof(size), &size, NULL);
	memory->how = "exact";
	memory->base = (uintptr_t)base;
	memory->size = size;
	memory->device_pointer = address;
	memory->managed = memory->kind == MEMORY_USM_SHARED ? ANSWER_YES : ANSWER_NO;
	memory->host_accessible = memory->kind != MEMORY_USM_DEVICE || opencl_is_cpu(&session->base)
					  ? ANSWER_YES
					  : ANSWER_NO;
	if (memory->asked_low < memory->asked_high) {
		memory->low_inside = is_below(memory->asked_low - memory->base, size);
		memory->high_inside = is_below(memory->asked_high - 1 - memory->base, size);
	}
}

static int opencl_locate(
	struct device_session *base, uint64_t address, struct memory *memory, struct err *err)
{
	const struct opencl_session *session = (const struct opencl_session *)base;

	memory->by = "opencl";
	snprintf(memory->context, sizeof(memory->context), "%p", session->context);
	opencl_device_text(api, session->device, CL_DEVICE_NAME, memory->device_name,
		sizeof(memory->device_name));
	if (session->memory)
		return locate_buffer(session, address, memory, err);
	locate_usm(session, address, memory);
	return 0;
}

/* A cl_mem has no queue: its producer must have finished. */
static int opencl_wait(struct device_session *base, bool *waited, struct err *err)
{
	(void)base;
	(void)err;
	*waited = false;
	return 0;
}

/* Fills in what a session requires in addition to its device and context. */
static int complete_session(struct opencl_session *session, struct err *err)
{
	int status = api->clGetDeviceInfo(session->device, CL_DEVICE_PLATFORM,
		sizeof(session->platform), &session->platform, NULL);

	if (status)
		return opencl_fail(err, EXIT_UNAVAILABLE, "clGetDeviceInfo", status);
	opencl_usm_fill(api, session->platform, &session->usm);
	session->base.maps = opencl_is_cpu(&session->base);
	session->queue = api->clCreateCommandQueue(session->context, session->device, 0, &status);
	return session->queue ? 0
			      : opencl_fail(err, EXIT_UNAVAILABLE, "clCreateCommandQueue", status);
}

/* The first device of a context. *status: that of the query. */
static void *first_device(void *context, int *status)
{
	void **devices, *first;
	size_t n_bytes = 0;

	*status = api->clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, NULL, &n_bytes);
	if (*status || n_bytes < sizeof(first))
		return NULL;
	devices = mem_alloc(n_bytes);
	*status =
		api->clGetContextInfo(context, CL_CONTEXT_DEVICES, n_bytes, (void *)devices, NULL);
	first = devices[0];
	free(devices);
	return first;
}

static int open_memory(struct opencl_session *session, void *memory, struct err *err)
{
	void *context = NULL;
	uint32_t type = 0;
	int status = api->clGetMemObjectInfo(memory, CL_MEM_TYPE, sizeof(type), &type, NULL);

	if (!status)
		status = api->clGetMemObjectInfo(
			memory, CL_MEM_CONTEXT, sizeof(context), (void *)&context, NULL);
	if (status)
		return opencl_fail(err, EXIT_TARGET, "clGetMemObjectInfo", status);
	if (type != CL_MEM_OBJECT_BUFFER)
		return err_set(err, EXIT_TARGET, "the cl_mem is an image or a pipe, not a buffer");
	status = api->clRetainMemObject(memory);
	if (status)
		return opencl_fail(err, EXIT_TARGET, "clRetainMemObject", status);
	session->memory = memory;
	status = api->clRetainContext(context);
	if (status)
		return opencl_fail(err, EXIT_TARGET, "clRetainContext", status);
	session->context = context;
	session->device = first_device(context, &status);
	if (status)
		return opencl_fail(err, EXIT_TARGET, "clGetContextInfo", status);
	if (!session->device)
		return err_set(err, EXIT_TARGET, "the context of the cl_mem has no devices");
	return complete_session(session, err);
}

/* The device with these of clinfo's numbers; NULL: none. *status: that of the queries. */
static void *device_at(int platform, int device, int *status)
{
	struct opencl_handles platforms, devices = { 0 };
	void *found = NULL;

	*status = opencl_platform_handles(api, &platforms);
	if (!*status && platform >= 0 && (uint32_t)platform < platforms.n_items)
		*status = opencl_device_handles(api, platforms.items[platform], &devices);
	if (!*status && device >= 0 && (uint32_t)device < devices.n_items)
		found = devices.items[device];
	free(devices.items);
	free(platforms.items);
	return found;
}

static int open_device(struct opencl_session *session, int platform, int device, struct err *err)
{
	int status;

	session->device = device_at(platform, device, &status);
	if (!session->device)
		return err_set(err, EXIT_UNAVAILABLE, "no OpenCL device %d.%d%s%s", platform,
			device, status ? ": " : "", status ? opencl_status_name(status).text : "");
	session->context = api->clCreateContext(NULL, 1, &session->device, NULL, NULL, &status);
	if (!session->context)
		return opencl_fail(err, EXIT_UNAVAILABLE, "clCreateContext", status);
	return complete_session(session, err);
}

static struct opencl_session *new_session(void)
{
	struct opencl_session *session = mem_alloc(sizeof(*session));

	*session = (struct opencl_session){ .base.runtime = &opencl_runtime, .api = api };
	return session;
}

struct device_session *opencl_open_memory(uint64_t memory, struct err *err)
{
	struct opencl_session *session = new_session();

	if (!open_memory(session, (void *)(uintptr_t)memory, err))
		return &session->base;
	opencl_close(&session->base);
	return NULL;
}

struct device_session *opencl_open_device(int platform, int device, struct err *err)
{
	struct opencl_session *session = new_session();

	if (!open_device(session, platform, device, err))
		return &session->base;
	opencl_close(&session->base);
	return NULL;
}

/* The platform and device number of the device at position, which is DLPack's device_id here. */
static int find_numbers(int64_t position, int *platform, int *device, struct err *err)
{
	size_t n_devices = 0;
	struct opencl_device *devices = opencl_find_devices(&n_devices, err);
	int rc = -1;

	if (!devices)
		return -1;
	if (position < 0 || (size_t)position >= n_devices)
		err_set(err, EXIT_UNAVAILABLE,
			"unknown device 'opencl:%lld': OpenCL reports %zu %s", (long long)position,
			n_devices, n_devices == 1 ? "device" : "devices");
	else if (sscanf(devices[position].filter, "opencl:%d.%d", platform, device) == 2)
		rc = 0;
	free(devices);
	return rc;
}

/* Opens a device by the numbers of its platform and device, or by its position; by default the
 * first device of the first platform. */
static struct device_session *open_numbers(const struct job_device *numbers, struct err *err)
{
	int platform = 0, device = 0;

	if (numbers && numbers->platform >= 0) {
		platform = (int)numbers->platform;
		device = (int)numbers->id;
	} else if (numbers && find_numbers(numbers->id, &platform, &device, err)) {
		return NULL;
	}
	return opencl_open_device(platform, device, err);
}

static struct device_session *open_claim(const struct device_claim *claim, struct err *err)
{
	return opencl_open_memory(claim->handle, err);
}

static struct device_session *opencl_open_stream(struct device_session *neighbour,
	int64_t device_id, const struct device_stream *stream, struct device_stream *opened,
	struct err *err)
{
	(void)neighbour;
	(void)device_id;
	(void)stream;
	(void)opened;
	err_set(err, EXIT_USAGE,
		"--stream cannot be used with OpenCL memory: DLPack defines no stream for OpenCL, and "
		"the result is complete when convert ends");
	return NULL;
}

static int opencl_name_device(struct device_session *session, enum memory_kind kind,
	struct device *device, struct err *err)
{
	(void)kind;
	*device = (struct device){ DEVICE_OPENCL, opencl_session_position(session) };
	if (device->id >= 0)
		return 0;
	return err_set(err, EXIT_TARGET,
		"the device of the memory is not among the devices that OpenCL lists: it is a sub-device or no longer available");
}

/* device_id, which no document defines for kDLOpenCL, is the position in clinfo's list. */
const struct device_runtime opencl_runtime = {
	.name = "opencl",
	.title = "OpenCL",
	.device_types = DEVICE_OPENCL,
	.located_by = "opencl",
	.device_kind = MEMORY_OPENCL_BUFFER,
	.stream_form = STREAM_NONE,
	.data_is_handle = true,
	.load = opencl_load,
	.list = opencl_list_devices,
	.open = open_numbers,
	.open_memory = open_claim,
	.open_stream = opencl_open_stream,
	.name_device = opencl_name_device,
	.locate = opencl_locate,
	.wait = opencl_wait,
	.copy = opencl_copy,
	.allocate = opencl_allocate,
	.release = opencl_release,
	.read = opencl_read,
	.write = opencl_write,
	.move = opencl_move,
	.map = opencl_map,
	.unmap = opencl_unmap,
	.copy_strided = opencl_copy_strided,
	.launch = opencl_run_launch,
	.close = opencl_close,
};
