// SPDX-License-Identifier: MIT
/* The calls of known consumers and the reads of attributes that are in progress in a thread.
 * Greenlets share a thread, but each has its own calls in progress. */
#ifndef TRACE_CALLS_H
#define TRACE_CALLS_H

#include "trace/hidden.h"
#include "trace/passed.h"
#include "trace/property.h"
#include "trace/reader.h"

#include <stdatomic.h>
#include <stdbool.h>

struct trace_consumer;
struct trace_direct_call;

/* A read of an attribute by a library. If a library checks for the attribute by reading it, the
 * check and the read are at two places of its native code, but at one line of Python, or the read
 * is in a function that the checking function calls. Kept small, since each thread has one. */
struct trace_attribute_read {
	const void *object, *frame;
	const void *address;  /* of the reader */
	uintptr_t outer_call; /* the same */
	uint32_t library;     /* the same */
	int instruction : 31; /* of the frame, by its offset in bytes */
	bool is_followed : 1; /* by a read in such a function */
};

struct trace_calls {
	struct trace_passed last;              /* exchange during the call of a consumer */
	const struct trace_consumer *consumer; /* of the innermost call; NULL: none */
	void *dtype; /* that the innermost call of JAX requests, borrowed; NULL: none */
	struct trace_attribute_read last_read; /* the exchange that was recorded last */
	unsigned int n_reads;                  /* one of them reads the next */
	bool is_unsettled;       /* last may be the exchange of a list: see conversions.c */
	uint16_t n_items_before; /* of a list: exchanges that last includes, and their bytes */
	struct trace_interface exporter;  /* of the innermost read */
	struct trace_direct_call *direct; /* the innermost one; NULL: none */
};

/* The calls of this thread. The initial-exec model avoids a call of the loader for each access;
 * it is possible because the library is loaded when the program starts. */
extern _Thread_local struct trace_calls trace_calls __attribute__((tls_model("initial-exec")));

typedef void *(*trace_current_greenlet)(void);

/* greenlet.getcurrent(); NULL: greenlet was not imported. */
extern TRACE_HIDDEN _Atomic(trace_current_greenlet) trace_get_greenlet;

/* Looks for greenlet. Call with the GIL and without the lock. */
void trace_calls_find_greenlets(void);

/* Replaces trace_calls by those of the greenlet that runs. */
void trace_calls_switch(void);

/* Updates trace_calls where Python code may have run since they were used. Call with the GIL and
 * without the lock. */
static inline void trace_calls_update(void)
{
	if (atomic_load_explicit(&trace_get_greenlet, memory_order_relaxed))
		trace_calls_switch();
}

#endif
