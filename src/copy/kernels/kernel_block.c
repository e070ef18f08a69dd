// SPDX-License-Identifier: MIT
/* Cuts a plan into the boxes of the TRANSPOSE, TURN and BLOCK kernels that are expected to take the
 * least time. */
#include "copy/kernels/kernel_block.h"

#include <math.h>
#include <string.h>

enum {
	MIN_RUN_BYTES = 32, /* of the boxes that are compared */
	MAX_RUN_BYTES = 1024,
	MAX_CUTS = 8,     /* of a loop, that are compared */
	LEAST_SHARE = 16, /* a box has at least this part of the local memory */
};

struct best_block {
	const struct kernel *kernel; /* NULL: none */
	struct block block;
	double cost;
};

/*
 * Turns the loops that run backwards in the source, so that vectors can be read; not the one over
 * neighbours in the destination.
 */
static void face_source(struct copy_plan *plan)
{
	for (int i = 0; i < plan->n_loops - 1; i++) {
		struct copy_loop *loop = &plan->loops[i];

		if (loop->src_stride_bytes >= 0)
			continue;
		plan->src_offset_bytes += (loop->n - 1) * loop->src_stride_bytes;
		plan->dst_offset_bytes += (loop->n - 1) * loop->dst_stride_bytes;
		loop->src_stride_bytes = -loop->src_stride_bytes;
		loop->dst_stride_bytes = -loop->dst_stride_bytes;
	}
}

/* The number of kernels, from this one on, that copy the same boxes. */
static int n_alike(const struct kernel *kernel)
{
	int n = 1;

	while (kernel->shape == KERNEL_BLOCK && kernel[n].name && kernel[n].shape == KERNEL_BLOCK &&
		kernel[n].item_bytes == kernel->item_bytes)
		n++;
	return n;
}

/* Sets what a launch has beyond the box whose cost is known, with which a BLOCK has its pitch. */
static void complete_box(
	struct block *block, const struct kernel *kernel, const struct block_trial *trial)
{
	if (kernel->shape == KERNEL_TURN)
		turn_choose_pitch(block, kernel);
	block_order_cuts(block, trial);
}

static void report_box(
	struct block *block, const struct kernel *kernel, const struct block_trial *trial)
{
	struct kernel_launch launch;
	double ns = block_cost(block, kernel, trial, HUGE_VAL);

	complete_box(block, kernel, trial);
	if (block_arrange(
		    &launch, block, kernel, trial->plan, trial->src_bits, KERNEL_MAX_ARGUMENTS))
		trial->found(trial->context, &launch, ns);
}

/* Keeps a box if a kernel copies it in less time than the best so far. */
static void try_box(struct best_block *best, const struct block *box, const struct kernel *first,
	int n_kernels, const struct block_trial *trial)
{
	for (const struct kernel *kernel = first; kernel < first + n_kernels; kernel++) {
		struct block block = *box;
		double cost;

		if (!block_fit(&block, kernel, trial->plan, trial->src_bits, trial->dst_bits))
			continue;
		if (trial->found) {
			report_box(&block, kernel, trial);
			continue;
		}
		cost = block_cost(&block, kernel, trial, best->cost);
		if (cost < best->cost)
			*best = (struct best_block){ kernel, block, cost };
	}
}

/* Tiles of a TRANSPOSE: runs of whole sides and of half of them. */
static void try_tiles(
	struct best_block *best, const struct kernel *kernel, const struct block_trial *trial)
{
	int64_t most = (int64_t)kernel->n * kernel->vector_items;
	struct block block;

	for (int64_t x = most; x >= most / 2; x /= 2)
		for (int64_t y = most; y >= most / 2; y /= 2)
			if (block_combine_runs(&block, trial->plan, trial->orders, x, y,
				    kernel->vector_items) &&
				block_can_count(&block, trial->plan))
				try_box(best, &block, kernel, 1, trial);
}

/* Tiles of a TURN: runs along the source, each with the longest run along the destination that
 * fits, and with half of it. */
