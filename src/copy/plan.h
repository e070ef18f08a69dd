// SPDX-License-Identifier: MIT
/*
 * A copy between two layouts of the same shape as the smallest loop nest. Pure arithmetic: no
 * memory is touched here, and every engine (host loops, kernels) reads the same plan.
 */
#ifndef COPY_PLAN_H
#define COPY_PLAN_H

#include "base/error.h"
#include "model/array.h"

#include <stdbool.h>
#include <stdint.h>

struct copy_loop {
	int64_t n;                                  /* over 1 */
	int64_t src_stride_bytes, dst_stride_bytes; /* the destination's is over 0 */
};

struct copy_plan {
	int64_t item_bytes;
	int64_t swap_bytes; /* each run of so many bytes is reversed; 0: none is */
	int64_t src_offset_bytes,
		dst_offset_bytes; /* from element 0,0,... to the first one copied */
	bool empty;               /* there is nothing to copy */
	int n_loops;
	struct copy_loop loops[ARRAY_MAX_DIMS]; /* outermost first */
};

/*
 * Plans the copy of every element of from into the same index of to. Shapes and item sizes must be
 * equal and to must not overlap itself (EXIT_BUG otherwise); layouts whose extents leave the
 * address space are EXIT_TARGET. Bytes are swapped where only one of both has foreign byte order.
 */
int plan_make(
	struct copy_plan *plan, const struct array *from, const struct array *to, struct err *err);

/* Gives to compact strides in the order of from's: the dimension that from steps least over varies
 * fastest. Shapes are equal. */
void plan_keep_order(struct array *to, const struct array *from);

/* The bytes reversed as one unit when an element changes byte order; 0 where order means nothing.
 */
int64_t plan_swap_unit(const struct dtype *dtype);

#endif
