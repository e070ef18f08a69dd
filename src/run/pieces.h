// SPDX-License-Identifier: MIT
/* Collects the pieces of distributed arrays, and makes a target of each array. */
#ifndef RUN_PIECES_H
#define RUN_PIECES_H

#include "base/error.h"
#include "facts/facts.h"

/* Zero-initialise; free the arena. */
struct piece_collector {
	struct arena arena;
	struct fact_placed_piece *items;
	size_t n_items;
};

/* Adds a derived target. An object that is not a piece becomes a missing target. */
void pieces_add(struct piece_collector *pieces, struct fact_target *target);

/* Calls on_array with a target for each array, sorted by name, until it returns -1. */
int pieces_report(struct piece_collector *pieces,
	int (*on_array)(void *context, struct fact_target *array, struct err *err), void *context,
	struct err *err);

#endif
