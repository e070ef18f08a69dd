// SPDX-License-Identifier: MIT
#include "model/device.h"

#include "base/array_size.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

static const struct device_type device_types[] = {
	[DLPACK_CPU] = { .name = DEVICE_CPU,
		.family = "host",
		.data = DEVICE_DATA_ADDRESS,
		.is_host_accessible = true },
	[DLPACK_CUDA] = { .name = DEVICE_CUDA,
		.family = "CUDA",
		.data = DEVICE_DATA_ADDRESS,
		.streams = DEVICE_STREAMS_DRIVEN },
	[DLPACK_CUDA_HOST] = { .name = DEVICE_CUDA_HOST,
		.family = "host",
		.data = DEVICE_DATA_ADDRESS,
		.is_host_accessible = true },
	[DLPACK_OPENCL] = { .name = DEVICE_OPENCL, .data = DEVICE_DATA_HANDLE },
	[DLPACK_VULKAN] = { .name = "vulkan" },
	[DLPACK_METAL] = { .name = "metal" },
	[DLPACK_VPI] = { .name = "vpi" },
	[DLPACK_ROCM] = { .name = "rocm",
		.driver = "HIP",
		.data = DEVICE_DATA_ADDRESS,
		.streams = DEVICE_STREAMS_NUMBERED },
	[DLPACK_ROCM_HOST] = { .name = "rocm_host",
		.family = "host",
		.driver = "HIP",
		.data = DEVICE_DATA_ADDRESS,
		.is_host_accessible = true },
	[DLPACK_EXT_DEV] = { .name = "ext_dev" },
	[DLPACK_CUDA_MANAGED] = { .name = DEVICE_CUDA_MANAGED,
		.family = "CUDA",
		.data = DEVICE_DATA_ADDRESS,
		.is_host_accessible = true,
		.streams = DEVICE_STREAMS_DRIVEN },
	[DLPACK_ONEAPI] = { .name = DEVICE_ONEAPI, .family = "SYCL", .data = DEVICE_DATA_ADDRESS },
	[DLPACK_WEBGPU] = { .name = "webgpu" },
	[DLPACK_HEXAGON] = { .name = "hexagon" },
	[DLPACK_MAIA] = { .name = "maia" },
	[DLPACK_TRN] = { .name = "trn" },
};

enum { N_DEVICE_TYPES = ARRAY_SIZE(device_types) };

const struct device_type *device_type_of_code(int64_t dlpack_code)
{
	static const struct device_type unknown = { 0 };
	bool is_known = dlpack_code >= 0 && dlpack_code < N_DEVICE_TYPES;

	return is_known ? &device_types[dlpack_code] : &unknown;
}

const struct device_type *device_type_named(const char *name)
{
	return device_type_of_code(device_type_code(name));
}

const char *device_type_name(int64_t dlpack_code)
{
	return device_type_of_code(dlpack_code)->name;
}

int device_type_code(const char *name)
{
	for (int i = 0; name && i < N_DEVICE_TYPES; i++)
		if (device_types[i].name && !strcmp(device_types[i].name, name))
			return i;
	return -1;
}

const char *device_text(struct arena *arena, struct device device)
{
	const char *type = device.type ? device.type : "unknown";

	return device.id < 0 ? type : arena_printf(arena, "%s:%" PRId64, type, device.id);
}

bool device_differs(struct device device, struct device other)
{
	if (device_type_code(device.type) != device_type_code(other.type))
		return true;
	return device.id >= 0 && other.id >= 0 && device.id != other.id;
}