static void try_turns(
	struct best_block *best, const struct kernel *kernel, const struct block_trial *trial)
{
	struct block block;

	for (int64_t x = TURN_MAX_X; x >= TURN_MIN_X; x /= 2) {
		int64_t most;

		if (!block_combine_runs(&block, trial->plan, trial->orders, x, TURN_MIN_X, 1))
			continue;
		most = turn_y_items(kernel, block.sides[BLOCK_SRC].run_items);
		for (int64_t y = most; y >= most / 2; y /= 2)
			for (int skewed = 0; skewed < 2; skewed++) {
				int64_t less =
					skewed ? KERNEL_SECTOR_BYTES / kernel->item_bytes : 0;

				if (!block_combine_runs(
					    &block, trial->plan, trial->orders, x, y - less, 1) ||
					!block_can_count(&block, trial->plan))
					continue;
				block.skewed = skewed;
				try_box(best, &block, kernel, 1, trial);
			}
	}
}

/* The extents of a loop that continues a run of n_items, which are compared; 1 leaves it out. */
static int cut_extents(int64_t *extents, const struct copy_plan *plan, int loop, int64_t n_items)
{
	int64_t n = plan->loops[loop].n, run_bytes = n_items * plan->item_bytes;
	int n_extents = 1;

	extents[0] = 1;
	for (int64_t bytes = MIN_RUN_BYTES; bytes <= MAX_RUN_BYTES; bytes *= 2) {
		int64_t want = bytes / run_bytes, extent;

		if (want <= 1)
			continue;
		if (want >= n)
			break;
		extent = block_cut_extent(n, want, run_bytes);
		if (extent > extents[n_extents - 1] && extent < n && n_extents < MAX_CUTS)
			extents[n_extents++] = extent;
	}
	return n_extents;
}

/* The first loop of an order that is not in the box; -1: none. */
static int next_loop(const struct block *block, const struct block_order *order)
{
	for (int i = 0; i < order->n; i++)
		if (block->extent[order->loops[i]] == 1)
			return order->loops[i];
	return -1;
}

/* A box, and with equal parts of a loop that is in neither run, so that it fills local memory. */
static void try_box_and_more(struct best_block *best, struct block *block,
	const struct kernel *first, int n_kernels, const struct block_trial *trial, int64_t most)
{
	const struct block_order *orders = trial->orders;
	int next_y = next_loop(block, &orders[BLOCK_DST]);
	int next[] = { next_y, next_loop(block, &orders[BLOCK_SRC]) };
	int64_t items = 1;

	for (int i = 0; i < trial->plan->n_loops; i++)
		items *= block->extent[i];
	if (!block_same_order(block) && items * LEAST_SHARE >= most) {
		block_count_runs(block, trial->plan);
		if (block_can_count(block, trial->plan))
			try_box(best, block, first, n_kernels, trial);
	}
	for (int i = 0; i < 2; i++) {
		int64_t last = 0;

		if (next[i] < 0 || (i == 1 && next[1] == next_y) || block_same_order(block) ||
			block->sides[BLOCK_SRC].n_run == BLOCK_MAX_DIMS ||
			block->sides[BLOCK_DST].n_run == BLOCK_MAX_DIMS)
			continue;
		block->between = next[i];
		for (int share = 1; share <= LEAST_SHARE && most / items / share > 1; share *= 2) {
			int64_t extent =
				plan_divisor(trial->plan->loops[next[i]].n, most / items / share);

			if (extent == 1 || extent == last)
				continue;
			last = block->extent[next[i]] = extent;
			block_count_runs(block, trial->plan);
			if (block_can_count(block, trial->plan))
				try_box(best, block, first, n_kernels, trial);
		}
		block->extent[next[i]] = 1;
		block->between = -1;
	}
}

/* The capacity of the largest of the kernels. */
static int64_t largest_capacity(const struct kernel *first, int n_kernels)
{
	int64_t most = 0;

	for (int i = 0; i < n_kernels; i++)
		if (block_capacity(first + i) > most)
			most = block_capacity(first + i);
	return most;
}

