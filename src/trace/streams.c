// SPDX-License-Identifier: MIT
#include "trace/streams.h"

#include "trace/lock.h"
#include "trace/map.h"
#include "trace/memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum {
	MAX_STREAMS = 1024, /* further ones are not recorded */
	MAX_WRITES = 8,     /* of a stream that are distinguished */
	NUMBER_BITS = 48,   /* of the number of a piece of work */
	MODE_RELAXED = 2,   /* CU_STREAM_CAPTURE_MODE_RELAXED */
	DRIVER_NOT_READY = 600,
	UNKNOWN_DEVICE = -1,
};

/* Work whose target is known. */
struct stream_write {
	uint64_t number;
	uintptr_t begin;
	size_t n_bytes;
};

struct traced_stream {
	uintptr_t handle;  /* 0: unused */
	uintptr_t context; /* 0: unknown */
	int device;
	uint32_t n_endings; /* threads that are destroying its context: it is not queried */
	uint32_t library;
	uint64_t n_works, n_unknown; /* numbers of the last work, and of the last unknown one */
	uint64_t n_awaited;          /* up to which number another stream waits */
	struct stream_write writes[MAX_WRITES];
};

struct stream_driver trace_stream_driver;

static struct traced_stream traced_streams[MAX_STREAMS];
static struct trace_map streams_by_handle; /* position */
static struct trace_map records_by_event;  /* position, and the number of the work before it */
static _Atomic uint32_t n_traced_streams;
/* Protects what is above. Recursive, since functions of the driver that are called with it call
 * functions of this file in turn. */
static pthread_mutex_t streams_lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

bool trace_streams_exist(void)
{
	return n_traced_streams != 0;
}

/* Called with streams_lock, as are all static functions with a parameter of struct traced_stream.
 */
static struct traced_stream *find_traced_stream(uintptr_t handle)
{
	uint64_t *found = handle ? trace_map_find(&streams_by_handle, handle) : NULL;

	return found ? &traced_streams[*found] : NULL;
}

static uintptr_t current_context(void)
{
	uintptr_t context = 0;

	if (!trace_stream_driver.current_context || trace_stream_driver.current_context(&context))
		return 0;
	return context;
}

static int current_device(void)
{
	int device = UNKNOWN_DEVICE;

	if (!trace_stream_driver.current_device || trace_stream_driver.current_device(&device))
		return UNKNOWN_DEVICE;
	return device;
}

void trace_stream_created(uintptr_t handle, unsigned int flags, uint32_t library)
{
	struct traced_stream *stream;
	uintptr_t context;
	int device;
	size_t i = 0;

	if (!(flags & STREAM_NON_BLOCKING) || !handle)
		return;
	context = current_context();
	device = current_device();
	pthread_mutex_lock(&streams_lock);
	stream = find_traced_stream(handle);
	while (!stream && i < MAX_STREAMS && traced_streams[i].handle)
		i++;
	if (!stream && i < MAX_STREAMS && trace_map_set(&streams_by_handle, handle, i)) {
		stream = &traced_streams[i];
		n_traced_streams++;
	}
	/* Numbers go on from those of a stream that was destroyed, to which records may refer. */
	if (stream)
		*stream = (struct traced_stream){ .handle = handle,
			.context = context,
			.device = device,
			.library = library,
			.n_works = stream->n_works,
			.n_awaited = stream->n_works };
	pthread_mutex_unlock(&streams_lock);
}

static void forget_stream(struct traced_stream *stream)
{
	trace_map_remove(&streams_by_handle, stream->handle, NULL);
	stream->handle = 0;
	n_traced_streams--;
}

/* Calls a function, with the lock of streams, for the stream of a handle if that is traced. */
static void change_stream(uintptr_t handle, void (*change)(struct traced_stream *stream))
{
	struct traced_stream *stream;

	if (!trace_streams_exist())
		return;
	pthread_mutex_lock(&streams_lock);
	stream = find_traced_stream(handle);
	if (stream)
		change(stream);
	pthread_mutex_unlock(&streams_lock);
}

void trace_stream_destroyed(uintptr_t handle)
{
	change_stream(handle, forget_stream);
}

/* A stream of an unknown context counts as one of each. */
static bool is_owner(struct stream_owner owner, const struct traced_stream *stream)
{
	if (owner.context)
		return !stream->context || stream->context == owner.context;
	return stream->device == UNKNOWN_DEVICE || stream->device == owner.device;
}

void trace_context_ends(struct stream_owner owner)
{
	if (!trace_streams_exist())
		return;
	pthread_mutex_lock(&streams_lock);
	for (size_t i = 0; i < MAX_STREAMS; i++)
		if (traced_streams[i].handle && is_owner(owner, &traced_streams[i]))
			traced_streams[i].n_endings++;
	pthread_mutex_unlock(&streams_lock);
}

void trace_context_ended(struct stream_owner owner, bool is_destroyed)
{
	if (!trace_streams_exist())
		return;
	pthread_mutex_lock(&streams_lock);
	for (size_t i = 0; i < MAX_STREAMS; i++) {
		struct traced_stream *stream = &traced_streams[i];

		if (!stream->handle || !stream->n_endings || !is_owner(owner, stream))
			continue;
		stream->n_endings--;
		if (is_destroyed)
			forget_stream(stream);
	}
	pthread_mutex_unlock(&streams_lock);
}

