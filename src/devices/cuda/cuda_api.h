// SPDX-License-Identifier: MIT
/*
 * The part of the CUDA driver (libcuda.so.1) that suai calls, as a table filled at run time: own
 * declarations, no cuda.h. Every handle is opaque; a CUdeviceptr is an address.
 */
#ifndef DEVICES_CUDA_CUDA_API_H
#define DEVICES_CUDA_CUDA_API_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Name without its prefix "cu", suffix of the symbol's version, parameters. All give a CUresult. */
#define CUDA_API(EACH)                                                                      \
	EACH(CtxDisablePeerAccess, , void *context)                                         \
	EACH(CtxEnablePeerAccess, , void *context, unsigned flags)                          \
	EACH(CtxGetCurrent, , void **context)                                               \
	EACH(CtxGetDevice, , int *device)                                                   \
	EACH(CtxPopCurrent, _v2, void **context)                                            \
	EACH(CtxPushCurrent, _v2, void *context)                                            \
	EACH(CtxSynchronize, , void)                                                        \
	EACH(DeviceGet, , int *device, int ordinal)                                         \
	EACH(DeviceGetAttribute, , int *value, int attribute, int device)                   \
	EACH(DeviceGetCount, , int *n_devices)                                              \
	EACH(DeviceGetName, , char *name, int n_chars, int device)                          \
	EACH(DevicePrimaryCtxRelease, _v2, int device)                                      \
	EACH(DevicePrimaryCtxRetain, , void **context, int device)                          \
	EACH(DeviceTotalMem, _v2, size_t *n_bytes, int device)                              \
	EACH(DriverGetVersion, , int *version)                                              \
	EACH(EventCreate, , void **event, unsigned flags)                                   \
	EACH(EventDestroy, _v2, void *event)                                                \
	EACH(EventElapsedTime, , float *milliseconds, void *begin, void *end)               \
	EACH(EventQuery, , void *event)                                                     \
	EACH(EventRecord, , void *event, void *stream)                                      \
	EACH(EventSynchronize, , void *event)                                               \
	EACH(GetErrorName, , int result, const char **name)                                 \
	EACH(GraphDestroy, , void *graph)                                                   \
	EACH(Init, , unsigned flags)                                                        \
	EACH(LaunchKernel, , void *function, unsigned n_groups_x, unsigned n_groups_y,      \
		unsigned n_groups_z, unsigned group_x, unsigned group_y, unsigned group_z,  \
		unsigned shared_bytes, void *stream, void **parameters, void **extra)       \
	EACH(MemAlloc, _v2, uint64_t *pointer, size_t n_bytes)                              \
	EACH(MemAllocManaged, , uint64_t *pointer, size_t n_bytes, unsigned flags)          \
	EACH(MemFree, _v2, uint64_t pointer)                                                \
	EACH(MemFreeHost, , void *pointer)                                                  \
	EACH(MemGetAddressRange, _v2, uint64_t *base, size_t *n_bytes, uint64_t pointer)    \
	EACH(MemHostAlloc, , void **pointer, size_t n_bytes, unsigned flags)                \
	EACH(MemHostGetDevicePointer, _v2, uint64_t *pointer, void *host, unsigned flags)   \
	EACH(MemcpyAsync, , uint64_t to, uint64_t from, size_t n_bytes, void *stream)       \
	EACH(ModuleGetFunction, , void **function, void *module, const char *name)          \
	EACH(ModuleLoadData, , void **module, const void *image)                            \
	EACH(ModuleUnload, , void *module)                                                  \
	EACH(PointerGetAttribute, , void *value, int attribute, uint64_t pointer)           \
	EACH(PointerGetAttributes, , unsigned n_attributes, int *attributes, void **values, \
		uint64_t pointer)                                                           \
	EACH(StreamBeginCapture, _v2, void *stream, int mode)                               \
	EACH(StreamCreate, , void **stream, unsigned flags)                                 \
	EACH(StreamDestroy, _v2, void *stream)                                              \
	EACH(StreamEndCapture, , void *stream, void **graph)                                \
	EACH(StreamGetCtx, , void *stream, void **context)                                  \
	EACH(StreamGetFlags, , void *stream, unsigned *flags)                               \
	EACH(StreamIsCapturing, , void *stream, int *status)                                \
	EACH(StreamQuery, , void *stream)                                                   \
	EACH(StreamSynchronize, , void *stream)                                             \
	EACH(StreamWaitEvent, , void *stream, void *event, unsigned flags)

