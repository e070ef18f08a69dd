// SPDX-License-Identifier: MIT
/* Facts about OpenCL devices, and their list with clinfo's numbers. */
#include "base/memory.h"
#include "base/text.h"
#include "devices/opencl/opencl.h"
#include "devices/opencl/opencl_session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int opencl_platform_handles(const struct opencl_api *api, struct opencl_handles *platforms)
{
	uint32_t n_platforms = 0;
	int status = api->clGetPlatformIDs(0, NULL, &n_platforms);

	*platforms = (struct opencl_handles){ .n_items = n_platforms };
	if (status || !n_platforms)
		return status;
	platforms->items = mem_alloc(n_platforms * sizeof(*platforms->items));
	return api->clGetPlatformIDs(n_platforms, platforms->items, NULL);
}

int opencl_device_handles(
	const struct opencl_api *api, void *platform, struct opencl_handles *devices)
{
	uint32_t n_devices = 0;
	int status = api->clGetDeviceIDs(platform, UINT32_MAX, 0, NULL, &n_devices);

	*devices = (struct opencl_handles){ .n_items = n_devices };
	if (status || !n_devices)
		return status;
	devices->items = mem_alloc(n_devices * sizeof(*devices->items));
	return api->clGetDeviceIDs(platform, UINT32_MAX, n_devices, devices->items, NULL);
}

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
		text_lists_word(all, name);
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

/* Adds the devices of a platform to a list, which is moved. */
static struct opencl_device *add_platform(const struct opencl_api *api, void *platform,
	uint32_t number, struct opencl_device *list, size_t *n_listed)
{
	struct opencl_handles devices;
	int status = opencl_device_handles(api, platform, &devices);

	list = mem_resize(list, (*n_listed + devices.n_items + 1) * sizeof(*list));
	for (uint32_t i = 0; !status && i < devices.n_items; i++) {
		struct opencl_device *one = &list[(*n_listed)++];

		opencl_device_describe(api, platform, devices.items[i], one);
		snprintf(one->filter, sizeof(one->filter), "opencl:%u.%u", number, i);
	}
	free(devices.items);
	return list;
}

struct opencl_device *opencl_find_devices(size_t *n_found, struct err *err)
{
	const struct opencl_api *api = opencl_api_open(err);
	struct opencl_device *list = NULL;
	struct opencl_handles platforms;
	int status;

	*n_found = 0;
	if (!api)
		return NULL;
	status = opencl_platform_handles(api, &platforms);
	if (status)
		opencl_fail(err, EXIT_UNAVAILABLE, "clGetPlatformIDs", status);
	else
		list = mem_alloc(sizeof(*list));
	for (uint32_t i = 0; list && i < platforms.n_items; i++)
		list = add_platform(api, platforms.items[i], i, list, n_found);
	free(platforms.items);
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

/* The position of a device among those of a platform; -1: not found. */
static int64_t find_in_platform(
	const struct opencl_api *api, void *platform, const void *device, uint32_t *n_devices)
{
	struct opencl_handles devices;
	int64_t found = -1;

	*n_devices = 0;
	if (!opencl_device_handles(api, platform, &devices)) {
		*n_devices = devices.n_items;
		for (uint32_t i = 0; found < 0 && i < devices.n_items; i++)
			if (devices.items[i] == device)
				found = i;
	}
	free(devices.items);
	return found;
}

int64_t opencl_session_position(const struct device_session *base)
{
	const struct opencl_session *session = (const struct opencl_session *)base;
	struct opencl_handles platforms;
	int64_t n_before = 0, found = -1;
	uint32_t n_devices;

	if (opencl_platform_handles(session->api, &platforms))
		platforms.n_items = 0;
	for (uint32_t i = 0; found < 0 && i < platforms.n_items; i++) {
		found = find_in_platform(
			session->api, platforms.items[i], session->device, &n_devices);
		if (found >= 0)
			found += n_before;
		n_before += n_devices;
	}
	free(platforms.items);
	return found;
}
