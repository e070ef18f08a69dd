// SPDX-License-Identifier: MIT
#include "trace/cuda.h"

#include "trace/events.h"
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
	VERSION_OF_64_BITS = 3020, /* cuMemcpyHtoD is cuMemcpyHtoD_v2 from CUDA 3.2 on */
	/* CU_POINTER_ATTRIBUTE_ */
	ATTRIBUTE_MEMORY_TYPE = 2,
	ATTRIBUTE_IS_MANAGED = 8,
	ATTRIBUTE_DEVICE_ORDINAL = 9,
	MEMORY_OF_HOST = 1, /* CU_MEMORYTYPE_HOST */
	MEMORY_OF_DEVICE = 2,
	MEMORY_OF_ARRAY = 3,
	MEMORY_UNIFIED = 4,
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
	ACTION_TO_DEVICE, /* (target, source, n_bytes, ...) */
	ACTION_TO_HOST,
	ACTION_BETWEEN,       /* the same, in a direction that follows from the addresses */
	ACTION_PLANE,         /* (CUDA_MEMCPY2D *, ...) */
	ACTION_VOLUME,        /* (CUDA_MEMCPY3D *, ...) or (CUDA_MEMCPY3D_PEER *, ...) */
	ACTION_WAIT,          /* (stream, event, ...) */
	ACTION_FIND,          /* (name, out, version, ...) */
	ACTION_ON_DEVICES,    /* (target, source, n_bytes, ...), both in device memory */
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
};

static const struct driver_name {
	const char *name;
	bool has_v2; /* the symbol of the function with sizes of 64 bits ends in _v2 */
	enum driver_action action;
	/* The position of the stream that work is submitted to; 0: none. */
	int stream;
	size_t element_bytes; /* of ACTION_FILL */
} driver_names[] = {
	{ "cuMemcpyHtoD", true, ACTION_TO_DEVICE, 0, 0 },
	{ "cuMemcpyHtoDAsync", true, ACTION_TO_DEVICE, 3, 0 },
	{ "cuMemcpyDtoH", true, ACTION_TO_HOST, 0, 0 },
	{ "cuMemcpyDtoHAsync", true, ACTION_TO_HOST, 3, 0 },
	{ "cuMemcpy", false, ACTION_BETWEEN, 0, 0 },
	{ "cuMemcpyAsync", false, ACTION_BETWEEN, 3, 0 },
	{ "cuMemcpy2D", true, ACTION_PLANE, 0, 0 },
	{ "cuMemcpy2DUnaligned", true, ACTION_PLANE, 0, 0 },
	{ "cuMemcpy2DAsync", true, ACTION_PLANE, 1, 0 },
	{ "cuMemcpy3D", true, ACTION_VOLUME, 0, 0 },
	{ "cuMemcpy3DAsync", true, ACTION_VOLUME, 1, 0 },
	{ "cuMemcpy3DPeer", false, ACTION_VOLUME, 0, 0 },
	{ "cuMemcpy3DPeerAsync", false, ACTION_VOLUME, 1, 0 },
	{ "cuMemcpyDtoD", true, ACTION_ON_DEVICES, 0, 0 },
	{ "cuMemcpyDtoDAsync", true, ACTION_ON_DEVICES, 3, 0 },
	{ "cuMemcpyPeer", false, ACTION_PEER, 0, 0 },
	{ "cuMemcpyPeerAsync", false, ACTION_PEER, 5, 0 },
	{ "cuMemsetD8Async", false, ACTION_FILL, 3, 1 },
	{ "cuMemsetD16Async", false, ACTION_FILL, 3, 2 },
	{ "cuMemsetD32Async", false, ACTION_FILL, 3, 4 },
	{ "cuMemsetD2D8Async", false, ACTION_SUBMIT, 5, 0 },
	{ "cuMemsetD2D16Async", false, ACTION_SUBMIT, 5, 0 },
	{ "cuMemsetD2D32Async", false, ACTION_SUBMIT, 5, 0 },
	{ "cuLaunchKernel", false, ACTION_SUBMIT, 8, 0 },
	{ "cuLaunchCooperativeKernel", false, ACTION_SUBMIT, 8, 0 },
	{ "cuLaunchKernelEx", false, ACTION_LAUNCH, 0, 0 },
	{ "cuGraphLaunch", false, ACTION_SUBMIT, 1, 0 },
	{ "cuStreamCreate", false, ACTION_CREATE_STREAM, 0, 0 },
	{ "cuStreamCreateWithPriority", false, ACTION_CREATE_STREAM, 0, 0 },
	{ "cuStreamDestroy", true, ACTION_DESTROY_STREAM, 0, 0 },
	{ "cuCtxDestroy", true, ACTION_DESTROY_CONTEXT, 0, 0 },
	{ "cuDevicePrimaryCtxReset", true, ACTION_RESET_PRIMARY, 0, 0 },
	{ "cuDevicePrimaryCtxRelease", true, ACTION_RELEASE_PRIMARY, 0, 0 },
	{ "cuEventRecord", false, ACTION_RECORD, 0, 0 },
	{ "cuEventRecordWithFlags", false, ACTION_RECORD, 0, 0 },
	{ "cuEventDestroy", true, ACTION_DESTROY_EVENT, 0, 0 },
	{ "cuStreamSynchronize", false, ACTION_COMPLETE_STREAM, 0, 0 },
	{ "cuStreamQuery", false, ACTION_COMPLETE_STREAM, 0, 0 },
	{ "cuEventSynchronize", false, ACTION_COMPLETE_EVENT, 0, 0 },
	{ "cuEventQuery", false, ACTION_COMPLETE_EVENT, 0, 0 },
	{ "cuCtxSynchronize", false, ACTION_COMPLETE_ALL, 0, 0 },
	{ "cuStreamWaitEvent", false, ACTION_WAIT, 0, 0 },
	{ "cuGetProcAddress", false, ACTION_FIND, 0, 0 },
	{ "cuGetProcAddress", true, ACTION_FIND, 0, 0 },
};

