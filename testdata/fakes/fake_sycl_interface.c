// SPDX-License-Identifier: MIT
/*
 * A fake libDPCTLSyclInterface.so: one device, memory from the host, scripted failures. It proves
 * error paths on any machine; it is neither a SYCL device nor a test of one. Environment:
 * FAKE_SYCL_NULL=Queue_Copy,... these functions return NULL; FAKE_SYCL_GPU=1: the device is a GPU,
 * whose memory the host cannot access (it is mapped twice, once without any access).
 * -DFAKE_SYCL_OLD omits a symbol. As in the real library, querying the device of an unknown pointer
 * aborts the process.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define API __attribute__((visibility("default")))

enum { USM_UNKNOWN, USM_DEVICE, USM_SHARED, USM_HOST, MAX_ALLOCATIONS = 256 };

struct fake_context {
	int number; /* 0: the platform's default one */
};

struct fake_queue {
	struct fake_context context;
	bool in_order;
};

static struct allocation {
	char *address, *shadow; /* where it is said to be, and where the bytes can be reached */
	size_t n_bytes;
	int kind, context;
} allocations[MAX_ALLOCATIONS];

static char fake_device[] = "fake SYCL device";

static bool fails(const char *function)
{
	const char *list = getenv("FAKE_SYCL_NULL");
	size_t n_chars = strlen(function);

	while (list && *list) {
		size_t n = strcspn(list, ",");

		if (n == n_chars && !strncmp(list, function, n))
			return true;
		list += n + (list[n] == ',');
	}
	return false;
}

static bool is_gpu(void)
{
	return getenv("FAKE_SYCL_GPU") != NULL;
}

static void *give(const char *function, const void *bytes, size_t n_bytes)
{
	void *copy = fails(function) ? NULL : malloc(n_bytes);

	return copy ? memcpy(copy, bytes, n_bytes) : NULL;
}

static void *give_device(const char *function)
{
	return give(function, fake_device, sizeof(fake_device));
}

static const struct allocation *find(const void *pointer)
{
	for (int i = 0; i < MAX_ALLOCATIONS; i++)
		if (allocations[i].address &&
			(uintptr_t)pointer >= (uintptr_t)allocations[i].address &&
			(uintptr_t)pointer - (uintptr_t)allocations[i].address <
				allocations[i].n_bytes)
			return &allocations[i];
	return NULL;
}

static void *allocate(size_t n_bytes, int kind, const struct fake_queue *queue)
{
	int fd = memfd_create("fake-usm", 0), i = 0;
	struct allocation *new;

	while (i < MAX_ALLOCATIONS && allocations[i].address)
		i++;
	if (i == MAX_ALLOCATIONS || fd < 0 || ftruncate(fd, (off_t)n_bytes))
		return NULL;
	new = &allocations[i];
	new->shadow = mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	new->address = new->shadow;
	if (kind == USM_DEVICE && is_gpu())
		new->address = mmap(NULL, n_bytes, PROT_NONE, MAP_SHARED, fd, 0);
	close(fd);
	new->n_bytes = n_bytes;
	new->kind = kind;
	new->context = queue->context.number;
	return new->address;
}

/* The address of a range's bytes; NULL if it exceeds its allocation. */
static char *reach(const void *pointer, size_t n_bytes)
{
	const struct allocation *in = find(pointer);
	size_t offset = in ? (size_t)((const char *)pointer - in->address) : 0;

	if (!in)
		return (char *)pointer;
	return n_bytes <= in->n_bytes - offset ? in->shadow + offset : NULL;
}

API void *DPCTLmalloc_device(size_t n_bytes, const struct fake_queue *queue)
{
	return allocate(n_bytes, USM_DEVICE, queue);
}

API void *DPCTLmalloc_shared(size_t n_bytes, const struct fake_queue *queue)
{
	return allocate(n_bytes, USM_SHARED, queue);
}

API void *DPCTLmalloc_host(size_t n_bytes, const struct fake_queue *queue)
{
	return allocate(n_bytes, USM_HOST, queue);
}

API void DPCTLfree_with_queue(void *pointer, const struct fake_queue *queue)
{
	struct allocation *in = (struct allocation *)find(pointer);

	(void)queue;
	if (in)
		in->address = NULL;
}

API void DPCTLfree_with_context(void *pointer, const struct fake_context *context)
{
	(void)context;
	DPCTLfree_with_queue(pointer, NULL);
}

