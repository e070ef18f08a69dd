// SPDX-License-Identifier: MIT
/* The native frames of the calling thread. */
#ifndef TRACE_STACK_H
#define TRACE_STACK_H

#include <stdbool.h>

/* Calls visit with the return address of each caller's frame, innermost first, until it returns
 * true; a frame for which it returns false may be visited twice. Frames of the same code at the
 * same distances are not unwound again. Does nothing without libgcc_s.so.1. Call without the lock.
 */
void trace_stack_walk(bool (*visit)(const void *address, void *opaque), void *opaque);

#endif
