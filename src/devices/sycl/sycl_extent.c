// SPDX-License-Identifier: MIT
/*
 * Exact extents of USM allocations. No public function of SYCL or dpctl reports them; OpenCL's
 * extension cl_intel_unified_shared_memory does, given the cl_context of the SYCL context.
 */
#include "devices/opencl/opencl_api.h"
#include "devices/sycl/sycl_api.h"

#include "base/dynlib.h"
#include "base/environment.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* What is required of OpenCL here, which need not have the other functions of struct opencl_api. */
struct extent_api {
	int (*context_info)(
		void *context, unsigned int name, size_t n_bytes, void *value, size_t *n_written);
	int (*device_info)(
		void *device, unsigned int name, size_t n_bytes, void *value, size_t *n_written);
	void *(*extension_function)(void *platform, const char *name);
	int (*context_release)(void *context);
};

static const struct dynlib_symbol symbols[] = {
	{ "clGetContextInfo", offsetof(struct extent_api, context_info), false },
	{ "clGetDeviceInfo", offsetof(struct extent_api, device_info), false },
	{ "clGetExtensionFunctionAddressForPlatform",
		offsetof(struct extent_api, extension_function), false },
	{ "clReleaseContext", offsetof(struct extent_api, context_release), false },
	{ 0 },
};

/* The loader that SYCL uses: a library with that soname is loaded, or SYCL does not use OpenCL. */
static const struct extent_api *sycl_extent_open_opencl(void)
{
	static const char *const names[] = { "libOpenCL.so.1", NULL };
	static struct extent_api api;
	static void *handle;
	struct err ignored;

	if (!handle && dynlib_open(names, true, symbols, &api, &handle, &ignored))
		return NULL;
	return &api;
}

/* clGetMemAllocInfoINTEL of the context's platform. */
struct extension {
	int (*get_info)(void *context, const void *pointer, unsigned int name, size_t n_bytes,
		void *value, size_t *n_written);
};

/* A device of the context; NULL: unknown. */
static void *find_context_device(const struct extent_api *api, void *context)
{
	void **devices, *first = NULL;
	size_t n_bytes = 0;

	if (api->context_info(context, CL_CONTEXT_DEVICES, 0, NULL, &n_bytes) ||
		n_bytes < sizeof(*devices))
		return NULL;
	devices = mem_alloc(n_bytes);
	if (!api->context_info(context, CL_CONTEXT_DEVICES, n_bytes, (void *)devices, NULL))
		first = devices[0];
	free(devices);
	return first;
}

static bool extension_find(const struct extent_api *api, void *context, struct extension *extension)
{
	void *device = find_context_device(api, context), *platform, *function;

	if (!device ||
		api->device_info(device, CL_DEVICE_PLATFORM, sizeof(platform), &platform, NULL))
		return false;
	function = api->extension_function(platform, "clGetMemAllocInfoINTEL");
	memcpy(&extension->get_info, &function, sizeof(function));
	return function;
}

static bool extension_ask(const struct extension *extension, void *context, uint64_t address,
	uint64_t *base, uint64_t *size)
{
	const void *pointer = (const void *)(uintptr_t)address;
	void *start = NULL;
	size_t n_bytes = 0;

	if (extension->get_info(
		    context, pointer, CL_MEM_ALLOC_BASE_PTR_INTEL, sizeof(start), &start, NULL))
		return false;
	if (extension->get_info(
		    context, pointer, CL_MEM_ALLOC_SIZE_INTEL, sizeof(n_bytes), &n_bytes, NULL))
		return false;
	*base = (uintptr_t)start;
	*size = n_bytes;
	return start && n_bytes;
}

bool sycl_extent_find(const struct sycl_api *api, const void *context, uint64_t address,
	uint64_t *base, uint64_t *size)
{
	const struct extent_api *opencl;
	struct extension extension;
	void *native;
	bool found;

	if (environment_forces("SUAI_NO_USM_EXTENT") || !api->context_native ||
		api->DPCTLContext_GetBackend(context) != SYCL_OPENCL)
		return false;
	opencl = sycl_extent_open_opencl();
	native = opencl ? (void *)api->context_native(context) : NULL;
	if (!native)
		return false;
	found = extension_find(opencl, native, &extension) &&
		extension_ask(&extension, native, address, base, size);
	opencl->context_release(native);
	return found;
}
