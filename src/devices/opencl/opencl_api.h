// SPDX-License-Identifier: MIT
/*
 * The part of OpenCL 1.2 that suai calls, as a table filled at run time from the ICD loader, and of
 * cl_intel_unified_shared_memory (of a platform that has it). Every handle is opaque.
 */
#ifndef DEVICES_OPENCL_OPENCL_API_H
#define DEVICES_OPENCL_OPENCL_API_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Name without its prefix "cl", parameters; the result of these is a status. */
#define OPENCL_API(EACH)                                                                        \
	EACH(GetPlatformIDs, uint32_t n, void **platforms, uint32_t *n_found)                   \
	EACH(GetPlatformInfo, void *platform, uint32_t name, size_t n_bytes, void *value,       \
		size_t *n_written)                                                              \
	EACH(GetDeviceIDs, void *platform, uint64_t type, uint32_t n, void **devices,           \
		uint32_t *n_found)                                                              \
	EACH(GetDeviceInfo, void *device, uint32_t name, size_t n_bytes, void *value,           \
		size_t *n_written)                                                              \
	EACH(GetContextInfo, void *context, uint32_t name, size_t n_bytes, void *value,         \
		size_t *n_written)                                                              \
	EACH(RetainContext, void *context)                                                      \
	EACH(ReleaseContext, void *context)                                                     \
	EACH(ReleaseCommandQueue, void *queue)                                                  \
	EACH(Finish, void *queue)                                                               \
	EACH(RetainMemObject, void *memory)                                                     \
	EACH(ReleaseMemObject, void *memory)                                                    \
	EACH(GetMemObjectInfo, void *memory, uint32_t name, size_t n_bytes, void *value,        \
		size_t *n_written)                                                              \
	EACH(EnqueueReadBuffer, void *queue, void *buffer, uint32_t blocking, size_t offset,    \
		size_t n_bytes, void *to, uint32_t n_events, void *const *events, void **event) \
	EACH(EnqueueWriteBuffer, void *queue, void *buffer, uint32_t blocking, size_t offset,   \
		size_t n_bytes, const void *from, uint32_t n_events, void *const *events,       \
		void **event)                                                                   \
	EACH(EnqueueUnmapMemObject, void *queue, void *memory, void *mapped, uint32_t n_events, \
		void *const *events, void **event)                                              \
	EACH(EnqueueCopyBuffer, void *queue, void *from, void *to, size_t from_offset,          \
		size_t to_offset, size_t n_bytes, uint32_t n_events, void *const *events,       \
		void **event)                                                                   \
	EACH(BuildProgram, void *program, uint32_t n_devices, void *const *devices,             \
		const char *options, void (*notify)(void *program, void *data), void *data)     \
	EACH(GetProgramInfo, void *program, uint32_t name, size_t n_bytes, void *value,         \
		size_t *n_written)                                                              \
	EACH(GetProgramBuildInfo, void *program, void *device, uint32_t name, size_t n_bytes,   \
		void *value, size_t *n_written)                                                 \
	EACH(ReleaseProgram, void *program)                                                     \
	EACH(ReleaseKernel, void *kernel)                                                       \
	EACH(SetKernelArg, void *kernel, uint32_t number, size_t n_bytes, const void *value)    \
	EACH(EnqueueNDRangeKernel, void *queue, void *kernel, uint32_t n_dims,                  \
		const size_t *offset, const size_t *global, const size_t *local,                \
		uint32_t n_events, void *const *events, void **event)

/* The same; the result is a handle or an address. */
#define OPENCL_MAKERS(EACH)                                                                        \
	EACH(CreateContext, const intptr_t *properties, uint32_t n_devices, void *const *devices,  \
		void (*notify)(const char *, const void *, size_t, void *), void *data,            \
		int *status)                                                                       \
	EACH(CreateCommandQueue, void *context, void *device, uint64_t properties, int *status)    \
	EACH(CreateBuffer, void *context, uint64_t flags, size_t n_bytes, void *host, int *status) \
	EACH(EnqueueMapBuffer, void *queue, void *buffer, uint32_t blocking, uint64_t flags,       \
		size_t offset, size_t n_bytes, uint32_t n_events, void *const *events,             \
		void **event, int *status)                                                         \
	EACH(CreateProgramWithSource, void *context, uint32_t n, const char **texts,               \
		const size_t *n_bytes, int *status)                                                \
	EACH(CreateProgramWithBinary, void *context, uint32_t n, void *const *devices,             \
		const size_t *n_bytes, const unsigned char **binaries, int *each, int *status)     \
	EACH(CreateKernel, void *program, const char *name, int *status)                           \
	EACH(GetExtensionFunctionAddressForPlatform, void *platform, const char *name)