/* The product of the extents of the first n loops of an order. */
static int64_t count_loop_items(
	const struct copy_plan *plan, const struct block_order *order, int n)
{
	int64_t items = 1;

	for (int i = 0; i < n; i++)
		items *= plan->loops[order->loops[i]].n;
	return items;
}

/*
 * Sets the extents of a box that holds n_x loops with the smallest strides of the source and n_y of
 * the destination as a whole. Returns the number of its items.
 */
static int64_t hold_whole_loops(
	struct block *block, const struct block_trial *trial, int n_x, int n_y)
{
	const int *x = trial->orders[BLOCK_SRC].loops, *y = trial->orders[BLOCK_DST].loops;
	const struct copy_plan *plan = trial->plan;
	int64_t items = 1;

	for (int i = 0; i < plan->n_loops; i++)
		block->extent[i] = 1;
	for (int i = 0; i < n_x; i++)
		block->extent[x[i]] = plan->loops[x[i]].n;
	for (int i = 0; i < n_y; i++)
		block->extent[y[i]] = plan->loops[y[i]].n;
	for (int i = 0; i < plan->n_loops; i++)
		items *= block->extent[i];
	return items;
}

static bool has_cut_extent(const int64_t *extents, int n, int64_t extent)
{
	for (int i = 0; i < n; i++)
		if (extents[i] == extent)
			return true;
	return false;
}

/* Tries boxes whose runs both end in a part of this loop. The block holds the other loops. */
static void try_both_cut(struct best_block *best, struct block *block, const struct kernel *first,
	int n_kernels, const struct block_trial *trial, int64_t most, int loop,
	const int64_t *extents, int n_extents)
{
	for (int i = 0; i < n_extents; i++) {
		if (extents[i] <= 1 || extents[i] >= trial->plan->loops[loop].n ||
			has_cut_extent(extents, i, extents[i]))
			continue;
		block->extent[loop] = extents[i];
		if (block_list_runs(block, trial->plan, trial->orders, loop, loop))
			try_box_and_more(best, block, first, n_kernels, trial, most);
	}
}

/*
 * Tries boxes that hold n_x loops with the smallest strides of the source and n_y of the
 * destination as a whole, and parts of the next loop of each.
 */
static void try_whole(struct best_block *best, const struct kernel *first, int n_kernels,
	const struct block_trial *trial, int n_x, int n_y)
{
	const struct block_order *x = &trial->orders[BLOCK_SRC], *y = &trial->orders[BLOCK_DST];
	const int64_t most = largest_capacity(first, n_kernels);
	int next_x = n_x < x->n ? x->loops[n_x] : -1, n_cuts_x = 1;
	int next_y = n_y < y->n ? y->loops[n_y] : -1, n_cuts_y = 1;
	int64_t cuts_x[MAX_CUTS] = { 1 }, cuts_y[MAX_CUTS] = { 1 };
	struct block block;
	const int64_t items = hold_whole_loops(&block, trial, n_x, n_y);

	if (items > most || (next_x >= 0 && block.extent[next_x] > 1) ||
		(next_y >= 0 && block.extent[next_y] > 1))
		return; /* too large, or the same as with one more whole loop */
	if (next_x >= 0)
		n_cuts_x = cut_extents(
			cuts_x, trial->plan, next_x, count_loop_items(trial->plan, x, n_x));
	if (next_y >= 0)
		n_cuts_y = cut_extents(
			cuts_y, trial->plan, next_y, count_loop_items(trial->plan, y, n_y));
	for (int i = 0; i < n_cuts_x; i++) {
		for (int j = 0; j < n_cuts_y; j++) {
			if (items * cuts_x[i] * cuts_y[j] > most ||
				(next_x == next_y && i > 0 && j > 0))
				continue;
			if (next_x >= 0)
				block.extent[next_x] = cuts_x[i];
			if (next_y >= 0 && (next_y != next_x || i == 0))
				block.extent[next_y] = cuts_y[j];
			if (block_list_runs(&block, trial->plan, trial->orders, i ? next_x : -1,
				    j ? next_y : -1))
				try_box_and_more(best, &block, first, n_kernels, trial, most);
		}
	}
	if (next_x >= 0 && next_x == next_y) {
		int64_t cuts[2 * MAX_CUTS + 2];

		memcpy(cuts, cuts_x, (size_t)n_cuts_x * sizeof(*cuts));
		memcpy(cuts + n_cuts_x, cuts_y, (size_t)n_cuts_y * sizeof(*cuts));
		cuts[n_cuts_x + n_cuts_y] = most / items;
		cuts[n_cuts_x + n_cuts_y + 1] = most / items / 2;
		try_both_cut(best, &block, first, n_kernels, trial, most, next_x, cuts,
			n_cuts_x + n_cuts_y + 2);
	}
}

