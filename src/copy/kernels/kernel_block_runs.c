// SPDX-License-Identifier: MIT
/* The runs of a box: loops with the smallest strides of either side. */
#include "copy/kernels/kernel_block.h"

#include <string.h>

static void sort_side(struct block_order *order, const struct copy_plan *plan, enum block_end end)
{
	int *loops = order->loops, n = 0;

	for (int i = plan->n_loops - 1; i >= 0; i--) {
		int64_t step = block_distance(&plan->loops[i], end);
		int at = n;

		if (!step)
			continue;
		for (; at > 0 && block_distance(&plan->loops[loops[at - 1]], end) > step; at--)
			loops[at] = loops[at - 1];
		loops[at] = i;
		n++;
	}
	order->n = n;
}

void block_sort(struct block_order *orders, const struct copy_plan *plan)
{
	for (int end = 0; end < BLOCK_ENDS; end++)
		sort_side(&orders[end], plan, end);
}

int64_t block_cut_extent(int64_t n, int64_t want, int64_t unit_bytes)
{
	int64_t e = ceil_divide(n, ceil_divide(n, want)), whole = 1;

	while (unit_bytes * whole % KERNEL_SECTOR_BYTES && whole < KERNEL_SECTOR_BYTES)
		whole *= 2;
	e = ceil_divide(e, whole) * whole;
	return e > want ? want - (want > whole ? want % whole : 0) : e;
}

/* A run while loops are added to it, those with the smallest strides first. */
struct run {
	struct block_side *side;
	const struct block_order *order;
	int next; /* in the order */
	int64_t want, items;
	bool done;
};

int block_find(const int *list, int n, int loop)
{
	for (int i = 0; i < n; i++)
		if (list[i] == loop)
			return i;
	return -1;
}

int64_t block_product(const struct block *block, const int *list, int n)
{
	int64_t items = 1;

	for (int i = 0; i < n; i++)
		items *= block->extent[list[i]];
	return items;
}

/* The extent of the next loop of a run, which does not become longer than wanted; 1: none of it. */
static int64_t next_extent(const struct run *run, int64_t n, int64_t item_bytes)
{
	int64_t left = run->want / run->items;

	if (n <= left)
		return n;
	return left > 1 ? block_cut_extent(n, left, run->items * item_bytes) : 1;
}

/* Adds a loop to a run; false if the run ends before it. */
static bool run_add(struct run *run, struct block *block, const struct copy_plan *plan, int loop,
	int64_t vector_items)
{
	struct block_side *side = run->side;
	int64_t n = plan->loops[loop].n, extent = block->extent[loop];

	if (side->n_run == BLOCK_MAX_DIMS ||
		(side->n_run && plan->loops[side->run[0]].n % vector_items))
		return false;
	if (extent > 1 && run->items * extent * 2 > run->want * 3)
		return false;
	if (extent == 1)
		extent = next_extent(run, n, plan->item_bytes);
	if (extent == 1)
		return false;
	block->extent[loop] = extent;
	side->run[side->n_run++] = loop;
	run->items *= extent;
	return extent == n;
}

/* Adds the next loop to a run that is not in the other: the sides of a tile are different loops. */
static void run_extend(struct run *run, const struct run *other, struct block *block,
	const struct copy_plan *plan, int64_t vector_items)
{
	while (run->next < run->order->n && run->items < run->want) {
		int loop = run->order->loops[run->next++];

		if (block_find_in_run(other->side, loop) >= 0)
			continue;
		run->done = !run_add(run, block, plan, loop, vector_items);
		return;
	}
	run->done = true;
}

/* Skips loops that are too short to be the side of a tile by themselves or together with others. */
static void skip_short(struct run *run, const struct copy_plan *plan, int64_t vector_items)
{
	while (run->next < run->order->n) {
		int64_t n = plan->loops[run->order->loops[run->next]].n;

		if (n >= BLOCK_MIN_TILE_ITEMS || n % vector_items == 0)
			return;
		run->next++;
	}
}

/* Sets the rest of a side: the loops of the other run, after the one that is in neither. */
static void set_rest(struct block_side *side, const struct block_side *other, int between)
{
	side->n_rest = 0;
	if (between >= 0)
		side->rest[side->n_rest++] = between;
	for (int i = 0; i < other->n_run; i++)
		if (block_find_in_run(side, other->run[i]) < 0)
			side->rest[side->n_rest++] = other->run[i];
}

