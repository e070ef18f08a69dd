// SPDX-License-Identifier: MIT
#include "model/device.h"

#include "base/array_size.h"

#include <stddef.h>
#include <string.h>

/* DLDeviceType of dlpack.h 1.3. */
static const char *const device_types[] = {
	[1] = "cpu",
	[2] = "cuda",
	[3] = "cuda_host",
	[4] = "opencl",
	[7] = "vulkan",
	[8] = "metal",
	[9] = "vpi",
	[10] = "rocm",
	[11] = "rocm_host",
	[12] = "ext_dev",
	[13] = "cuda_managed",
	[14] = "oneapi",
	[15] = "webgpu",
	[16] = "hexagon",
	[17] = "maia",
	[18] = "trn",
};

enum { N_DEVICE_TYPES = ARRAY_SIZE(device_types) };

const char *device_type_name(int64_t dlpack_code)
{
	return dlpack_code >= 0 && dlpack_code < N_DEVICE_TYPES ? device_types[dlpack_code] : NULL;
}

int device_type_code(const char *name)
{
	for (int i = 0; name && i < N_DEVICE_TYPES; i++)
		if (device_types[i] && !strcmp(device_types[i], name))
			return i;
	return -1;
}

bool device_data_is_handle(const char *name)
{
	return name && !strcmp(name, "opencl");
}