/* Names without "cl" and "INTEL". */
#define OPENCL_USM_API(EACH)                                                                  \
	EACH(void *, DeviceMemAlloc, void *context, void *device, const uint64_t *properties, \
		size_t n_bytes, uint32_t alignment, int *status)                              \
	EACH(void *, SharedMemAlloc, void *context, void *device, const uint64_t *properties, \
		size_t n_bytes, uint32_t alignment, int *status)                              \
	EACH(void *, HostMemAlloc, void *context, const uint64_t *properties, size_t n_bytes, \
		uint32_t alignment, int *status)                                              \
	EACH(int, MemFree, void *context, void *memory)                                       \
	EACH(int, GetMemAllocInfo, void *context, const void *memory, uint32_t name,          \
		size_t n_bytes, void *value, size_t *n_written)                               \
	EACH(int, SetKernelArgMemPointer, void *kernel, uint32_t number, const void *memory)  \
	EACH(int, EnqueueMemcpy, void *queue, uint32_t blocking, void *to, const void *from,  \
		size_t n_bytes, uint32_t n_events, void *const *events, void **event)

enum {
	OPENCL_DEVICE_NOT_FOUND = -1,
	OPENCL_NO_PLATFORM = -1001,

	OPENCL_PLATFORM_VERSION = 0x0901,
	OPENCL_PLATFORM_NAME = 0x0902,

	OPENCL_DEVICE_CPU = 1 << 1,
	OPENCL_DEVICE_GPU = 1 << 2,
	OPENCL_DEVICE_ACCELERATOR = 1 << 3,

	OPENCL_DEVICE_TYPE = 0x1000,
	OPENCL_DEVICE_MAX_COMPUTE_UNITS = 0x1002,
	OPENCL_DEVICE_GLOBAL_MEM_SIZE = 0x101F,
	OPENCL_DEVICE_NAME = 0x102B,
	OPENCL_DEVICE_VERSION = 0x102F,
	OPENCL_DRIVER_VERSION = 0x102D,
	OPENCL_DEVICE_EXTENSIONS = 0x1030,
	OPENCL_DEVICE_PLATFORM = 0x1031,

	OPENCL_CONTEXT_DEVICES = 0x1081,

	OPENCL_MEM_READ_WRITE = 1 << 0,
	OPENCL_MEM_TYPE = 0x1100,
	OPENCL_MEM_FLAGS = 0x1101,
	OPENCL_MEM_SIZE = 0x1102,
	OPENCL_MEM_HOST_PTR = 0x1103,
	OPENCL_MEM_CONTEXT = 0x1106,
	OPENCL_MEM_OBJECT_BUFFER = 0x10F0,

	OPENCL_MAP_READ = 1 << 0,
	OPENCL_MAP_WRITE = 1 << 1,
	OPENCL_MAP_WRITE_INVALIDATE_REGION = 1 << 2,

	OPENCL_PROGRAM_BINARY_SIZES = 0x1165,
	OPENCL_PROGRAM_BINARIES = 0x1166,
	OPENCL_PROGRAM_BUILD_LOG = 0x1183,

	OPENCL_DEVICE_HOST_MEM_CAPABILITIES = 0x4190,
	OPENCL_DEVICE_DEVICE_MEM_CAPABILITIES = 0x4191,
	OPENCL_DEVICE_SHARED_MEM_CAPABILITIES = 0x4192, /* on a device of its own */

	OPENCL_MEM_ALLOC_TYPE = 0x419A,
	OPENCL_MEM_ALLOC_BASE_PTR = 0x419B,
	OPENCL_MEM_ALLOC_SIZE = 0x419C,
	OPENCL_MEM_TYPE_HOST = 0x4197,
	OPENCL_MEM_TYPE_DEVICE = 0x4198,
	OPENCL_MEM_TYPE_SHARED = 0x4199,
};

struct opencl_api {
#define OPENCL_FIELD(NAME, ...) int (*NAME)(__VA_ARGS__);
	OPENCL_API(OPENCL_FIELD)
#undef OPENCL_FIELD
#define OPENCL_FIELD(NAME, ...) void *(*NAME)(__VA_ARGS__);
	OPENCL_MAKERS(OPENCL_FIELD)
#undef OPENCL_FIELD
};

/* All NULL where the platform has no USM. */
struct opencl_usm {
#define OPENCL_FIELD(RESULT, NAME, ...) RESULT (*NAME)(__VA_ARGS__);
	OPENCL_USM_API(OPENCL_FIELD)
#undef OPENCL_FIELD
};

/* The table of the loader that is loaded already, else of the system's; NULL with err set
 * (EXIT_UNAVAILABLE). */
const struct opencl_api *opencl_api_open(struct err *err);

void opencl_usm_fill(const struct opencl_api *api, void *platform, struct opencl_usm *usm);

/* "CL_INVALID_VALUE", or the number of a rare one. */
struct opencl_status {
	char text[40];
};

struct opencl_status opencl_status_name(int status);

/* Sets err to "clName: CL_STATUS". Returns -1. */
int opencl_fail(struct err *err, enum exit_code code, const char *function, int status);

#endif
