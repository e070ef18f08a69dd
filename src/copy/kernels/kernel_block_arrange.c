// SPDX-License-Identifier: MIT
/* The arguments of a launch that copies a plan in boxes. */
#include "copy/kernels/kernel_block.h"

enum { WORD_BYTES = 4 };

/*
 * The blocks of which all words that load_words() reads are in the source: arguments[0] is the
 * first offset of such a block from that of the launch, arguments[1] the number of such offsets;
 * of a TURN, those of a row.
 */
static void set_inside(int64_t *arguments, const struct block *block, const struct kernel *kernel,
	const struct copy_plan *plan, uint64_t src_bits)
{
	const struct block_side *x = &block->sides[BLOCK_SRC];
	bool counts_rows = kernel->shape == KERNEL_TURN;
	int64_t n, below = 0, above = kernel->item_bytes; /* what all items reach from the first */
	int64_t block_below = 0, block_above = 0;         /* and the last item of a block */

	if (!(block->flags & KERNEL_FLAG_SRC_WORDS))
		return;
	for (int i = 0; i < plan->n_loops; i++) {
		plan_add_reach(&plan->loops[i], plan->loops[i].n, &below, &above);
		if (!counts_rows || block_find_in_run(x, i) >= 0)
			plan_add_reach(
				&plan->loops[i], block->extent[i], &block_below, &block_above);
	}
	if ((src_bits | (uint64_t)below) % WORD_BYTES)
		below += WORD_BYTES - 1;
	/* A vector may begin at the last item, and its last word may be behind the vector. */
	block_above += (int64_t)kernel->vector_items * kernel->item_bytes + WORD_BYTES;
	if (block->flags & KERNEL_FLAG_LONG_X) /* the last part may be short */
		block_above += (x->row_items * x->n_rows - x->run_items) * kernel->item_bytes;
	arguments[0] = below - block_below;
	n = above - block_above - (below - block_below) + 1;
	arguments[1] = n > 0 ? n : 0;
}

/* The rows of a run that is divided: a list of one loop. The run is in its first row. */
static void set_parts(int64_t *arguments, const struct block *block, const struct copy_plan *plan,
	enum block_end end)
{
	const struct block_side *side = &block->sides[end];
	int last = side->n_run - 1, loop = side->run[last];
	int64_t part = side->row_items / block_product(block, side->run, last);

	arguments[0] = kernel_count(side->n_rows);
	arguments[1] = part * block_stride(&plan->loops[loop], end);
	if (end == BLOCK_DST)
		arguments[2] = part * block_local_step(block, loop);
}

static void set_list(int64_t *arguments, const struct block *block, const struct copy_plan *plan,
	const int *list, int n, enum block_end end)
{
	ptrdiff_t width = end == BLOCK_SRC ? 2 : 3;

	/* The rows of a skewed block are counted from the beginning of the loop. */
	for (int i = 0; i < BLOCK_MAX_DIMS; i++) {
		int64_t *to = &arguments[i * width];
		const struct copy_loop *loop = i < n ? &plan->loops[list[i]] : NULL;

		to[0] = kernel_count(!loop                         ? 1
				     : block_skews(block, list[i]) ? loop->n
								   : block->extent[list[i]]);
		to[1] = loop ? block_stride(loop, end) : 0;
		if (end == BLOCK_DST)
			to[2] = loop ? block_local_step(block, list[i]) : 0;
	}
}

/* BLOCK_CUT_X or BLOCK_CUT_Y: the loop that ends a run, -1: none. */
static void set_cut(int64_t *arguments, const struct block *block, const struct copy_plan *plan,
	int loop, int64_t run_items, int64_t other_rows)
{
	arguments[0] = loop < 0 ? 1 : plan->loops[loop].n;
	arguments[1] = loop < 0 ? 1 : block->extent[loop];
	arguments[2] = run_items / arguments[1];
	arguments[3] = block->cut_both ? other_rows : other_rows / arguments[1];
}

static void set_tile(
	int64_t *arguments, const struct block *block, const struct copy_plan *plan, int loop)
{
	arguments[0] = kernel_count(1);
	if (loop < 0)
		return;
	arguments[0] = kernel_count(ceil_divide(plan->loops[loop].n, block->extent[loop]));
	arguments[1] = block_skews(block, loop)
			       ? 0
			       : plan->loops[loop].src_stride_bytes * block->extent[loop];
	arguments[2] = plan->loops[loop].dst_stride_bytes * block->extent[loop];
}

bool block_arrange(struct kernel_launch *launch, const struct block *block,
	const struct kernel *kernel, const struct copy_plan *plan, uint64_t src_bits,
	int max_arguments)
{
	const struct block_side *x = &block->sides[BLOCK_SRC], *y = &block->sides[BLOCK_DST];
	struct block_tiles tiles[KERNEL_MAX_LOOPS];
	int max_tiles = (max_arguments - BLOCK_TILES) / 3;
	int n_tiles = block_list_tiles(tiles, block, plan, max_tiles - 2);
	int64_t *arguments = launch->arguments;

	*launch = (struct kernel_launch){ .kernel = kernel,
		.n_groups = (uint32_t)block->n_blocks,
		.n_arguments = max_arguments };
	arguments[BLOCK_SRC_OFFSET] = plan->src_offset_bytes;
	arguments[BLOCK_DST_OFFSET] = plan->dst_offset_bytes;
	arguments[BLOCK_SWAP] = plan->swap_bytes;
	arguments[BLOCK_FLAGS] = block->flags | (block->y_first ? KERNEL_FLAG_CUT_Y_FIRST : 0);
	set_inside(&arguments[BLOCK_INSIDE], block, kernel, plan, src_bits);
	arguments[BLOCK_PITCH] = block->pitch;
	arguments[BLOCK_X_LANES] = kernel_count(x->lanes);
	arguments[BLOCK_Y_LANES] = kernel_count(y->lanes);
	set_cut(&arguments[BLOCK_CUT_X], block, plan, x->cut, x->run_items, y->n_rows);
	set_cut(&arguments[BLOCK_CUT_Y], block, plan, block->cut_both ? x->cut : y->cut,
		y->run_items, x->n_rows);
	set_list(&arguments[BLOCK_X], block, plan, x->run, x->n_run, BLOCK_SRC);
	set_list(&arguments[BLOCK_R], block, plan, x->rest, x->n_rest, BLOCK_SRC);
	set_list(&arguments[BLOCK_Y], block, plan, y->run, y->n_run, BLOCK_DST);
	set_list(&arguments[BLOCK_Q], block, plan, y->rest, y->n_rest, BLOCK_DST);
	if (block->flags & KERNEL_FLAG_LONG_X)
		set_parts(&arguments[BLOCK_R], block, plan, BLOCK_SRC);
	if (block->flags & KERNEL_FLAG_LONG_Y)
		set_parts(&arguments[BLOCK_Q], block, plan, BLOCK_DST);
	for (int i = 0; i < max_tiles; i++)
		arguments[BLOCK_TILES + 3 * i] = kernel_count(1);
	set_tile(&arguments[BLOCK_TILES], block, plan, x->cut);
	set_tile(&arguments[BLOCK_TILES + 3], block, plan, y->cut);
	for (int i = 0; i < n_tiles; i++) {
		int64_t *to = &arguments[BLOCK_TILES + 3 * (2 + i)];

		set_tile(to, block, plan, tiles[i].loop);
		to[0] = kernel_count(tiles[i].count);
		to[1] *= tiles[i].step;
		to[2] *= tiles[i].step;
	}
	return n_tiles >= 0;
}
