// SPDX-License-Identifier: MIT
/*
 * A fake libcuda.so.1 for error paths: two devices whose memory is in shared files. It is neither a
 * GPU nor a test of one. Device memory cannot be accessed at its address, only copied.
 *
 * FAKE_CUDA_FAIL=MemAlloc_v2:2,Init:100 makes functions (without "cu") return these results;
 * FAKE_CUDA_DEVICES=n: the number of devices; FAKE_CUDA_PAGEABLE=1: they can read malloc memory.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define API __attribute__((visibility("default")))

enum {
	INVALID_VALUE = 1,
	OUT_OF_MEMORY = 2,
	NOT_INITIALIZED = 3,
	INVALID_CONTEXT = 201,
	INVALID_HANDLE = 400,
	NOT_FOUND = 500,
	NOT_READY = 600,
	CAPTURE_INVALIDATED = 901,
	PEER_ACCESS_ALREADY_ENABLED = 704,
	PEER_ACCESS_NOT_ENABLED = 705,
	MAX_ALLOCATIONS = 64,
	MAX_DEPTH = 16,
	STREAM = 0x57ea1,
	WILD_STREAM = 0x57ea2,
};

struct context {
	int device, n_retained;
	bool reaches[2]; /* peer access */
};

#include "fake_cuda_streams.h"

static struct context contexts[2] = { { .device = 0 }, { .device = 1 } };
static _Thread_local struct context *stack[MAX_DEPTH];
static _Thread_local int depth;
static bool initialized;

static struct allocation {
	char *address, *shadow;
	size_t n_bytes;
	const char *kind; /* device, managed, pinned, registered, pool, mapped */
	struct context *context;
	bool is_shared; /* a pool or a mapping that the other device may use too */
} allocations[MAX_ALLOCATIONS];

static int n_devices(void)
{
	const char *n = getenv("FAKE_CUDA_DEVICES");

	return n ? atoi(n) : 1;
}

/* The scripted result of a function; 0 if there is none. The one that FAKE_CUDA_HANG names never
 * returns. */
static int scripted(const char *function)
{
	const char *list = getenv("FAKE_CUDA_FAIL"), *hanging = getenv("FAKE_CUDA_HANG");
	size_t n_chars = strlen(function);

	while (hanging && !strcmp(hanging, function))
		pause();
	while (list && *list) {
		if (!strncmp(list, function, n_chars) && list[n_chars] == ':')
			return atoi(list + n_chars + 1);
		list += strcspn(list, ",");
		list += *list == ',';
	}
	return initialized ? 0 : NOT_INITIALIZED;
}

/* __func__ without "cu". */
#define SCRIPT()                                     \
	do {                                         \
		int result = scripted(__func__ + 2); \
		if (result)                          \
			return result;               \
	} while (0)

static struct context *current(void)
{
	return depth ? stack[depth - 1] : NULL;
}

static struct allocation *find(uint64_t pointer)
{
	for (int i = 0; i < MAX_ALLOCATIONS; i++)
		if (allocations[i].address && pointer >= (uintptr_t)allocations[i].address &&
			pointer - (uintptr_t)allocations[i].address < allocations[i].n_bytes)
			return &allocations[i];
	return NULL;
}

static bool is(const struct allocation *in, const char *kind)
{
	return in && !strcmp(in->kind, kind);
}

static bool is_host(const struct allocation *in)
{
	return is(in, "pinned") || is(in, "registered");
}

/* For the tests: memory of a kind on a device. */
API void *fake_cuda_allocate(const char *kind, size_t n_bytes, int device)
{
	int fd = memfd_create("fake-cuda", 0), i = 0;
	struct allocation *new;

	while (i < MAX_ALLOCATIONS && allocations[i].address)
		i++;
	if (i == MAX_ALLOCATIONS || fd < 0 || ftruncate(fd, (off_t)n_bytes))
		return NULL;
	new = &allocations[i];
	new->kind = strdup(kind);
	new->shadow = mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	new->address = new->shadow;
	if (!is_host(new) && !is(new, "managed"))
		new->address = mmap(NULL, n_bytes, PROT_NONE, MAP_SHARED, fd, 0);
	close(fd);
	new->n_bytes = n_bytes;
	new->context = &contexts[device];
	return new->address;
}

