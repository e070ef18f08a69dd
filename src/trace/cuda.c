// SPDX-License-Identifier: MIT
#include "trace/cuda.h"

#include "trace/driver_copies.h"
#include "trace/events.h"
#include "trace/graphs.h"
#include "trace/lock.h"
#include "trace/memory.h"
#include "trace/objects.h"
#include "trace/python.h"
#include "trace/site.h"
#include "trace/stack.h"
#include "trace/streams.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

enum {
	MAX_SLOTS = 128,
	MAX_ARGUMENTS = 12,
	MAX_PENDING = 3,
	/* The version of CUDA from which cuMemcpyHtoD is cuMemcpyHtoD_v2, 3.2. */
	VERSION_OF_64_BITS = 3020,
	STREAM_OF_THREAD = 2, /* CU_STREAM_PER_THREAD */
};

/* At most twelve integers or pointers, of which the calling conventions pass the first in registers
 * and each of the others in a word of the stack. Functions with fewer ignore the others, which are
 * then whatever the caller has there. */
struct driver_call {
	uintptr_t arguments[MAX_ARGUMENTS];
};

typedef int (*driver_function)(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
	uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t);

/* What a function does with its arguments: */
enum driver_action {
	ACTION_COPY,          /* (target, source, n_bytes, ...) */
	ACTION_FROM_ARRAY,    /* (target, array, its offset, n_bytes, ...) */
	ACTION_TO_ARRAY,      /* (array, its offset, source, n_bytes, ...) */
	ACTION_PLANE,         /* (CUDA_MEMCPY2D *, ...) */
	ACTION_VOLUME,        /* (CUDA_MEMCPY3D *, ...) or (CUDA_MEMCPY3D_PEER *, ...) */
	ACTION_BATCH,         /* (targets, sources, sizes, n_copies, ...) */
	ACTION_VOLUME_BATCH,  /* (n_copies, CUDA_MEMCPY3D_BATCH_OP *, ...) */
	ACTION_WAIT,          /* (stream, event, ...) */
	ACTION_FIND,          /* (name, out, version, ...) */
	ACTION_PEER,          /* (target, its context, source, its context, n_bytes, ...) */
	ACTION_FILL,          /* (target, value, n_elements, ...) */
	ACTION_SUBMIT,        /* other work */
	ACTION_LAUNCH,        /* (CUlaunchConfig *, ...) */
	ACTION_CREATE_STREAM, /* (out, flags, ...) */
	ACTION_DESTROY_STREAM,
	ACTION_DESTROY_CONTEXT, /* (context) */
	ACTION_RESET_PRIMARY,   /* (device) */
	ACTION_RELEASE_PRIMARY,
	ACTION_RECORD, /* (event, stream, ...) */
	ACTION_DESTROY_EVENT,
	ACTION_COMPLETE_STREAM, /* if it succeeds, work is complete: (stream) */
	ACTION_COMPLETE_EVENT,
	ACTION_COMPLETE_ALL,
	ACTION_INSTANTIATE,   /* (out, graph, ...) */
	ACTION_UPDATE_GRAPH,  /* (executable graph, graph, ...) */
	ACTION_CHANGE_COPY,   /* (executable graph, node, CUDA_MEMCPY3D *, ...) */
	ACTION_CHANGE_NODE,   /* (executable graph, node, CUgraphNodeParams *) */
	ACTION_ENABLE_NODE,   /* (executable graph, node, whether it is enabled) */
	ACTION_LAUNCH_GRAPH,  /* (executable graph, stream) */
	ACTION_DESTROY_GRAPH, /* (executable graph) */
};

