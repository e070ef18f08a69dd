// SPDX-License-Identifier: MIT
/*
 * The subset of the CUDA driver API (libcuda.so.1) that suai calls, as a table filled at run
 * time, declared here instead of in cuda.h. Every handle is opaque; a CUdeviceptr is an address.
 */
#ifndef DEVICES_CUDA_CUDA_API_H
#define DEVICES_CUDA_CUDA_API_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Name, version suffix of the symbol, parameters. All return a CUresult. */
#define CUDA_API(EACH)                                                                        \
	EACH(cuCtxDisablePeerAccess, , void *context)                                         \
	EACH(cuCtxEnablePeerAccess, , void *context, unsigned flags)                          \
	EACH(cuCtxGetDevice, , int *device)                                                   \
	EACH(cuCtxPopCurrent, _v2, void **context)                                            \
	EACH(cuCtxPushCurrent, _v2, void *context)                                            \
	EACH(cuCtxSynchronize, , void)                                                        \
	EACH(cuDeviceGet, , int *device, int ordinal)                                         \
	EACH(cuDeviceGetAttribute, , int *value, int attribute, int device)                   \
	EACH(cuDeviceGetCount, , int *n_devices)                                              \
	EACH(cuDeviceGetName, , char *name, int n_chars, int device)                          \
	EACH(cuDevicePrimaryCtxRelease, _v2, int device)                                      \
	EACH(cuDevicePrimaryCtxRetain, , void **context, int device)                          \
	EACH(cuDeviceTotalMem, _v2, size_t *n_bytes, int device)                              \
	EACH(cuDriverGetVersion, , int *version)                                              \
	EACH(cuEventCreate, , void **event, unsigned flags)                                   \
	EACH(cuEventDestroy, _v2, void *event)                                                \
	EACH(cuEventQuery, , void *event)                                                     \
	EACH(cuEventRecord, , void *event, void *stream)                                      \
	EACH(cuEventSynchronize, , void *event)                                               \
	EACH(cuGetErrorName, , int result, const char **name)                                 \
	EACH(cuGraphDestroy, , void *graph)                                                   \
	EACH(cuInit, , unsigned flags)                                                        \
	EACH(cuLaunchKernel, , void *function, unsigned n_groups_x, unsigned n_groups_y,      \
		unsigned n_groups_z, unsigned group_x, unsigned group_y, unsigned group_z,    \
		unsigned shared_bytes, void *stream, void **parameters, void **extra)         \
	EACH(cuMemAlloc, _v2, uint64_t *pointer, size_t n_bytes)                              \
	EACH(cuMemAllocManaged, , uint64_t *pointer, size_t n_bytes, unsigned flags)          \
	EACH(cuMemFree, _v2, uint64_t pointer)                                                \
	EACH(cuMemFreeHost, , void *pointer)                                                  \
	EACH(cuMemGetAddressRange, _v2, uint64_t *base, size_t *n_bytes, uint64_t pointer)    \
	EACH(cuMemHostAlloc, , void **pointer, size_t n_bytes, unsigned flags)                \
	EACH(cuMemHostGetDevicePointer, _v2, uint64_t *pointer, void *host, unsigned flags)   \
	EACH(cuMemcpyAsync, , uint64_t to, uint64_t from, size_t n_bytes, void *stream)       \
	EACH(cuModuleGetFunction, , void **function, void *module, const char *name)          \
	EACH(cuModuleLoadData, , void **module, const void *image)                            \
	EACH(cuModuleUnload, , void *module)                                                  \
	EACH(cuPointerGetAttribute, , void *value, int attribute, uint64_t pointer)           \
	EACH(cuPointerGetAttributes, , unsigned n_attributes, int *attributes, void **values, \
		uint64_t pointer)                                                             \
	EACH(cuStreamBeginCapture, _v2, void *stream, int mode)                               \
	EACH(cuStreamCreate, , void **stream, unsigned flags)                                 \
	EACH(cuStreamDestroy, _v2, void *stream)                                              \
	EACH(cuStreamEndCapture, , void *stream, void **graph)                                \
	EACH(cuStreamGetCtx, , void *stream, void **context)                                  \
	EACH(cuStreamGetFlags, , void *stream, unsigned *flags)                               \
	EACH(cuStreamIsCapturing, , void *stream, int *status)                                \
	EACH(cuStreamQuery, , void *stream)                                                   \
	EACH(cuStreamSynchronize, , void *stream)                                             \
	EACH(cuStreamWaitEvent, , void *stream, void *event, unsigned flags)

