// SPDX-License-Identifier: MIT
/* The native frames of the calling thread. */
#ifndef TRACE_STACK_H
#define TRACE_STACK_H

#include <stdbool.h>
#include <stddef.h>

/* Calls visit with the return address of each caller's frame, innermost first, until it returns
 * true, or, with until_python and where that is known, to the code that runs Python code; a frame
 * for which it returns false may be visited twice. Frames of the same code at the
 * same distances are not unwound again. Does nothing without libgcc_s.so.1. Call without the lock.
 */
void trace_stack_walk(
	bool (*visit)(const void *address, void *opaque), void *opaque, bool until_python);

/* A return address, and its place on the stack. */
struct trace_stack_frame {
	const void *address;
	const void *stored; /* on the stack: the address, which may be signed */
	ptrdiff_t place;    /* from that of the first one */
};

/* The same until Python code, from the frame whose return address is at first, always unwound. The
 * number of frames up to the one that ended the walk; 0: more than max_frames, none ended it, or
 * their return addresses are elsewhere. */
int trace_stack_frames(const char *first, bool (*visit)(const void *address, void *opaque),
	void *opaque, struct trace_stack_frame *frames, int max_frames);

#endif