/* For the tests: makes a device the current one. */
API void fake_cuda_use(int device)
{
	stack[depth++] = &contexts[device];
}

/* For the tests: whether peer access from one device to another is enabled; sets it. */
API int fake_cuda_retained(int device)
{
	return contexts[device].n_retained;
}

API bool fake_cuda_reaches(int from, int to)
{
	return contexts[from].reaches[to];
}

API void fake_cuda_reach(int from, int to)
{
	contexts[from].reaches[to] = true;
}

/* For the tests: every device uses the memory. */
API void fake_cuda_share(uint64_t pointer)
{
	find(pointer)->is_shared = true;
}

/* For the tests: a stream of a device; wild: one that crashes the driver. */
API void *fake_cuda_stream(int device, bool wild)
{
	struct stream *stream = new_stream(&contexts[device], 0);

	stream->magic = wild ? WILD_STREAM : STREAM;
	return stream;
}

API int cuInit(unsigned flags)
{
	int result = (initialized = true, scripted("Init"));

	(void)flags;
	initialized = !result;
	return result;
}

API int cuGetErrorName(int result, const char **name)
{
	static const struct {
		int result;
		const char *name;
	} names[] = { { 1, "CUDA_ERROR_INVALID_VALUE" }, { 2, "CUDA_ERROR_OUT_OF_MEMORY" },
		{ 3, "CUDA_ERROR_NOT_INITIALIZED" }, { 100, "CUDA_ERROR_NO_DEVICE" },
		{ 201, "CUDA_ERROR_INVALID_CONTEXT" }, { 400, "CUDA_ERROR_INVALID_HANDLE" },
		{ 700, "CUDA_ERROR_ILLEGAL_ADDRESS" }, { 801, "CUDA_ERROR_NOT_SUPPORTED" },
		{ 901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED" } };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (names[i].result == result) {
			*name = names[i].name;
			return 0;
		}
	return INVALID_VALUE;
}

API int cuDriverGetVersion(int *version)
{
	SCRIPT();
	*version = 13000;
	return 0;
}

API int cuDeviceGetCount(int *n)
{
	SCRIPT();
	*n = n_devices();
	return 0;
}

API int cuDeviceGet(int *device, int ordinal)
{
	SCRIPT();
	*device = ordinal;
	return ordinal >= 0 && ordinal < n_devices() ? 0 : 101;
}

API int cuDeviceGetName(char *name, int n_chars, int device)
{
	SCRIPT();
	snprintf(name, (size_t)n_chars, "fake CUDA device %d", device);
	return 0;
}

API int cuDeviceTotalMem_v2(size_t *n_bytes, int device)
{
	SCRIPT();
	(void)device;
	*n_bytes = (size_t)1 << 30;
	return 0;
}

API int cuDeviceGetAttribute(int *value, int attribute, int device)
{
	SCRIPT();
	(void)device;
	*value = attribute == 88   ? getenv("FAKE_CUDA_PAGEABLE") != NULL
		 : attribute == 75 ? 9
		 : attribute == 16 ? 2
				   : 0;
	return 0;
}

API int cuDevicePrimaryCtxRetain(struct context **context, int device)
{
	SCRIPT();
	*context = &contexts[device];
	(*context)->n_retained++;
	return 0;
}

API int cuDevicePrimaryCtxRelease_v2(int device)
{
	SCRIPT();
	if (--contexts[device].n_retained < 0)
		fprintf(stderr, "fake CUDA: a primary context was released too often\n");
	return 0;
}

API int cuCtxPushCurrent_v2(struct context *context)
{
	SCRIPT();
	stack[depth++] = context;
	return 0;
}

API int cuCtxPopCurrent_v2(struct context **context)
{
	SCRIPT();
	if (!depth)
		return INVALID_CONTEXT;
	*context = stack[--depth];
	return 0;
}

API int cuCtxEnablePeerAccess(struct context *context, unsigned flags)
{
	SCRIPT();
	if (!current() || flags)
		return INVALID_CONTEXT;
	if (current()->reaches[context->device])
		return PEER_ACCESS_ALREADY_ENABLED;
	current()->reaches[context->device] = true;
	return 0;
}

API int cuCtxDisablePeerAccess(struct context *context)
{
	SCRIPT();
	if (!current() || !current()->reaches[context->device])
		return PEER_ACCESS_NOT_ENABLED;
	current()->reaches[context->device] = false;
	return 0;
}

API int cuCtxSetCurrent(struct context *context)
{
	SCRIPT();
	depth = depth ? depth : 1;
	stack[depth - 1] = context;
	return 0;
}

API int cuCtxGetDevice(int *device)
{
	SCRIPT();
	if (!current())
		return INVALID_CONTEXT;
	*device = current()->device;
	return 0;
}

API int cuCtxSynchronize(void)
{
	SCRIPT();
	finish(NULL);
	return 0;
}

static int attribute_of(const struct allocation *in, uint64_t pointer, int attribute, void *value)
{
	switch (attribute) {
	case 1:
		*(struct context **)value = is(in, "pool") || is(in, "mapped") ? NULL : in->context;
		return 0;
	case 2:
		*(unsigned *)value = is_host(in) ? 1 : 2;
		return 0;
	case 3:
		*(uint64_t *)value = is_host(in) && getenv("FAKE_CUDA_HOST_ALONE") ? 0 : pointer;
		return 0;
	case 4:
		*(uint64_t *)value = is_host(in) || is(in, "managed") ? pointer : 0;
		return 0;
	case 8:
		*(unsigned *)value = is(in, "managed");
		return 0;
	case 9:
		*(int *)value = in->context->device;
		return 0;
	case 10:
		*(unsigned *)value = is(in, "device");
		return 0;
	case 11:
		*(uint64_t *)value = (uintptr_t)in->address;
		return 0;
	case 12:
		*(size_t *)value = in->n_bytes;
		return 0;
	case 13:
		*(unsigned *)value = 1;
		return 0;
	case 16: /* as the real one has it, whatever is enabled */
		*(unsigned *)value = 3;
		return 0;
	case 17:
		*(void **)value = is(in, "pool") ? (void *)in : NULL;
		return 0;
	default:
		return INVALID_VALUE;
	}
}

API int cuPointerGetAttribute(void *value, int attribute, uint64_t pointer)
{
	SCRIPT();
	return find(pointer) ? attribute_of(find(pointer), pointer, attribute, value)
			     : INVALID_VALUE;
}

API int cuPointerGetAttributes(unsigned n, int *attributes, void **values, uint64_t pointer)
{
	SCRIPT();
	for (unsigned i = 0; i < n && find(pointer); i++)
		(void)attribute_of(find(pointer), pointer, attributes[i], values[i]);
	return 0;
}

API int cuMemGetAddressRange_v2(uint64_t *base, size_t *n_bytes, uint64_t pointer)
{
	SCRIPT();
	if (!find(pointer))
		return NOT_FOUND;
	*base = (uintptr_t)find(pointer)->address;
	*n_bytes = find(pointer)->n_bytes;
	return 0;
}

static int allocate(uint64_t *pointer, const char *kind, size_t n_bytes)
{
	if (!current())
		return INVALID_CONTEXT;
	*pointer = (uintptr_t)fake_cuda_allocate(kind, n_bytes, current()->device);
	return *pointer ? 0 : OUT_OF_MEMORY;
}

static int release(uint64_t pointer, bool is_right)
{
	if (!find(pointer) || !is_right)
		return INVALID_VALUE;
	find(pointer)->address = NULL;
	fprintf(stderr, "fake CUDA: memory freed\n");
	return 0;
}

API int cuMemAlloc_v2(uint64_t *pointer, size_t n_bytes)
{
	SCRIPT();
	return allocate(pointer, "device", n_bytes);
}

API int cuMemAllocManaged(uint64_t *pointer, size_t n_bytes, unsigned flags)
{
	SCRIPT();
	return flags == 1 ? allocate(pointer, "managed", n_bytes) : INVALID_VALUE;
}

API int cuMemHostAlloc(void **pointer, size_t n_bytes, unsigned flags)
{
	uint64_t address = 0;
	int result;

	SCRIPT();
	(void)flags;
	result = allocate(&address, "pinned", n_bytes);
	*pointer = (void *)(uintptr_t)address;
	return result;
}

API int cuMemFree_v2(uint64_t pointer)
{
	SCRIPT();
	return release(pointer, is(find(pointer), "device") || is(find(pointer), "managed"));
}

API int cuMemFreeHost(void *pointer)
{
	SCRIPT();
	return release((uintptr_t)pointer, is(find((uintptr_t)pointer), "pinned"));
}

#ifndef FAKE_CUDA_OLD
API int cuMemRetainAllocationHandle(unsigned long long *handle, void *pointer)
{
	SCRIPT();
	*handle = 1;
	return is(find((uintptr_t)pointer), "mapped") ? 0 : INVALID_VALUE;
}

API int cuMemRelease(unsigned long long handle)
{
	SCRIPT();
	return handle == 1 ? 0 : INVALID_VALUE;
}

static int access_of(const struct allocation *in, int device)
{
	return in->is_shared || in->context->device == device ? 3 : 0;
}

API int cuMemGetAccess(unsigned long long *flags, const int *location, uint64_t pointer)
{
	SCRIPT();
	if (!is(find(pointer), "mapped"))
		return INVALID_VALUE;
	*flags = access_of(find(pointer), location[1]);
	return 0;
}

/* Each allocation is its own pool. */
API int cuMemPoolGetAccess(int *flags, struct allocation *pool, const int *location)
{
	SCRIPT();
	*flags = access_of(pool, location[1]);
	return 0;
}
#endif

/* The address of a range's bytes; NULL if it exceeds its allocation. */
static char *reach(uint64_t pointer, size_t n_bytes)
{
	const struct allocation *in = find(pointer);
	size_t offset = in ? (size_t)(pointer - (uintptr_t)in->address) : 0;

	if (!in)
		return (char *)(uintptr_t)pointer;
	return n_bytes <= in->n_bytes - offset ? in->shadow + offset : NULL;
}

API int cuMemcpyAsync(uint64_t to, uint64_t from, size_t n_bytes, struct stream *stream)
{
	char *target = reach(to, n_bytes), *source = reach(from, n_bytes);

	SCRIPT();
	if (!current() || !target || !source)
		return INVALID_VALUE;
	submit(stream_at(stream),
		(struct work){
			.kind = WORK_COPY, .to = target, .from = source, .n_bytes = n_bytes });
	fprintf(stderr, "fake CUDA: copied %zu bytes\n", n_bytes);
	return 0;
}

API int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t n_bytes)
{
	char *target = reach(to, n_bytes);

	SCRIPT();
	if (!target)
		return INVALID_VALUE;
	memcpy(target, from, n_bytes);
	return 0;
}