static const struct driver_name {
	const char *name;
	/* The version of CUDA from which the name stands for a symbol that ends in _v2; 0: none. */
	int v2_since;
	enum driver_action action;
	/* The position of the stream that work is submitted to; 0: none. */
	int stream;
	size_t element_bytes; /* of ACTION_FILL */
} driver_names[] = {
	{ "cuMemcpyHtoD", VERSION_OF_64_BITS, ACTION_COPY, 0, 0 },
	{ "cuMemcpyHtoDAsync", VERSION_OF_64_BITS, ACTION_COPY, 3, 0 },
	{ "cuMemcpyDtoH", VERSION_OF_64_BITS, ACTION_COPY, 0, 0 },
	{ "cuMemcpyDtoHAsync", VERSION_OF_64_BITS, ACTION_COPY, 3, 0 },
	{ "cuMemcpy", 0, ACTION_COPY, 0, 0 },
	{ "cuMemcpyAsync", 0, ACTION_COPY, 3, 0 },
	{ "cuMemcpyAtoH", VERSION_OF_64_BITS, ACTION_FROM_ARRAY, 0, 0 },
	{ "cuMemcpyAtoHAsync", VERSION_OF_64_BITS, ACTION_FROM_ARRAY, 4, 0 },
	{ "cuMemcpyHtoA", VERSION_OF_64_BITS, ACTION_TO_ARRAY, 0, 0 },
	{ "cuMemcpyHtoAAsync", VERSION_OF_64_BITS, ACTION_TO_ARRAY, 4, 0 },
	{ "cuMemcpy2D", VERSION_OF_64_BITS, ACTION_PLANE, 0, 0 },
	{ "cuMemcpy2DUnaligned", VERSION_OF_64_BITS, ACTION_PLANE, 0, 0 },
	{ "cuMemcpy2DAsync", VERSION_OF_64_BITS, ACTION_PLANE, 1, 0 },
	{ "cuMemcpy3D", VERSION_OF_64_BITS, ACTION_VOLUME, 0, 0 },
	{ "cuMemcpy3DAsync", VERSION_OF_64_BITS, ACTION_VOLUME, 1, 0 },
	{ "cuMemcpy3DPeer", 0, ACTION_VOLUME, 0, 0 },
	{ "cuMemcpy3DPeerAsync", 0, ACTION_VOLUME, 1, 0 },
	{ "cuMemcpyDtoD", VERSION_OF_64_BITS, ACTION_COPY, 0, 0 },
	{ "cuMemcpyDtoDAsync", VERSION_OF_64_BITS, ACTION_COPY, 3, 0 },
	{ "cuMemcpyPeer", 0, ACTION_PEER, 0, 0 },
	{ "cuMemcpyPeerAsync", 0, ACTION_PEER, 5, 0 },
	{ "cuMemcpyBatchAsync", 0, ACTION_BATCH, 8, 0 },
	{ "cuMemcpyBatchAsync", 13000, ACTION_BATCH, 7, 0 },
	{ "cuMemcpy3DBatchAsync", 0, ACTION_VOLUME_BATCH, 4, 0 },
	{ "cuMemcpy3DBatchAsync", 13000, ACTION_VOLUME_BATCH, 3, 0 },
	{ "cuMemsetD8Async", 0, ACTION_FILL, 3, 1 },
	{ "cuMemsetD16Async", 0, ACTION_FILL, 3, 2 },
	{ "cuMemsetD32Async", 0, ACTION_FILL, 3, 4 },
	{ "cuMemsetD2D8Async", 0, ACTION_SUBMIT, 5, 0 },
	{ "cuMemsetD2D16Async", 0, ACTION_SUBMIT, 5, 0 },
	{ "cuMemsetD2D32Async", 0, ACTION_SUBMIT, 5, 0 },
	{ "cuLaunchKernel", 0, ACTION_SUBMIT, 8, 0 },
	{ "cuLaunchCooperativeKernel", 0, ACTION_SUBMIT, 8, 0 },
	{ "cuLaunchKernelEx", 0, ACTION_LAUNCH, 0, 0 },
	{ "cuGraphLaunch", 0, ACTION_LAUNCH_GRAPH, 1, 0 },
	{ "cuGraphInstantiate", 0, ACTION_INSTANTIATE, 0, 0 },
	{ "cuGraphInstantiate", 11000, ACTION_INSTANTIATE, 0, 0 },
	{ "cuGraphInstantiateWithFlags", 0, ACTION_INSTANTIATE, 0, 0 },
	{ "cuGraphInstantiateWithParams", 0, ACTION_INSTANTIATE, 0, 0 },
	{ "cuGraphExecUpdate", 0, ACTION_UPDATE_GRAPH, 0, 0 },
	{ "cuGraphExecUpdate", 12000, ACTION_UPDATE_GRAPH, 0, 0 },
	{ "cuGraphExecMemcpyNodeSetParams", 0, ACTION_CHANGE_COPY, 0, 0 },
	{ "cuGraphExecNodeSetParams", 0, ACTION_CHANGE_NODE, 0, 0 },
	{ "cuGraphNodeSetEnabled", 0, ACTION_ENABLE_NODE, 0, 0 },
	{ "cuGraphExecDestroy", 0, ACTION_DESTROY_GRAPH, 0, 0 },
	{ "cuStreamCreate", 0, ACTION_CREATE_STREAM, 0, 0 },
	{ "cuStreamCreateWithPriority", 0, ACTION_CREATE_STREAM, 0, 0 },
	{ "cuStreamDestroy", VERSION_OF_64_BITS, ACTION_DESTROY_STREAM, 0, 0 },
	{ "cuCtxDestroy", VERSION_OF_64_BITS, ACTION_DESTROY_CONTEXT, 0, 0 },
	{ "cuDevicePrimaryCtxReset", VERSION_OF_64_BITS, ACTION_RESET_PRIMARY, 0, 0 },
	{ "cuDevicePrimaryCtxRelease", VERSION_OF_64_BITS, ACTION_RELEASE_PRIMARY, 0, 0 },
	{ "cuEventRecord", 0, ACTION_RECORD, 0, 0 },
	{ "cuEventRecordWithFlags", 0, ACTION_RECORD, 0, 0 },
	{ "cuEventDestroy", VERSION_OF_64_BITS, ACTION_DESTROY_EVENT, 0, 0 },
	{ "cuStreamSynchronize", 0, ACTION_COMPLETE_STREAM, 0, 0 },
	{ "cuStreamQuery", 0, ACTION_COMPLETE_STREAM, 0, 0 },
	{ "cuEventSynchronize", 0, ACTION_COMPLETE_EVENT, 0, 0 },
	{ "cuEventQuery", 0, ACTION_COMPLETE_EVENT, 0, 0 },
	{ "cuCtxSynchronize", 0, ACTION_COMPLETE_ALL, 0, 0 },
	{ "cuStreamWaitEvent", 0, ACTION_WAIT, 0, 0 },
	{ "cuGetProcAddress", 0, ACTION_FIND, 0, 0 },
	{ "cuGetProcAddress", 12000, ACTION_FIND, 0, 0 },
};

