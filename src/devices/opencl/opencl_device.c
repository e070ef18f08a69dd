// SPDX-License-Identifier: MIT
/* Facts about OpenCL devices, and their list with clinfo's numbers. */
#include "base/memory.h"
#include "devices/opencl/opencl.h"
#include "devices/opencl/opencl_session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEVICES = 64, MAX_PLATFORMS = 64 };

void opencl_device_text(
	const struct opencl_api *api, void *device, uint32_t name, char *text, size_t n_text)
{
	memset(text, 0, n_text);
	if (api->clGetDeviceInfo(device, name, n_text - 1, text, NULL))
		text[0] = '\0';
}

uint64_t opencl_device_number(const struct opencl_api *api, void *device, uint32_t name)
{
	uint64_t value = 0;

	return api->clGetDeviceInfo(device, name, sizeof(value), &value, NULL) ? 0 : value;
}

static const char *opencl_device_type_name(uint64_t type)
{
	if (type & CL_DEVICE_TYPE_CPU)
		return "cpu";
	if (type & CL_DEVICE_TYPE_GPU)
		return "gpu";
	return type & CL_DEVICE_TYPE_ACCELERATOR ? "accelerator" : "other";
}

static bool has_extension(const struct opencl_api *api, void *device, const char *name)
{
	size_t n_bytes = 0;
	char *all;
	bool found;

	if (api->clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, 0, NULL, &n_bytes))
		return false;
	all = mem_alloc(n_bytes + 1);
	memset(all, 0, n_bytes + 1);
	found = !api->clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, n_bytes, all, NULL) &&
		strstr(all, name);
	free(all);
	return found;
}

static void opencl_device_describe(
	const struct opencl_api *api, void *platform, void *device, struct opencl_device *facts)
{
	char all[sizeof(facts->platform)] = "";

	*facts = (struct opencl_device){ .type = opencl_device_type_name(opencl_device_number(
						 api, device, CL_DEVICE_TYPE)) };
	if (!api->clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof(all) - 1, all, NULL))
		snprintf(facts->platform, sizeof(facts->platform), "%s", all);
	opencl_device_text(api, device, CL_DEVICE_NAME, facts->name, sizeof(facts->name));
	opencl_device_text(api, device, CL_DRIVER_VERSION, facts->driver_version,
		sizeof(facts->driver_version));
	facts->memory_bytes = opencl_device_number(api, device, CL_DEVICE_GLOBAL_MEM_SIZE);
	facts->compute_units =
		(uint32_t)opencl_device_number(api, device, CL_DEVICE_MAX_COMPUTE_UNITS);
	facts->features.fp16 = has_extension(api, device, "cl_khr_fp16");
	facts->features.fp64 = has_extension(api, device, "cl_khr_fp64");
	facts->features.usm_device =
		opencl_device_number(api, device, CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL) != 0;
	facts->features.usm_shared =
		opencl_device_number(
			api, device, CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL) != 0;
	facts->features.usm_host =
		opencl_device_number(api, device, CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL) != 0;
}

struct opencl_device *opencl_find_devices(size_t *n_found, struct err *err)
{
	const struct opencl_api *api = opencl_api_open(err);
	void *platforms[MAX_PLATFORMS], *devices[MAX_DEVICES];
	uint32_t n_platforms = 0, n_devices;
	struct opencl_device *list;
	int status;

	*n_found = 0;
	if (!api)
		return NULL;
	status = api->clGetPlatformIDs(MAX_PLATFORMS, platforms, &n_platforms);
	if (status) {
		opencl_fail(err, EXIT_UNAVAILABLE, "clGetPlatformIDs", status);
		return NULL;
	}
	list = mem_alloc(((size_t)n_platforms * MAX_DEVICES + 1) * sizeof(*list));
	for (uint32_t i = 0; i < n_platforms; i++) {
		n_devices = 0;
		if (api->clGetDeviceIDs(platforms[i], UINT32_MAX, MAX_DEVICES, devices, &n_devices))
			continue;
		for (uint32_t j = 0; j < n_devices && j < MAX_DEVICES; j++) {
			struct opencl_device *one = &list[(*n_found)++];

			opencl_device_describe(api, platforms[i], devices[j], one);
			snprintf(one->filter, sizeof(one->filter), "opencl:%u.%u", i, j);
		}
	}
	return list;
}

/* No document defines device_id for kDLOpenCL. */
static struct fact_device_entry opencl_device_entry(
	struct arena *arena, const struct opencl_device *device)
{
	struct fact_device_entry entry = { .present = true,
		.name = arena_printf(arena, "%s", device->name),
		.filter = arena_printf(arena, "%s", device->filter),
		.backend = arena_printf(arena, "%s", device->platform),
		.driver_version = arena_printf(arena, "%s", device->driver_version),
		.cores = fact_int(device->compute_units),
		.memory_bytes = fact_uint(device->memory_bytes),
		.usm_kinds.known = true };

	fact_texts_add(arena, &entry.aspects, device->type);
	device_features_add(arena, &device->features, &entry);
	return entry;
}

int opencl_list_devices(
	struct arena *arena, struct fact_device_entry_list *devices, struct err *err)
{
	size_t n_devices;
	struct opencl_device *found = opencl_find_devices(&n_devices, err);

	if (!found)
		return -1;
	for (size_t i = 0; i < n_devices; i++)
		*FACT_LIST_ADD(arena, devices) = opencl_device_entry(arena, &found[i]);
	free(found);
	return 0;
}

int64_t opencl_session_position(const struct device_session *base)
{
	const struct opencl_session *session = (const struct opencl_session *)base;
	void *platforms[MAX_PLATFORMS], *devices[MAX_DEVICES];
	uint32_t n_platforms = 0, n_devices;
	int64_t position = 0;

	if (session->api->clGetPlatformIDs(MAX_PLATFORMS, platforms, &n_platforms))
		return -1;
	for (uint32_t i = 0; i < n_platforms && i < MAX_PLATFORMS; i++) {
		n_devices = 0;
		if (session->api->clGetDeviceIDs(
			    platforms[i], UINT32_MAX, MAX_DEVICES, devices, &n_devices))
			continue;
		for (uint32_t j = 0; j < n_devices && j < MAX_DEVICES; j++, position++)
			if (devices[j] == session->device)
				return position;
	}
	return -1;
}