API int cuStreamCreate(struct stream **stream, unsigned flags)
{
	SCRIPT();
	if (!current())
		return INVALID_CONTEXT;
	*stream = new_stream(current(), flags);
	return 0;
}

API int cuStreamDestroy_v2(struct stream *stream)
{
	SCRIPT();
	stream->magic = 0;
	fprintf(stderr, "fake CUDA: stream destroyed\n");
	return 0;
}

API int cuStreamGetCtx(const struct stream *stream, struct context **context)
{
	SCRIPT();
	if (stream->magic == WILD_STREAM)
		*(volatile int *)8 = 0;
	*context = stream->context;
	return stream->magic == STREAM ? 0 : INVALID_HANDLE;
}

API int cuStreamIsCapturing(const struct stream *stream, int *status)
{
	SCRIPT();
	(void)stream;
	*status = getenv("FAKE_CUDA_CAPTURING") != NULL;
	return 0;
}

API int cuStreamQuery(const struct stream *stream)
{
	SCRIPT();
	return stream->magic == STREAM ? NOT_READY : INVALID_HANDLE;
}

API int cuStreamGetFlags(const struct stream *stream, unsigned *flags)
{
	SCRIPT();
	*flags = stream->flags;
	return stream->magic == STREAM ? 0 : INVALID_HANDLE;
}

