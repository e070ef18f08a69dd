// SPDX-License-Identifier: MIT
/*
 * Whether two arrays have the same elements, by the simplest method: every index is converted to
 * two addresses by the definition of strides. It shares no code with the plan except
 * plan_swap_unit (the size of a swapped unit), so that it detects an incorrect plan or engine.
 */
#ifndef COPY_COMPARE_H
#define COPY_COMPARE_H

#include "model/array.h"

#include <stdbool.h>
#include <stdint.h>

struct comparison {
	bool equal;
	int64_t index[ARRAY_MAX_DIMS]; /* of the first difference in C order, if not equal */
};

/*
 * Compares memory that the host can read, at the pointers of both arrays; shapes and item sizes
 * are equal.
 */
void compare_arrays(struct comparison *comparison, const struct array *a, const struct array *b);

#endif