/* A function of the driver that was looked up; it remains. */
static struct driver_slot {
	void *original;
	const struct driver_name *name;
} slots[MAX_SLOTS];
static size_t n_slots;
static int (*get_pointer_attribute)(void *value, int attribute, uintptr_t pointer);
static int (*get_device_count)(int *n_devices);
static int (*get_primary_state)(int device, unsigned int *flags, int *is_active);

/* --- what is copied --- */

/* CUDA_MEMCPY2D and the beginning of CUDA_MEMCPY3D, whose extent follows. */
struct plane_side {
	size_t x, y;
	int memory_type;
	const void *host;
	uintptr_t device;
	void *array;
	size_t pitch;
};

struct plane_copy {
	struct plane_side source, target;
	size_t width_bytes, height;
};

struct volume_side {
	size_t x, y, z, level;
	int memory_type;
	const void *host;
	uintptr_t device;
	void *array, *context; /* the context of CUDA_MEMCPY3D_PEER; otherwise reserved */
	size_t pitch, height;
};

struct volume_copy {
	struct volume_side source, target;
	size_t width_bytes, height, depth;
};

struct driver_copy {
	enum trace_kind kind; /* TRACE_N_KINDS: within the host or a device */
	uint64_t n_bytes;
};

/* -1: the driver has no answer, as for memory that it does not know. */
static int pointer_attribute(int attribute, uintptr_t pointer)
{
	int value = 0;

	return get_pointer_attribute && !get_pointer_attribute(&value, attribute, pointer) ? value
											   : -1;
}

static bool is_host_pointer(uintptr_t pointer)
{
	int type = pointer_attribute(ATTRIBUTE_MEMORY_TYPE, pointer);

	return type < 0 || type == MEMORY_OF_HOST;
}

/* 0: unknown as yet. */
static int count_cuda_devices(void)
{
	int n_devices = 0;

	return get_device_count && !get_device_count(&n_devices) ? n_devices : 0;
}

