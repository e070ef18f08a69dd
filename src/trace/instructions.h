// SPDX-License-Identifier: MIT
/* What is known of the instructions at which exchanges were caused, so that the file and the line
 * of each are determined once. The least recently noted of a few thousand are forgotten. */
#ifndef TRACE_INSTRUCTIONS_H
#define TRACE_INSTRUCTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* Whose code a frame runs. */
enum trace_frame_owner {
	OWNER_PROGRAM,
	OWNER_PROMPT,    /* the program's, in no file: python -c, and what processes start with */
	OWNER_GENERATED, /* the program's, but not what its author wrote */
	OWNER_LIBRARY,
};

struct trace_instruction {
	const void *code; /* to compare it only */
	int32_t offset_bytes;
	uint32_t site;  /* TRACE_NONE: not determined */
	uint8_t owner;  /* enum trace_frame_owner */
	bool is_import; /* of the import system */
};

/* The instruction that a frame executes, of whose code only the address and the offset are set.
 * False: it is not known. Call with the GIL and without the lock. */
bool trace_instruction_find(void *frame, struct trace_instruction *instruction);

/* depends_on_globals: the owner was determined from the global variables of the frame. Call as the
 * above. Clears errors. */
void trace_instruction_note(
	void *frame, const struct trace_instruction *instruction, bool depends_on_globals);

#endif
