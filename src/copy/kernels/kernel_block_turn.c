// SPDX-License-Identifier: MIT
/* Boxes of a TURN: a run of neighbours along the source, and one along the destination. */
#include "copy/kernels/kernel_block.h"

#include <limits.h>

enum {
	N_BANKS = 16, /* of 8 bytes, which as many work-items access at the same time */
	MAX_TURN = 4, /* vectors by which every 16th row begins later */
	ROW_END = 10, /* vectors that are read behind the last row, but not used */
};

static int64_t vectors_of(const struct kernel *kernel, int64_t items)
{
	return ceil_divide(items, kernel->vector_items);
}

/* The blocks of V by V items that the work-items of a group have. */
static int64_t n_blocks(const struct kernel *kernel)
{
	return (int64_t)KERNEL_GROUP_ITEMS * kernel->n;
}

int64_t turn_y_items(const struct kernel *kernel, int64_t x_items)
{
	/* A group has a lane for each vector of a row, and for one more. */
	const int64_t most = (int64_t)(KERNEL_GROUP_ITEMS - 1) * kernel->vector_items;
	int64_t items = n_blocks(kernel) / vectors_of(kernel, x_items) * kernel->vector_items;

	if (items > TURN_MAX_Y)
		items = TURN_MAX_Y;
	return items < most ? items : most;
}

/* Whether the distances between rows fit in 32 bits: all of the run, since a skewed block counts
 * from its beginning. */
static bool rows_are_near(const struct block *block, const struct copy_plan *plan)
{
	const struct block_side *y = &block->sides[BLOCK_DST];
	int64_t bytes = 0, part;

	for (int i = 0; i < y->n_run; i++) {
		const struct copy_loop *loop = &plan->loops[y->run[i]];

		if (__builtin_mul_overflow(loop->n, block_distance(loop, BLOCK_SRC), &part) ||
			__builtin_add_overflow(bytes, part, &bytes))
			return false;
	}
	return bytes <= INT32_MAX;
}

/* Whether the run along the destination goes on in other blocks, and 32 bits count its items. */
static bool can_skew(const struct block *block, const struct copy_plan *plan)
{
	const struct block_side *y = &block->sides[BLOCK_DST];
	int64_t n;

	return y->cut >= 0 &&
	       !__builtin_mul_overflow(
		       plan->loops[y->cut].n, y->run_items / block->extent[y->cut], &n) &&
	       n < KERNEL_MAX_COUNT;
}

/* The vectors along y that are read. */
static int64_t lanes_read(const struct block *block)
{
	return block->sides[BLOCK_DST].lanes - (block->skewed ? 0 : 1);
}

static int64_t capacity(const struct kernel *kernel)
{
	return n_blocks(kernel) * kernel->vector_items * 9 / 8;
}

static int64_t vectors_needed(
	const struct block *block, const struct kernel *kernel, int64_t pitch, int64_t turn)
{
	int64_t rows = block->sides[BLOCK_SRC].lanes * kernel->vector_items;

	return rows * pitch + rows / N_BANKS * turn + ROW_END;
}

bool turn_fit(struct block *block, const struct kernel *kernel, const struct copy_plan *plan)
{
	struct block_side *x = &block->sides[BLOCK_SRC], *y = &block->sides[BLOCK_DST];
	int64_t before = block->skewed ? KERNEL_SECTOR_BYTES / kernel->item_bytes : 0;
	const int both = KERNEL_FLAG_SRC_WORDS | KERNEL_FLAG_DST_WORDS;

	x->lanes = vectors_of(kernel, x->run_items);
	y->lanes = vectors_of(kernel, y->run_items + before) + (block->skewed ? 0 : 1);
	if (block->skewed) {
		block->flags |= KERNEL_FLAG_SKEWED;
		if (!can_skew(block, plan) || y->run_items < before)
			return false;
	}
	return (block->flags & both) == both && x->n_rest == y->n_run && y->n_rest == x->n_run &&
	       y->lanes <= KERNEL_GROUP_ITEMS && x->run_items <= TURN_MAX_X &&
	       y->run_items + before <= TURN_MAX_Y &&
	       x->lanes * lanes_read(block) <= n_blocks(kernel) && rows_are_near(block, plan) &&
	       vectors_needed(block, kernel, y->lanes, 0) <= capacity(kernel);
}

double turn_share(const struct block *block, const struct kernel *kernel)
{
	return (double)(block->sides[BLOCK_SRC].lanes * lanes_read(block)) /
	       (double)n_blocks(kernel);
}

/* The words of one bank that the first warp stores at the same time. */
static int store_cycles(
	const struct block *block, const struct kernel *kernel, int64_t pitch, int64_t turn)
{
	int64_t lanes = block->sides[BLOCK_SRC].lanes, v = kernel->vector_items;
	int load[N_BANKS] = { 0 }, most = 0;

	for (int64_t t = 0; t < N_BANKS; t++) {
		int64_t x = t % lanes, y = t / lanes;
		int64_t place = v * x * pitch + x / (N_BANKS / v) * turn + y;

		if (++load[place % N_BANKS] > most)
			most = load[place % N_BANKS];
	}
	return most;
}

void turn_choose_pitch(struct block *block, const struct kernel *kernel)
{
	int64_t least = block->sides[BLOCK_DST].lanes;
	int best = INT_MAX;

	for (int64_t pitch = least; pitch < least + N_BANKS; pitch++)
		for (int64_t turn = 0; turn <= MAX_TURN; turn++) {
			int cycles;

			if (vectors_needed(block, kernel, pitch, turn) > capacity(kernel))
				break;
			cycles = store_cycles(block, kernel, pitch, turn);
			if (cycles < best) {
				best = cycles;
				block->pitch = turn << 32 | pitch;
			}
		}
}
