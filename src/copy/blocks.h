// SPDX-License-Identifier: MIT
/* An array as a sequence of blocks that follow each other in a file of C or Fortran order. */
#ifndef COPY_BLOCKS_H
#define COPY_BLOCKS_H

#include "base/error.h"
#include "model/array.h"

#include <stdint.h>

/*
 * Calls visit for one block after the other. A block's elements, taken in its own C order, are the
 * next ones of the file; for order 'F' its dimensions are those of the array in reverse. A block
 * holds at most max_bytes, and one element at least. Stops at the first visit that fails. An array
 * of no elements has no blocks.
 */
int blocks_visit(const struct array *array, char order, int64_t max_bytes,
	int (*visit)(void *context, const struct array *block, struct err *err), void *context,
	struct err *err);

/*
 * The elements of array that a block of another array of the same shape stands for, taken in order
 * 'C': n_before elements were visited before it.
 */
struct array blocks_same(const struct array *array, const struct array *block, int64_t n_before);

#endif
