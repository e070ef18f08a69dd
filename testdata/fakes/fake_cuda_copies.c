// SPDX-License-Identifier: MIT
/*
 * A fake libcuda.so.1 with the functions that suai trace replaces, for error paths: it copies
 * nothing and is no test of a GPU. Addresses below 4096 are those of two devices, 2048 bytes each,
 * of which the last 128 are managed memory; copies of 13 bytes fail. Work on a stream is pending
 * until fake_finish(), for which nothing waits. To query a stream that is destroyed or captured, or
 * without the relaxed mode of captures, aborts.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default")))

enum {
	SUCCESS,
	INVALID_VALUE,
	N_DEVICES,
	NOT_FOUND = 500,
	DEVICE_BYTES = 2048,
	MANAGED_BYTES = 128,
	DEVICE_END = 4096,
	UNLUCKY = 13
};

static int copy_status(size_t n_bytes)
{
	return n_bytes == UNLUCKY ? INVALID_VALUE : SUCCESS;
}

API int cuPointerGetAttribute(void *value, int attribute, uintptr_t pointer)
{
	if (pointer >= DEVICE_END)
		return INVALID_VALUE;
	if (attribute == 2)
		*(unsigned int *)value = 2;
	else if (attribute == 8)
		*(int *)value = pointer % DEVICE_BYTES >= DEVICE_BYTES - MANAGED_BYTES;
	else if (attribute == 9)
		*(int *)value = pointer / DEVICE_BYTES;
	else
		return INVALID_VALUE;
	return SUCCESS;
}

API int cuDeviceGetCount(int *n_devices)
{
	*n_devices = N_DEVICES;
	return SUCCESS;
}

API int cuMemcpyDtoDAsync_v2(uintptr_t to, uintptr_t from, size_t n_bytes, void *stream)
{
	(void)stream;
	return to && from ? copy_status(n_bytes) : INVALID_VALUE;
}

API int cuMemcpyPeerAsync(uintptr_t to, void *to_context, uintptr_t from, void *from_context,
	size_t n_bytes, void *stream)
{
	(void)to_context;
	(void)from_context;
	return cuMemcpyDtoDAsync_v2(to, from, n_bytes, stream);
}

API int cuMemcpyHtoD_v2(uintptr_t to, const void *from, size_t n_bytes)
{
	return to && from ? copy_status(n_bytes) : INVALID_VALUE;
}

API int cuMemcpyHtoD(uint32_t to, const void *from, uint32_t n_bytes)
{
	return cuMemcpyHtoD_v2(to, from, n_bytes);
}

API int cuMemcpyDtoHAsync_v2(void *to, uintptr_t from, size_t n_bytes, void *stream)
{
	(void)stream;
	return to && from ? copy_status(n_bytes) : INVALID_VALUE;
}

API int cuMemcpyDtoHAsync_v2_ptsz(void *to, uintptr_t from, size_t n_bytes, void *stream)
{
	return cuMemcpyDtoHAsync_v2(to, from, n_bytes, stream) + 0;
}

API int cuMemcpyAsync(uintptr_t to, uintptr_t from, size_t n_bytes, void *stream)
{
	(void)stream;
	return to && from ? copy_status(n_bytes) : INVALID_VALUE;
}

API int cuMemcpy2D_v2(const void *copy)
{
	return copy ? SUCCESS : INVALID_VALUE;
}

API int cuMemcpy3DAsync_v2(const void *copy, void *stream)
{
	(void)stream;
	return copy ? SUCCESS : INVALID_VALUE;
}

API int cuMemcpy3DPeerAsync(const void *copy, void *stream)
{
	return cuMemcpy3DAsync_v2(copy, stream);
}

API int cuStreamWaitEvent(void *stream, void *event, unsigned int flags)
{
	(void)stream;
	return event && !flags ? SUCCESS : INVALID_VALUE;
}

enum { NOT_READY = 600, MODE_RELAXED = 2, MAX_STREAMS = 64 };

struct fake_stream {
	int exists, is_pending, is_captured;
	uintptr_t context;
};

static struct fake_stream fake_streams[MAX_STREAMS];
static int n_fake_streams, capture_mode;

/* The primary context of a device is the number of the device plus one; 0 stands for that of device
 * 0 here, and others are on device 0. */