void trace_stream_works(uintptr_t handle, uintptr_t target, size_t n_bytes)
{
	struct traced_stream *stream;

	if (!trace_streams_exist())
		return;
	pthread_mutex_lock(&streams_lock);
	stream = find_traced_stream(handle);
	if (stream) {
		uint64_t number = ++stream->n_works;
		struct stream_write *write = &stream->writes[number % MAX_WRITES];

		/* What it replaces is forgotten, and may be any memory from then on. */
		if (write->number > stream->n_awaited && write->number > stream->n_unknown)
			stream->n_unknown = write->number;
		*write = (struct stream_write){ n_bytes ? number : 0, target, n_bytes };
		if (!n_bytes)
			stream->n_unknown = number;
	}
	pthread_mutex_unlock(&streams_lock);
}

void trace_stream_recorded(uintptr_t event, uintptr_t handle)
{
	struct traced_stream *stream;

	if (!trace_streams_exist() || !event)
		return;
	pthread_mutex_lock(&streams_lock);
	stream = find_traced_stream(handle);
	if (stream)
		trace_map_set(&records_by_event, event,
			(uint64_t)(stream - traced_streams) << NUMBER_BITS | stream->n_works);
	else
		trace_map_remove(&records_by_event, event, NULL);
	pthread_mutex_unlock(&streams_lock);
}

void trace_stream_waits(uintptr_t handle, uintptr_t event)
{
	uint64_t *found, number;

	if (!trace_streams_exist() || !event)
		return;
	pthread_mutex_lock(&streams_lock);
	found = trace_map_find(&records_by_event, event);
	if (found) {
		struct traced_stream *stream = &traced_streams[*found >> NUMBER_BITS];

		number = *found & ((UINT64_C(1) << NUMBER_BITS) - 1);
		if (stream->handle && stream->handle != handle && number <= stream->n_works &&
			number > stream->n_awaited)
			stream->n_awaited = number;
	}
	pthread_mutex_unlock(&streams_lock);
}

void trace_stream_event_destroyed(uintptr_t event)
{
	if (!trace_streams_exist() || !event)
		return;
	pthread_mutex_lock(&streams_lock);
	trace_map_remove(&records_by_event, event, NULL);
	pthread_mutex_unlock(&streams_lock);
}

static void note_completion(struct traced_stream *stream)
{
	stream->n_awaited = stream->n_works;
}

void trace_stream_completed(uintptr_t handle)
{
	change_stream(handle, note_completion);
}

void trace_context_completed(void)
{
	uintptr_t context;

	if (!trace_streams_exist())
		return;
	context = current_context();
	pthread_mutex_lock(&streams_lock);
	for (size_t i = 0; i < MAX_STREAMS; i++) {
		struct traced_stream *stream = &traced_streams[i];

		if (stream->handle && (!context || !stream->context || stream->context == context))
			stream->n_awaited = stream->n_works;
	}
	pthread_mutex_unlock(&streams_lock);
}

/* Whether work that no stream waits for may write the memory; address 0: unknown. */
static bool may_write(const struct traced_stream *stream, uint64_t address, uint64_t n_bytes)
{
	if (stream->n_unknown > stream->n_awaited)
		return true;
	for (size_t i = 0; i < MAX_WRITES; i++) {
		const struct stream_write *write = &stream->writes[i];

		if (write->number > stream->n_awaited &&
			(!address || (write->begin < address + n_bytes &&
					     address < write->begin + write->n_bytes)))
			return true;
	}
	return false;
}

/* A query would invalidate a capture of the stream, and of this thread unless its mode allows it.
 */
static bool has_pending_work(uintptr_t stream)
{
	int capture = 1;

	return !trace_stream_driver.is_capturing(stream, &capture) && !capture &&
	       trace_stream_driver.query(stream) == DRIVER_NOT_READY;
}

/* Called with streams_lock. */
static bool are_any_pending(uint32_t producer, uint64_t address, uint64_t n_bytes)
{
	for (size_t i = 0; i < MAX_STREAMS; i++) {
		struct traced_stream *stream = &traced_streams[i];

		if (!stream->handle || stream->n_endings || !may_write(stream, address, n_bytes) ||
			!trace_is_same_family(stream->library, producer))
			continue;
		if (has_pending_work(stream->handle))
			return true;
	}
	return false;
}

bool trace_streams_are_pending(uint32_t producer, uint64_t address, uint64_t n_bytes)
{
	int mode = MODE_RELAXED;
	bool are = false;

	if (!trace_streams_exist() || !trace_stream_driver.query ||
		!trace_stream_driver.is_capturing || !trace_stream_driver.exchange_mode)
		return false;
	pthread_mutex_lock(&streams_lock);
	if (!trace_stream_driver.exchange_mode(&mode)) {
		are = are_any_pending(producer, address, n_bytes);
		trace_stream_driver.exchange_mode(&mode);
	}
	pthread_mutex_unlock(&streams_lock);
	return are;
}

/* Whether a name is that of a library, or begins with it and an underscore. */
static bool is_of_family(const char *name, const char *library)
{
	size_t n_chars = strlen(library);

	return !strncmp(name, library, n_chars) && (!name[n_chars] || name[n_chars] == '_');
}

bool trace_is_same_family(uint32_t a, uint32_t b)
{
	const char *name_a, *name_b;
	bool is;

	trace_lock();
	is = a < trace_memory.segment->n_libraries && b < trace_memory.segment->n_libraries;
	if (is) {
		name_a = trace_memory.strings + trace_memory.libraries[a].name;
		name_b = trace_memory.strings + trace_memory.libraries[b].name;
		is = is_of_family(name_a, name_b) || is_of_family(name_b, name_a);
	}
	trace_unlock();
	return is;
}

void trace_streams_fork(void)
{
	static const pthread_mutex_t unlocked = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

	streams_lock = unlocked;
	if (!trace_streams_exist())
		return;
	memset(traced_streams, 0, sizeof(traced_streams));
	trace_map_clear(&streams_by_handle);
	trace_map_clear(&records_by_event);
	n_traced_streams = 0;
}
