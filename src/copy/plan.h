// SPDX-License-Identifier: MIT
/*
 * A copy between two layouts of the same shape as a minimal loop nest. Pure arithmetic: it
 * accesses no memory, and every engine (host, kernels) uses the same plan.
 */
#ifndef COPY_PLAN_H
#define COPY_PLAN_H

#include "base/error.h"
#include "model/array.h"

#include <stdbool.h>
#include <stdint.h>

struct copy_loop {
	int64_t n;                                  /* greater than 1 */
	int64_t src_stride_bytes, dst_stride_bytes; /* the destination's is positive */
};

/* The kind of a loop nest, from the cheapest to execute. */
enum copy_kind {
	COPY_MEMCPY,     /* one contiguous run of bytes, without byte swapping */
	COPY_FILL,       /* neighbours in the destination are one source element */
	COPY_ROWS,       /* the innermost loop iterates over neighbours on both sides */
	COPY_INTERLEAVE, /* a transpose with one side of at most COPY_SHORT elements */
	COPY_TRANSPOSE,  /* one loop iterates over neighbours in the destination, another in the
			    source */
	COPY_GATHER,     /* all others, including a reversed row */
};

enum { COPY_SHORT = 8, COPY_WIDEST_BYTES = 16 };

struct copy_plan {
	int64_t item_bytes;
	int64_t swap_bytes; /* each run of this size is reversed; 0: none */
	int64_t src_offset_bytes,
		dst_offset_bytes; /* from element 0,0,... to the first element copied */
	bool empty;               /* there are no elements */
	int n_loops;
	struct copy_loop
		loops[ARRAY_MAX_DIMS + 2]; /* outermost first, by the strides of the destination */
	enum copy_kind kind;
	/*
	 * The loops over neighbouring elements, or -1. dst_unit is the innermost. The source
	 * stride of src_unit may be negative; of several candidates it is the longest.
	 */
	int dst_unit, src_unit;
};

/*
 * Plans the copy of every element of from to the same index of to. Shapes and item sizes must be
 * equal and to must not overlap itself (EXIT_BUG otherwise); layouts that exceed the address
 * space are EXIT_TARGET. Bytes are swapped if exactly one side has foreign byte order.
 */
int plan_make(
	struct copy_plan *plan, const struct array *from, const struct array *to, struct err *err);

/* The largest divisor of n, the steps of a loop, that is at most most; both are at least 1. */
int64_t plan_divisor(int64_t n, int64_t most);

/* Adds what n steps of a loop reach in the source beyond the first: below it, or above, in bytes.
 */
static inline void plan_add_reach(
	const struct copy_loop *loop, int64_t n, int64_t *below, int64_t *above)
{
	*(loop->src_stride_bytes < 0 ? below : above) += (n - 1) * loop->src_stride_bytes;
}

/* "memcpy", "rows" and so on. */
const char *copy_kind_name(enum copy_kind kind);

/*
 * Makes the element the widest of 1, 2, 4, 8 and 16 bytes that divides runs, strides, offsets and
 * both addresses (of element 0,0,..., or their low bits), for engines that load and store aligned
 * elements: contiguous neighbours are joined, odd elements are split into an innermost loop, and
 * a swapped element that is not aligned becomes a reversed loop over bytes.
 */
void plan_widen(struct copy_plan *plan, uint64_t src, uint64_t dst);

/*
 * Treats a contiguous innermost loop of at most max_bytes as one element of that size; for
 * engines that require no alignment.
 */
void plan_absorb(struct copy_plan *plan, int64_t max_bytes);

/* Sets kind, dst_unit and src_unit after the loops have changed. */
void plan_name(struct copy_plan *plan);

/*
 * Sets compact strides of to in the order of from's: the dimension with the smallest stride in
 * from varies fastest. Shapes are equal.
 */
void plan_keep_order(struct array *to, const struct array *from);

/*
 * The size of the unit that is reversed when an element changes byte order; 0 if byte order has
 * no meaning.
 */
int64_t plan_swap_unit(const struct dtype *dtype);

#endif
