// SPDX-License-Identifier: MIT
/* The native frames of the calling thread. */
#ifndef TRACE_STACK_H
#define TRACE_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A frame of a caller. */
struct trace_visited_frame {
	const void *address; /* to which the call under way returns */
	uintptr_t call;      /* identifies that call; 0: unknown */
	int depth;           /* 0: the first one, also where a walk begins again */
	bool is_evaluation;  /* the frame runs Python code and is the last one; false if that is
			      * unknown
			      */
};

typedef bool (*trace_visit_frame)(const struct trace_visited_frame *frame, void *opaque);

/* Calls visit with each caller's frame, innermost first, until it returns true, or, with
 * until_python and where that is known, to the code that runs Python code; frames for which it
 * returns false may be visited again from the first one on. Frames of the same code at the same
 * distances are not unwound again. Does nothing without libgcc_s.so.1. Call without the lock. */
void trace_stack_walk(trace_visit_frame visit, void *opaque, bool until_python);

/* The start of the function that contains the instruction before a return address; NULL:
 * unknown. */
const void *trace_stack_function(const void *address);

/* A return address, and its place on the stack. */
struct trace_stack_frame {
	const void *address;
	const void *stored; /* on the stack: the address, which may be signed */
	ptrdiff_t place;    /* from that of the first one */
};

/* The same until Python code, from the frame whose return address is at first, always unwound. The
 * number of frames up to the one that ended the walk; 0: more than max_frames, none ended it, or
 * their return addresses are elsewhere. */
int trace_stack_frames(const char *first, trace_visit_frame visit, void *opaque,
	struct trace_stack_frame *frames, int max_frames);

#endif
