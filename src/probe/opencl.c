// SPDX-License-Identifier: MIT
/* OpenCL's devices, by clinfo's numbers. */
#include "devices/opencl/opencl.h"

#include "probe/probe.h"

#include <stdlib.h>

static struct value *names(struct arena *arena, bool first, const char *first_name, bool second,
	const char *second_name, bool third, const char *third_name)
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

static struct value *device_to_value(struct arena *arena, const struct opencl_device *device)
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
		names(arena, true, device->type, device->has_fp16, "fp16", device->has_fp64,
			"fp64"));
	value_set(arena, map, "usm_kinds",
		names(arena, device->has_usm_device, "device", device->has_usm_shared, "shared",
			device->has_usm_host, "host"));
	return map;
}

struct value *opencl_list_devices(struct arena *arena, struct err *err)
{
	struct opencl_device *devices;
	struct value *list;
	size_t n_devices;

	devices = opencl_find_devices(&n_devices, err);
	if (!devices)
		return NULL;
	list = value_list(arena);
	for (size_t i = 0; i < n_devices; i++)
		value_append(arena, list, device_to_value(arena, &devices[i]));
	free(devices);
	return list;
}
