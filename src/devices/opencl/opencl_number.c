// SPDX-License-Identifier: MIT
/* Which of clinfo's devices a session is on. */
#include "devices/opencl/opencl.h"
#include "devices/opencl/opencl_session.h"

enum { MAX_DEVICES = 64, MAX_PLATFORMS = 64 };

int64_t opencl_session_position(const struct device_session *base)
{
	const struct opencl_session *session = (const struct opencl_session *)base;
	void *platforms[MAX_PLATFORMS], *devices[MAX_DEVICES];
	uint32_t n_platforms = 0, n_devices;
	int64_t position = 0;

	if (session->api->GetPlatformIDs(MAX_PLATFORMS, platforms, &n_platforms))
		return -1;
	for (uint32_t i = 0; i < n_platforms && i < MAX_PLATFORMS; i++) {
		n_devices = 0;
		if (session->api->GetDeviceIDs(
			    platforms[i], UINT32_MAX, MAX_DEVICES, devices, &n_devices))
			continue;
		for (uint32_t j = 0; j < n_devices && j < MAX_DEVICES; j++, position++)
			if (devices[j] == session->device)
				return position;
	}
	return -1;
}
