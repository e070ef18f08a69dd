// SPDX-License-Identifier: MIT
/* Cuts a plan into the boxes of the BLOCK kernels. */
#include "copy/kernels/kernel_block.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	N_BANKS = 32,
	BANK_BYTES = 4,
	WARP = 32,
	MIN_TILE_ITEMS = 8, /* per side of a transpose */
	NEAR_BYTES = 32,    /* strides within a sector, for which tiles pay off */
	MIN_RUN_BYTES = 64, /* of the boxes that are compared */
	MAX_RUN_BYTES = 1024,
};

/* Measured on an H100, as the costs in kernels.list. */
static const double NS_PER_TILE_LOOP = 0.145, NS_PER_PASS = 0.1, NS_PER_LONE_LOAD = 0.001,
		    NS_PER_LONE_STORE = 0.003, NEARLY = 1.005;

struct best_block {
	const struct kernel *kernel; /* NULL: none */
	struct block block;
	double cost;
};

static int64_t side_stride(const struct copy_loop *loop, bool src)
{
	return llabs(src ? loop->src_stride_bytes : loop->dst_stride_bytes);
}

/* The loops that make progress on one side, by their strides there. */
static int sort_side(int *order, const struct copy_plan *plan, bool src)
{
	int n = 0;

	for (int i = plan->n_loops - 1; i >= 0; i--) {
		int64_t step = side_stride(&plan->loops[i], src);
		int at = n;

		if (!step)
			continue;
		for (; at > 0 && side_stride(&plan->loops[order[at - 1]], src) > step; at--)
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

/* The extent of a block in a loop that is cut: about want, in equal parts of whole sectors. */
static int64_t cut_extent(int64_t n, int64_t want, int64_t unit_bytes)
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

static int find(const int *list, int n, int loop)
{
	for (int i = 0; i < n; i++)
		if (list[i] == loop)
			return i;
	return -1;
}

/* The product of the extents of the loops of a list, up to entry n. */
static int64_t product(const struct block *block, const int *list, int n)
{
	int64_t items = 1;

	for (int i = 0; i < n; i++)
		items *= block->extent[list[i]];
	return items;
}

/*
 * The extent of the next loop of a run; 1: none of it. The run of a tile does not become longer
 * than wanted.
 */
static int64_t next_extent(const struct run *run, int64_t n, int64_t item_bytes, bool is_tile)
{
	int64_t left = is_tile ? run->want / run->items : ceil_divide(run->want, run->items);

	if (n <= left || (!is_tile && n * 2 <= left * 3))
		return n;
	return left > 1 ? cut_extent(n, left, run->items * item_bytes) : 1;
}

/* Adds a loop to a run; false if the run ends before it. vector_items: as for block_fit. */
static bool run_add(struct run *run, struct block *block, const struct copy_plan *plan, int loop,
	int64_t vector_items)
{
	int64_t n = plan->loops[loop].n, extent = block->extent[loop];

	if (*run->n_list == BLOCK_MAX_DIMS ||
		(vector_items && *run->n_list && plan->loops[run->list[0]].n % vector_items))
		return false;
	if (extent > 1 && run->items * extent * 2 > run->want * 3)
		return false;
	if (extent == 1)
		extent = next_extent(run, n, plan->item_bytes, vector_items != 0);
	if (extent == 1)
		return false;
	block->extent[loop] = extent;
	run->list[(*run->n_list)++] = loop;
	run->items *= extent;
	return extent == n;
}

/*
 * Adds the next loop to a run that the other has not cut; loops that both have whole are in both
 * runs, but not for a tile, whose sides are different loops.
 */
static void run_extend(struct run *run, const struct run *other, struct block *block,
	const struct copy_plan *plan, int64_t vector_items)
{
	while (run->next < run->n_order && run->items < run->want) {
		int loop = run->order[run->next++];
		bool shared = find(other->list, *other->n_list, loop) >= 0;

		if (shared && (vector_items || block->extent[loop] < plan->loops[loop].n))
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

		if (n >= MIN_TILE_ITEMS || n % vector_items == 0)
			return;
		run->next++;
	}
}

static int without(int *out, const int *list, int n, const int *other, int n_other)
{
	int n_out = 0;

	for (int i = 0; i < n; i++)
		if (find(other, n_other, list[i]) < 0)
			out[n_out++] = list[i];
	return n_out;
}

/* The last loop of a list if it is cut; -1: none. */
static int cut_of(const struct block *block, const struct copy_plan *plan, const int *list, int n)
{
	return n && block->extent[list[n - 1]] < plan->loops[list[n - 1]].n ? list[n - 1] : -1;
}

/* Whether both runs take the same way through the box, so that it is of no use. */
static bool same_order(const struct block *block)
{
	return block->n_x == block->n_y &&
	       !memcmp(block->x, block->y, (size_t)block->n_x * sizeof(block->x[0]));
}

/* vector_items: of a tile, otherwise 0. False if there is no run along the destination. */
static bool combine_runs(struct block *block, const struct copy_plan *plan,
	const struct block_orders *orders, int64_t x_items, int64_t y_items, int64_t vector_items)
{
	struct run x = { block->x, &block->n_x, orders->x, orders->n_x, 0, x_items, 1, false };
	struct run y = { block->y, &block->n_y, orders->y, orders->n_y, 0, y_items, 1, false };

	block->n_x = block->n_y = 0;
	block->pitch = 0;
	for (int i = 0; i < plan->n_loops; i++)
		block->extent[i] = 1;
	if (vector_items)
		skip_short(&x, plan, vector_items);
	while (!x.done || !y.done) {
		if (!x.done)
			run_extend(&x, &y, block, plan, vector_items);
		if (!y.done)
			run_extend(&y, &x, block, plan, vector_items);
	}
	if (!block->n_y || block->y[0] != y.order[0] || same_order(block))
		return false;
	block->cut_x = cut_of(block, plan, block->x, block->n_x);
	block->cut_y = cut_of(block, plan, block->y, block->n_y);
	block->n_r = without(block->r, block->y, block->n_y, block->x, block->n_x);
	block->n_q = without(block->q, block->x, block->n_x, block->y, block->n_y);
	block->x_items = product(block, block->x, block->n_x);
	block->y_items = product(block, block->y, block->n_y);
	block->r_rows = product(block, block->r, block->n_r);
	block->q_rows = product(block, block->q, block->n_q);
	return true;
}

/* How often all work-items access items of rows of n_items. */
static int64_t passes_of(const struct kernel *kernel, int64_t n_items, int64_t n_rows)
{
	int64_t lanes = ceil_divide(n_items, kernel->vector_items);

	return ceil_divide(n_rows, KERNEL_GROUP_ITEMS / lanes);
}

/* Whether rows of n_items fit the passes of a kernel. */
static bool fits_passes(const struct kernel *kernel, int64_t n_items, int64_t n_rows)
{
	return ceil_divide(n_items, kernel->vector_items) <= KERNEL_GROUP_ITEMS &&
	       n_rows <= BLOCK_MAX_ROWS && passes_of(kernel, n_items, n_rows) <= kernel->n;
}

/* A loop of a warp's way through local memory: what one step adds, in items and in rows. */
struct place_loop {
	uint32_t n;
	int64_t items, rows;
};

static struct place_loop place_loop_of(const struct block *block, int loop)
{
	int at = find(block->x, block->n_x, loop);
	uint32_t n = (uint32_t)block->extent[loop];

	if (at >= 0)
		return (struct place_loop){ n, product(block, block->x, at), 0 };
	return (struct place_loop){ n, 0,
		product(block, block->r, find(block->r, block->n_r, loop)) };
}

/* Adds to items and rows what the loops add up to an index. */
static void add_place(
	const struct place_loop *loops, int n, uint32_t index, int64_t *items, int64_t *rows)
{
	for (int i = 0; i < n; i++) {
		uint32_t next = index / loops[i].n, at = index - next * loops[i].n;

		*items += at * loops[i].items;
		*rows += at * loops[i].rows;
		index = next;
	}
}

/* The first items that a warp reads along y: at items + rows * pitch in local memory. */
struct warp_places {
	int n;
	int64_t items[WARP], rows[WARP];
};

static void find_places(struct warp_places *places, const struct block *block, int64_t vector_items)
{
	struct place_loop y[BLOCK_MAX_DIMS], q[BLOCK_MAX_DIMS];
	uint32_t lanes = (uint32_t)ceil_divide(block->y_items, vector_items);

	for (int i = 0; i < block->n_y; i++)
		y[i] = place_loop_of(block, block->y[i]);
	for (int i = 0; i < block->n_q; i++)
		q[i] = place_loop_of(block, block->q[i]);
	places->n = 0;
	for (uint32_t t = 0; t < WARP && t / lanes < block->q_rows; t++) {
		int64_t items = 0, rows = 0;

		add_place(y, block->n_y, t % lanes * (uint32_t)vector_items, &items, &rows);
		add_place(q, block->n_q, t / lanes, &items, &rows);
		places->items[places->n] = items;
		places->rows[places->n++] = rows;
	}
}

/*
 * The cycles of a warp that reads one item for each lane: the most words in one bank. Items that
 * follow each other in a word are one access.
 */
static int warp_cycles(const struct warp_places *places, int64_t pitch, int64_t item_bytes)
{
	int64_t unit = item_bytes < BANK_BYTES ? BANK_BYTES : item_bytes, last = -1;
	int shift = __builtin_ctzll((uint64_t)unit), most = 0;
	int64_t bank = (int64_t)N_BANKS * BANK_BYTES / unit - 1;
	int load[N_BANKS] = { 0 };

	for (int i = 0; i < places->n; i++) {
		int64_t word = ((places->items[i] + places->rows[i] * pitch) * item_bytes) >> shift;

		if (word == last)
			continue;
		last = word;
		if (++load[word & bank] > most)
			most = load[word & bank];
	}
	return most;
}

/* Items of local memory of a BLOCK, with room for a pitch that is longer than a row. */
static int64_t capacity_of(const struct kernel *kernel)
{
	return KERNEL_GROUP_ITEMS * (int64_t)kernel->n * kernel->vector_items * 9 / 8;
}

static int64_t least_pitch(const struct block *block, const struct kernel *kernel)
{
	return ceil_divide(block->x_items, kernel->vector_items) * kernel->vector_items;
}

/* The pitch with which the first warp reads its first items along y with the fewest conflicts. */
static void choose_pitch(struct block *block, const struct kernel *kernel)
{
	int64_t v = kernel->vector_items, least = least_pitch(block, kernel);
	int best = INT_MAX;
	struct warp_places places;

	find_places(&places, block, v);
	for (int64_t pitch = least; pitch < least + N_BANKS * v; pitch += v) {
		int cycles;

		if (pitch * block->r_rows > capacity_of(kernel))
			break;
		cycles = warp_cycles(&places, pitch, kernel->item_bytes);
		if (cycles >= best)
			continue;
		block->pitch = pitch;
		best = cycles;
		if (cycles <= ceil_divide(kernel->item_bytes, BANK_BYTES))
			break; /* no conflict */
	}
}

static bool count_blocks(struct block *block, const struct copy_plan *plan)
{
	block->n_blocks = 1;
	for (int i = 0; i < plan->n_loops; i++) {
		int64_t n = plan->loops[i].n, extent = block->extent[i];

		if (n == extent)
			continue;
		if (__builtin_mul_overflow(block->n_blocks,
			    extent == 1 ? n : ceil_divide(n, extent), &block->n_blocks) ||
			block->n_blocks > INT32_MAX)
			return false;
	}
	return true;
}

static bool lanes_are_near(const struct block *block, const struct copy_plan *plan)
{
	int64_t src = 0, dst = 0;

	for (int i = 0; i < block->n_x; i++)
		if (__builtin_add_overflow(src,
			    block->extent[block->x[i]] *
				    side_stride(&plan->loops[block->x[i]], true),
			    &src))
			return false;
	for (int i = 0; i < block->n_y; i++)
		if (__builtin_add_overflow(dst,
			    block->extent[block->y[i]] *
				    side_stride(&plan->loops[block->y[i]], false),
			    &dst))
			return false;
	return src <= INT32_MAX && dst <= INT32_MAX;
}

/* Sides of a tile of a transpose: their loops differ, and neighbours are near. */
static bool fits_tile(
	const struct block *block, const struct kernel *kernel, const struct copy_plan *plan)
{
	int64_t side = (int64_t)kernel->n * kernel->vector_items;

	return block->n_x && block->n_y && block->n_r == block->n_y && block->n_q == block->n_x &&
	       block->x_items >= MIN_TILE_ITEMS && block->y_items >= MIN_TILE_ITEMS &&
	       block->x_items <= side && block->y_items <= side &&
	       side_stride(&plan->loops[block->x[0]], true) <= NEAR_BYTES &&
	       side_stride(&plan->loops[block->y[0]], false) <= NEAR_BYTES;
}

/* Fits a box with runs of about x_items and y_items to the plan; vector_items as for combine_runs.
 */
static bool cut_box(struct block *block, const struct copy_plan *plan,
	const struct block_orders *orders, int64_t x_items, int64_t y_items, int64_t vector_items)
{
	return combine_runs(block, plan, orders, x_items, y_items, vector_items) &&
	       lanes_are_near(block, plan) && count_blocks(block, plan);
}

static bool box_fits(
	const struct block *block, const struct kernel *kernel, const struct copy_plan *plan)
{
	if (kernel->shape == KERNEL_TRANSPOSE)
		return fits_tile(block, kernel, plan);
	return fits_passes(kernel, block->x_items, block->r_rows) &&
	       fits_passes(kernel, block->y_items, block->q_rows) &&
	       least_pitch(block, kernel) * block->r_rows <= capacity_of(kernel);
}

/* Whether vectors can be used along a run: neighbours, aligned at every position of the others. */
static bool has_vectors(const struct block *block, const struct kernel *kernel,
	const struct copy_plan *plan, bool src, uint64_t bits)
{
	const int *list = src ? block->x : block->y;
	int n = src ? block->n_x : block->n_y;
	int64_t chain = 1, vector = (int64_t)kernel->vector_items * kernel->item_bytes;
	int first = 0;

	for (; first < n; first++) {
		const struct copy_loop *loop = &plan->loops[list[first]];

		if ((src ? loop->src_stride_bytes : loop->dst_stride_bytes) !=
			chain * kernel->item_bytes)
			break;
		chain *= block->extent[list[first]];
	}
	if (chain % kernel->vector_items && first < n)
		return false;
	for (int i = 0; i < plan->n_loops; i++) {
		const struct copy_loop *loop = &plan->loops[i];
		int64_t stride = src ? loop->src_stride_bytes : loop->dst_stride_bytes;
		int at = find(list, n, i);

		if (at < 0 || at >= first || block->extent[i] < loop->n)
			bits |= (uint64_t)(stride * (at >= 0 && at < first ? block->extent[i] : 1));
	}
	return first > 0 && bits % (uint64_t)vector == 0;
}

/* The items of local memory that a step of a loop of y or q adds. */
static int64_t local_step(const struct block *block, int loop)
{
	struct place_loop place = place_loop_of(block, loop);

	return place.items + place.rows * block->pitch;
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
			to[2] = loop ? local_step(block, list[i]) : 0;
	}
}

/* Extent, extent in a block, and what a position of the cut loop adds to each of two lists. */
static void set_cut(int64_t *arguments, const struct block *block, const struct copy_plan *plan,
	int loop, int64_t items, int64_t rows)
{
	arguments[0] = loop < 0 ? 1 : plan->loops[loop].n;
	arguments[1] = loop < 0 ? 1 : block->extent[loop];
	arguments[2] = items / arguments[1];
	arguments[3] = rows / arguments[1];
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
	uint64_t dst_bits, int max_arguments)
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
	arguments[BLOCK_FLAGS] =
		(has_vectors(block, kernel, plan, true, src_bits) ? KERNEL_FLAG_SRC_VECTORS : 0) |
		(has_vectors(block, kernel, plan, false, dst_bits) ? KERNEL_FLAG_DST_VECTORS : 0);
	arguments[BLOCK_PITCH] = block->pitch;
	arguments[BLOCK_X_LANES] = kernel_count(ceil_divide(block->x_items, kernel->vector_items));
	arguments[BLOCK_Y_LANES] = kernel_count(ceil_divide(block->y_items, kernel->vector_items));
	set_cut(&arguments[BLOCK_CUT_X], block, plan, block->cut_x, block->x_items, block->q_rows);
	set_cut(&arguments[BLOCK_CUT_Y], block, plan, block->cut_y, block->y_items, block->r_rows);
	set_list(&arguments[BLOCK_X], block, plan, block->x, block->n_x, true);
	set_list(&arguments[BLOCK_R], block, plan, block->r, block->n_r, true);
	set_list(&arguments[BLOCK_Y], block, plan, block->y, block->n_y, false);
	set_list(&arguments[BLOCK_Q], block, plan, block->q, block->n_q, false);
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

/* --- the choice --- */

/* Bytes that rows of a run move, in whole sectors: neighbours within a sector count as one run. */
static double moved_bytes(const struct block *block, const struct copy_plan *plan, bool src)
{
	const int *list = src ? block->x : block->y;
	int n = src ? block->n_x : block->n_y, i = 0;
	int64_t span = plan->item_bytes, aligned = 0;
	double runs = 1;

	for (; i < n && side_stride(&plan->loops[list[i]], src) < span + KERNEL_SECTOR_BYTES; i++)
		span += (block->extent[list[i]] - 1) * side_stride(&plan->loops[list[i]], src);
	for (int j = 0; j < plan->n_loops; j++) {
		const struct copy_loop *loop = &plan->loops[j];
		int at = find(list, n, j);
		bool within = at >= 0 && at < i;

		if (!within || block->extent[j] < loop->n)
			aligned |= side_stride(loop, src) * (within ? block->extent[j] : 1);
		runs *= (double)loop->n / (double)(within ? block->extent[j] : 1);
	}
	if (aligned % KERNEL_SECTOR_BYTES || span % KERNEL_SECTOR_BYTES)
		span += KERNEL_SECTOR_BYTES - plan->item_bytes;
	return runs * (double)span;
}

/* What the processors take for a block of vectors, in ns of the whole device. */
static double block_work(
	const struct block *block, const struct kernel *kernel, const struct copy_plan *plan)
{
	double work = kernel->cost / 1000.0;

	for (int i = 0; i < plan->n_loops; i++)
		work += block->extent[i] < plan->loops[i].n ? NS_PER_TILE_LOOP : 0;
	if (kernel->shape == KERNEL_BLOCK)
		work += NS_PER_PASS * (double)(passes_of(kernel, block->x_items, block->r_rows) +
					       passes_of(kernel, block->y_items, block->q_rows));
	return work;
}

/* What items add that are not accessed as vectors. */
static double lone_work(const struct block *block, const struct kernel *kernel,
	const struct copy_plan *plan, uint64_t src_bits, uint64_t dst_bits)
{
	double items = (double)(block->x_items * block->r_rows), per_item = 0;

	if (kernel->vector_items == 1)
		return 0;
	if (!has_vectors(block, kernel, plan, true, src_bits))
		per_item += NS_PER_LONE_LOAD;
	if (!has_vectors(block, kernel, plan, false, dst_bits))
		per_item += kernel->shape == KERNEL_BLOCK ? NS_PER_LONE_LOAD : NS_PER_LONE_STORE;
	return items * per_item;
}

/*
 * The time of a copy in blocks, to the power above, in a unit of its own: what memory takes at the
 * bandwidth of an H100, and what its processors take for blocks of this many. At least limit if it
 * is not less; least: what memory takes at best.
 */
static double block_cost(const struct block *block, const struct kernel *kernel,
	const struct copy_plan *plan, uint64_t src_bits, uint64_t dst_bits, double least,
	double limit)
{
	double work = block_work(block, kernel, plan), n_blocks = (double)block->n_blocks, memory;

	if (kernel_power(least) + kernel_power(work * n_blocks) >= limit)
		return limit;
	work += lone_work(block, kernel, plan, src_bits, dst_bits);
	if (kernel_power(least) + kernel_power(work * n_blocks) >= limit)
		return limit;
	memory = (moved_bytes(block, plan, true) + moved_bytes(block, plan, false)) /
		 KERNEL_BYTES_PER_NS;
	return kernel_power(memory) + kernel_power(work * n_blocks);
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

/*
 * The best of the boxes of kernels that are alike, the first of them the largest, if any is better
 * than cost. least: as for block_cost.
 */
static void try_boxes(struct best_block *best, const struct kernel *first, int n_kernels,
	const struct copy_plan *plan, const struct block_orders *orders, uint64_t src_bits,
	uint64_t dst_bits, double least)
{
	bool tile = first->shape == KERNEL_TRANSPOSE;
	int64_t most =
		tile ? (int64_t)first->n * first->vector_items : MAX_RUN_BYTES / first->item_bytes;
	int64_t fewest = tile ? most / 2 : MIN_RUN_BYTES / first->item_bytes;
	struct block block;

	for (int64_t x = most; x >= fewest; x /= 2) {
		for (int64_t y = most; y >= fewest; y /= 2) {
			if ((!tile && x * y > 4 * capacity_of(first)) ||
				!cut_box(
					&block, plan, orders, x, y, tile ? first->vector_items : 0))
				continue;
			for (const struct kernel *k = first; k < first + n_kernels; k++) {
				double cost;

				if ((!tile && x * y > 4 * capacity_of(k)) ||
					!box_fits(&block, k, plan))
					continue;
				cost = block_cost(
					&block, k, plan, src_bits, dst_bits, least, best->cost);
				if (cost < best->cost)
					*best = (struct best_block){ k, block, cost };
			}
		}
	}
}

bool kernel_blocks(struct kernel_launch *launch, const struct copy_plan *plan, uint64_t src,
	uint64_t dst, int max_arguments, double limit)
{
	struct copy_plan faced = *plan;
	struct best_block best = { .cost = limit };
	struct block_orders orders;
	double least = 2 * (double)plan->item_bytes / KERNEL_BYTES_PER_NS; /* what memory takes */

	face_source(&faced);
	block_sort(&orders, &faced);
	for (int i = 0; i < plan->n_loops; i++)
		least *= (double)plan->loops[i].n;
	src |= (uint64_t)faced.src_offset_bytes;
	dst |= (uint64_t)faced.dst_offset_bytes;
	for (const struct kernel *kernel = kernels; kernel->name; kernel += n_alike(kernel))
		if (kernel->item_bytes == plan->item_bytes &&
			(kernel->shape == KERNEL_TRANSPOSE || kernel->shape == KERNEL_BLOCK) &&
			best.cost >= kernel_power(least * NEARLY))
			try_boxes(&best, kernel, n_alike(kernel), &faced, &orders, src, dst, least);
	if (!best.kernel)
		return false;
	if (best.kernel->shape == KERNEL_BLOCK)
		choose_pitch(&best.block, best.kernel);
	return block_arrange(launch, &best.block, best.kernel, &faced, src, dst, max_arguments);
}

void kernel_smallest(struct kernel_launch *launch, const struct kernel *kernel, int64_t src_offset,
	int64_t dst_offset)
{
	struct copy_plan plan = { .item_bytes = kernel->item_bytes,
		.src_offset_bytes = src_offset,
		.dst_offset_bytes = dst_offset };
	struct block block = { .cut_x = -1,
		.cut_y = -1,
		.x_items = 1,
		.y_items = 1,
		.r_rows = 1,
		.q_rows = 1,
		.pitch = kernel->vector_items,
		.n_blocks = 1 };

	if (kernel->shape == KERNEL_TRANSPOSE || kernel->shape == KERNEL_BLOCK) {
		(void)block_arrange(launch, &block, kernel, &plan, 1, 1, KERNEL_FEW_ARGUMENTS);
		return;
	}
	*launch = (struct kernel_launch){
		.kernel = kernel, .n_groups = 1, .n_arguments = KERNEL_N_ARGUMENTS
	};
	for (int i = ARG_A; i < ARG_TOTAL; i += 3) {
		launch->arguments[i] = kernel_count(1);
		launch->arguments[i + 1] = launch->arguments[i + 2] = kernel->item_bytes;
	}
	if (kernel->shape == KERNEL_ROWS || kernel->shape == KERNEL_FILL)
		launch->arguments[ARG_A] = kernel_count(kernel->item_bytes);
	launch->arguments[ARG_SRC_OFFSET] = src_offset;
	launch->arguments[ARG_DST_OFFSET] = dst_offset;
	launch->arguments[ARG_TOTAL] = 1;
	launch->arguments[ARG_T0] = kernel_count(1);
}
