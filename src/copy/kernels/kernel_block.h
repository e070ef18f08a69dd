// SPDX-License-Identifier: MIT
/*
 * The arguments of the kernels with tiles (cl/tiles.cl), which copy any plan in one launch: how a
 * plan is cut into boxes that hold a run along the source (X) and a run along the destination (Y).
 */
#ifndef COPY_KERNELS_KERNEL_BLOCK_H
#define COPY_KERNELS_KERNEL_BLOCK_H

#include "copy/kernels/kernel_parts.h"

enum {
	BLOCK_MAX_DIMS = 4,       /* of X and of Y */
	BLOCK_FETCHED_BYTES = 64, /* that memory delivers at a time */
	BLOCK_MIN_TILE_ITEMS = 8, /* per side of a transpose */
	TURN_MIN_X = 16,          /* items of the runs that are compared */
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

enum block_end { BLOCK_SRC, BLOCK_DST, BLOCK_ENDS };

/* How a box lies in the source, or in the destination: loops of the plan, those with the smallest
 * strides there first. */
struct block_side {
	int n_run, run[BLOCK_MAX_DIMS];   /* X of the source, Y of the destination */
	int n_rest, rest[BLOCK_MAX_DIMS]; /* R, Q: the loops of the box that are not in the run */
	int cut;           /* the loop that is cut into blocks, which ends the run; -1: none */
	int64_t run_items; /* of the run */
	/* Rows in which a kernel accesses the side: one run per position of the rest; or, if there
	 * is only one, which is long, its parts. */
	int64_t row_items, n_rows;
	int64_t lanes; /* vectors of a row */
};

/* A box of items. */
struct block {
	struct block_side sides[BLOCK_ENDS];
	bool cut_both; /* the cut of the source ends both runs; that of the destination is -1 */
	int between;   /* loop in the rest of both, of which a block has an equal part; -1: none */
	bool skewed;   /* of a TURN: parts of the run along the destination begin with sectors */
	bool y_first;  /* consecutive blocks have consecutive parts of the cut of the destination */
	int64_t extent[KERNEL_MAX_LOOPS]; /* of each loop in the box */
	int flags;                        /* enum of kernel_parts.h */
	/* Items from row to row in local memory; of a TURN, vectors, and above 32 bits the ones by
	 * which every 16th row begins later. */
	int64_t pitch;
	int conflicts; /* cycles that a warp that reads an item for each lane along y waits longer
			*/
	int64_t n_blocks;
};

/* The loops that make progress on one side, those with the smallest strides first. */
struct block_order {
	int n, loops[KERNEL_MAX_LOOPS];
};

/* A box that is compared with others of the same plan. */
struct block_trial {
	const struct copy_plan *plan;
	const struct block_order *orders; /* of both sides */
	uint64_t src_bits, dst_bits;
	double copy_bytes;   /* both sides */
	double memory_bytes; /* that memory moves for them at least */
	kernel_found *found; /* is called instead of a choice; or NULL */
	void *context;
};

/* Whether a loop is the one whose part in the block is shifted to sectors of the destination. */
static inline bool block_skews(const struct block *block, int loop)
{
	return block->skewed && loop == block->sides[BLOCK_DST].cut;
}

/* --- kernel_block_runs.c --- */

/* Sets the orders of both sides. */
void block_sort(struct block_order *orders, const struct copy_plan *plan);

/* The stride of a loop on one side, in bytes. */
static inline int64_t block_stride(const struct copy_loop *loop, enum block_end end)
{
	return end == BLOCK_SRC ? loop->src_stride_bytes : loop->dst_stride_bytes;
}

/* The same without its sign. */
static inline int64_t block_distance(const struct copy_loop *loop, enum block_end end)
{
	int64_t stride = block_stride(loop, end);

	return stride < 0 ? -stride : stride;
}

/* The extent of a block in a loop of n that is cut: about want, in equal parts of whole sectors. */
int64_t block_cut_extent(int64_t n, int64_t want, int64_t unit_bytes);

/* Where a list of n loops has a loop; -1: nowhere. */
int block_find(const int *list, int n, int loop);

/* Where a run has a loop; -1: nowhere. */
static inline int block_find_in_run(const struct block_side *side, int loop)
{
	return block_find(side->run, side->n_run, loop);
}

/* The product of the extents of the loops of a list, up to entry n. */
int64_t block_product(const struct block *block, const int *list, int n);

/*
 * Makes a box for a TRANSPOSE whose vectors have vector_items, with runs of about x_items and
 * y_items. False if there is no run along the destination.
 */
bool block_combine_runs(struct block *block, const struct copy_plan *plan,
	const struct block_order *orders, int64_t x_items, int64_t y_items, int64_t vector_items);

/*
 * Makes the runs of a box whose extents are set; cut_x and cut_y end them, if they are not -1.
 * False if they do not make up the box.
 */
bool block_list_runs(struct block *block, const struct copy_plan *plan,
	const struct block_order *orders, int cut_x, int cut_y);

/* Sets what follows from the two runs. */
void block_count_runs(struct block *block, const struct copy_plan *plan);

/* Leaves the last loop of a run to the rows; false if it is not in the other run. */
bool block_shorten_run(struct block *block, const struct copy_plan *plan, enum block_end end);

/* Whether both runs take the same way through the box, so that it is of no use. */
bool block_same_order(const struct block *block);

/* --- kernel_block_fit.c --- */

/* Counts the blocks; false if they, or the distances in one, are too many. */
bool block_can_count(struct block *block, const struct copy_plan *plan);

/* The number of parts of the loop cut; 1 for -1. */
int64_t block_n_cuts(const struct block *block, const struct copy_plan *plan, int cut);

/* Items of local memory of a BLOCK, with room for a pitch that is longer than a row. */
int64_t block_capacity(const struct kernel *kernel);

/* How often all work-items of a group access rows of these lanes. */
int64_t block_passes(int64_t lanes, int64_t n_rows);

/* Whether a kernel accesses whole words of memory, not single items of one or two bytes. */
bool kernel_knows_words(const struct kernel *kernel);

/*
 * Sets what depends on the kernel that copies a box, apart from the pitch. src_bits and dst_bits:
 * low bits of the addresses of the first element. False if no group can hold the box.
 */
bool block_fit(struct block *block, const struct kernel *kernel, const struct copy_plan *plan,
	uint64_t src_bits, uint64_t dst_bits);

/* Sets the pitch with which a warp reads its first items along y with the fewest conflicts, and
 * their number. */
void block_choose_pitch(struct block *block, const struct kernel *kernel);

/* The items of local memory that a step of a loop of y or q adds. */
int64_t block_local_step(const struct block *block, int loop);

/* --- kernel_block_turn.c --- */

/* The longest run along the destination that a TURN has beside one along the source. */
int64_t turn_y_items(const struct kernel *kernel, int64_t x_items);

/* Sets the lanes of a TURN; false if its groups cannot hold the box. */
bool turn_fit(struct block *block, const struct kernel *kernel, const struct copy_plan *plan);

/* Sets the pitch with which a warp stores with the fewest conflicts. */
void turn_choose_pitch(struct block *block, const struct kernel *kernel);

/* The share of a group's work-items and steps that a box uses. */
double turn_share(const struct block *block, const struct kernel *kernel);

/* --- kernel_block_cost.c --- */

/* The time of a copy in blocks in ns, or at least limit. If it is less, the pitch of a BLOCK is
 * set. */
double block_cost(struct block *block, const struct kernel *kernel, const struct block_trial *trial,
	double limit);

/* Sets the order of the cut loops. */
void block_order_cuts(struct block *block, const struct block_trial *trial);

/* --- kernel_block_order.c --- */

/* A digit of a group's number: each of its count values advances step parts of a loop. */
struct block_tiles {
	int loop;
	int64_t count, step;
};

/* Lists the digits after those of the cut loops, that of consecutive groups first. Returns how many
 * they are, -1 if more than max. */
int block_list_tiles(struct block_tiles *tiles, const struct block *block,
	const struct copy_plan *plan, int max);

/* --- kernel_block_arrange.c --- */

/* Fills the arguments; false if the plan's loops outside the box need more of them. */
bool block_arrange(struct kernel_launch *launch, const struct block *block,
	const struct kernel *kernel, const struct copy_plan *plan, uint64_t src_bits,
	int max_arguments);

#endif
