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

/* What the loops amount to, from the cheapest to carry out. */
enum copy_kind {
	COPY_MEMCPY,     /* one run of bytes, none swapped */
	COPY_FILL,       /* the destination's neighbours are one source element */
	COPY_ROWS,       /* the innermost loop walks neighbours on both sides */
	COPY_INTERLEAVE, /* a transpose of which one side is at most COPY_SHORT elements */
	COPY_TRANSPOSE,  /* one loop walks the destination's neighbours, another the source's */
	COPY_GATHER,     /* all else, a reversed row too */
};

enum { COPY_SHORT = 8, COPY_WIDEST_BYTES = 16 };

struct copy_plan {
	int64_t item_bytes;
	int64_t swap_bytes; /* each run of so many bytes is reversed; 0: none is */
	int64_t src_offset_bytes,
		dst_offset_bytes; /* from element 0,0,... to the first one copied */
	bool empty;               /* there is nothing to copy */
	int n_loops;
	struct copy_loop
		loops[ARRAY_MAX_DIMS + 2]; /* outermost first, by the destination's strides */
	enum copy_kind kind;
	/* The loops that walk neighbouring elements, -1 where none does. dst_unit is the innermost.
	 * src_unit's source stride may be negative; where several would do it is the longest. */
	int dst_unit, src_unit;
};

/*
 * Plans the copy of every element of from into the same index of to. Shapes and item sizes must be
 * equal and to must not overlap itself (EXIT_BUG otherwise); layouts whose extents leave the
 * address space are EXIT_TARGET. Bytes are swapped where only one of both has foreign byte order.
 */
int plan_make(
	struct copy_plan *plan, const struct array *from, const struct array *to, struct err *err);

/* "memcpy", "rows" and so on. */
const char *copy_kind_name(enum copy_kind kind);

/*
 * Makes the element the widest of 1, 2, 4, 8 and 16 bytes that divides runs, strides, offsets and
 * both addresses (of element 0,0,..., or their low bits), for engines that load and store aligned
 * elements: dense neighbours are joined, odd elements are split over an innermost loop, and a
 * swapped element that is not aligned becomes a reversed loop over bytes.
 */
void plan_widen(struct copy_plan *plan, uint64_t src, uint64_t dst);

/* Takes a dense innermost loop of at most max_bytes as one element, of whatever size; for engines
 * that need no alignment. */
void plan_absorb(struct copy_plan *plan, int64_t max_bytes);

/* Sets kind, dst_unit and src_unit after the loops were changed. */
void plan_name(struct copy_plan *plan);

/* Gives to compact strides in the order of from's: the dimension that from steps least over varies
 * fastest. Shapes are equal. */
void plan_keep_order(struct array *to, const struct array *from);

/* The bytes reversed as one unit when an element changes byte order; 0 where order means nothing.
 */
int64_t plan_swap_unit(const struct dtype *dtype);

#endif
