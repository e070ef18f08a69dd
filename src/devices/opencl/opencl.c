// SPDX-License-Identifier: MIT
/* OpenCL places: of a cl_mem that a producer names, and of a device of our choice. */
#include "devices/opencl/opencl.h"

#include "base/memory.h"
#include "devices/opencl/opencl_place.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_DEVICES = 64, MAX_PLATFORMS = 64 };

static const struct opencl_api *api;

int opencl_load(struct err *err)
{
	api = opencl_api_open(err);
	return api ? 0 : -1;
}

bool opencl_is_cpu(const struct device_place *base)
{
	const struct opencl_place *place = (const struct opencl_place *)base;

	return opencl_device_number(api, place->device, OPENCL_DEVICE_TYPE) & OPENCL_DEVICE_CPU;
}

static void opencl_close(struct device_place *base)
{
	struct opencl_place *place = (struct opencl_place *)base;

	if (!place)
		return;
	opencl_kernels_free(place);
	if (place->queue)
		api->ReleaseCommandQueue(place->queue);
	if (place->memory)
		api->ReleaseMemObject(place->memory);
	if (place->context)
		api->ReleaseContext(place->context);
	free(place);
}

static enum memory_answer is_below(uint64_t offset, uint64_t size)
{
	return offset < size ? ANSWER_YES : ANSWER_NO;
}

static int locate_buffer(
	const struct opencl_place *place, uint64_t offset, struct memory *memory, struct err *err)
{
	size_t size = 0;
	int status =
		api->GetMemObjectInfo(place->memory, OPENCL_MEM_SIZE, sizeof(size), &size, NULL);

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
	case OPENCL_MEM_TYPE_HOST:
		return MEMORY_USM_HOST;
	case OPENCL_MEM_TYPE_DEVICE:
		return MEMORY_USM_DEVICE;
	case OPENCL_MEM_TYPE_SHARED:
		return MEMORY_USM_SHARED;
	default:
		return MEMORY_UNKNOWN;
	}
}

static void locate_usm(const struct opencl_place *place, uint64_t address, struct memory *memory)
{
	const void *pointer = (const void *)(uintptr_t)address;
	void *base = NULL;
	size_t size = 0;
	uint32_t type = 0;

	if (!place->usm.GetMemAllocInfo ||
		place->usm.GetMemAllocInfo(
			place->context, pointer, OPENCL_MEM_ALLOC_TYPE, sizeof(type), &type, NULL))
		return;
	memory->kind = usm_kind(type);
	if (memory->kind == MEMORY_UNKNOWN)
		return;
	place->usm.GetMemAllocInfo(
		place->context, pointer, OPENCL_MEM_ALLOC_BASE_PTR, sizeof(base), &base, NULL);
	place->usm.GetMemAllocInfo(
		place->context, pointer, OPENCL_MEM_ALLOC_SIZE, sizeof(size), &size, NULL);
	memory->how = "exact";
	memory->base = (uintptr_t)base;
	memory->size = size;
	memory->device_pointer = address;
	memory->managed = memory->kind == MEMORY_USM_SHARED ? ANSWER_YES : ANSWER_NO;
	memory->host_accessible = memory->kind != MEMORY_USM_DEVICE || opencl_is_cpu(&place->base)
					  ? ANSWER_YES
					  : ANSWER_NO;
	if (memory->asked_low < memory->asked_high) {
		memory->low_inside = is_below(memory->asked_low - memory->base, size);
		memory->high_inside = is_below(memory->asked_high - 1 - memory->base, size);
	}
}

static int opencl_locate(
	struct device_place *base, uint64_t address, struct memory *memory, struct err *err)
{
	const struct opencl_place *place = (const struct opencl_place *)base;

	memory->by = "opencl";
	snprintf(memory->context, sizeof(memory->context), "%p", place->context);
	opencl_device_text(api, place->device, OPENCL_DEVICE_NAME, memory->device_name,
		sizeof(memory->device_name));
	if (place->memory)
		return locate_buffer(place, address, memory, err);
	locate_usm(place, address, memory);
	return 0;
}

