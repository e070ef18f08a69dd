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

/* The start of _Py_DebugOffsets, in words, which is the same in the versions below. */
enum { COOKIE, VERSION, RUNTIME_BYTES = 3, CURRENT_FRAME = 26 };

/* What follows. */
static const struct frame_words {
	unsigned int version;
	unsigned char previous, code, owner;
} known_words[] = {
	{ 0x030e, .previous = 32, .code = 33, .owner = 36 },
	{ 0x030f, .previous = 40, .code = 41, .owner = 44 },
};

/* Gives where the offsets of a frame's fields are. */
static const uint64_t *read_debug_offsets(const struct frame_words **words)
{
	static const char cookie[] = "xdebugpy";
	const uint64_t *offsets = trace_python.runtime;

	if (!offsets || memcmp(&offsets[COOKIE], cookie, sizeof(offsets[COOKIE])) != 0)
		return NULL;
	for (size_t i = 0; i < sizeof(known_words) / sizeof(known_words[0]); i++)
		if (offsets[VERSION] >> 16 == known_words[i].version) {
			*words = &known_words[i];
			return offsets;
		}
	return NULL;
}

bool trace_evaluation_is_described(void)
{
	const struct frame_words *words;

	return read_debug_offsets(&words) != NULL;
}

bool trace_evaluation_is_known(void)
{
	return trace_python_version() < known_words[0].version || trace_evaluation_is_described();
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
	const struct frame_words *words;
	const uint64_t *offsets = read_debug_offsets(&words);
	const char *state = offsets ? trace_python.thread_state_current() : NULL;

	if (!state || (uintptr_t)state - (uintptr_t)offsets >= offsets[RUNTIME_BYTES])
		return NULL;
	*code_offset = offsets[words->code];
	return (const char *const *)(state + offsets[CURRENT_FRAME]);
}

const char *trace_evaluation_place(void)
{
	const struct frame_words *words;
	const uint64_t *offsets = read_debug_offsets(&words);
	const char *state = offsets ? trace_python.thread_state_current() : NULL;
	const char *frame = state ? read_linked_frame(state, offsets[CURRENT_FRAME]) : NULL;

	for (int n = 0; frame && n < MAX_LINKED_FRAMES; n++) {
		if (frame[offsets[words->owner]] == OWNED_BY_INTERPRETER)
			return frame;
		frame = read_linked_frame(frame, offsets[words->previous]);
	}
	return NULL;
}
