// SPDX-License-Identifier: MIT
/* The runs of a box: loops with the smallest strides of either side. */
#include "copy/kernels/kernel_block.h"

#include <string.h>

/* The loops that make progress on one side, by their strides there. */
static int sort_side(int *order, const struct copy_plan *plan, bool src)
{
	int n = 0;

	for (int i = plan->n_loops - 1; i >= 0; i--) {
		int64_t step = block_stride(&plan->loops[i], src);
		int at = n;

		if (!step)
			continue;
		for (; at > 0 && block_stride(&plan->loops[order[at - 1]], src) > step; at--)
			order[at] = order[at - 1];
		order[at] = i;
		n++;
	}
	return n;
}

void block_sort(struct block_orders *orders, const struct copy_plan *plan)
{
	orders->n_x = sort_side(orders->x, plan, true);
	orders->n_y = sort_side(orders->y, plan, false);
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
	int *list, *n_list;
	const int *order;
	int n_order, next;
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
	int64_t n = plan->loops[loop].n, extent = block->extent[loop];

	if (*run->n_list == BLOCK_MAX_DIMS ||
		(*run->n_list && plan->loops[run->list[0]].n % vector_items))
		return false;
	if (extent > 1 && run->items * extent * 2 > run->want * 3)
		return false;
	if (extent == 1)
		extent = next_extent(run, n, plan->item_bytes);
	if (extent == 1)
		return false;
	block->extent[loop] = extent;
	run->list[(*run->n_list)++] = loop;
	run->items *= extent;
	return extent == n;
}

/* Adds the next loop to a run that is not in the other: the sides of a tile are different loops. */
static void run_extend(struct run *run, const struct run *other, struct block *block,
	const struct copy_plan *plan, int64_t vector_items)
{
	while (run->next < run->n_order && run->items < run->want) {
		int loop = run->order[run->next++];

		if (block_find(other->list, *other->n_list, loop) >= 0)
			continue;
		run->done = !run_add(run, block, plan, loop, vector_items);
		return;
	}
	run->done = true;
}

/* Skips loops that are too short to be the side of a tile by themselves or together with others. */
static void skip_short(struct run *run, const struct copy_plan *plan, int64_t vector_items)
{
	while (run->next < run->n_order) {
		int64_t n = plan->loops[run->order[run->next]].n;

		if (n >= BLOCK_MIN_TILE_ITEMS || n % vector_items == 0)
			return;
		run->next++;
	}
}

/* The loops of a list that are not in the other, after the one that is in neither. */
static int without(int *out, const int *list, int n, const int *other, int n_other, int between)
{
	int n_out = 0;

	if (between >= 0)
		out[n_out++] = between;
	for (int i = 0; i < n; i++)
		if (block_find(other, n_other, list[i]) < 0)
			out[n_out++] = list[i];
	return n_out;
}

/* The last loop of a list if it is cut; -1: none. */
static int cut_of(const struct block *block, const struct copy_plan *plan, const int *list, int n)
{
	return n && block->extent[list[n - 1]] < plan->loops[list[n - 1]].n ? list[n - 1] : -1;
}

bool block_same_order(const struct block *block)
{
	return block->n_x == block->n_y &&
	       !memcmp(block->x, block->y, (size_t)block->n_x * sizeof(block->x[0]));
}

void block_count_runs(struct block *block, const struct copy_plan *plan)
{
	block->pitch = 0;
	block->y_first = false;
	block->cut_x = cut_of(block, plan, block->x, block->n_x);
	block->cut_y = cut_of(block, plan, block->y, block->n_y);
	block->cut_both = block->cut_x >= 0 && block->cut_x == block->cut_y;
	if (block->cut_both)
		block->cut_y = -1;
	block->n_r = without(block->r, block->y, block->n_y, block->x, block->n_x, block->between);
	block->n_q = without(block->q, block->x, block->n_x, block->y, block->n_y, block->between);
	block->x_items = block->x_run = block_product(block, block->x, block->n_x);
	block->y_items = block->y_run = block_product(block, block->y, block->n_y);
	block->r_rows = block_product(block, block->r, block->n_r);
	block->q_rows = block_product(block, block->q, block->n_q);
}

bool block_combine_runs(struct block *block, const struct copy_plan *plan,
	const struct block_orders *orders, int64_t x_items, int64_t y_items, int64_t vector_items)
{
	struct run x = { block->x, &block->n_x, orders->x, orders->n_x, 0, x_items, 1, false };
	struct run y = { block->y, &block->n_y, orders->y, orders->n_y, 0, y_items, 1, false };

	block->n_x = block->n_y = 0;
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
	if (!block->n_y || block->y[0] != y.order[0])
		return false;
	block_count_runs(block, plan);
	return true;
}

/*
 * The loops of the box at the beginning of an order, up to the one that is cut there; the other
 * cut loop, whose last block may be short, ends the list before it.
 */
static int list_run(int *list, const struct block *block, const struct copy_plan *plan,
	const int *order, int n_order, int cut)
{
	int n = 0;

	while (n < n_order && n < BLOCK_MAX_DIMS) {
		int loop = order[n];

		if (block->extent[loop] == 1 ||
			(block->extent[loop] < plan->loops[loop].n && loop != cut))
			break;
		list[n++] = loop;
		if (loop == cut)
			break;
	}
	return n;
}

bool block_list_runs(struct block *block, const struct copy_plan *plan,
	const struct block_orders *orders, int cut_x, int cut_y)
{
	block->n_x = list_run(block->x, block, plan, orders->x, orders->n_x, cut_x);
	block->n_y = list_run(block->y, block, plan, orders->y, orders->n_y, cut_y);
	for (int i = 0; i < plan->n_loops; i++)
		if (block->extent[i] > 1 && block_find(block->x, block->n_x, i) < 0 &&
			block_find(block->y, block->n_y, i) < 0)
			return false;
	block->between = -1;
	return block->n_x && block->n_y;
}

bool block_shorten_run(struct block *block, const struct copy_plan *plan, bool src)
{
	int *n = src ? &block->n_x : &block->n_y;
	const int *list = src ? block->x : block->y;

	if (*n == 1 || block_find(src ? block->y : block->x, src ? block->n_y : block->n_x,
			       list[*n - 1]) < 0)
		return false;
	(*n)--;
	block_count_runs(block, plan);
	return true;
}
