// SPDX-License-Identifier: MIT
/* The compiled code that calls a function of Python, such as that of a Cython module, which has no
 * frame of Python. */
#ifndef TRACE_NATIVE_CALLER_H
#define TRACE_NATIVE_CALLER_H

#include "trace/hidden.h"
#include "trace/record.h"
#include "trace/stack.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { TRACE_MAX_PATH_FRAMES = 8 };

/* The native frames from the caller of a function up to the one that runs Python code or is
 * outside of the interpreter. Frames of the same code have the same size, so that equal return
 * addresses at equal places mean equal calls. */
struct trace_call_path {
	struct trace_stack_frame frames[TRACE_MAX_PATH_FRAMES];
	int n_frames;
	uint32_t library; /* that calls; TRACE_NONE: Python code, or NumPy */
};

extern TRACE_HIDDEN _Atomic(const struct trace_call_path *) trace_last_call_path;

/* first: where the return address is; NULL: not on the stack. */
uint32_t trace_native_caller_find(const char *first);

static inline bool trace_call_path_is(const struct trace_call_path *path, const char *first)
{
	for (int i = 0; i < path->n_frames; i++)
		if (*(const void *const *)(first + path->frames[i].place) != path->frames[i].stored)
			return false;
	return true;
}

/* Where the return address of a function with a frame, __builtin_dwarf_cfa(), is; NULL: unknown. */
static inline const char *trace_return_place(const void *frame)
{
#if defined(__x86_64__)
	return (const char *)frame - sizeof(void *);
#else
	(void)frame;
	return NULL;
#endif
}

/* The library whose compiled code calls the function with a frame; TRACE_NONE: Python code, NumPy
 * itself, or unknown. Call with the GIL and without the lock. */
static inline uint32_t trace_native_caller(const void *frame)
{
	const char *first = trace_return_place(frame);
	const struct trace_call_path *last =
		atomic_load_explicit(&trace_last_call_path, memory_order_acquire);

	if (first && last && trace_call_path_is(last, first))
		return last->library;
	return trace_native_caller_find(first);
}

/* Forgets the calls of modules that were closed. */
void trace_native_callers_forget(void);

#endif
