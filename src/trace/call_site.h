// SPDX-License-Identifier: MIT
/* Calls of functions of NumPy by Python code of the program or of NumPy itself, which are not
 * exchanges. */
#ifndef TRACE_CALL_SITE_H
#define TRACE_CALL_SITE_H

#include "trace/hidden.h"
#include "trace/native_caller.h"
#include "trace/record.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Where a frame of this code has the arguments of a call on the stack of Python code. As long as
 * the code exists and its frame is at the same address, an argument at this address belongs to that
 * frame, not to a function that it calls, because the code object determines the size of each
 * frame. Sites are neither modified nor freed, since another thread may be reading them. */
struct trace_call_site {
	const void *arguments;
	const void *const *frame_code; /* where the frame has its code; in the page of arguments */
	const void *code;              /* to compare it only: */
	const void *const *referent;   /* what a weak reference to it refers to */
};

enum { TRACE_N_CALL_SITES = 64 };
extern TRACE_HIDDEN _Atomic(const struct trace_call_site *) trace_call_sites[TRACE_N_CALL_SITES];

static inline size_t trace_call_site_hash(const void *arguments)
{
	return (uintptr_t)arguments % sizeof(trace_call_sites) / sizeof(trace_call_sites[0]);
}

/* The site that was noted last for that hash. The offset of its entry is masked from the
 * address, which saves converting the address to an index and the index to an offset. */
static inline const struct trace_call_site *trace_last_call_site(const void *arguments)
{
	const uintptr_t offset =
		(uintptr_t)arguments & (sizeof(trace_call_sites) - sizeof(trace_call_sites[0]));
	const char *const entry = (const char *)trace_call_sites + offset;

	return atomic_load_explicit(
		(const _Atomic(const struct trace_call_site *) *)(const void *)entry,
		memory_order_acquire);
}

/* Whether the function and a null pointer precede its arguments, in either order, which depends
 * on the version of Python. */
static inline bool trace_call_site_follows(const void *function, void *const *arguments)
{
	return ((uintptr_t)arguments[-1] | (uintptr_t)arguments[-2]) == (uintptr_t)function;
}

/* Whether code that was noted calls a function. */
static inline bool trace_call_site_is_known(const void *const *function, void *const *arguments)
{
	const struct trace_call_site *site = trace_last_call_site(arguments);

	return site->arguments == arguments && *site->frame_code == site->code &&
	       *site->referent == site->code && trace_call_site_follows(*function, arguments);
}

enum { TRACE_N_SITE_CALLS = 3 };

/* A call of a function by the code of a frame, from CPython 3.14 on, where arguments are on the
 * native stack. The native calls between the interpreter's function that runs Python code and the
 * function that is called are recorded as well; if there are fewer than three, the last one is
 * repeated, so that they are compared without a loop. Sites are neither modified nor freed. */
struct trace_frame_site {
	const void *frame_code;      /* as the frame has it, with the interpreter's flags */
	const void *code;            /* to compare it only: */
	const void *const *referent; /* what a weak reference to it refers to */
	struct {
		ptrdiff_t place; /* as in struct trace_stack_frame */
		const void *stored;
	} calls[TRACE_N_SITE_CALLS];
};

extern TRACE_HIDDEN _Atomic(const struct trace_frame_site *) trace_frame_sites[TRACE_N_CALL_SITES];

/* Where the state of this thread stores a pointer to the running frame; NULL: unknown. */
extern _Thread_local const char *const *trace_running_frame
	__attribute__((tls_model("initial-exec")));
extern TRACE_HIDDEN size_t trace_frame_code_offset;

static inline size_t trace_frame_site_hash(const void *frame_code, const void *return_address)
{
	return trace_call_site_hash(
		(const void *)((uintptr_t)frame_code ^ (uintptr_t)return_address));
}

static inline bool trace_frame_site_has_call(
	const struct trace_frame_site *site, const char *first, int i)
{
	return *(const void *const *)(first + site->calls[i].place) == site->calls[i].stored;
}

/* Whether code that was noted calls the function with a frame: __builtin_dwarf_cfa(). */
static inline bool trace_frame_site_is_known(const void *frame)
{
	const char *const first = trace_return_place(frame);
	const struct trace_frame_site *site;
	const void *frame_code;

	if (!trace_running_frame || !*trace_running_frame)
		return false;
	memcpy(&frame_code, *trace_running_frame + trace_frame_code_offset, sizeof(frame_code));
	site = atomic_load_explicit(
		&trace_frame_sites[trace_frame_site_hash(frame_code, *(const void *const *)first)],
		memory_order_acquire);
	return site->frame_code == frame_code && *site->referent == site->code &&
	       trace_frame_site_has_call(site, first, 0) &&
	       trace_frame_site_has_call(site, first, 1) &&
	       trace_frame_site_has_call(site, first, 2);
}

/* Notes that the running code belongs to the program or to NumPy, and calls the function that
 * has this frame directly. Call with the GIL and without the lock. */
void trace_frame_site_note(const void *frame);

enum { TRACE_MAX_NATIVE_STACK_BYTES = 1 << 20 };

/* Whether Python code calls a function, which is the usual case: its arguments are on the stack
 * of Python code or in a generator. Compiled code passes them on the native stack above the frame,
 * in a tuple, or singly, and so do some calls by Python code, such as those of map(). The words
 * before the arguments are read only if they are in the same page. */
static inline bool trace_call_site_is_python(
	const void *function, void *const *arguments, const void *frame)
{
	return (uintptr_t)arguments - (uintptr_t)frame >= TRACE_MAX_NATIVE_STACK_BYTES &&
	       (uintptr_t)arguments % TRACE_PAGE_BYTES >= 2 * sizeof(*arguments) &&
	       trace_call_site_follows(function, arguments);
}

/* Notes that the running code, for which trace_call_site_is_python() is true, belongs to the
 * program or to NumPy. Call with the GIL and without the lock. */
void trace_call_site_note(void *const *arguments);

#endif