/* A function of the driver that was looked up; it remains. */
static struct driver_slot {
	void *original;
	const struct driver_name *name;
} slots[MAX_SLOTS];
static size_t n_slots;

/* Functions with a stream are looked up with and without the suffix of the default stream of a
 * thread. */
_Static_assert(2 * sizeof(driver_names) / sizeof(driver_names[0]) <= MAX_SLOTS, "too few slots");

static int (*get_primary_state)(int device, unsigned int *flags, int *is_active);

/* --- what is copied --- */

static struct driver_copy read_copy(enum driver_action action, const struct driver_call *call)
{
	const uintptr_t *with = call->arguments;

	switch (action) {
	case ACTION_COPY:
		return trace_copy_between(with[0], with[1], with[2]);
	case ACTION_PEER:
		return trace_copy_between(with[0], with[2], with[4]);
	case ACTION_FROM_ARRAY:
		return trace_copy_from_array(with[0], with[3]);
	case ACTION_TO_ARRAY:
		return trace_copy_to_array(with[2], with[3]);
	case ACTION_PLANE:
		return trace_copy_of_plane((const void *)with[0]);
	case ACTION_VOLUME:
		return trace_copy_of_volume((const struct volume_copy *)with[0]);
	default:
		return (struct driver_copy){ TRACE_N_KINDS, 0 };
	}
}