/* Whether device memory at both addresses belongs to two devices. Managed memory has no fixed one.
 */
static bool are_on_two_devices(uintptr_t pointer, uintptr_t other)
{
	static _Atomic int n_devices;
	int device, other_device;

	if (!n_devices)
		n_devices = count_cuda_devices();
	if (n_devices < 2)
		return false;
	device = pointer_attribute(ATTRIBUTE_DEVICE_ORDINAL, pointer);
	other_device = pointer_attribute(ATTRIBUTE_DEVICE_ORDINAL, other);
	return device >= 0 && other_device >= 0 && device != other_device &&
	       pointer_attribute(ATTRIBUTE_IS_MANAGED, pointer) <= 0 &&
	       pointer_attribute(ATTRIBUTE_IS_MANAGED, other) <= 0;
}

struct copy_side {
	bool is_host;
	uintptr_t address; /* of device memory; 0: that of an array of the driver */
};

static enum trace_kind copy_direction(struct copy_side source, struct copy_side target)
{
	if (source.is_host != target.is_host)
		return source.is_host ? TRACE_CUDA_TO_DEVICE : TRACE_CUDA_TO_HOST;
	if (!source.is_host && source.address && target.address &&
		are_on_two_devices(source.address, target.address))
		return TRACE_CUDA_BETWEEN_DEVICES;
	return TRACE_N_KINDS;
}

static struct copy_side side_at(uintptr_t pointer)
{
	return (struct copy_side){ is_host_pointer(pointer), pointer };
}

static struct copy_side side_of(int memory_type, uintptr_t device)
{
	if (memory_type == MEMORY_UNIFIED)
		return side_at(device);
	return (struct copy_side){ memory_type == MEMORY_OF_HOST,
		memory_type == MEMORY_OF_DEVICE ? device : 0 };
}

static struct driver_copy read_plane(const struct plane_copy *plane)
{
	return (struct driver_copy){
		copy_direction(side_of(plane->source.memory_type, plane->source.device),
			side_of(plane->target.memory_type, plane->target.device)),
		(uint64_t)plane->width_bytes * plane->height
	};
}

static struct driver_copy read_volume(const struct volume_copy *volume)
{
	return (struct driver_copy){
		copy_direction(side_of(volume->source.memory_type, volume->source.device),
			side_of(volume->target.memory_type, volume->target.device)),
		(uint64_t)volume->width_bytes * volume->height * volume->depth
	};
}

/* A copy of which both sides are device memory. */
static struct driver_copy read_device_copy(uintptr_t target, uintptr_t source, uint64_t n_bytes)
{
	return (struct driver_copy){ copy_direction((struct copy_side){ false, source },
					     (struct copy_side){ false, target }),
		n_bytes };
}

static struct driver_copy read_copy(enum driver_action action, const struct driver_call *call)
{
	switch (action) {
	case ACTION_TO_DEVICE:
		return (struct driver_copy){ TRACE_CUDA_TO_DEVICE, call->arguments[2] };
	case ACTION_TO_HOST:
		return (struct driver_copy){ TRACE_CUDA_TO_HOST, call->arguments[2] };
	case ACTION_BETWEEN:
		return (struct driver_copy){ copy_direction(side_at(call->arguments[1]),
						     side_at(call->arguments[0])),
			call->arguments[2] };
	case ACTION_ON_DEVICES:
		return read_device_copy(call->arguments[0], call->arguments[1], call->arguments[2]);
	case ACTION_PEER:
		return read_device_copy(call->arguments[0], call->arguments[2], call->arguments[4]);
	case ACTION_PLANE:
		return read_plane((const struct plane_copy *)call->arguments[0]);
	case ACTION_VOLUME:
		return read_volume((const struct volume_copy *)call->arguments[0]);
	case ACTION_WAIT:
		return (struct driver_copy){ TRACE_CUDA_WAIT, 0 };
	default:
		return (struct driver_copy){ TRACE_N_KINDS, 0 };
	}
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

struct pending_copies {
	enum trace_kind kind;
	uint32_t library;
	uint64_t n_copies, n_bytes;
};

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
	if (i == MAX_PENDING) {
		record_copies(copies, TRACE_NONE);
		return;
	}
	if (!pending.items[i].n_copies)
		pending.items[i] = (struct pending_copies){ copies->kind, copies->library, 0, 0 };
	pending.items[i].n_copies += copies->n_copies;
	pending.items[i].n_bytes += copies->n_bytes;
}

