// SPDX-License-Identifier: MIT
/* What a consumer did with an array of a producer, as one of a few states with a reason. */
#ifndef MATRIX_CELL_H
#define MATRIX_CELL_H

#include "facts/facts.h"

/* Worst first. */
enum cell_state {
	CELL_CRASH,
	CELL_HANG,
	CELL_LEFT,
	CELL_WRONG,
	CELL_WRONG_ORDER,
	CELL_RESHAPED,
	CELL_NARROWED,
	CELL_UNKNOWN,
	CELL_REFUSED,
	CELL_COPIED,
	CELL_SHARED,
	CELL_ABSENT, /* the library is missing, or the producer cannot make the array */
	CELL_N_STATES,
	CELL_NOT_PLANNED = CELL_N_STATES /* the array does not exist for that producer */
};

struct cell_outcome {
	enum cell_state state;
	const char *reason; /* one line, the same in each run; NULL: none is needed */
};

/* "shared", "WRONG" */
const char *cell_state_name(enum cell_state state);

/* CELL_N_STATES: there is none of that name. */
enum cell_state cell_state_from_name(const char *name);

/* What it means, for legends. */
const char *cell_state_meaning(enum cell_state state);

/* The outcome of a derived target with a consumption (documents/document.h). is_own_array: the
 * producer's library is the consumer's, which may return the array itself. The reason is in the
 * arena. */
struct cell_outcome cell_judge(
	struct arena *arena, const struct fact_target *target, bool is_own_array);

/* Whether the outcome is believed only if it is the same in a process of its own. */
bool cell_needs_proof(enum cell_state state);

/* The first line of text that is not empty, without addresses, which differ from run to run. */
const char *cell_stable_line(struct arena *arena, const char *text);

/* The stable line of an exception's message; its type if it has no message, as MemoryError and
 * failed assertions. fallback if it has neither. */
const char *cell_error_line(
	struct arena *arena, const struct fact_error *error, const char *fallback);

#endif
