// SPDX-License-Identifier: MIT
/* Facts about OpenCL devices, and the list of them by clinfo's numbers. */
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
	facts->has_fp16 = has_extension(api, device, "cl_khr_fp16");
	facts->has_fp64 = has_extension(api, device, "cl_khr_fp64");
	facts->has_usm_device =
		opencl_device_number(api, device, CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL) != 0;
	facts->has_usm_shared = opencl_device_number(api, device,
					CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL) != 0;
	facts->has_usm_host =
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

static struct value *list_names(struct arena *arena, bool first, const char *first_name,
	bool second, const char *second_name, bool third, const char *third_name)
{
	struct value *list = value_list(arena);

	if (first)
		value_append(arena, list, value_text(arena, first_name));
	if (second)
		value_append(arena, list, value_text(arena, second_name));
	if (third)
		value_append(arena, list, value_text(arena, third_name));
	return list;
}

static struct value *opencl_device_to_value(struct arena *arena, const struct opencl_device *device)
{
	struct value *map = value_map(arena);

	/* No document says what device_id is with kDLOpenCL. */
	value_set(arena, map, "id", value_null(arena));
	value_set(arena, map, "filter", value_text(arena, device->filter));
	value_set(arena, map, "name", value_text(arena, device->name));
	value_set(arena, map, "backend", value_text(arena, device->platform));
	value_set(arena, map, "driver_version", value_text(arena, device->driver_version));
	value_set(arena, map, "cores", value_int(arena, device->compute_units));
	value_set(arena, map, "memory_bytes", value_uint(arena, device->memory_bytes));
	value_set(arena, map, "aspects",
		list_names(arena, true, device->type, device->has_fp16, "fp16", device->has_fp64,
			"fp64"));
	value_set(arena, map, "usm_kinds",
		list_names(arena, device->has_usm_device, "device", device->has_usm_shared,
			"shared", device->has_usm_host, "host"));
	return map;
}

struct value *opencl_list_devices(struct arena *arena, struct err *err)
{
	size_t n_devices;
	struct opencl_device *devices = opencl_find_devices(&n_devices, err);
	struct value *list = devices ? value_list(arena) : NULL;

	for (size_t i = 0; i < n_devices; i++)
		value_append(arena, list, opencl_device_to_value(arena, &devices[i]));
	free(devices);
	return list;
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
