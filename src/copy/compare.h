// SPDX-License-Identifier: MIT
/*
 * Whether two arrays hold the same elements, by the plainest road: every index is turned into two
 * addresses by the definition of strides. It shares nothing with the plan, so that
 * a wrong plan or engine cannot hide behind it (but for plan_swap_unit, what one swapped unit is).
 */
#ifndef COPY_COMPARE_H
#define COPY_COMPARE_H

#include "model/array.h"

#include <stdbool.h>
#include <stdint.h>

struct comparison {
	bool equal;
	int64_t index[ARRAY_MAX_DIMS]; /* of the first difference in C order, where not equal */
};

/* Compares memory that the host can read, at both pointers; shapes and item sizes are equal. */
void compare_arrays(struct comparison *comparison, const struct array *a, const struct array *b);

#endif