static void add_copies_of_batch(struct driver_copies *copies, const struct driver_call *call)
{
	const uintptr_t *targets = (const uintptr_t *)call->arguments[0];
	const uintptr_t *sources = (const uintptr_t *)call->arguments[1];
	const size_t *sizes = (const size_t *)call->arguments[2];

	for (size_t i = 0; i < call->arguments[3]; i++)
		trace_copies_add(copies, trace_copy_between(targets[i], sources[i], sizes[i]));
}

/* The copies of a call that the driver has accepted. */
static struct driver_copies read_copies(enum driver_action action, const struct driver_call *call)
{
	struct driver_copies copies = { 0 };

	if (action == ACTION_BATCH)
		add_copies_of_batch(&copies, call);
	else if (action == ACTION_VOLUME_BATCH)
		trace_copies_add_volumes(
			&copies, (const void *)call->arguments[1], call->arguments[0]);
	else if (action == ACTION_LAUNCH_GRAPH)
		trace_graph_launched(call->arguments[0], &copies);
	else
		trace_copies_add(&copies, read_copy(action, call));
	return copies;
}

/* --- who copies --- */

/* CUDA's runtime and bindings, which act for a caller. */
static bool is_go_between(uint32_t library)
{
	static const char *const names[] = { "nvidia", "cuda", "libcuda", "libcudart", "libffi",
		"libsuai_trace" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (trace_memory_is_library(library, names[i]))
			return true;
	return library >= trace_memory.segment->n_libraries;
}

static bool visit_copying_frame(const struct trace_visited_frame *frame, void *opaque)
{
	uint32_t *library = opaque, found;
	bool is_found;

	trace_lock();
	found = trace_objects_library(frame->address);
	is_found = !is_go_between(found);
	trace_unlock();
	if (is_found)
		*library = found;
	return is_found;
}

/* The library that requested a copy: that of the caller, or of a frame that called it. */
static uint32_t find_copying_library(const void *caller)
{
	uint32_t library = TRACE_NONE;

	if (!visit_copying_frame(&(struct trace_visited_frame){ .address = caller }, &library))
		trace_stack_walk(visit_copying_frame, &library, false);
	return library;
}

/* --- records --- */

/* Kept small, since each thread has several. */
struct pending_copies {
	uint32_t library;
	uint32_t kind : 5; /* enum trace_kind */
	uint32_t n_copies : 27;
	uint64_t n_bytes;
};

enum { MAX_PENDING_COPIES = (1 << 27) - 1 };

/* Copies during which the thread did not hold the GIL; their call site is found when it does. */
static _Thread_local struct {
	struct pending_copies items[MAX_PENDING]; /* those with copies come first */
} pending __attribute__((tls_model("initial-exec")));

static void record_copies(const struct pending_copies *copies, uint32_t site)
{
	uint32_t device, producer, consumer, i;

	trace_lock();
	device = trace_memory_library("device", "");
	producer = copies->kind == TRACE_CUDA_TO_HOST ? device : copies->library;
	consumer = copies->kind == TRACE_CUDA_TO_DEVICE ? device : copies->library;
	i = trace_memory_row(copies->kind, producer, consumer, site);
	if (i == TRACE_NONE) {
		trace_memory.segment->n_lost += copies->n_copies;
	} else {
		trace_memory.rows[i].n_exchanges += copies->n_copies;
		trace_memory.rows[i].n_bytes += copies->n_bytes;
		trace_event_add_transfers(i, copies->n_copies, copies->n_bytes);
	}
	trace_unlock();
}

/* Records copies with their call site. If the caller is a binding or ctypes, the library is that of
 * the Python code. */
static void record_with_site(const struct pending_copies *copies)
{
	struct pending_copies named = *copies;
	bool is_python;

	trace_lock();
	is_python = trace_objects_is_python(copies->library);
	trace_unlock();
	if (is_python)
		named.library = trace_site_library(copies->library);
	record_copies(&named, trace_site_find());
}

static void add_pending(const struct pending_copies *copies)
{
	uint32_t i = 0;

	while (i < MAX_PENDING && pending.items[i].n_copies &&
		(pending.items[i].kind != copies->kind ||
			pending.items[i].library != copies->library))
		i++;
	if (i == MAX_PENDING || copies->n_copies > MAX_PENDING_COPIES - pending.items[i].n_copies) {
		record_copies(copies, TRACE_NONE);
		return;
	}
	if (!pending.items[i].n_copies)
		pending.items[i] =
			(struct pending_copies){ .library = copies->library, .kind = copies->kind };
	pending.items[i].n_copies += copies->n_copies;
	pending.items[i].n_bytes += copies->n_bytes;
}

/* Records copies or waits with their library and call site. Threads of a library, such as those of
 * XLA, have no call site. */
static void record_driver_call(struct pending_copies copies, const void *caller)
{
	void *thread_state;

	copies.library = find_copying_library(caller);
	thread_state = trace_python.is_initialized() ? trace_python.thread_state_of_this() : NULL;
	if (!thread_state)
		record_copies(&copies, TRACE_NONE);
	else if (trace_python.thread_state_current() == thread_state)
		record_with_site(&copies);
	else
		add_pending(&copies);
}

static void record_driver_copies(const struct driver_copies *copies, const void *caller)
{
	if (copies->n_below) {
		trace_lock();
		trace_memory.segment->n_below += copies->n_below;
		trace_unlock();
	}
	for (size_t i = 0; i < TRACE_N_DIRECTIONS; i++)
		if (copies->directions[i].n_copies)
			record_driver_call(
				(struct pending_copies){ .kind = TRACE_CUDA_TO_DEVICE + i,
					.n_copies = copies->directions[i].n_copies,
					.n_bytes = copies->directions[i].n_bytes },
				caller);
}

static __attribute__((noinline)) void record_pending(void *thread_state)
{
	int saved_errno;

	trace_python.restore_thread(thread_state);
	saved_errno = errno;
	while (pending.items[0].n_copies) {
		struct pending_copies *last = &pending.items[MAX_PENDING - 1], copies;

		while (!last->n_copies)
			last--;
		copies = *last;
		last->n_copies = 0;
		record_with_site(&copies);
	}
	errno = saved_errno;
}

void trace_restore_thread(void *thread_state)
{
	if (pending.items[0].n_copies)
		record_pending(thread_state);
	else
		trace_python.restore_thread(thread_state);
}

/* --- streams --- */

/* The library that creates a stream; one in Python, through ctypes or bindings, is known while the
 * thread has the GIL. */
static uint32_t find_creating_library(const void *caller)
{
	uint32_t library = find_copying_library(caller);
	bool is_python;

	trace_lock();
	is_python = trace_objects_is_python(library);
	trace_unlock();
	return is_python && trace_python.is_initialized() && trace_python.thread_state_current()
		       ? trace_site_library(library)
		       : library;
}

static bool destroys_context(enum driver_action action)
{
	return action == ACTION_DESTROY_CONTEXT || action == ACTION_RESET_PRIMARY ||
	       action == ACTION_RELEASE_PRIMARY;
}

/* A primary context that is released stays if it is in use elsewhere. */
static bool is_primary_active(int device)
{
	unsigned int flags = 0;
	int is_active = 0;

	return get_primary_state && !get_primary_state(device, &flags, &is_active) && is_active;
}

static struct stream_owner destroyed_owner(
	enum driver_action action, const struct driver_call *call)
{
	if (action == ACTION_DESTROY_CONTEXT)
		return (struct stream_owner){ .context = call->arguments[0] };
	return (struct stream_owner){ .device = (int)call->arguments[0] };
}

/* Called before the driver destroys something: no other thread queries streams meanwhile, or gets a
 * handle that is used again. */
static void end_handles(enum driver_action action, const struct driver_call *call)
{
	if (action == ACTION_DESTROY_STREAM)
		trace_stream_destroyed(call->arguments[0]);
	else if (action == ACTION_DESTROY_EVENT)
		trace_stream_event_destroyed(call->arguments[0]);
	else if (action == ACTION_DESTROY_GRAPH)
		trace_graph_destroyed(call->arguments[0]);
}

/* Whether a copy, a wait or the launch of a graph is captured into a graph: nothing is copied, and
 * no stream waits, before that graph is launched. Nothing can be captured on the legacy default
 * stream, so 0 is treated as the default stream of the thread. */
static bool is_captured(const struct driver_name *name, const struct driver_call *call)
{
	uintptr_t stream = call->arguments[name->stream];
	int capture = 0;

	if (!trace_stream_driver.is_capturing || name->action == ACTION_SUBMIT ||
		name->action == ACTION_FILL || (!name->stream && name->action != ACTION_WAIT))
		return false;
	return !trace_stream_driver.is_capturing(stream ? stream : STREAM_OF_THREAD, &capture) &&
	       capture;
}

/* The stream of a CUlaunchConfig, which follows seven numbers of 32 bits. */
static uintptr_t launch_stream(const void *config)
{
	uintptr_t stream;

	memcpy(&stream, (const char *)config + 32, sizeof(stream));
	return stream;
}

/* Records the effect on streams of a call that succeeded. */
static void record_stream_call(
	const struct driver_name *name, const void *caller, const struct driver_call *call)
{
	const uintptr_t *with = call->arguments;

	switch (name->action) {
	case ACTION_CREATE_STREAM:
		if (with[1] & STREAM_NON_BLOCKING)
			trace_stream_created(*(const uintptr_t *)with[0], (unsigned int)with[1],
				find_creating_library(caller));
		break;
	case ACTION_RECORD:
		trace_stream_recorded(with[0], with[1]);
		break;
	case ACTION_WAIT:
		trace_stream_waits(with[0], with[1]);
		break;
	case ACTION_COMPLETE_STREAM:
		if (with[0])
			trace_stream_completed(with[0]);
		break;
	case ACTION_COMPLETE_EVENT:
		trace_stream_waits(0, with[0]);
		break;
	case ACTION_COMPLETE_ALL:
		trace_context_completed();
		break;
	case ACTION_LAUNCH:
		trace_stream_works(launch_stream((const void *)with[0]), 0, 0);
		break;
	case ACTION_COPY:
		if (name->stream)
			trace_stream_works(with[name->stream], with[0], with[2]);
		break;
	case ACTION_FILL:
		trace_stream_works(with[name->stream], with[0], with[2] * name->element_bytes);
		break;
	default:
		if (name->stream)
			trace_stream_works(with[name->stream], 0, 0);
	}
}

/* --- graphs --- */

/* Records the effect of a call that succeeded on executable graphs. */
static void record_graph_call(enum driver_action action, const struct driver_call *call)
{
	const uintptr_t *with = call->arguments;

	switch (action) {
	case ACTION_INSTANTIATE:
		trace_graph_instantiated(*(const uintptr_t *)with[0], with[1]);
		break;
	case ACTION_UPDATE_GRAPH:
		trace_graph_updated(with[0], with[1]);
		break;
	case ACTION_CHANGE_COPY:
		trace_graph_node_changed(with[0], with[1], (const struct volume_copy *)with[2]);
		break;
	case ACTION_CHANGE_NODE:
		trace_graph_parameters_changed(with[0], with[1], (const void *)with[2]);
		break;
	case ACTION_ENABLE_NODE:
		trace_graph_node_enabled(with[0], with[1], (unsigned int)with[2] != 0);
		break;
	default:
		break;
	}
}

/* --- calls --- */

static const struct driver_name *find_driver_name(const char *name, size_t n_chars, bool is_v2)
{
	for (size_t i = 0; i < sizeof(driver_names) / sizeof(driver_names[0]); i++)
		if ((driver_names[i].v2_since != 0) == is_v2 &&
			strlen(driver_names[i].name) == n_chars &&
			!memcmp(driver_names[i].name, name, n_chars))
			return &driver_names[i];
	return NULL;
}

static void *replace_driver_function(const struct driver_name *name, void *original);

/* Names that cuGetProcAddress() knows have no suffix. */
static void replace_found(const struct driver_call *call)
{
	const char *name = (const char *)call->arguments[0];
	const struct driver_name *known;
	void **out = (void **)call->arguments[1];
	int version = (int)call->arguments[2];

	if (!name || !out || !*out)
		return;
	known = find_driver_name(name, strlen(name), true);
	if (!known || version < known->v2_since)
		known = find_driver_name(name, strlen(name), false);
	if (known)
		*out = replace_driver_function(known, *out);
}

static int call_driver(size_t i, const void *caller, const struct driver_call *call)
{
	const uintptr_t *with = call->arguments;
	const struct driver_name *name = slots[i].name;
	driver_function function;
	struct driver_copies copies;
	bool ends_context = trace_is_on() && destroys_context(name->action);
	int status;

	memcpy(&function, &slots[i].original, sizeof(function));
	if (trace_is_on())
		end_handles(name->action, call);
	if (ends_context)
		trace_context_ends(destroyed_owner(name->action, call));
	status = function(with[0], with[1], with[2], with[3], with[4], with[5], with[6], with[7],
		with[8], with[9], with[10], with[11]);
	if (ends_context)
		trace_context_ended(destroyed_owner(name->action, call),
			!status && (name->action != ACTION_RELEASE_PRIMARY ||
					   !is_primary_active((int)with[0])));
	if (status || !trace_is_on())
		return status;
	if (name->action == ACTION_FIND)
		replace_found(call);
	if (is_captured(name, call))
		return status;
	copies = read_copies(name->action, call);
	record_driver_copies(&copies, caller);
	if (name->action == ACTION_WAIT)
		record_driver_call(
			(struct pending_copies){ .kind = TRACE_CUDA_WAIT, .n_copies = 1 }, caller);
	record_graph_call(name->action, call);
	record_stream_call(name, caller, call);
	return status;
}

/* A function of the driver has no argument that identifies it. */
#define SLOT(I)                                                                               \
	static int traced_driver_##I(uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d,      \
		uintptr_t e, uintptr_t f, uintptr_t g, uintptr_t h, uintptr_t i, uintptr_t j, \
		uintptr_t k, uintptr_t l)                                                     \
	{                                                                                     \
		return call_driver(0##I, __builtin_return_address(0),                         \
			&(struct driver_call){ { a, b, c, d, e, f, g, h, i, j, k, l } });     \
	}