static uintptr_t fake_context;
static int n_retained[N_DEVICES] = { 2, 1 };

API void fake_set_context(uintptr_t context)
{
	fake_context = context;
}

API int cuCtxGetCurrent(uintptr_t *context)
{
	*context = fake_context ? fake_context : 1;
	return SUCCESS;
}

API int cuCtxGetDevice(int *device)
{
	*device = fake_context == 2;
	return SUCCESS;
}

API int cuDevicePrimaryCtxGetState(int device, unsigned int *flags, int *is_active)
{
	*flags = 0;
	*is_active = n_retained[device] > 0;
	return SUCCESS;
}

/* The default streams are 0, 1 and 2. */
static struct fake_stream *fake_stream(void *stream)
{
	return (uintptr_t)stream > 2 ? stream : NULL;
}

static int submit(void *stream)
{
	if (fake_stream(stream) && !fake_stream(stream)->is_captured)
		fake_stream(stream)->is_pending = 1;
	return SUCCESS;
}

API int cuStreamCreate(void **out, unsigned int flags)
{
	(void)flags;
	*out = &fake_streams[n_fake_streams++ % MAX_STREAMS];
	*(struct fake_stream *)*out = (struct fake_stream){ .exists = 1 };
	return cuCtxGetCurrent(&((struct fake_stream *)*out)->context);
}

API int cuStreamCreateWithPriority(void **out, unsigned int flags, int priority)
{
	(void)priority;
	return cuStreamCreate(out, flags);
}

API int cuStreamDestroy_v2(void *stream)
{
	fake_stream(stream)->exists = 0;
	return SUCCESS;
}

static int destroy_streams(uintptr_t context)
{
	for (int i = 0; i < MAX_STREAMS; i++)
		if (fake_streams[i].context == context)
			fake_streams[i] = (struct fake_stream){ 0 };
	return SUCCESS;
}

/* The current context is not destroyed, unlike that of a GPU. */
API int cuCtxDestroy_v2(uintptr_t context)
{
	return context == fake_context ? INVALID_VALUE : destroy_streams(context);
}

API int cuDevicePrimaryCtxReset_v2(int device)
{
	return destroy_streams((uintptr_t)device + 1);
}

API int cuDevicePrimaryCtxRelease_v2(int device)
{
	if (!n_retained[device])
		return INVALID_VALUE;
	return --n_retained[device] ? SUCCESS : destroy_streams((uintptr_t)device + 1);
}

API int cuThreadExchangeStreamCaptureMode(int *mode)
{
	int before = capture_mode;

	capture_mode = *mode;
	*mode = before;
	return SUCCESS;
}

API int cuStreamIsCapturing(void *stream, int *status)
{
	*status = 0;
	if (!fake_stream(stream))
		return SUCCESS;
	if (!fake_stream(stream)->exists)
		abort();
	*status = fake_stream(stream)->is_captured;
	return SUCCESS;
}

API int cuStreamQuery(void *stream)
{
	const struct fake_stream *own = fake_stream(stream);

	if (!own->exists || own->is_captured || capture_mode != MODE_RELAXED)
		abort();
	return own->is_pending ? NOT_READY : SUCCESS;
}

API int cuStreamSynchronize(void *stream)
{
	fake_stream(stream)->is_pending = 0;
	return SUCCESS;
}

API int cuCtxSynchronize(void)
{
	uintptr_t context;

	cuCtxGetCurrent(&context);
	for (int i = 0; i < MAX_STREAMS; i++)
		if (fake_streams[i].context == context)
			fake_streams[i].is_pending = 0;
	return SUCCESS;
}

API int fake_capture(void *stream, int is_captured)
{
	fake_stream(stream)->is_captured = is_captured;
	return capture_mode;
}

API void fake_finish(void)
{
	for (int i = 0; i < MAX_STREAMS; i++)
		fake_streams[i].is_pending = 0;
}

