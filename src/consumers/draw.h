// SPDX-License-Identifier: MIT
/*
 * Random legal tensors for --fuzz. The id alone determines the row: fuzz-SEED-NUMBER, or
 * fuzz-SEED-NUMBER-REDUCTIONS for a simpler one, where each letter is one reduction.
 */
#ifndef CONSUMERS_DRAW_H
#define CONSUMERS_DRAW_H

#include "base/arena.h"
#include "consumers/cases.h"

/* NULL if the id is not of this form, or a reduction changes nothing. */
const struct consumer_case *consumer_case_draw(struct arena *arena, const char *id);

/* A drawn row as an interface can express it: without fields that only dlpack.h has, of a type that
 * it has, and, if it has byte orders, in the other one for version 1.99. */
const struct consumer_case *consumer_case_draw_for(
	struct arena *arena, const char *id, const struct tensor_interface *interface);

/* The ids of the rows that are one reduction simpler; ends with NULL. */
const char *const *consumer_case_reductions(struct arena *arena, const char *id);

#endif
