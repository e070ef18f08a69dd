// SPDX-License-Identifier: MIT
/*
 * The part of dpctl's C library (libDPCTLSyclInterface.so, as of dpctl 0.22) that suai calls,
 * as a table filled at run time. Every reference is opaque; those that a function gives are freed
 * by the _Delete of their kind.
 */
#ifndef DEVICES_SYCL_SYCL_API_H
#define DEVICES_SYCL_SYCL_API_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Result, name without its prefix "DPCTL", parameters. */
#define SYCL_API(EACH)                                                                            \
	EACH(void, CString_Delete, const char *text)                                              \
	EACH(bool, Context_AreEq, const void *context, const void *other)                         \
	EACH(void *, Context_Copy, const void *context)                                           \
	EACH(void, Context_Delete, void *context)                                                 \
	EACH(size_t, Context_DeviceCount, const void *context)                                    \
	EACH(int, Context_GetBackend, const void *context)                                        \
	EACH(void *, Context_GetDevices, const void *context)                                     \
	EACH(size_t, Context_Hash, const void *context)                                           \
	EACH(void *, DefaultSelector_Create, void)                                                \
	EACH(void *, DeviceMgr_GetDevices, int identifier)                                        \
	EACH(int, DeviceMgr_GetPositionInDevices, const void *device, int id)                     \
	EACH(void, DeviceSelector_Delete, void *selector)                                         \
	EACH(void, DeviceVector_Delete, void *vector)                                             \
	EACH(void *, DeviceVector_GetAt, const void *vector, size_t index)                        \
	EACH(size_t, DeviceVector_Size, const void *vector)                                       \
	EACH(bool, Device_AreEq, const void *device, const void *other)                           \
	EACH(void *, Device_CreateFromSelector, const void *selector)                             \
	EACH(void, Device_Delete, void *device)                                                   \
	EACH(int, Device_GetBackend, const void *device)                                          \
	EACH(int, Device_GetDeviceType, const void *device)                                       \
	EACH(const char *, Device_GetDriverVersion, const void *device)                           \
	EACH(uint64_t, Device_GetGlobalMemSize, const void *device)                               \
	EACH(uint32_t, Device_GetMaxComputeUnits, const void *device)                             \
	EACH(const char *, Device_GetName, const void *device)                                    \
	EACH(void *, Device_GetParentDevice, const void *device)                                  \
	EACH(void *, Device_GetPlatform, const void *device)                                      \
	EACH(bool, Device_HasAspect, const void *device, int aspect)                              \
	EACH(bool, Device_IsCPU, const void *device)                                              \
	EACH(void, Event_Delete, void *event)                                                     \
	EACH(void, Event_Wait, void *event)                                                       \
	EACH(void *, FilterSelector_Create, const char *filter)                                   \
	EACH(void, Platform_Delete, void *platform)                                               \
	EACH(void *, Platform_GetDefaultContext, const void *platform)                            \
	EACH(void *, Queue_Copy, const void *queue)                                               \
	EACH(void *, Queue_Create, const void *context, const void *device,                       \
		void (*on_error)(int code), int properties)                                       \
	EACH(void, Queue_Delete, void *queue)                                                     \
	EACH(void *, Queue_GetContext, const void *queue)                                         \
	EACH(void *, Queue_GetDevice, const void *queue)                                          \
	EACH(bool, Queue_IsInOrder, const void *queue)                                            \
	EACH(void *, Queue_Memcpy, const void *queue, void *to, const void *from, size_t n_bytes) \
	EACH(void, Queue_Wait, const void *queue)                                                 \
	EACH(void *, USM_GetPointerDevice, const void *pointer, const void *context)              \
	EACH(int, USM_GetPointerType, const void *pointer, const void *context)                   \
	EACH(void *, aligned_alloc_device, size_t alignment, size_t n_bytes, const void *queue)   \
	EACH(void *, aligned_alloc_host, size_t alignment, size_t n_bytes, const void *queue)     \
	EACH(void *, aligned_alloc_shared, size_t alignment, size_t n_bytes, const void *queue)   \
	EACH(void, free_with_context, void *memory, const void *context)

/* The same, of kernels; NULL where the library lacks them. */
#define SYCL_KERNEL_API(EACH)                                                                      \
	EACH(void *, KernelBundle_CreateFromOCLSource, const void *context, const void *device,    \
		const char *source, const char *options)                                           \
	EACH(void *, KernelBundle_CreateFromSpirv, const void *context, const void *device,        \
		const void *spirv, size_t n_bytes, const char *options)                            \
	EACH(void *, KernelBundle_GetKernel, void *bundle, const char *name)                       \
	EACH(void, KernelBundle_Delete, void *bundle)                                              \
	EACH(void, Kernel_Delete, void *kernel)                                                    \
	EACH(void *, Queue_SubmitBarrierForEvents, const void *queue, void *const *events,         \
		size_t n_events)                                                                   \
	EACH(void *, Queue_SubmitNDRange, const void *kernel, const void *queue,                   \
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
	/* sycl::context::getNative() of the SYCL library beneath; NULL where it has none. Retains
	 * the native context that it gives. */
	uintptr_t (*context_native)(const void *context);
};

/*
 * The table: of the library that is loaded already or, where folder is not NULL, of the one in that
 * folder. NULL with err set (EXIT_UNAVAILABLE) where there is none, or where a symbol is missing.
 */
const struct sycl_api *sycl_api_open(const char *folder, struct err *err);

/*
 * The allocation that address is in, as the OpenCL runtime beneath the context knows it. False
 * where it cannot be asked: another backend, no such extension, a SYCL library of another kind.
 */
bool sycl_extent_find(const struct sycl_api *api, const void *context, uint64_t address,
	uint64_t *base, uint64_t *size);

#endif
