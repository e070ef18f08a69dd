// SPDX-License-Identifier: MIT
/*
 * The order in which the groups of a launch copy boxes, as far as the kernel leaves it open: the
 * parts of the cut loops come first (block_order_cuts()), then the loops outside the box.
 *
 * In the order of the destination, consecutive groups write neighbouring rows. If a box has a short
 * piece of each row of the source, such as 96 bytes, the next pieces are then read much later, and
 * memory delivers the bytes that two pieces share twice. Groups therefore proceed in patches: a few
 * positions of the loop that continues the destination, and a few of the one that continues the
 * source.
 */
#include "copy/kernels/kernel_block.h"

enum {
	SHORT_BYTES = 256, /* at most, of a piece that is short */
	MAX_PART = 8,      /* positions of a patch in one loop */
	MIN_PART = 3,      /* along the source */
	MAX_WHOLE = 64,    /* of a loop that cannot be divided into such parts */
};

static bool is_outside(const struct block *block, const struct copy_plan *plan, int loop)
{
	return loop != block->sides[BLOCK_SRC].cut && loop != block->sides[BLOCK_DST].cut &&
	       block->extent[loop] < plan->loops[loop].n;
}

/* The first loop that the order of the destination has outside the box; -1: none. */
static int find_first(const struct block *block, const struct copy_plan *plan)
{
	int loop = plan->n_loops - 1;

	while (loop >= 0 && !is_outside(block, plan, loop))
		loop--;
	return loop;
}

/* The loop outside the box that leads from short pieces of rows of the source to the bytes behind
 * them, if memory delivers some bytes of both together; -1: there is none. */
static int find_continuation(const struct block *block, const struct copy_plan *plan)
{
	struct block_order orders[BLOCK_ENDS];
	const struct block_order *source = &orders[BLOCK_SRC];
	int64_t piece_bytes = plan->item_bytes;

	block_sort(orders, plan);
	for (int i = 0; i < source->n && piece_bytes <= SHORT_BYTES; i++) {
		const struct copy_loop *loop = &plan->loops[source->loops[i]];
		int64_t step = block_distance(loop, BLOCK_SRC);

		if (step >= piece_bytes + BLOCK_FETCHED_BYTES)
			return -1;
		if (is_outside(block, plan, source->loops[i]))
			return step % BLOCK_FETCHED_BYTES ? source->loops[i] : -1;
		piece_bytes += (loop->n - 1) * step;
	}
	return -1;
}

/* The largest divisor of n from least to MAX_PART; 1: none. */
static int64_t choose_part(int64_t n, int64_t least)
{
	for (int64_t part = MAX_PART; part >= least; part--)
		if (n % part == 0)
			return part;
	return 1;
}

/* Sets the loops of a patch, and how many positions it has in each; 0: there are no patches. */
static int list_patch(
	struct block_tiles patch[2], const struct block *block, const struct copy_plan *plan)
{
	int x = find_continuation(block, plan), y = find_first(block, plan);
	int64_t x_part, y_part;

	if (x < 0 || x == y)
		return 0;
	y_part = choose_part(block_n_cuts(block, plan, y), 2);
	x_part = choose_part(block_n_cuts(block, plan, x), MIN_PART);
	if (x_part == 1)
		x_part = block_n_cuts(block, plan, x);
	if (x_part > MAX_WHOLE)
		return 0;
	patch[0] = (struct block_tiles){ .loop = y, .count = y_part, .step = 1 };
	patch[1] = (struct block_tiles){ .loop = x, .count = x_part, .step = 1 };
	return 2;
}

/* Lists the loops in patches of n_patch loops; -1: more than max. */
static int list_tiles(struct block_tiles *tiles, const struct block *block,
	const struct copy_plan *plan, int max, const struct block_tiles *patch, int n_patch)
{
	struct block_tiles all[2 + KERNEL_MAX_LOOPS];
	int n_all = 0, n = 0;

	for (int i = 0; i < n_patch; i++)
		all[n_all++] = patch[i];
	for (int loop = plan->n_loops - 1; loop >= 0; loop--) {
		struct block_tiles rest = { .loop = loop, .step = 1 };

		if (!is_outside(block, plan, loop))
			continue;
		for (int i = 0; i < n_patch; i++)
			if (patch[i].loop == loop)
				rest.step = patch[i].count;
		rest.count = block_n_cuts(block, plan, loop) / rest.step;
		all[n_all++] = rest;
	}
	for (int i = 0; i < n_all; i++) {
		if (all[i].count == 1)
			continue;
		if (n == max)
			return -1;
		tiles[n++] = all[i];
	}
	return n;
}

int block_list_tiles(
	struct block_tiles *tiles, const struct block *block, const struct copy_plan *plan, int max)
{
	struct block_tiles patch[2] = { { .step = 1 } };
	int n_patch = list_patch(patch, block, plan);
	int n = list_tiles(tiles, block, plan, max, patch, n_patch);

	return n < 0 && n_patch ? list_tiles(tiles, block, plan, max, NULL, 0) : n;
}