/* Records the copies of a call. Threads of a library, such as those of XLA, have no call site. */
static void record_driver_call(const void *caller, const struct driver_copy *copy)
{
	struct pending_copies copies = { copy->kind, TRACE_NONE, 1, copy->n_bytes };
	void *thread_state;

	if (copy->kind != TRACE_CUDA_WAIT && copy->n_bytes < trace_memory.min_bytes) {
		trace_lock();
		trace_memory.segment->n_below++;
		trace_unlock();
		return;
	}
	copies.library = find_copying_library(caller);
	thread_state = trace_python.is_initialized() ? trace_python.thread_state_of_this() : NULL;
	if (!thread_state)
		record_copies(&copies, TRACE_NONE);
	else if (trace_python.thread_state_current() == thread_state)
		record_with_site(&copies);
	else
		add_pending(&copies);
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

/* Called before the driver destroys streams, so that no other thread queries them meanwhile. */
static void end_streams(enum driver_action action, const struct driver_call *call)
{
	if (action == ACTION_DESTROY_STREAM)
		trace_stream_destroyed(call->arguments[0]);
	else if (action == ACTION_DESTROY_EVENT)
		trace_stream_event_destroyed(call->arguments[0]);
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
	case ACTION_TO_DEVICE:
	case ACTION_TO_HOST:
	case ACTION_BETWEEN:
	case ACTION_ON_DEVICES:
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

/* --- calls --- */

static const struct driver_name *find_driver_name(const char *name, size_t n_chars, bool is_v2)
{
	for (size_t i = 0; i < sizeof(driver_names) / sizeof(driver_names[0]); i++)
		if (driver_names[i].has_v2 == is_v2 && strlen(driver_names[i].name) == n_chars &&
			!memcmp(driver_names[i].name, name, n_chars))
			return &driver_names[i];
	return NULL;
}

static void *replace_driver_function(const struct driver_name *name, void *original);

/* Names that cuGetProcAddress() knows have no suffix. */
static void replace_found(const struct driver_call *call)
{
	const char *name = (const char *)call->arguments[0];
	const struct driver_name *known = NULL;
	void **out = (void **)call->arguments[1];
	int version = (int)call->arguments[2];

	if (!name || !out || !*out)
		return;
	if (version >= VERSION_OF_64_BITS)
		known = find_driver_name(name, strlen(name), true);
	if (!known)
		known = find_driver_name(name, strlen(name), false);
	if (known && (!known->has_v2 || version >= VERSION_OF_64_BITS))
		*out = replace_driver_function(known, *out);
}

static int call_driver(size_t i, const void *caller, const struct driver_call *call)
{
	const uintptr_t *with = call->arguments;
	const struct driver_name *name = slots[i].name;
	driver_function function;
	struct driver_copy copy;
	bool ends_context = trace_is_on() && destroys_context(name->action);
	int status;

	memcpy(&function, &slots[i].original, sizeof(function));
	if (trace_is_on())
		end_streams(name->action, call);
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
	copy = read_copy(name->action, call); /* of arguments that the driver has accepted */
	if (name->action == ACTION_FIND)
		replace_found(call);
	else if (copy.kind != TRACE_N_KINDS)
		record_driver_call(caller, &copy);
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
	if (!get_pointer_attribute) {
		find_driver_function(handle, "cuPointerGetAttribute", &get_pointer_attribute);
		find_driver_function(handle, "cuDeviceGetCount", &get_device_count);
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
