// SPDX-License-Identifier: MIT
/* The library that called the interpreter. */
#ifndef TRACE_READER_H
#define TRACE_READER_H

#include <stdbool.h>
#include <stdint.h>

struct trace_reader {
	uint32_t library;
	const void *address;  /* in the code that called the interpreter; NULL: Python code */
	uintptr_t call;       /* of the function with the address; 0: unknown */
	uintptr_t outer_call; /* of the function that called it; 0: unknown */
	bool is_check;        /* the interpreter reads only to know whether it can: hasattr() */
};

/* The library of the innermost native frame outside of the interpreter, or, if the interpreter was
 * running Python code, the package of that code; TRACE_NONE: code that is not below site-packages.
 * Call with the GIL and without the lock. */
struct trace_reader trace_reader_find(void);

/* The library of the innermost native frame outside of the interpreter; TRACE_NONE: code in no
 * object, or Python code. Call without the lock. */
uint32_t trace_reader_native(void);

struct trace_stack_frame;

/* The same, from that whose return
 * address is at first; TRACE_NONE: code in no object, or Python code. Sets the frames up to it, and
 * their number as trace_stack_frames() does. Call without the lock. */
uint32_t trace_reader_from(
	const char *first, struct trace_stack_frame *frames, int max_frames, int *n_frames);

/* The library that called code in no object, such as what Numba compiles; TRACE_NONE: none, or the
 * interpreter. */
uint32_t trace_reader_of_generated_code(void);

#endif
