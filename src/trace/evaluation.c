// SPDX-License-Identifier: MIT
/*
 * From CPython 3.14 on, each instruction of Python code may be a function of its own, and the
 * function that calls the first one have no symbol. It has the entry frame in its native frame,
 * from which the frames of Python code are linked. Where their fields are is what CPython states
 * for debuggers, at the start of _PyRuntime.
 */
#include "trace/evaluation.h"

#include "trace/python.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { MAX_LINKED_FRAMES = 1 << 16, OWNED_BY_INTERPRETER = 3 };

/* _Py_DebugOffsets of 3.14, in words. */
enum {
	COOKIE,
	VERSION,
	RUNTIME_BYTES = 3,
	CURRENT_FRAME = 26,
	PREVIOUS_FRAME = 32,
	FRAME_CODE = 33,
	FRAME_OWNER = 36,
};

static const uint64_t *read_debug_offsets(void)
{
	static const char cookie[] = "xdebugpy";
	const uint64_t *offsets = trace_python.runtime;

	if (!offsets || memcmp(&offsets[COOKIE], cookie, sizeof(offsets[COOKIE])) != 0 ||
		offsets[VERSION] >> 16 != 0x030e)
		return NULL;
	return offsets;
}

bool trace_evaluation_is_described(void)
{
	return read_debug_offsets() != NULL;
}

static const char *read_linked_frame(const char *object, uint64_t offset)
{
	const char *frame;

	memcpy(&frame, object + offset, sizeof(frame));
	return frame;
}

/* The first interpreter and its first thread state are within the state of the runtime. */
const char *const *trace_evaluation_frame(size_t *code_offset)
{
	const uint64_t *offsets = read_debug_offsets();
	const char *state = offsets ? trace_python.thread_state_current() : NULL;

	if (!state || (uintptr_t)state - (uintptr_t)offsets >= offsets[RUNTIME_BYTES])
		return NULL;
	*code_offset = offsets[FRAME_CODE];
	return (const char *const *)(state + offsets[CURRENT_FRAME]);
}

const char *trace_evaluation_place(void)
{
	const uint64_t *offsets = read_debug_offsets();
	const char *state = offsets ? trace_python.thread_state_current() : NULL;
	const char *frame = state ? read_linked_frame(state, offsets[CURRENT_FRAME]) : NULL;

	for (int n = 0; frame && n < MAX_LINKED_FRAMES; n++) {
		if (frame[offsets[FRAME_OWNER]] == OWNED_BY_INTERPRETER)
			return frame;
		frame = read_linked_frame(frame, offsets[PREVIOUS_FRAME]);
	}
	return NULL;
}
