// SPDX-License-Identifier: MIT
/*
 * The arguments of the BLOCK kernels of strided_copy.cl, which copy any plan in one launch: how a
 * plan is cut into boxes that hold a run along the source (X) and a run along the destination (Y).
 */
#ifndef COPY_KERNELS_KERNEL_BLOCK_H
#define COPY_KERNELS_KERNEL_BLOCK_H

#include "copy/kernels/kernel_parts.h"

enum {
	BLOCK_MAX_DIMS = 4, /* of X and of Y */
	BLOCK_MAX_ROWS = 256,
};

/* The parameters after the pointers: int64_t each. */
enum block_argument {
	BLOCK_SRC_OFFSET,
	BLOCK_DST_OFFSET,
	BLOCK_SWAP,
	BLOCK_FLAGS,
	BLOCK_INSIDE, /* first offset of a block whose words are all in the source, from the source
			 offset, and the number of such offsets */
	BLOCK_N_INSIDE,
	BLOCK_PITCH,
	BLOCK_X_LANES,
	BLOCK_Y_LANES,
	/* Extent, extent in a block; what a position adds to the items of a row, and to the rows of
	 * the other side. KERNEL_FLAG_CUT_BOTH: both are the same loop; all rows of the other side.
	 */
	BLOCK_CUT_X,
	BLOCK_CUT_Y = BLOCK_CUT_X + 4,
	BLOCK_X = BLOCK_CUT_Y + 4, /* count, source stride */
	BLOCK_R = BLOCK_X + 2 * BLOCK_MAX_DIMS,
	BLOCK_Y = BLOCK_R + 2 * BLOCK_MAX_DIMS, /* count, destination stride, place */
	BLOCK_Q = BLOCK_Y + 3 * BLOCK_MAX_DIMS,
	BLOCK_TILES = BLOCK_Q + 3 * BLOCK_MAX_DIMS, /* count, source and destination stride */
};

/* A box of items: loops of the plan, those with the smallest strides first. */
struct block {
	int n_x, n_y, n_r, n_q; /* r: not in x; q: not in y */
	int x[BLOCK_MAX_DIMS], y[BLOCK_MAX_DIMS], r[BLOCK_MAX_DIMS], q[BLOCK_MAX_DIMS];
	int cut_x, cut_y; /* loops that are cut into blocks; -1: none */
	bool cut_both;    /* cut_x, which ends both runs; cut_y is -1 */
	int between;      /* loop in r and in q, of which a block has an equal part; -1: none */
	bool y_first;     /* consecutive blocks have consecutive parts of cut_y, not of cut_x */
	int64_t extent[KERNEL_MAX_LOOPS]; /* of each loop in the box */
	int64_t x_run, y_run;             /* items of the runs */
	/* Rows in which a kernel accesses them: one run per position of r or q; or, if there is
	 * only one, which is long, its parts. */
	int64_t x_items, y_items, r_rows, q_rows;
	int64_t x_lanes, y_lanes; /* vectors of a row */
	int flags;                /* enum of kernel_parts.h */
	int64_t pitch;            /* items from row to row in local memory */
	int conflicts; /* cycles that a warp waits for an item of a long X, whose pitch is given */
	int64_t n_blocks;
};

/* The loops that make progress on either side, those with the smallest strides first. */
struct block_orders {
	int n_x, n_y;
	int x[KERNEL_MAX_LOOPS], y[KERNEL_MAX_LOOPS];
};

void block_sort(struct block_orders *orders, const struct copy_plan *plan);

/* Fills the arguments; false if the plan's loops outside the box need more of them. */
bool block_arrange(struct kernel_launch *launch, const struct block *block,
	const struct kernel *kernel, const struct copy_plan *plan, uint64_t src_bits,
	int max_arguments);

#endif
