// SPDX-License-Identifier: MIT
/* An array as a sequence of consecutive blocks of a file in C or Fortran order. */
#ifndef COPY_BLOCKS_H
#define COPY_BLOCKS_H

#include "base/error.h"
#include "model/array.h"

#include <stdint.h>

/*
 * Calls visit for each block in sequence. The elements of a block, in its own C order, are the
 * next ones of the file; for order 'F' its dimensions are those of the array in reverse. A block
 * has at most max_bytes, but at least one element. Stops at the first visit that fails. An array
 * without elements has no blocks.
 */
int blocks_visit(const struct array *array, char order, int64_t max_bytes,
	int (*visit)(void *context, const struct array *block, struct err *err), void *context,
	struct err *err);

/*
 * The elements of array that correspond to a block of another array of the same shape, in order
 * 'C': n_before elements were visited before it.
 */
struct array blocks_same(const struct array *array, const struct array *block, int64_t n_before);

#endif
