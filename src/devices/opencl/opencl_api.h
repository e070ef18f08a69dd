// SPDX-License-Identifier: MIT
/*
 * The subset of OpenCL 1.2 that suai calls, as a table filled at run time from the ICD loader,
 * and of cl_intel_unified_shared_memory (if the platform has it). Every handle is opaque.
 */
#ifndef DEVICES_OPENCL_OPENCL_API_H
#define DEVICES_OPENCL_OPENCL_API_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Name, parameters; these return a status. */
#define OPENCL_API(EACH)                                                                          \
	EACH(clGetPlatformIDs, uint32_t n, void **platforms, uint32_t *n_found)                   \
	EACH(clGetPlatformInfo, void *platform, uint32_t name, size_t n_bytes, void *value,       \
		size_t *n_written)                                                                \
	EACH(clGetDeviceIDs, void *platform, uint64_t type, uint32_t n, void **devices,           \
		uint32_t *n_found)                                                                \
	EACH(clGetDeviceInfo, void *device, uint32_t name, size_t n_bytes, void *value,           \
		size_t *n_written)                                                                \
	EACH(clGetContextInfo, void *context, uint32_t name, size_t n_bytes, void *value,         \
		size_t *n_written)                                                                \
	EACH(clRetainContext, void *context)                                                      \
	EACH(clReleaseContext, void *context)                                                     \
	EACH(clReleaseCommandQueue, void *queue)                                                  \
	EACH(clFinish, void *queue)                                                               \
	EACH(clRetainMemObject, void *memory)                                                     \
	EACH(clReleaseMemObject, void *memory)                                                    \
	EACH(clGetMemObjectInfo, void *memory, uint32_t name, size_t n_bytes, void *value,        \
		size_t *n_written)                                                                \
	EACH(clEnqueueReadBuffer, void *queue, void *buffer, uint32_t blocking, size_t offset,    \
		size_t n_bytes, void *to, uint32_t n_events, void *const *events, void **event)   \
	EACH(clEnqueueWriteBuffer, void *queue, void *buffer, uint32_t blocking, size_t offset,   \
		size_t n_bytes, const void *from, uint32_t n_events, void *const *events,         \
		void **event)                                                                     \
	EACH(clEnqueueUnmapMemObject, void *queue, void *memory, void *mapped, uint32_t n_events, \
		void *const *events, void **event)                                                \
	EACH(clEnqueueCopyBuffer, void *queue, void *from, void *to, size_t from_offset,          \
		size_t to_offset, size_t n_bytes, uint32_t n_events, void *const *events,         \
		void **event)                                                                     \
	EACH(clBuildProgram, void *program, uint32_t n_devices, void *const *devices,             \
		const char *options, void (*notify)(void *program, void *data), void *data)       \
	EACH(clGetProgramInfo, void *program, uint32_t name, size_t n_bytes, void *value,         \
		size_t *n_written)                                                                \
	EACH(clGetProgramBuildInfo, void *program, void *device, uint32_t name, size_t n_bytes,   \
		void *value, size_t *n_written)                                                   \
	EACH(clReleaseProgram, void *program)                                                     \
	EACH(clReleaseKernel, void *kernel)                                                       \
	EACH(clSetKernelArg, void *kernel, uint32_t number, size_t n_bytes, const void *value)    \
	EACH(clEnqueueNDRangeKernel, void *queue, void *kernel, uint32_t n_dims,                  \
		const size_t *offset, const size_t *global, const size_t *local,                  \
		uint32_t n_events, void *const *events, void **event)

/* Functions that return a handle or an address. */
#define OPENCL_MAKERS(EACH)                                                                       \
	EACH(clCreateContext, const intptr_t *properties, uint32_t n_devices,                     \
		void *const *devices, void (*notify)(const char *, const void *, size_t, void *), \
		void *data, int *status)                                                          \
	EACH(clCreateCommandQueue, void *context, void *device, uint64_t properties, int *status) \
	EACH(clCreateBuffer, void *context, uint64_t flags, size_t n_bytes, void *host,           \
		int *status)                                                                      \
	EACH(clEnqueueMapBuffer, void *queue, void *buffer, uint32_t blocking, uint64_t flags,    \
		size_t offset, size_t n_bytes, uint32_t n_events, void *const *events,            \
		void **event, int *status)                                                        \
	EACH(clCreateProgramWithSource, void *context, uint32_t n, const char **texts,            \
		const size_t *n_bytes, int *status)                                               \
	EACH(clCreateProgramWithBinary, void *context, uint32_t n, void *const *devices,          \
		const size_t *n_bytes, const unsigned char **binaries, int *each, int *status)    \
	EACH(clCreateKernel, void *program, const char *name, int *status)                        \
	EACH(clGetExtensionFunctionAddressForPlatform, void *platform, const char *name)