/* Functions that drivers before CUDA 11.2 lack; NULL there. */
#define CUDA_API_OPTIONAL(EACH)                                                                  \
	EACH(cuMemGetAccess, , unsigned long long *flags, const struct cuda_location *location,  \
		uint64_t pointer)                                                                \
	EACH(cuMemPoolGetAccess, , int *flags, void *pool, const struct cuda_location *location) \
	EACH(cuMemRelease, , unsigned long long handle)                                          \
	EACH(cuMemRetainAllocationHandle, , unsigned long long *handle, void *pointer)

enum cuda_result {
	CUDA_SUCCESS = 0,
	CUDA_ERROR_INVALID_VALUE = 1,
	CUDA_ERROR_OUT_OF_MEMORY = 2,
	CUDA_ERROR_NOT_INITIALIZED = 3,
	CUDA_ERROR_INVALID_CONTEXT = 201,
	CUDA_ERROR_PEER_ACCESS_UNSUPPORTED = 217,
	CUDA_ERROR_INVALID_HANDLE = 400,
	CUDA_ERROR_NOT_READY = 600,
	CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED = 704,
	CUDA_ERROR_CONTEXT_IS_DESTROYED = 709,
	CUDA_ERROR_TOO_MANY_PEERS = 711,
	CUDA_ERROR_NOT_SUPPORTED = 801,
};

/* Keys of the `extra` array of cuLaunchKernel, which passes packed parameters. */
#define CU_LAUNCH_PARAM_END ((void *)0)
#define CU_LAUNCH_PARAM_BUFFER_POINTER ((void *)1)
#define CU_LAUNCH_PARAM_BUFFER_SIZE ((void *)2)

/* CUpointer_attribute */
enum cuda_pointer_attribute {
	CU_POINTER_ATTRIBUTE_CONTEXT = 1,
	CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
	CU_POINTER_ATTRIBUTE_DEVICE_POINTER = 3,
	CU_POINTER_ATTRIBUTE_HOST_POINTER = 4,
	CU_POINTER_ATTRIBUTE_IS_MANAGED = 8,
	CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9,
	CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE = 10,
	CU_POINTER_ATTRIBUTE_RANGE_START_ADDR = 11,
	CU_POINTER_ATTRIBUTE_RANGE_SIZE = 12,
	CU_POINTER_ATTRIBUTE_MAPPED = 13,
	CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE = 17,
};

/* CUmemorytype */
enum { CU_MEMORYTYPE_HOST = 1, CU_MEMORYTYPE_DEVICE = 2, CU_MEMORYTYPE_UNIFIED = 4 };

/* CUdevice_attribute */
enum {
	CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
	CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
	CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
	CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS = 88,
};

enum {
	CU_EVENT_DISABLE_TIMING = 2,
	CU_MEMHOSTALLOC_PORTABLE = 1,
	CU_MEMHOSTALLOC_DEVICEMAP = 2,
	CU_MEM_LOCATION_TYPE_DEVICE = 1,
	CU_MEM_ATTACH_GLOBAL = 1,
	CU_STREAM_LEGACY = 1, /* these two are stream handles */
	CU_STREAM_PER_THREAD = 2,
	CU_STREAM_NON_BLOCKING = 1, /* a flag */
	CU_STREAM_CAPTURE_MODE_GLOBAL = 0,
};

/* CUmemLocation */
struct cuda_location {
	int type, id;
};

struct cuda_api {
#define CUDA_FIELD(NAME, VERSION, ...) int (*NAME)(__VA_ARGS__);
	CUDA_API(CUDA_FIELD)
	CUDA_API_OPTIONAL(CUDA_FIELD)
#undef CUDA_FIELD
};

/* The table; cuda_load (cuda.h) has succeeded. */
const struct cuda_api *cuda_driver(void);

/* 0 for CUDA_SUCCESS, otherwise -1 with "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY". */
int cuda_check(const struct cuda_api *api, const char *function, int result, struct err *err);

/* "CUDA_ERROR_INVALID_HANDLE": the driver's name of the error. */
const char *cuda_error_name(const struct cuda_api *api, int result);

/* Calls a function of the table. */
#define CUDA_CALL(API, ERR, NAME, ...) cuda_check(API, #NAME, (API)->NAME(__VA_ARGS__), ERR)

#endif
