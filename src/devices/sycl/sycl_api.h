// SPDX-License-Identifier: MIT
/*
 * The subset of dpctl's C library (libDPCTLSyclInterface.so, as of dpctl 0.22) that suai calls,
 * as a table filled at run time. Every reference is opaque; a returned one is freed by the
 * _Delete function of its type.
 */
#ifndef DEVICES_SYCL_SYCL_API_H
#define DEVICES_SYCL_SYCL_API_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Result, name, parameters. */
#define SYCL_API(EACH)                                                                             \
	EACH(void, DPCTLCString_Delete, const char *text)                                          \
	EACH(bool, DPCTLContext_AreEq, const void *context, const void *other)                     \
	EACH(void *, DPCTLContext_Copy, const void *context)                                       \
	EACH(void, DPCTLContext_Delete, void *context)                                             \
	EACH(size_t, DPCTLContext_DeviceCount, const void *context)                                \
	EACH(int, DPCTLContext_GetBackend, const void *context)                                    \
	EACH(void *, DPCTLContext_GetDevices, const void *context)                                 \
	EACH(size_t, DPCTLContext_Hash, const void *context)                                       \
	EACH(void *, DPCTLDefaultSelector_Create, void)                                            \
	EACH(void *, DPCTLDeviceMgr_GetDevices, int identifier)                                    \
	EACH(int, DPCTLDeviceMgr_GetPositionInDevices, const void *device, int id)                 \
	EACH(void, DPCTLDeviceSelector_Delete, void *selector)                                     \
	EACH(void, DPCTLDeviceVector_Delete, void *vector)                                         \
	EACH(void *, DPCTLDeviceVector_GetAt, const void *vector, size_t index)                    \
	EACH(size_t, DPCTLDeviceVector_Size, const void *vector)                                   \
	EACH(bool, DPCTLDevice_AreEq, const void *device, const void *other)                       \
	EACH(void *, DPCTLDevice_CreateFromSelector, const void *selector)                         \
	EACH(void, DPCTLDevice_Delete, void *device)                                               \
	EACH(int, DPCTLDevice_GetBackend, const void *device)                                      \
	EACH(int, DPCTLDevice_GetDeviceType, const void *device)                                   \
	EACH(const char *, DPCTLDevice_GetDriverVersion, const void *device)                       \
	EACH(uint64_t, DPCTLDevice_GetGlobalMemSize, const void *device)                           \
	EACH(uint32_t, DPCTLDevice_GetMaxComputeUnits, const void *device)                         \
	EACH(const char *, DPCTLDevice_GetName, const void *device)                                \
	EACH(void *, DPCTLDevice_GetParentDevice, const void *device)                              \
	EACH(void *, DPCTLDevice_GetPlatform, const void *device)                                  \
	EACH(bool, DPCTLDevice_HasAspect, const void *device, int aspect)                          \
	EACH(bool, DPCTLDevice_IsCPU, const void *device)                                          \
	EACH(void, DPCTLEvent_Delete, void *event)                                                 \
	EACH(void, DPCTLEvent_Wait, void *event)                                                   \
	EACH(void *, DPCTLFilterSelector_Create, const char *filter)                               \
	EACH(void, DPCTLPlatform_Delete, void *platform)                                           \
	EACH(void *, DPCTLPlatform_GetDefaultContext, const void *platform)                        \
	EACH(void *, DPCTLQueue_Copy, const void *queue)                                           \
	EACH(void *, DPCTLQueue_Create, const void *context, const void *device,                   \
		void (*on_error)(int code), int properties)                                        \
	EACH(void, DPCTLQueue_Delete, void *queue)                                                 \
	EACH(void *, DPCTLQueue_GetContext, const void *queue)                                     \
	EACH(void *, DPCTLQueue_GetDevice, const void *queue)                                      \
	EACH(bool, DPCTLQueue_IsInOrder, const void *queue)                                        \
	EACH(void *, DPCTLQueue_Memcpy, const void *queue, void *to, const void *from,             \
		size_t n_bytes)                                                                    \
	EACH(void, DPCTLQueue_Wait, const void *queue)                                             \
	EACH(void *, DPCTLUSM_GetPointerDevice, const void *pointer, const void *context)          \
	EACH(int, DPCTLUSM_GetPointerType, const void *pointer, const void *context)               \
	EACH(void *, DPCTLaligned_alloc_device, size_t alignment, size_t n_bytes,                  \
		const void *queue)                                                                 \
	EACH(void *, DPCTLaligned_alloc_host, size_t alignment, size_t n_bytes, const void *queue) \
	EACH(void *, DPCTLaligned_alloc_shared, size_t alignment, size_t n_bytes,                  \
		const void *queue)                                                                 \
	EACH(void, DPCTLfree_with_context, void *memory, const void *context)