API int cuStreamSynchronize(struct stream *stream)
{
	SCRIPT();
	finish(stream_at(stream));
	return 0;
}

API int cuStreamWaitEvent(struct stream *stream, struct event *event, unsigned flags)
{
	SCRIPT();
	(void)flags;
	if (capturing && event->is_captured != (stream_at(stream) == capturing)) {
		is_invalidated = true;
		return CAPTURE_INVALIDATED;
	}
	submit(stream_at(stream),
		(struct work){ .kind = WORK_WAIT, .event = event, .number = event->n_recorded });
	return 0;
}

API int cuStreamBeginCapture_v2(struct stream *stream, int mode)
{
	SCRIPT();
	(void)mode;
	is_invalidated = getenv("FAKE_CUDA_BREAKS_CAPTURES") != NULL; /* as another thread does */
	capturing = stream_at(stream);
	return 0;
}

API int cuStreamEndCapture(struct stream *stream, void **graph)
{
	SCRIPT();
	(void)stream;
	capturing = NULL;
	*graph = is_invalidated ? NULL : malloc(1);
	return is_invalidated ? CAPTURE_INVALIDATED : 0;
}

API int cuGraphDestroy(void *graph)
{
	SCRIPT();
	free(graph);
	return 0;
}

API int cuEventCreate(struct event **event, unsigned flags)
{
	SCRIPT();
	(void)flags;
	*event = calloc(1, sizeof(**event));
	return 0;
}

