// SPDX-License-Identifier: MIT
/* Facts about SYCL devices; filter strings have the form of dpctl.SyclDevice.filter_string. */
#include "base/memory.h"
#include "devices/sycl/sycl_session.h"

#include <stdio.h>

static const char *backend_name(int backend)
{
	switch (backend) {
	case SYCL_OPENCL:
		return "opencl";
	case SYCL_LEVEL_ZERO:
		return "level_zero";
	case SYCL_CUDA:
		return "cuda";
	case SYCL_HIP:
		return "hip";
	default:
		return "unknown";
	}
}

static const char *sycl_device_type_name(int type)
{
	switch (type) {
	case SYCL_CPU:
		return "cpu";
	case SYCL_GPU:
		return "gpu";
	case SYCL_ACCELERATOR:
		return "accelerator";
	default:
		return "unknown";
	}
}

static void copy_text(const struct sycl_api *api, char *out, size_t n_out, const char *text)
{
	snprintf(out, n_out, "%s", text ? text : "");
	if (text)
		api->DPCTLCString_Delete(text);
}

/* Backend, type and filter string, whose number counts the devices of one backend and type. */
static void copy_type(const struct sycl_api *api, const void *device, struct sycl_device *facts)
{
	int backend = api->DPCTLDevice_GetBackend(device),
	    type = api->DPCTLDevice_GetDeviceType(device);
	int number = api->DPCTLDeviceMgr_GetPositionInDevices(device, backend | type);

	facts->is_cpu = type == SYCL_CPU;
	snprintf(facts->backend, sizeof(facts->backend), "%s", backend_name(backend));
	if (facts->is_root && number >= 0)
		snprintf(facts->filter, sizeof(facts->filter), "%s:%s:%d", facts->backend,
			sycl_device_type_name(type), number);
}

void sycl_device_describe(const struct sycl_api *api, const void *device, struct sycl_device *facts)
{
	void *parent = api->DPCTLDevice_GetParentDevice(device);

	*facts = (struct sycl_device){ .is_root = !parent };
	if (parent)
		api->DPCTLDevice_Delete(parent);
	copy_text(api, facts->name, sizeof(facts->name), api->DPCTLDevice_GetName(device));
	copy_text(api, facts->driver_version, sizeof(facts->driver_version),
		api->DPCTLDevice_GetDriverVersion(device));
	copy_type(api, device, facts);
	facts->position = api->DPCTLDeviceMgr_GetPositionInDevices(
		device, SYCL_ALL_BACKENDS | SYCL_ALL_DEVICES);
	facts->memory_bytes = api->DPCTLDevice_GetGlobalMemSize(device);
	facts->compute_units = api->DPCTLDevice_GetMaxComputeUnits(device);
	facts->features.fp16 = api->DPCTLDevice_HasAspect(device, SYCL_ASPECT_FP16);
	facts->features.fp64 = api->DPCTLDevice_HasAspect(device, SYCL_ASPECT_FP64);
	facts->features.usm_device = api->DPCTLDevice_HasAspect(device, SYCL_ASPECT_USM_DEVICE);
	facts->features.usm_shared = api->DPCTLDevice_HasAspect(device, SYCL_ASPECT_USM_SHARED);
	facts->features.usm_host = api->DPCTLDevice_HasAspect(device, SYCL_ASPECT_USM_HOST);
}

void *sycl_device_default_context(const struct sycl_api *api, const void *device)
{
	void *platform = api->DPCTLDevice_GetPlatform(device), *context;

	if (!platform)
		return NULL;
	context = api->DPCTLPlatform_GetDefaultContext(platform);
	api->DPCTLPlatform_Delete(platform);
	return context;
}

struct sycl_device *sycl_device_list(const struct sycl_api *api, size_t *n_devices)
{
	void *vector = api->DPCTLDeviceMgr_GetDevices(SYCL_ALL_BACKENDS | SYCL_ALL_DEVICES);
	size_t n = vector ? api->DPCTLDeviceVector_Size(vector) : 0;
	struct sycl_device *devices = mem_alloc((n + 1) * sizeof(*devices));

	*n_devices = 0;
	for (size_t i = 0; i < n; i++) {
		void *device = api->DPCTLDeviceVector_GetAt(vector, i);

		if (!device)
			continue;
		sycl_device_describe(api, device, &devices[(*n_devices)++]);
		api->DPCTLDevice_Delete(device);
	}
	if (vector)
		api->DPCTLDeviceVector_Delete(vector);
	return devices;
}