/* Functions for kernels; NULL if the library lacks them. */
#define SYCL_KERNEL_API(EACH)                                                                      \
	EACH(void *, DPCTLKernelBundle_CreateFromOCLSource, const void *context,                   \
		const void *device, const char *source, const char *options)                       \
	EACH(void *, DPCTLKernelBundle_CreateFromSpirv, const void *context, const void *device,   \
		const void *spirv, size_t n_bytes, const char *options)                            \
	EACH(void *, DPCTLKernelBundle_GetKernel, void *bundle, const char *name)                  \
	EACH(void, DPCTLKernelBundle_Delete, void *bundle)                                         \
	EACH(void, DPCTLKernel_Delete, void *kernel)                                               \
	EACH(void *, DPCTLQueue_SubmitBarrierForEvents, const void *queue, void *const *events,    \
		size_t n_events)                                                                   \
	EACH(void *, DPCTLQueue_SubmitNDRange, const void *kernel, const void *queue,              \
		void *const *arguments, const int *types, size_t n_arguments,                      \
		const size_t global[3], const size_t local[3], size_t n_dims, void *const *events, \
		size_t n_events)

/* DPCTLKernelArgType */
enum { SYCL_ARGUMENT_INT64 = 6, SYCL_ARGUMENT_POINTER = 10 };

/* DPCTLSyclUSMType */
enum { SYCL_USM_UNKNOWN, SYCL_USM_DEVICE, SYCL_USM_SHARED, SYCL_USM_HOST };

/* DPCTLSyclBackendType and DPCTLSyclDeviceType, which share one bit field */
enum {
	SYCL_ACCELERATOR = 1 << 0,
	SYCL_CPU = 1 << 2,
	SYCL_GPU = 1 << 4,
	SYCL_ALL_DEVICES = (1 << 6) - 1,
	SYCL_CUDA = 1 << 16,
	SYCL_LEVEL_ZERO = 1 << 17,
	SYCL_OPENCL = 1 << 18,
	SYCL_HIP = 1 << 19,
	SYCL_ALL_BACKENDS = ((1 << 5) - 1) << 16,
};

/* DPCTLSyclAspectType */
enum {
	SYCL_ASPECT_FP16 = 5,
	SYCL_ASPECT_FP64 = 6,
	SYCL_ASPECT_USM_DEVICE = 12,
	SYCL_ASPECT_USM_HOST = 13,
	SYCL_ASPECT_USM_SHARED = 14,
};

struct sycl_api {
#define SYCL_FIELD(RESULT, NAME, ...) RESULT (*NAME)(__VA_ARGS__);
	SYCL_API(SYCL_FIELD)
	SYCL_KERNEL_API(SYCL_FIELD)
#undef SYCL_FIELD
	/*
	 * sycl::context::getNative() of the SYCL library that dpctl uses; NULL if it has none.
	 * Retains the native context that it returns.
	 */
	uintptr_t (*context_native)(const void *context);
};

/*
 * Gives the table of the library that is already loaded or, if directory is not NULL, of the one
 * in that directory. NULL with err set (EXIT_UNAVAILABLE) if there is none or a symbol is
 * missing.
 */
const struct sycl_api *sycl_api_open(const char *directory, struct err *err);

/*
 * The allocation that contains address, according to the OpenCL runtime of the context. False if
 * it cannot be queried: another backend, a missing extension, or an incompatible SYCL library.
 */
bool sycl_extent_find(const struct sycl_api *api, const void *context, uint64_t address,
	uint64_t *base, uint64_t *size);

#endif
