// SPDX-License-Identifier: MIT
/*
 * Work on streams of CUDA that no other stream waits for: which exchanges without a stream may
 * happen too early. Only streams that were created as non-blocking are recorded, since the legacy
 * default stream, which a consumer without a stream uses, waits for all others. Call without the
 * lock of trace/lock.h.
 */
#ifndef TRACE_STREAMS_H
#define TRACE_STREAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STREAM_NON_BLOCKING = 1 /* CU_STREAM_NON_BLOCKING */ };

/* Functions of the driver that are looked up where libraries look up the others. */
struct stream_driver {
	int (*query)(uintptr_t stream);
	int (*is_capturing)(uintptr_t stream, int *status);
	int (*exchange_mode)(int *mode);
	int (*current_context)(uintptr_t *context);
	int (*current_device)(int *device);
};
extern struct stream_driver trace_stream_driver;

/* A library (an index of trace_memory.libraries) created the stream in the current context, or
 * another one did on its behalf. */
void trace_stream_created(uintptr_t stream, unsigned int flags, uint32_t library);

/* Before the driver destroys it. */
void trace_stream_destroyed(uintptr_t stream);

/* A context, or (context 0) the primary one of a device. */
struct stream_owner {
	uintptr_t context;
	int device;
};

/* Before the driver destroys a context, whose streams are not queried from then on; and afterwards,
 * with whether it did. */
void trace_context_ends(struct stream_owner owner);
void trace_context_ended(struct stream_owner owner, bool is_destroyed);

/* Work was submitted that writes n_bytes at target; n_bytes 0: it is unknown what it writes. */
void trace_stream_works(uintptr_t stream, uintptr_t target, size_t n_bytes);

/* An event follows what was submitted to a stream; a stream, or the host (0), waits for an event;
 * an event is destroyed. */
void trace_stream_recorded(uintptr_t event, uintptr_t stream);
void trace_stream_waits(uintptr_t stream, uintptr_t event);
void trace_stream_event_destroyed(uintptr_t event);

/* All work of a stream is complete; that of the streams of the current context. */
void trace_stream_completed(uintptr_t stream);
void trace_context_completed(void);

/* Whether any stream is recorded. */
bool trace_streams_exist(void);

/* Whether work is pending at this moment, for which no stream waits, on a stream that the producer
 * created, and that may write the memory. False also if that is unknown. Nothing is submitted. */
bool trace_streams_are_pending(uint32_t producer, uint64_t address, uint64_t n_bytes);

/* Whether two names belong to one library, such as "cupy" and "cupy_backends". */
bool trace_is_same_family(uint32_t a, uint32_t b);

/* In a forked child, which has no streams. */
void trace_streams_fork(void);

#endif
