// SPDX-License-Identifier: MIT
/* The CUDA driver's devices, for `suai devices`. */
#include "devices/cuda/cuda.h"
#include "probe/probe.h"

#include <stdlib.h>

/* Half precision arithmetic came with compute capability 5.3, double with 1.3. */
static struct value *aspects(struct arena *arena, const struct cuda_device *device)
{
	struct value *names = value_list(arena);

	if (device->capability_major * 10 + device->capability_minor >= 53)
		value_append(arena, names, value_text(arena, "fp16"));
	value_append(arena, names, value_text(arena, "fp64"));
	return names;
}

static struct value *device_to_value(struct arena *arena, const struct cuda_device *device)
{
	struct value *map = value_map(arena);

	value_set(arena, map, "id", value_int(arena, device->ordinal));
	value_set(arena, map, "filter", value_null(arena));
	value_set(arena, map, "name", value_text(arena, device->name));
	value_set(arena, map, "backend",
		value_textf(arena, "sm_%d%d", device->capability_major, device->capability_minor));
	value_set(arena, map, "driver_version",
		value_textf(arena, "CUDA %d.%d", device->driver_version / 1000,
			device->driver_version % 1000 / 10));
	value_set(arena, map, "cores", value_int(arena, device->multiprocessors));
	value_set(arena, map, "memory_bytes", value_uint(arena, device->memory_bytes));
	value_set(arena, map, "aspects", aspects(arena, device));
	value_set(arena, map, "usm_kinds", value_list(arena));
	return map;
}

struct value *cuda_list_devices(struct arena *arena, struct err *err)
{
	struct cuda_device *devices = NULL;
	struct value *list;
	size_t n_devices;

	if (!cuda_load(err))
		devices = cuda_find_devices(&n_devices, err);
	if (!devices)
		return NULL;
	list = value_list(arena);
	for (size_t i = 0; i < n_devices; i++)
		value_append(arena, list, device_to_value(arena, &devices[i]));
	free(devices);
	return list;
}