#define SLOTS(I) \
	SLOT(I##0) SLOT(I##1) SLOT(I##2) SLOT(I##3) SLOT(I##4) SLOT(I##5) SLOT(I##6) SLOT(I##7)
#define NAMES(I)                                                                                \
	traced_driver_##I##0, traced_driver_##I##1, traced_driver_##I##2, traced_driver_##I##3, \
		traced_driver_##I##4, traced_driver_##I##5, traced_driver_##I##6,               \
		traced_driver_##I##7

SLOTS(0)
SLOTS(1)
SLOTS(2)
SLOTS(3)
SLOTS(4)
SLOTS(5)
SLOTS(6)
SLOTS(7)
SLOTS(10)
SLOTS(11)
SLOTS(12)
SLOTS(13)
SLOTS(14)
SLOTS(15)
SLOTS(16)
SLOTS(17)

/* The digits are those of octal numbers. */
static const driver_function replacements[MAX_SLOTS] = { NAMES(0), NAMES(1), NAMES(2), NAMES(3),
	NAMES(4), NAMES(5), NAMES(6), NAMES(7), NAMES(10), NAMES(11), NAMES(12), NAMES(13),
	NAMES(14), NAMES(15), NAMES(16), NAMES(17) };

/* The replacement of a function; the function itself if all slots are in use. */
static void *replace_driver_function(const struct driver_name *name, void *original)
{
	void *replacement = original;
	size_t i = 0;

	trace_lock();
	while (i < n_slots && slots[i].original != original && (void *)replacements[i] != original)
		i++;
	if (i == n_slots && i < MAX_SLOTS)
		slots[n_slots++] = (struct driver_slot){ original, name };
	if (i < MAX_SLOTS)
		replacement = (void *)replacements[i];
	trace_unlock();
	return replacement;
}

/* The length of a name without the suffixes of functions for the default stream of a thread. */
static size_t driver_name_chars(const char *name)
{
	size_t n_chars = strlen(name);

	if (n_chars > 5 &&
		(!strcmp(name + n_chars - 5, "_ptds") || !strcmp(name + n_chars - 5, "_ptsz")))
		n_chars -= 5;
	return n_chars;
}

/* Functions that are called, but not replaced. */
static void find_driver_function(void *handle, const char *name, void *out)
{
	void *function = dlsym(handle, name);

	memcpy(out, &function, sizeof(function));
}

void *trace_cuda_replace(void *handle, const char *name, void *found)
{
	const struct driver_name *known;
	size_t n_chars;
	bool is_v2;

	if (!found || !name || name[0] != 'c' || name[1] != 'u' ||
		!(trace_memory.layers & TRACE_LAYER_DRIVER))
		return found;
	n_chars = driver_name_chars(name);
	is_v2 = n_chars > 3 && !memcmp(name + n_chars - 3, "_v2", 3);
	known = find_driver_name(name, is_v2 ? n_chars - 3 : n_chars, is_v2);
	if (!known)
		return found;
	if (!trace_copy_driver.pointer_attribute) {
		find_driver_function(
			handle, "cuPointerGetAttribute", &trace_copy_driver.pointer_attribute);
		find_driver_function(handle, "cuDeviceGetCount", &trace_copy_driver.device_count);
		find_driver_function(
			handle, "cuArray3DGetDescriptor_v2", &trace_copy_driver.describe_array);
		find_driver_function(handle, "cuGraphGetNodes", &trace_graph_driver.nodes);
		find_driver_function(handle, "cuGraphNodeGetType", &trace_graph_driver.node_type);
		find_driver_function(
			handle, "cuGraphMemcpyNodeGetParams", &trace_graph_driver.copy_of_node);
		find_driver_function(
			handle, "cuGraphChildGraphNodeGetGraph", &trace_graph_driver.child_of_node);
		find_driver_function(handle, "cuStreamQuery", &trace_stream_driver.query);
		find_driver_function(
			handle, "cuStreamIsCapturing", &trace_stream_driver.is_capturing);
		find_driver_function(handle, "cuThreadExchangeStreamCaptureMode",
			&trace_stream_driver.exchange_mode);
		find_driver_function(
			handle, "cuCtxGetCurrent", &trace_stream_driver.current_context);
		find_driver_function(handle, "cuCtxGetDevice", &trace_stream_driver.current_device);
		find_driver_function(handle, "cuDevicePrimaryCtxGetState", &get_primary_state);
	}
	return replace_driver_function(known, found);
}