/* The sum of the arguments: all of them arrived. */
API int cuLaunchKernel(uintptr_t function, unsigned int grid_x, unsigned int grid_y,
	unsigned int grid_z, unsigned int block_x, unsigned int block_y, unsigned int block_z,
	unsigned int shared, void *stream, void **parameters, void **extra)
{
	submit(stream);
	return (int)(function + grid_x + grid_y + grid_z + block_x + block_y + block_z + shared +
		       (uintptr_t)parameters + (uintptr_t)extra) -
	       55;
}

API int cuLaunchKernelEx(const void *config, void *function, void **parameters, void **extra)
{
	void *stream;

	(void)function;
	(void)parameters;
	(void)extra;
	memcpy(&stream, (const char *)config + 32, sizeof(stream));
	return submit(stream);
}

API int cuGraphLaunch(void *graph, void *stream)
{
	(void)graph;
	return submit(stream);
}

enum { NODE_COPIES = 1, NODE_IS_GRAPH = 4, MAX_NODES = 40, COPY_BYTES = 200 };

struct fake_node {
	int type;
	char copy[COPY_BYTES];
	struct fake_graph *child;
};

struct fake_graph {
	size_t n_nodes;
	struct fake_node nodes[MAX_NODES];
};

API struct fake_graph *fake_graph_create(void)
{
	return calloc(1, sizeof(struct fake_graph));
}

/* copy: CUDA_MEMCPY3D; NULL: no copy. child: NULL: none. */
API struct fake_node *fake_graph_add(
	struct fake_graph *graph, const void *copy, struct fake_graph *child)
{
	struct fake_node *node = &graph->nodes[graph->n_nodes++];

	node->type = copy ? NODE_COPIES : child ? NODE_IS_GRAPH : 0;
	node->child = child;
	if (copy)
		memcpy(node->copy, copy, COPY_BYTES);
	return node;
}

API int cuGraphGetNodes(struct fake_graph *graph, struct fake_node **nodes, size_t *n_nodes)
{
	for (size_t i = 0; nodes && i < graph->n_nodes && i < *n_nodes; i++)
		nodes[i] = &graph->nodes[i];
	*n_nodes = graph->n_nodes;
	return SUCCESS;
}

API int cuGraphNodeGetType(const struct fake_node *node, int *type)
{
	*type = node->type;
	return SUCCESS;
}

API int cuGraphMemcpyNodeGetParams(const struct fake_node *node, void *copy)
{
	memcpy(copy, node->copy, COPY_BYTES);
	return node->type == NODE_COPIES ? SUCCESS : INVALID_VALUE;
}

API int cuGraphChildGraphNodeGetGraph(const struct fake_node *node, struct fake_graph **graph)
{
	*graph = node->child;
	return node->child ? SUCCESS : INVALID_VALUE;
}

/* An executable graph is no more than a handle. */
API int cuGraphInstantiateWithFlags(void **out, const struct fake_graph *graph, uint64_t flags)
{
	static char handles[64];
	static int n_handles;

	(void)flags;
	*out = &handles[n_handles++ % 64];
	return graph ? SUCCESS : INVALID_VALUE;
}

API int cuGraphExecUpdate_v2(void *executable, const struct fake_graph *graph, void *result)
{
	(void)result;
	return executable && graph ? SUCCESS : INVALID_VALUE;
}

API int cuGraphExecMemcpyNodeSetParams(
	void *executable, const struct fake_node *node, const void *copy, void *context)
{
	(void)context;
	return executable && node && copy ? SUCCESS : INVALID_VALUE;
}

API int cuGraphExecNodeSetParams(
	void *executable, const struct fake_node *node, const void *parameters)
{
	return executable && node && parameters ? SUCCESS : INVALID_VALUE;
}

API int cuGraphNodeSetEnabled(void *executable, const struct fake_node *node, unsigned int enabled)
{
	return executable && node && enabled < 2 ? SUCCESS : INVALID_VALUE;
}

API int cuGraphExecDestroy(void *executable)
{
	return executable ? SUCCESS : INVALID_VALUE;
}