/* The boxes of kernels that are alike. */
static void try_boxes(struct best_block *best, const struct kernel *first, int n_kernels,
	const struct block_trial *trial)
{
	const struct block_order *orders = trial->orders;

	for (int x = 0; x <= orders[BLOCK_SRC].n && x <= BLOCK_MAX_DIMS; x++)
		for (int y = 0; y <= orders[BLOCK_DST].n && y <= BLOCK_MAX_DIMS; y++)
			try_whole(best, first, n_kernels, trial, x, y);
}

/* The boxes of a kernel, and of those after it that copy the same boxes. */
static void try_alike(struct best_block *best, const struct kernel *kernel, int n_alike,
	const struct block_trial *trial)
{
	if (kernel->shape == KERNEL_TRANSPOSE)
		try_tiles(best, kernel, trial);
	else if (kernel->shape == KERNEL_TURN)
		try_turns(best, kernel, trial);
	else if (kernel->shape == KERNEL_BLOCK)
		try_boxes(best, kernel, n_alike, trial);
}

/* The boxes of one kernel, NULL: of any, in the order of kernels.list. */
static void try_kernels(
	struct best_block *best, const struct block_trial *trial, const struct kernel *only)
{
	int n;

	for (const struct kernel *kernel = only ? only : kernels; kernel->name; kernel += n) {
		n = only ? 1 : n_alike(kernel);
		if (kernel->item_bytes == trial->plan->item_bytes)
			try_alike(best, kernel, n, trial);
		if (only)
			break;
	}
}

/* A trial of a plan, whose copy is faced. */
static struct block_trial trial_begin(
	struct copy_plan *faced, struct block_order *orders, uint64_t src, uint64_t dst)
{
	face_source(faced);
	block_sort(orders, faced);
	return (struct block_trial){ .plan = faced,
		.orders = orders,
		.copy_bytes = kernel_copy_bytes(faced),
		.memory_bytes = kernel_memory_bytes(faced),
		.src_bits = src | (uint64_t)faced->src_offset_bytes,
		.dst_bits = dst | (uint64_t)faced->dst_offset_bytes };
}

bool kernel_blocks(struct kernel_launch *launch, const struct copy_plan *plan, uint64_t src,
	uint64_t dst, int max_arguments, const struct kernel *only, double limit)
{
	struct copy_plan faced = *plan;
	struct block_order orders[BLOCK_ENDS];
	struct block_trial trial = trial_begin(&faced, orders, src, dst);
	struct best_block best = { .cost = limit };

	try_kernels(&best, &trial, only);
	if (!best.kernel)
		return false;
	complete_box(&best.block, best.kernel, &trial);
	return block_arrange(
		launch, &best.block, best.kernel, &faced, trial.src_bits, max_arguments);
}

void kernel_each_block(const struct copy_plan *plan, uint64_t src, uint64_t dst,
	kernel_found *found, void *context)
{
	struct copy_plan faced = *plan;
	struct block_order orders[BLOCK_ENDS];
	struct block_trial trial = trial_begin(&faced, orders, src, dst);
	struct best_block best = { .cost = HUGE_VAL };

	trial.found = found;
	trial.context = context;
	try_kernels(&best, &trial, NULL);
}
