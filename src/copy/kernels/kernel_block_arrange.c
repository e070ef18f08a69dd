// SPDX-License-Identifier: MIT
/* The arguments of a launch that copies a plan in boxes. */
#include "copy/kernels/kernel_block.h"

enum { WORD_BYTES = 4 };

/*
 * The blocks of which all words that load_words() reads are in the source: arguments[0] is the
 * first offset of such a block from that of the launch, arguments[1] the number of such offsets.
 */
static void set_inside(int64_t *arguments, const struct block *block, const struct kernel *kernel,
	const struct copy_plan *plan, uint64_t src_bits)
{
	int64_t n, below = 0, above = kernel->item_bytes; /* what all items reach from the first */
	int64_t block_below = 0, block_above = 0;         /* and the last item of a block */

	if (!(block->flags & KERNEL_FLAG_SRC_WORDS))
		return;
	for (int i = 0; i < plan->n_loops; i++) {
		add_reach(&plan->loops[i], plan->loops[i].n, &below, &above);
		add_reach(&plan->loops[i], block->extent[i], &block_below, &block_above);
	}
	if ((src_bits | (uint64_t)below) % WORD_BYTES)
		below += WORD_BYTES - 1;
	/* A vector may begin at the last item, and its last word may be behind the vector. */
	block_above += (int64_t)kernel->vector_items * kernel->item_bytes + WORD_BYTES;
	if (block->flags & KERNEL_FLAG_LONG_X) /* the last part may be short */
		block_above += (block->x_items * block->r_rows - block->x_run) * kernel->item_bytes;
	arguments[0] = below - block_below;
	n = above - block_above - (below - block_below) + 1;
	arguments[1] = n > 0 ? n : 0;
}

/* The rows of a run that is divided: a list of one loop. The run is in its first row. */
static void set_parts(
	int64_t *arguments, const struct block *block, const struct copy_plan *plan, bool src)
{
	const int *list = src ? block->x : block->y;
	int n = (src ? block->n_x : block->n_y) - 1;
	int64_t part = (src ? block->x_items : block->y_items) / block_product(block, list, n);
	const struct copy_loop *loop = &plan->loops[list[n]];

	arguments[0] = kernel_count(src ? block->r_rows : block->q_rows);
	arguments[1] = part * (src ? loop->src_stride_bytes : loop->dst_stride_bytes);
	if (!src)
		arguments[2] = part * block_local_step(block, list[n]);
}

static void set_list(int64_t *arguments, const struct block *block, const struct copy_plan *plan,
	const int *list, int n, bool src)
{
	ptrdiff_t width = src ? 2 : 3;

	for (int i = 0; i < BLOCK_MAX_DIMS; i++) {
		int64_t *to = &arguments[i * width];
		const struct copy_loop *loop = i < n ? &plan->loops[list[i]] : NULL;

		to[0] = kernel_count(loop ? block->extent[list[i]] : 1);
		to[1] = !loop ? 0 : src ? loop->src_stride_bytes : loop->dst_stride_bytes;
		if (!src)
			to[2] = loop ? block_local_step(block, list[i]) : 0;
	}
}

/* BLOCK_CUT_X or BLOCK_CUT_Y. */
static void set_cut(int64_t *arguments, const struct block *block, const struct copy_plan *plan,
	int loop, int64_t items, int64_t rows)
{
	arguments[0] = loop < 0 ? 1 : plan->loops[loop].n;
	arguments[1] = loop < 0 ? 1 : block->extent[loop];
	arguments[2] = items / arguments[1];
	arguments[3] = block->cut_both ? rows : rows / arguments[1];
}

static void set_tile(
	int64_t *arguments, const struct block *block, const struct copy_plan *plan, int loop)
{
	arguments[0] = kernel_count(1);
	if (loop < 0)
		return;
	arguments[0] = kernel_count(ceil_divide(plan->loops[loop].n, block->extent[loop]));
	arguments[1] = plan->loops[loop].src_stride_bytes * block->extent[loop];
	arguments[2] = plan->loops[loop].dst_stride_bytes * block->extent[loop];
}

bool block_arrange(struct kernel_launch *launch, const struct block *block,
	const struct kernel *kernel, const struct copy_plan *plan, uint64_t src_bits,
	int max_arguments)
{
	int n_tiles = (max_arguments - BLOCK_TILES) / 3;
	int64_t *arguments = launch->arguments;
	int tile = 2;

	*launch = (struct kernel_launch){ .kernel = kernel,
		.n_groups = (uint32_t)block->n_blocks,
		.n_arguments = max_arguments };
	arguments[BLOCK_SRC_OFFSET] = plan->src_offset_bytes;
	arguments[BLOCK_DST_OFFSET] = plan->dst_offset_bytes;
	arguments[BLOCK_SWAP] = plan->swap_bytes;
	arguments[BLOCK_FLAGS] = block->flags | (block->y_first ? KERNEL_FLAG_CUT_Y_FIRST : 0);
	set_inside(&arguments[BLOCK_INSIDE], block, kernel, plan, src_bits);
	arguments[BLOCK_PITCH] = block->pitch;
	arguments[BLOCK_X_LANES] = kernel_count(block->x_lanes);
	arguments[BLOCK_Y_LANES] = kernel_count(block->y_lanes);
	set_cut(&arguments[BLOCK_CUT_X], block, plan, block->cut_x, block->x_run, block->q_rows);
	set_cut(&arguments[BLOCK_CUT_Y], block, plan, block->cut_both ? block->cut_x : block->cut_y,
		block->y_run, block->r_rows);
	set_list(&arguments[BLOCK_X], block, plan, block->x, block->n_x, true);
	set_list(&arguments[BLOCK_R], block, plan, block->r, block->n_r, true);
	set_list(&arguments[BLOCK_Y], block, plan, block->y, block->n_y, false);
	set_list(&arguments[BLOCK_Q], block, plan, block->q, block->n_q, false);
	if (block->flags & KERNEL_FLAG_LONG_X)
		set_parts(&arguments[BLOCK_R], block, plan, true);
	if (block->flags & KERNEL_FLAG_LONG_Y)
		set_parts(&arguments[BLOCK_Q], block, plan, false);
	for (int i = 0; i < n_tiles; i++)
		arguments[BLOCK_TILES + 3 * i] = kernel_count(1);
	set_tile(&arguments[BLOCK_TILES], block, plan, block->cut_x);
	set_tile(&arguments[BLOCK_TILES + 3], block, plan, block->cut_y);
	for (int i = plan->n_loops - 1; i >= 0; i--) {
		if (i == block->cut_x || i == block->cut_y || block->extent[i] == plan->loops[i].n)
			continue;
		if (tile == n_tiles)
			return false;
		set_tile(&arguments[BLOCK_TILES + 3 * tile++], block, plan, i);
	}
	return true;
}