API int cuMemcpyBatchAsync(uintptr_t *to, uintptr_t *from, size_t *n_bytes, size_t n_copies,
	void *attributes, size_t *indices, size_t n_attributes, size_t *failed, void *stream)
{
	(void)attributes;
	(void)indices;
	(void)n_attributes;
	(void)failed;
	submit(stream);
	return to && from && n_bytes && n_copies ? SUCCESS : INVALID_VALUE;
}

API int cuMemcpyBatchAsync_v2(uintptr_t *to, uintptr_t *from, size_t *n_bytes, size_t n_copies,
	void *attributes, size_t *indices, size_t n_attributes, void *stream)
{
	return cuMemcpyBatchAsync(
		to, from, n_bytes, n_copies, attributes, indices, n_attributes, NULL, stream);
}

API int cuMemcpy3DBatchAsync(
	size_t n_copies, const void *copies, size_t *failed, uint64_t flags, void *stream)
{
	(void)failed;
	submit(stream);
	return n_copies && copies && !flags ? SUCCESS : INVALID_VALUE;
}

API int cuMemcpy3DBatchAsync_v2(size_t n_copies, const void *copies, uint64_t flags, void *stream)
{
	return cuMemcpy3DBatchAsync(n_copies, copies, NULL, flags, stream);
}

/* All arrays have two channels of CU_AD_FORMAT_HALF. */
API int cuArray3DGetDescriptor_v2(size_t descriptor[5], void *array)
{
	const int format[2] = { 0x10, 2 };

	memcpy(&descriptor[3], format, sizeof(format));
	return array ? SUCCESS : INVALID_VALUE;
}

API int cuMemcpyAtoH_v2(void *to, void *array, size_t offset, size_t n_bytes)
{
	(void)offset;
	return to && array ? copy_status(n_bytes) : INVALID_VALUE;
}

API int cuMemcpyHtoAAsync_v2(
	void *array, size_t offset, const void *from, size_t n_bytes, void *stream)
{
	(void)offset;
	submit(stream);
	return array && from ? copy_status(n_bytes) : INVALID_VALUE;
}

API int cuMemsetD8Async(uintptr_t target, unsigned char value, size_t n, void *stream)
{
	(void)target;
	(void)value;
	(void)n;
	return submit(stream);
}

API int cuMemcpyHtoDAsync_v2(uintptr_t to, const void *from, size_t n_bytes, void *stream)
{
	submit(stream);
	return cuMemcpyHtoD_v2(to, from, n_bytes);
}

API int cuEventRecord(void *event, void *stream)
{
	(void)stream;
	return event ? SUCCESS : INVALID_VALUE;
}

API int cuEventDestroy_v2(void *event)
{
	return event ? SUCCESS : INVALID_VALUE;
}

API int cuGetProcAddress_v2(
	const char *name, void **out, int version, uint64_t flags, int *query_status)
{
	const struct {
		const char *name;
		void *function, *function_of_thread, *old;
	} functions[] = {
		{ "cuMemcpyHtoD", (void *)cuMemcpyHtoD_v2, (void *)cuMemcpyHtoD_v2,
			(void *)cuMemcpyHtoD },
		{ "cuMemcpyDtoHAsync", (void *)cuMemcpyDtoHAsync_v2,
			(void *)cuMemcpyDtoHAsync_v2_ptsz, (void *)cuMemcpyDtoHAsync_v2 },
		{ "cuMemcpyAsync", (void *)cuMemcpyAsync, (void *)cuMemcpyAsync,
			(void *)cuMemcpyAsync },
		{ "cuMemcpyDtoDAsync", (void *)cuMemcpyDtoDAsync_v2, (void *)cuMemcpyDtoDAsync_v2,
			(void *)cuMemcpyDtoDAsync_v2 },
		{ "cuGetProcAddress", (void *)cuGetProcAddress_v2, (void *)cuGetProcAddress_v2,
			(void *)cuGetProcAddress_v2 },
	};

	*out = NULL;
	*query_status = 1;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (!strcmp(functions[i].name, name)) {
			*out = version < 3020 ? functions[i].old
			       : flags & 2    ? functions[i].function_of_thread
					      : functions[i].function;
			*query_status = 0;
		}
	return *out ? SUCCESS : NOT_FOUND;
}