/* A cl_mem names no queue: its producer has finished, or is wrong. */
static int opencl_wait(struct device_place *base, bool *waited, struct err *err)
{
	(void)base;
	(void)err;
	*waited = false;
	return 0;
}

static const struct device_runtime opencl_runtime = {
	.name = "opencl",
	.device_kind = MEMORY_OPENCL_BUFFER,
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

/* What a place needs beside its device and context. */
static int complete(struct opencl_place *place, struct err *err)
{
	int status = api->GetDeviceInfo(place->device, OPENCL_DEVICE_PLATFORM,
		sizeof(place->platform), &place->platform, NULL);

	if (status)
		return opencl_fail(err, EXIT_UNAVAILABLE, "clGetDeviceInfo", status);
	opencl_usm_fill(api, place->platform, &place->usm);
	place->base.maps = opencl_is_cpu(&place->base);
	place->queue = api->CreateCommandQueue(place->context, place->device, 0, &status);
	return place->queue ? 0
			    : opencl_fail(err, EXIT_UNAVAILABLE, "clCreateCommandQueue", status);
}

static int open_memory(struct opencl_place *place, void *memory, struct err *err)
{
	void *devices[MAX_DEVICES] = { NULL }, *context = NULL;
	uint32_t type = 0;
	int status = api->GetMemObjectInfo(memory, OPENCL_MEM_TYPE, sizeof(type), &type, NULL);

	if (!status)
		status = api->GetMemObjectInfo(
			memory, OPENCL_MEM_CONTEXT, sizeof(context), (void *)&context, NULL);
	if (status)
		return opencl_fail(err, EXIT_TARGET, "clGetMemObjectInfo", status);
	if (type != OPENCL_MEM_OBJECT_BUFFER)
		return err_set(err, EXIT_TARGET, "the cl_mem is an image or a pipe, no buffer");
	status = api->RetainMemObject(memory);
	if (status)
		return opencl_fail(err, EXIT_TARGET, "clRetainMemObject", status);
	place->memory = memory;
	status = api->RetainContext(context);
	if (status)
		return opencl_fail(err, EXIT_TARGET, "clRetainContext", status);
	place->context = context;
	status = api->GetContextInfo(
		context, OPENCL_CONTEXT_DEVICES, sizeof(devices), (void *)devices, NULL);
	if (status || !devices[0])
		return opencl_fail(err, EXIT_TARGET, "clGetContextInfo", status);
	place->device = devices[0];
	return complete(place, err);
}

static int open_device(struct opencl_place *place, int platform, int device, struct err *err)
{
	void *platforms[MAX_PLATFORMS], *devices[MAX_DEVICES];
	uint32_t n_platforms = 0, n_devices = 0;
	int status = api->GetPlatformIDs(MAX_PLATFORMS, platforms, &n_platforms);

	if (!status && platform >= 0 && (uint32_t)platform < n_platforms)
		status = api->GetDeviceIDs(
			platforms[platform], UINT32_MAX, MAX_DEVICES, devices, &n_devices);
	if (device < 0 || (uint32_t)device >= n_devices)
		return err_set(err, EXIT_UNAVAILABLE, "there is no OpenCL device %d.%d here%s%s",
			platform, device, status ? ": " : "",
			status ? opencl_status_name(status).text : "");
	place->device = devices[device];
	place->context = api->CreateContext(NULL, 1, &place->device, NULL, NULL, &status);
	if (!place->context)
		return opencl_fail(err, EXIT_UNAVAILABLE, "clCreateContext", status);
	return complete(place, err);
}

static struct opencl_place *new_place(void)
{
	struct opencl_place *place = mem_alloc(sizeof(*place));

	*place = (struct opencl_place){ .base = { &opencl_runtime }, .api = api };
	return place;
}

struct device_place *opencl_open_memory(uint64_t memory, struct err *err)
{
	struct opencl_place *place = new_place();

	if (!open_memory(place, (void *)(uintptr_t)memory, err))
		return &place->base;
	opencl_close(&place->base);
	return NULL;
}

struct device_place *opencl_open_device(int platform, int device, struct err *err)
{
	struct opencl_place *place = new_place();

	if (!open_device(place, platform, device, err))
		return &place->base;
	opencl_close(&place->base);
	return NULL;
}