/* Pages exceed every requested alignment. */
#define ALIGNED(KIND)                                                                             \
	API void *DPCTLaligned_alloc_##KIND(                                                      \
		size_t alignment, size_t n_bytes, const struct fake_queue *queue)                 \
	{                                                                                         \
		(void)alignment;                                                                  \
		return fails("aligned_alloc_" #KIND) ? NULL : DPCTLmalloc_##KIND(n_bytes, queue); \
	}

ALIGNED(device)
ALIGNED(shared)
ALIGNED(host)

/* Kernels that never build. */
API void *DPCTLKernelBundle_CreateFromSpirv(const void *context, const void *device,
	const void *spirv, size_t n_bytes, const char *options)
{
	(void)context, (void)device, (void)spirv, (void)n_bytes, (void)options;
	return NULL;
}

API void *DPCTLKernelBundle_CreateFromOCLSource(
	const void *context, const void *device, const char *source, const char *options)
{
	(void)context, (void)device, (void)source, (void)options;
	return NULL;
}

API void *DPCTLQueue_SubmitNDRange(void)
{
	return NULL;
}

#ifndef FAKE_SYCL_OLD
API int DPCTLUSM_GetPointerType(const void *pointer, const struct fake_context *context)
{
	const struct allocation *in = find(pointer);

	return in && in->context == context->number ? in->kind : USM_UNKNOWN;
}
#endif

API void *DPCTLUSM_GetPointerDevice(const void *pointer, const struct fake_context *context)
{
	const struct allocation *in = find(pointer);

	if (!in || in->context != context->number) {
		fprintf(stderr, "fake SYCL: terminate called: pointer not in this context\n");
		abort();
	}
	return give_device("USM_GetPointerDevice");
}

API void *DPCTLQueue_Create(const struct fake_context *context, const void *device,
	void (*on_error)(int), int properties)
{
	struct fake_queue queue = { *context, (properties & 2) != 0 };

	(void)device;
	(void)on_error;
	return give("Queue_Create", &queue, sizeof(queue));
}

API void *DPCTLQueue_Copy(const struct fake_queue *queue)
{
	return give("Queue_Copy", queue, sizeof(*queue));
}

API void *DPCTLQueue_GetContext(const struct fake_queue *queue)
{
	return give("Queue_GetContext", &queue->context, sizeof(queue->context));
}

API void *DPCTLQueue_GetDevice(const struct fake_queue *queue)
{
	(void)queue;
	return give_device("Queue_GetDevice");
}

API bool DPCTLQueue_IsInOrder(const struct fake_queue *queue)
{
	return queue->in_order;
}

API void DPCTLQueue_Wait(const struct fake_queue *queue)
{
	(void)queue;
	fprintf(stderr, "fake SYCL: queue waited for\n");
}

API void *DPCTLQueue_Memcpy(
	const struct fake_queue *queue, void *to, const void *from, size_t n_bytes)
{
	char *target = reach(to, n_bytes), *source = reach(from, n_bytes);

	(void)queue;
	if (!target || !source || fails("Queue_Memcpy"))
		return NULL;
	memcpy(target, source, n_bytes);
	return give("Event", "e", 2);
}

API void DPCTLEvent_Wait(void *event)
{
	(void)event;
}

API void *DPCTLContext_Copy(const struct fake_context *context)
{
	return give("Context_Copy", context, sizeof(*context));
}

API bool DPCTLContext_AreEq(const struct fake_context *context, const struct fake_context *other)
{
	return context->number == other->number;
}

API size_t DPCTLContext_DeviceCount(const struct fake_context *context)
{
	(void)context;
	return 1;
}

API int DPCTLContext_GetBackend(const struct fake_context *context)
{
	(void)context;
	return 1 << 18;
}

API size_t DPCTLContext_Hash(const struct fake_context *context)
{
	return 0xfa4e0000u + (size_t)context->number;
}

API void *DPCTLContext_GetDevices(const struct fake_context *context)
{
	(void)context;
	return give("Context_GetDevices", "v", 2);
}

API void *DPCTLDeviceMgr_GetDevices(int identifier)
{
	(void)identifier;
	return give("DeviceMgr_GetDevices", "v", 2);
}

API int DPCTLDeviceMgr_GetPositionInDevices(const void *device, int identifier)
{
	(void)device;
	(void)identifier;
	return 0;
}

API size_t DPCTLDeviceVector_Size(const void *vector)
{
	(void)vector;
	return 1;
}

API void *DPCTLDeviceVector_GetAt(const void *vector, size_t index)
{
	(void)vector;
	(void)index;
	return give_device("DeviceVector_GetAt");
}

API void *DPCTLDefaultSelector_Create(void)
{
	return give("DefaultSelector_Create", "cpu", sizeof("cpu"));
}

API void *DPCTLFilterSelector_Create(const char *filter)
{
	return give("FilterSelector_Create", filter, strlen(filter) + 1);
}

API void *DPCTLDevice_CreateFromSelector(const char *filter)
{
	return strcmp(filter, is_gpu() ? "gpu" : "cpu") ? NULL
							: give_device("Device_CreateFromSelector");
}

API bool DPCTLDevice_AreEq(const void *device, const void *other)
{
	return device && other;
}

API int DPCTLDevice_GetBackend(const void *device)
{
	(void)device;
	return 1 << 18;
}

API int DPCTLDevice_GetDeviceType(const void *device)
{
	(void)device;
	return is_gpu() ? 1 << 4 : 1 << 2;
}

API bool DPCTLDevice_IsCPU(const void *device)
{
	(void)device;
	return !is_gpu();
}

API char *DPCTLDevice_GetName(const void *device)
{
	return give("Device_GetName", device, sizeof(fake_device));
}

API char *DPCTLDevice_GetDriverVersion(const void *device)
{
	(void)device;
	return give("Device_GetDriverVersion", "0.fake", 7);
}

API uint64_t DPCTLDevice_GetGlobalMemSize(const void *device)
{
	(void)device;
	return UINT64_C(1) << 30;
}

API uint32_t DPCTLDevice_GetMaxComputeUnits(const void *device)
{
	(void)device;
	return 1;
}

API void *DPCTLDevice_GetParentDevice(const void *device)
{
	(void)device;
	return NULL;
}

API void *DPCTLDevice_GetPlatform(const void *device)
{
	(void)device;
	return give("Device_GetPlatform", "p", 2);
}

API bool DPCTLDevice_HasAspect(const void *device, int aspect)
{
	(void)device;
	return aspect != 5;
}

API void *DPCTLPlatform_GetDefaultContext(const void *platform)
{
	struct fake_context context = { 0 };

	(void)platform;
	return give("Platform_GetDefaultContext", &context, sizeof(context));
}

#define DELETE(NAME)                             \
	API void DPCTL##NAME##_Delete(void *one) \
	{                                        \
		free(one);                       \
	}
DELETE(CString)
DELETE(Context)
DELETE(Device)
DELETE(DeviceSelector)
DELETE(DeviceVector)
DELETE(Event)
DELETE(Platform)
DELETE(Queue)