/* What drivers before CUDA 11.2 lack; NULL there. */
#define CUDA_API_OPTIONAL(EACH)                                                                \
	EACH(MemAllocAsync, , uint64_t *pointer, size_t n_bytes, void *stream)                 \
	EACH(MemFreeAsync, , uint64_t pointer, void *stream)                                   \
	EACH(MemGetAccess, , unsigned long long *flags, const struct cuda_location *location,  \
		uint64_t pointer)                                                              \
	EACH(MemPoolGetAccess, , int *flags, void *pool, const struct cuda_location *location) \
	EACH(MemRelease, , unsigned long long handle)                                          \
	EACH(MemRetainAllocationHandle, , unsigned long long *handle, void *pointer)

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

/* CUpointer_attribute */
enum cuda_pointer_attribute {
	CUDA_POINTER_CONTEXT = 1,
	CUDA_POINTER_MEMORY_TYPE = 2,
	CUDA_POINTER_DEVICE_POINTER = 3,
	CUDA_POINTER_HOST_POINTER = 4,
	CUDA_POINTER_IS_MANAGED = 8,
	CUDA_POINTER_DEVICE_ORDINAL = 9,
	CUDA_POINTER_IS_IPC_CAPABLE = 10,
	CUDA_POINTER_RANGE_START = 11,
	CUDA_POINTER_RANGE_SIZE = 12,
	CUDA_POINTER_MAPPED = 13,
	CUDA_POINTER_MEMPOOL = 17,
};

/* CUmemorytype */
enum { CUDA_MEMORY_HOST = 1, CUDA_MEMORY_DEVICE = 2, CUDA_MEMORY_UNIFIED = 4 };

/* CUdevice_attribute */
enum {
	CUDA_DEVICE_MULTIPROCESSORS = 16,
	CUDA_DEVICE_CAPABILITY_MAJOR = 75,
	CUDA_DEVICE_CAPABILITY_MINOR = 76,
	CUDA_DEVICE_PAGEABLE_ACCESS = 88,
	CUDA_DEVICE_POOLS = 115,
};

enum {
	CUDA_EVENT_WITHOUT_TIMING = 2,
	CUDA_HOST_PORTABLE = 1,
	CUDA_HOST_DEVICEMAP = 2,
	CUDA_LOCATION_DEVICE = 1,
	CUDA_MANAGED_GLOBAL = 1,
	CUDA_STREAM_LEGACY = 1, /* these two are handles */
	CUDA_STREAM_PER_THREAD = 2,
	CUDA_STREAM_NON_BLOCKING = 1, /* a flag */
	CUDA_CAPTURE_GLOBAL = 0,
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

/*
 * The table, of the library in this process or, unless only_loaded, of the one that the loader
 * finds. NULL with err set (EXIT_UNAVAILABLE) where there is none, or where a symbol is missing.
 * Does not call cuInit.
 */
const struct cuda_api *cuda_api_open(bool only_loaded, struct err *err);

/* 0 for CUDA_SUCCESS; else -1 with "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY". */
int cuda_check(const struct cuda_api *api, const char *function, int result, struct err *err);

/* "CUDA_ERROR_INVALID_HANDLE"; the driver's own text. */
const char *cuda_error_name(const struct cuda_api *api, int result);

/* Calls a function of the table by its name without "cu". */
#define CUDA_CALL(API, ERR, NAME, ...) cuda_check(API, "cu" #NAME, (API)->NAME(__VA_ARGS__), ERR)

#endif