/* Recorded work may still be running. */
API int cuEventDestroy_v2(struct event *event)
{
	SCRIPT();
	(void)event;
	return 0;
}

API int cuEventRecord(struct event *event, struct stream *stream)
{
	SCRIPT();
	fprintf(stderr, "fake CUDA: event recorded on %p\n", (void *)stream);
	event->is_captured = stream_at(stream) == capturing;
	if (event->is_captured)
		return 0;
	event->is_done[++event->n_recorded % MAX_RECORDS] = false;
	submit(stream_at(stream),
		(struct work){ .kind = WORK_RECORD, .event = event, .number = event->n_recorded });
	return 0;
}

API int cuEventQuery(const struct event *event)
{
	SCRIPT();
	advance();
	return is_done(event) ? 0 : NOT_READY;
}

API int cuEventSynchronize(const struct event *event)
{
	SCRIPT();
	for (advance(); !is_done(event); advance())
		usleep(100);
	return 0;
}

API int cuModuleLoadData(void **module, const void *image)
{
	SCRIPT();
	*module = (void *)image;
	return strstr(image, ".entry gate(") ? 0 : 801; /* only the kernel of the gate */
}

API int cuModuleUnload(void *module)
{
	SCRIPT();
	(void)module;
	return 0;
}

API int cuModuleGetFunction(void **function, void *module, const char *name)
{
	SCRIPT();
	*function = module;
	return strcmp(name, "gate") ? NOT_FOUND : 0;
}

API int cuLaunchKernel(void *function, unsigned x, unsigned y, unsigned z, unsigned group_x,
	unsigned group_y, unsigned group_z, unsigned shared, void *stream, void **parameters,
	void **extra)
{
	SCRIPT();
	(void)function, (void)x, (void)y, (void)z, (void)group_x, (void)group_y, (void)group_z;
	(void)shared, (void)extra;
	submit(stream_at(stream),
		(struct work){ .kind = WORK_GATE, .flag = **(volatile unsigned ***)parameters });
	return 0;
}

API int cuMemHostGetDevicePointer_v2(uint64_t *pointer, void *host, unsigned flags)
{
	SCRIPT();
	(void)flags;
	*pointer = (uintptr_t)host;
	return 0;
}