/* The last loop of a run if it is cut; -1: none. */
static int cut_of(
	const struct block *block, const struct copy_plan *plan, const struct block_side *side)
{
	int last = side->n_run ? side->run[side->n_run - 1] : -1;

	return last >= 0 && block->extent[last] < plan->loops[last].n ? last : -1;
}

bool block_same_order(const struct block *block)
{
	const struct block_side *x = &block->sides[BLOCK_SRC], *y = &block->sides[BLOCK_DST];

	return x->n_run == y->n_run &&
	       !memcmp(x->run, y->run, (size_t)x->n_run * sizeof(x->run[0]));
}

void block_count_runs(struct block *block, const struct copy_plan *plan)
{
	struct block_side *x = &block->sides[BLOCK_SRC], *y = &block->sides[BLOCK_DST];

	block->pitch = 0;
	block->y_first = block->skewed = false;
	for (int end = 0; end < BLOCK_ENDS; end++) {
		struct block_side *side = &block->sides[end];

		side->cut = cut_of(block, plan, side);
		set_rest(side, end == BLOCK_SRC ? y : x, block->between);
		side->row_items = side->run_items = block_product(block, side->run, side->n_run);
		side->n_rows = block_product(block, side->rest, side->n_rest);
	}
	block->cut_both = x->cut >= 0 && x->cut == y->cut;
	if (block->cut_both)
		y->cut = -1;
}

bool block_combine_runs(struct block *block, const struct copy_plan *plan,
	const struct block_order *orders, int64_t x_items, int64_t y_items, int64_t vector_items)
{
	struct run x = { .side = &block->sides[BLOCK_SRC],
		.order = &orders[BLOCK_SRC],
		.want = x_items,
		.items = 1 };
	struct run y = { .side = &block->sides[BLOCK_DST],
		.order = &orders[BLOCK_DST],
		.want = y_items,
		.items = 1 };

	x.side->n_run = y.side->n_run = 0;
	block->between = -1;
	for (int i = 0; i < plan->n_loops; i++)
		block->extent[i] = 1;
	skip_short(&x, plan, vector_items);
	while (!x.done || !y.done) {
		if (!x.done)
			run_extend(&x, &y, block, plan, vector_items);
		if (!y.done)
			run_extend(&y, &x, block, plan, vector_items);
	}
	if (!y.side->n_run || y.side->run[0] != y.order->loops[0])
		return false;
	block_count_runs(block, plan);
	return true;
}

/*
 * The loops of the box at the beginning of an order, up to the one that is cut there; the other
 * cut loop, whose last block may be short, ends the list before it.
 */
static void list_run(struct block_side *side, const struct block *block,
	const struct copy_plan *plan, const struct block_order *order, int cut)
{
	side->n_run = 0;
	while (side->n_run < order->n && side->n_run < BLOCK_MAX_DIMS) {
		int loop = order->loops[side->n_run];

		if (block->extent[loop] == 1 ||
			(block->extent[loop] < plan->loops[loop].n && loop != cut))
			break;
		side->run[side->n_run++] = loop;
		if (loop == cut)
			break;
	}
}

bool block_list_runs(struct block *block, const struct copy_plan *plan,
	const struct block_order *orders, int cut_x, int cut_y)
{
	struct block_side *x = &block->sides[BLOCK_SRC], *y = &block->sides[BLOCK_DST];

	list_run(x, block, plan, &orders[BLOCK_SRC], cut_x);
	list_run(y, block, plan, &orders[BLOCK_DST], cut_y);
	for (int i = 0; i < plan->n_loops; i++)
		if (block->extent[i] > 1 && block_find_in_run(x, i) < 0 &&
			block_find_in_run(y, i) < 0)
			return false;
	block->between = -1;
	return x->n_run && y->n_run;
}

bool block_shorten_run(struct block *block, const struct copy_plan *plan, enum block_end end)
{
	struct block_side *side = &block->sides[end];
	const struct block_side *other = &block->sides[end == BLOCK_SRC ? BLOCK_DST : BLOCK_SRC];

	if (side->n_run == 1 || block_find_in_run(other, side->run[side->n_run - 1]) < 0)
		return false;
	side->n_run--;
	block_count_runs(block, plan);
	return true;
}