/* Result, name, parameters. */
#define OPENCL_USM_API(EACH)                                                                 \
	EACH(void *, clDeviceMemAllocINTEL, void *context, void *device,                     \
		const uint64_t *properties, size_t n_bytes, uint32_t alignment, int *status) \
	EACH(void *, clSharedMemAllocINTEL, void *context, void *device,                     \
		const uint64_t *properties, size_t n_bytes, uint32_t alignment, int *status) \
	EACH(void *, clHostMemAllocINTEL, void *context, const uint64_t *properties,         \
		size_t n_bytes, uint32_t alignment, int *status)                             \
	EACH(int, clMemFreeINTEL, void *context, void *memory)                               \
	EACH(int, clGetMemAllocInfoINTEL, void *context, const void *memory, uint32_t name,  \
		size_t n_bytes, void *value, size_t *n_written)                              \
	EACH(int, clSetKernelArgMemPointerINTEL, void *kernel, uint32_t number,              \
		const void *memory)                                                          \
	EACH(int, clEnqueueMemcpyINTEL, void *queue, uint32_t blocking, void *to,            \
		const void *from, size_t n_bytes, uint32_t n_events, void *const *events,    \
		void **event)

enum {
	CL_DEVICE_NOT_FOUND = -1,
	CL_PLATFORM_NOT_FOUND_KHR = -1001,

	CL_PLATFORM_VERSION = 0x0901,
	CL_PLATFORM_NAME = 0x0902,

	CL_DEVICE_TYPE_CPU = 1 << 1,
	CL_DEVICE_TYPE_GPU = 1 << 2,
	CL_DEVICE_TYPE_ACCELERATOR = 1 << 3,

	CL_DEVICE_TYPE = 0x1000,
	CL_DEVICE_MAX_COMPUTE_UNITS = 0x1002,
	CL_DEVICE_GLOBAL_MEM_SIZE = 0x101F,
	CL_DEVICE_NAME = 0x102B,
	CL_DEVICE_VERSION = 0x102F,
	CL_DRIVER_VERSION = 0x102D,
	CL_DEVICE_EXTENSIONS = 0x1030,
	CL_DEVICE_PLATFORM = 0x1031,

	CL_CONTEXT_DEVICES = 0x1081,

	CL_MEM_READ_WRITE = 1 << 0,
	CL_MEM_TYPE = 0x1100,
	CL_MEM_FLAGS = 0x1101,
	CL_MEM_SIZE = 0x1102,
	CL_MEM_HOST_PTR = 0x1103,
	CL_MEM_CONTEXT = 0x1106,
	CL_MEM_OBJECT_BUFFER = 0x10F0,

	CL_MAP_READ = 1 << 0,
	CL_MAP_WRITE = 1 << 1,
	CL_MAP_WRITE_INVALIDATE_REGION = 1 << 2,

	CL_PROGRAM_BINARY_SIZES = 0x1165,
	CL_PROGRAM_BINARIES = 0x1166,
	CL_PROGRAM_BUILD_LOG = 0x1183,

	CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL = 0x4190,
	CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL = 0x4191,
	CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL = 0x4192, /* with its own memory */

	CL_MEM_ALLOC_TYPE_INTEL = 0x419A,
	CL_MEM_ALLOC_BASE_PTR_INTEL = 0x419B,
	CL_MEM_ALLOC_SIZE_INTEL = 0x419C,
	CL_MEM_TYPE_HOST_INTEL = 0x4197,
	CL_MEM_TYPE_DEVICE_INTEL = 0x4198,
	CL_MEM_TYPE_SHARED_INTEL = 0x4199,
};

struct opencl_api {
#define OPENCL_FIELD(NAME, ...) int (*NAME)(__VA_ARGS__);
	OPENCL_API(OPENCL_FIELD)
#undef OPENCL_FIELD
#define OPENCL_FIELD(NAME, ...) void *(*NAME)(__VA_ARGS__);
	OPENCL_MAKERS(OPENCL_FIELD)
#undef OPENCL_FIELD
};

/* All NULL if the platform does not support USM. */
struct opencl_usm {
#define OPENCL_FIELD(RESULT, NAME, ...) RESULT (*NAME)(__VA_ARGS__);
	OPENCL_USM_API(OPENCL_FIELD)
#undef OPENCL_FIELD
};

/*
 * Gives the table of the loader that is already loaded, otherwise of the system's; NULL with err
 * set (EXIT_UNAVAILABLE).
 */
const struct opencl_api *opencl_api_open(struct err *err);

void opencl_usm_fill(const struct opencl_api *api, void *platform, struct opencl_usm *usm);

/* "CL_INVALID_VALUE", or the number if it is unknown. */
struct opencl_status {
	char text[40];
};

struct opencl_status opencl_status_name(int status);

/* Sets err to "clName: CL_STATUS". Returns -1. */
int opencl_fail(struct err *err, enum exit_code code, const char *function, int status);

#endif
