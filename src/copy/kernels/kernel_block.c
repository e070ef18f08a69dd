// SPDX-License-Identifier: MIT
/* Cuts a plan into the boxes of the BLOCK kernels. */
#include "copy/kernels/kernel_block.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	N_PROCESSORS = 132, /* of the devices that the costs were fitted to */
	N_BANKS = 32,
	BANK_BYTES = 4,
	MAX_WORD_VECTOR = 8, /* bytes, of the kernels that access words; and their least tile */
	MIN_WORD_SIDE = 64,
	WARP = 32,
	MIN_TILE_ITEMS = 8, /* per side of a transpose */
	NEAR_BYTES = 32,    /* strides within a sector, for which tiles pay off */
	MIN_RUN_BYTES = 32, /* of the boxes that are compared */
	MAX_RUN_BYTES = 1024,
	MAX_CUTS = 8,     /* of a loop, that are compared */
	LEAST_SHARE = 16, /* a box has at least this part of the local memory */
	TABLE_ENTRY_BYTES = 4,
	WORD_BYTES = 4,
};

/* Fitted to times, as the costs in kernels.list. */
static const double NS_PER_TILE_LOOP = 0.288, NS_PER_PASS = 0.213, NS_PER_CONFLICT = 0.03,
		    CACHE_BYTES_PER_NS = 8604, KEPT_BYTES = 12900, AGAIN_READ = 1.75,
		    AGAIN_WRITTEN = 12.2, PARTLY_WRITTEN = 3;
/* What an item adds that is not accessed as a part of a vector, by items of 1, 2, 4, 8 and 16
 * bytes: in boxes, in tiles that are accessed in words, and in other tiles. */
static const struct lone_ns {
	double load[5], store[5];
} boxes_ns = { { 0.00027, 0.00054, 0.00003, 0.00007, 0 },
	{ 0.00002, 0.00005, 0.00004, 0.00009, 0 } },
  word_boxes_ns = { { 0.00008, 0.00038 }, { 0.00001, 0.00002 } }, /* in boxes, in words */
	word_tiles_ns = { { 0.000056, 0.00034, 0, 0, 0 }, { 0.00094, 0.00075, 0, 0, 0 } },
  tiles_ns = { { 0.00003, 0.00052, 0.00004, 0.0001, 0 },
	  { 0.00027, 0.00049, 0.00192, 0.00099, 0 } };

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

/* The loops of a list that are not in the other, after the one that is in neither. */
static int without(int *out, const int *list, int n, const int *other, int n_other, int between)
{
	int n_out = 0;

	if (between >= 0)
		out[n_out++] = between;
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

/* What follows from the two runs. */
static void count_runs(struct block *block, const struct copy_plan *plan)
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
	block->x_items = block->x_run = product(block, block->x, block->n_x);
	block->y_items = block->y_run = product(block, block->y, block->n_y);
	block->r_rows = product(block, block->r, block->n_r);
	block->q_rows = product(block, block->q, block->n_q);
}

/* False if there is no run along the destination. */
static bool combine_runs(struct block *block, const struct copy_plan *plan,
	const struct block_orders *orders, int64_t x_items, int64_t y_items, int64_t vector_items)
{
	struct run x = { block->x, &block->n_x, orders->x, orders->n_x, 0, x_items, 1, false };
	struct run y = { block->y, &block->n_y, orders->y, orders->n_y, 0, y_items, 1, false };

	block->n_x = block->n_y = 0;
	block->between = -1;
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
	count_runs(block, plan);
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

/* Makes the runs of a box whose extents are set; false if they do not make up the box. */
static bool list_runs(struct block *block, const struct copy_plan *plan,
	const struct block_orders *orders, int cut_x, int cut_y)
{
	block->n_x = list_run(block->x, block, plan, orders->x, orders->n_x, cut_x);
	block->n_y = list_run(block->y, block, plan, orders->y, orders->n_y, cut_y);
	for (int i = 0; i < plan->n_loops; i++)
		if (block->extent[i] > 1 && find(block->x, block->n_x, i) < 0 &&
			find(block->y, block->n_y, i) < 0)
			return false;
	block->between = -1;
	return block->n_x && block->n_y;
}

/* How often all work-items access rows. */
static int64_t passes_of(int64_t lanes, int64_t n_rows)
{
	return ceil_divide(n_rows, KERNEL_GROUP_ITEMS / lanes);
}

static bool fits_passes(const struct kernel *kernel, int64_t lanes, int64_t n_rows)
{
	return lanes <= KERNEL_GROUP_ITEMS && n_rows <= BLOCK_MAX_ROWS &&
	       passes_of(lanes, n_rows) <= kernel->n;
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

/* step: items between those of neighbouring work-items. */
static void find_places(
	struct warp_places *places, const struct block *block, int64_t vector_items, uint32_t step)
{
	struct place_loop y[BLOCK_MAX_DIMS], q[BLOCK_MAX_DIMS];
	uint32_t lanes = (uint32_t)ceil_divide(block->y_items, vector_items);
	int64_t n_rows = block->n_q ? block->q_rows : 1;

	for (int i = 0; i < block->n_y; i++)
		y[i] = place_loop_of(block, block->y[i]);
	for (int i = 0; i < block->n_q; i++)
		q[i] = place_loop_of(block, block->q[i]);
	places->n = 0;
	for (uint32_t t = 0; t < WARP && t / lanes < n_rows; t++) {
		int64_t items = 0, rows = 0;

		add_place(y, block->n_y, t % lanes * step, &items, &rows);
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

/* The number of loops of a run, from its beginning, whose items are neighbours; sets their product.
 */
static int n_chained(
	const struct block *block, const struct copy_plan *plan, bool src, int64_t *n_items)
{
	const int *list = src ? block->x : block->y;
	int n = src ? block->n_x : block->n_y, i = 0;

	for (*n_items = 1; i < n; i++) {
		const struct copy_loop *loop = &plan->loops[list[i]];

		if ((src ? loop->src_stride_bytes : loop->dst_stride_bytes) !=
			*n_items * plan->item_bytes)
			break;
		*n_items *= block->extent[list[i]];
	}
	return i;
}

/* Whether vectors can be used along a run: neighbours, aligned at every position of the others. */
static bool has_vectors(const struct block *block, const struct kernel *kernel,
	const struct copy_plan *plan, bool src, uint64_t bits)
{
	const int *list = src ? block->x : block->y;
	int n = src ? block->n_x : block->n_y;
	int64_t chain, vector = (int64_t)kernel->vector_items * kernel->item_bytes;
	int first = n_chained(block, plan, src, &chain);

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

/* Items of local memory of a BLOCK, with room for a pitch that is longer than a row. */
static int64_t capacity_of(const struct kernel *kernel)
{
	return KERNEL_GROUP_ITEMS * (int64_t)kernel->n * kernel->vector_items * 9 / 8;
}

static int64_t least_pitch(const struct block *block, const struct kernel *kernel)
{
	return ceil_divide(block->x_items, kernel->vector_items) * kernel->vector_items;
}

/* The distance between the first items that neighbouring work-items read along y. */
static uint32_t step_along_y(const struct block *block, const struct kernel *kernel)
{
	return block->flags & (KERNEL_FLAG_DST_VECTORS | KERNEL_FLAG_LONG_Y)
		       ? (uint32_t)kernel->vector_items
		       : 1;
}

/* The pitch with which the first warp reads its first items along y with the fewest conflicts. */
static void choose_pitch(struct block *block, const struct kernel *kernel)
{
	int64_t v = kernel->vector_items, least = least_pitch(block, kernel);
	int best = INT_MAX;
	struct warp_places places;

	if (block->flags & KERNEL_FLAG_LONG_X) {
		block->pitch = least; /* the parts of the run follow each other */
		return;
	}
	find_places(&places, block, v, step_along_y(block, kernel));
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

static int64_t n_cuts(const struct block *block, const struct copy_plan *plan, int cut)
{
	return cut < 0 ? 1 : ceil_divide(plan->loops[cut].n, block->extent[cut]);
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

/* Whether the blocks and the distances in one can be counted; counts the blocks. */
static bool can_count(struct block *block, const struct copy_plan *plan)
{
	return lanes_are_near(block, plan) && count_blocks(block, plan);
}

/* Whether local memory has room for the tables of the runs of a box, before it has its items. */
static bool fits_tables(const struct block *block, const struct kernel *kernel)
{
	bool has_x = block->n_x > 1 && !(block->flags & KERNEL_FLAG_SRC_WORDS);
	int64_t n_entries =
		(has_x ? block->x_items : 0) + (block->n_y > 1 ? 2 * block->y_items : 0);

	return n_entries * TABLE_ENTRY_BYTES <= capacity_of(kernel) * kernel->item_bytes;
}

/* Whether a kernel is one that accesses the aligned words of memory that a run is in, not single
 * items: READS_WORDS and WORDS in strided_copy.cl. */
static bool knows_words(const struct kernel *kernel)
{
	return kernel->item_bytes <= 2 && kernel->vector_items > 1 &&
	       kernel->vector_items * kernel->item_bytes <= MAX_WORD_VECTOR &&
	       (kernel->shape == KERNEL_BLOCK || kernel->item_bytes == 1 ||
		       kernel->n * kernel->vector_items > MIN_WORD_SIDE);
}

/* Whether it does so for a run. A BLOCK writes a run in words if it is the only row. */
static bool has_words(const struct block *block, const struct kernel *kernel,
	const struct copy_plan *plan, bool src)
{
	int64_t chain;
	int n = src ? block->n_x : block->n_y;

	if (!knows_words(kernel) || !n || n_chained(block, plan, src, &chain) < n)
		return false;
	return src || kernel->shape == KERNEL_TRANSPOSE || !block->n_q;
}

/*
 * Divides the only row of a run, if it is too long for a group, into parts of whole vectors; the
 * last loop is the one that is divided. False if the other loops are too long for that.
 */
static bool divide_run(struct block *block, const struct kernel *kernel, bool src)
{
	const int *list = src ? block->x : block->y;
	int n = (src ? block->n_x : block->n_y) - 1;
	int64_t step = product(block, list, n), n_steps = block->extent[list[n]];
	int64_t most = KERNEL_GROUP_ITEMS * (int64_t)kernel->vector_items / step, unit = 1, part;

	while (step * unit % kernel->vector_items)
		unit *= 2;
	most -= most % unit;
	if (!most)
		return false;
	part = ceil_divide(ceil_divide(n_steps, ceil_divide(n_steps, most)), unit) * unit;
	*(src ? &block->x_items : &block->y_items) = part * step;
	*(src ? &block->r_rows : &block->q_rows) = ceil_divide(n_steps, part);
	block->flags |= src ? KERNEL_FLAG_LONG_X : KERNEL_FLAG_LONG_Y;
	return true;
}

/* How a BLOCK accesses one side of a box. False if it has no such rows. */
static bool fit_rows(struct block *block, const struct kernel *kernel, bool src)
{
	int64_t v = kernel->vector_items, run = src ? block->x_run : block->y_run, lanes;
	int words = src ? KERNEL_FLAG_SRC_WORDS : KERNEL_FLAG_DST_WORDS;
	int vectors = src ? KERNEL_FLAG_SRC_VECTORS : KERNEL_FLAG_DST_VECTORS;

	lanes = ceil_divide(run, v);
	if (lanes > KERNEL_GROUP_ITEMS || (!src && (block->flags & (words | vectors)) == words)) {
		if (block->flags & words && !(src ? block->n_r : block->n_q) &&
			divide_run(block, kernel, src)) {
			lanes = (src ? block->x_items : block->y_items) / v;
			if (!src && !(block->flags &
					    vectors)) /* whose first word may begin before it */
				block->q_rows = ceil_divide(run + v - 1, block->y_items);
		}
	}
	*(src ? &block->x_lanes : &block->y_lanes) = lanes;
	return lanes <= KERNEL_GROUP_ITEMS;
}

/* Leaves the last loop of a run to the rows, if it is in the other run. */
static bool shorten_run(struct block *block, const struct copy_plan *plan, bool src)
{
	int *n = src ? &block->n_x : &block->n_y;
	const int *list = src ? block->x : block->y;

	if (*n == 1 ||
		find(src ? block->y : block->x, src ? block->n_y : block->n_x, list[*n - 1]) < 0)
		return false;
	(*n)--;
	count_runs(block, plan);
	return true;
}

/* How long a warp waits for the items of a box whose pitch cannot be chosen. */
static void count_conflicts(struct block *block, const struct kernel *kernel)
{
	struct warp_places places;

	block->conflicts = 0;
	if (!(block->flags & KERNEL_FLAG_LONG_X))
		return;
	find_places(&places, block, kernel->vector_items, step_along_y(block, kernel));
	block->conflicts = warp_cycles(&places, block->x_items, kernel->item_bytes) - 1;
}

/* Sets what depends on the kernel that copies a box, apart from the pitch. False if none of its
 * groups can hold the box. */
static bool fit_kernel(struct block *block, const struct kernel *kernel,
	const struct copy_plan *plan, uint64_t src_bits, uint64_t dst_bits)
{
	block->flags =
		(has_vectors(block, kernel, plan, true, src_bits) ? KERNEL_FLAG_SRC_VECTORS : 0) |
		(has_vectors(block, kernel, plan, false, dst_bits) ? KERNEL_FLAG_DST_VECTORS : 0) |
		(has_words(block, kernel, plan, true) ? KERNEL_FLAG_SRC_WORDS : 0) |
		(has_words(block, kernel, plan, false) ? KERNEL_FLAG_DST_WORDS : 0) |
		(block->cut_both ? KERNEL_FLAG_CUT_BOTH : 0);
	if (kernel->shape == KERNEL_TRANSPOSE) {
		block->x_lanes = ceil_divide(block->x_run, kernel->vector_items);
		block->y_lanes = ceil_divide(block->y_run, kernel->vector_items);
		return fits_tile(block, kernel, plan);
	}
	for (int src = 1; src >= 0; src--)
		if (!fit_rows(block, kernel, src))
			return shorten_run(block, plan, src) &&
			       fit_kernel(block, kernel, plan, src_bits, dst_bits);
	count_conflicts(block, kernel);
	return fits_tables(block, kernel) && fits_passes(kernel, block->x_lanes, block->r_rows) &&
	       fits_passes(kernel, block->y_lanes, block->q_rows) &&
	       least_pitch(block, kernel) * block->r_rows <= capacity_of(kernel);
}

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

/* The items of local memory that a step of a loop of y or q adds. */
static int64_t local_step(const struct block *block, int loop)
{
	struct place_loop place = place_loop_of(block, loop);

	return place.items + place.rows * block->pitch;
}

/* The rows of a run that is divided: a list of one loop. The run is in its first row. */
static void set_parts(
	int64_t *arguments, const struct block *block, const struct copy_plan *plan, bool src)
{
	const int *list = src ? block->x : block->y;
	int n = (src ? block->n_x : block->n_y) - 1;
	int64_t part = (src ? block->x_items : block->y_items) / product(block, list, n);
	const struct copy_loop *loop = &plan->loops[list[n]];

	arguments[0] = kernel_count(src ? block->r_rows : block->q_rows);
	arguments[1] = part * (src ? loop->src_stride_bytes : loop->dst_stride_bytes);
	if (!src)
		arguments[2] = part * local_step(block, list[n]);
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

/* --- the cost --- */

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

/* How many blocks later the neighbours of a block's bytes are moved, if loop leads to them. */
static double blocks_between(const struct block *block, const struct copy_plan *plan, int loop)
{
	bool y_first = block->y_first;
	double n_x = (double)n_cuts(block, plan, block->cut_x);
	double n_y = (double)n_cuts(block, plan, block->cut_y), n = n_x * n_y;

	if (loop == block->cut_x)
		return y_first ? n_y : 1;
	if (loop == block->cut_y)
		return y_first ? 1 : n_x;
	for (int i = plan->n_loops - 1; i > loop; i--)
		if (block->extent[i] == 1 || i == block->between)
			n *= (double)plan->loops[i].n / (double)block->extent[i];
	return n;
}

/*
 * The bytes that memory moves more than once, since a block has only a part of their sector and
 * the caches do not keep it until another block has the rest.
 */
static double torn_bytes(const struct block *block, const struct copy_plan *plan,
	const struct block_orders *orders, bool src)
{
	const int *order = src ? orders->x : orders->y;
	int n = src ? orders->n_x : orders->n_y, i = 0;
	int64_t span = plan->item_bytes, aligned = 0;
	double runs = 1, later, block_bytes = (double)(2 * plan->item_bytes);

	for (; i < n; i++) {
		int64_t stride = side_stride(&plan->loops[order[i]], src);

		if (block->extent[order[i]] == 1 || stride >= span + KERNEL_SECTOR_BYTES)
			break;
		span += (block->extent[order[i]] - 1) * stride;
		if (block->extent[order[i]] < plan->loops[order[i]].n)
			break;
	}
	for (int j = 0; j < plan->n_loops; j++) {
		const struct copy_loop *loop = &plan->loops[j];
		int at = find(order, n, j);
		bool within =
			at >= 0 &&
			(at < i || (at == i && block->extent[j] > 1 && block->extent[j] < loop->n));

		if (!within || block->extent[j] < loop->n)
			aligned |= side_stride(loop, src) * (within ? block->extent[j] : 1);
		runs *= (double)loop->n / (double)(within ? block->extent[j] : 1);
		block_bytes *= (double)block->extent[j];
	}
	if (i == n || (aligned % KERNEL_SECTOR_BYTES == 0 && span % KERNEL_SECTOR_BYTES == 0))
		return 0;
	later = blocks_between(block, plan, order[i]) * block_bytes / KEPT_BYTES;
	return runs * KERNEL_SECTOR_BYTES * later / (1 + later);
}

/* What the processors take for a block of vectors, in ns of the whole device. */
static double block_work(
	const struct block *block, const struct kernel *kernel, const struct copy_plan *plan)
{
	double work = kernel->cost / 1000.0;

	for (int i = 0; i < plan->n_loops; i++)
		work += block->extent[i] < plan->loops[i].n ? NS_PER_TILE_LOOP : 0;
	if (kernel->shape == KERNEL_BLOCK)
		work += NS_PER_CONFLICT * block->conflicts * kernel->vector_items *
				(double)passes_of(block->y_lanes, block->q_rows) +
			NS_PER_PASS * (double)(passes_of(block->x_lanes, block->r_rows) +
					       passes_of(block->y_lanes, block->q_rows));
	return work;
}

/* What items add that are not accessed as vectors. */
static double lone_work(const struct block *block, const struct kernel *kernel)
{
	bool is_block = kernel->shape == KERNEL_BLOCK;
	const struct lone_ns *ns = is_block              ? &boxes_ns
				   : knows_words(kernel) ? &word_tiles_ns
							 : &tiles_ns;
	double items = (double)(block->x_items * block->r_rows), per_item = 0;
	int size = __builtin_ctz((unsigned)kernel->item_bytes);

	if (kernel->vector_items == 1)
		return 0;
	if (!(block->flags & KERNEL_FLAG_SRC_VECTORS))
		per_item += (is_block && block->flags & KERNEL_FLAG_SRC_WORDS ? &word_boxes_ns : ns)
				    ->load[size];
	if (!(block->flags & KERNEL_FLAG_DST_VECTORS))
		per_item += (is_block && block->flags & KERNEL_FLAG_DST_WORDS ? &word_boxes_ns : ns)
				    ->store[size];
	return items * per_item;
}

/* A block that is compared with others of the same plan. */
struct trial {
	const struct copy_plan *plan;
	const struct block_orders *orders;
	uint64_t src_bits, dst_bits;
	double copy_bytes;   /* both sides */
	kernel_found *found; /* is called instead of a choice; or NULL */
	void *context;
};

static double again_bytes(const struct block *block, const struct trial *trial)
{
	return AGAIN_READ * torn_bytes(block, trial->plan, trial->orders, true) +
	       AGAIN_WRITTEN * torn_bytes(block, trial->plan, trial->orders, false);
}

/* Sets the order of the cut loops that moves fewer bytes again, and gives what these are worth. */
static double order_blocks(struct block *block, const struct trial *trial)
{
	double first, second;

	block->y_first =
		n_cuts(block, trial->plan, block->cut_y) < n_cuts(block, trial->plan, block->cut_x);
	first = again_bytes(block, trial);
	if (first == 0 || block->cut_x < 0 || block->cut_y < 0)
		return first;
	block->y_first = !block->y_first;
	second = again_bytes(block, trial);
	if (second < first)
		return second;
	block->y_first = !block->y_first;
	return first;
}

/* The time of a copy in blocks in ns, or at least limit. */
static double block_cost(
	struct block *block, const struct kernel *kernel, const struct trial *trial, double limit)
{
	double work = block_work(block, kernel, trial->plan), memory, caches, written;
	double n_blocks = (double)ceil_divide(block->n_blocks, N_PROCESSORS) * N_PROCESSORS;

	if (kernel->latency + work * n_blocks >= limit)
		return limit;
	work += lone_work(block, kernel);
	if (kernel->latency + work * n_blocks >= limit)
		return limit;
	memory = kernel_memory_ns(trial->copy_bytes, order_blocks(block, trial));
	written = moved_bytes(block, trial->plan, false);
	caches = (moved_bytes(block, trial->plan, true) + written +
			 PARTLY_WRITTEN * (written - trial->copy_bytes / 2)) /
		 CACHE_BYTES_PER_NS;
	return kernel->latency + kernel_longest(memory, caches, work * n_blocks);
}

/* --- the choice --- */

/* The number of kernels, from this one on, that copy the same boxes. */
static int n_alike(const struct kernel *kernel)
{
	int n = 1;

	while (kernel->shape == KERNEL_BLOCK && kernel[n].name && kernel[n].shape == KERNEL_BLOCK &&
		kernel[n].item_bytes == kernel->item_bytes)
		n++;
	return n;
}

static void report_box(struct block *block, const struct kernel *kernel, const struct trial *trial)
{
	struct kernel_launch launch;
	double ns = block_cost(block, kernel, trial, HUGE_VAL);

	if (kernel->shape == KERNEL_BLOCK)
		choose_pitch(block, kernel);
	if (block_arrange(
		    &launch, block, kernel, trial->plan, trial->src_bits, KERNEL_MAX_ARGUMENTS))
		trial->found(trial->context, &launch, ns);
}

/* Keeps a box if a kernel copies it in less time than the best so far. */
static void try_box(struct best_block *best, const struct block *box, const struct kernel *first,
	int n_kernels, const struct trial *trial)
{
	for (const struct kernel *kernel = first; kernel < first + n_kernels; kernel++) {
		struct block block = *box;
		double cost;

		if (!fit_kernel(&block, kernel, trial->plan, trial->src_bits, trial->dst_bits))
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
	struct best_block *best, const struct kernel *kernel, const struct trial *trial)
{
	int64_t most = (int64_t)kernel->n * kernel->vector_items;
	struct block block;

	for (int64_t x = most; x >= most / 2; x /= 2)
		for (int64_t y = most; y >= most / 2; y /= 2)
			if (combine_runs(&block, trial->plan, trial->orders, x, y,
				    kernel->vector_items) &&
				can_count(&block, trial->plan))
				try_box(best, &block, kernel, 1, trial);
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
		extent = cut_extent(n, want, run_bytes);
		if (extent > extents[n_extents - 1] && extent < n && n_extents < MAX_CUTS)
			extents[n_extents++] = extent;
	}
	return n_extents;
}

/* The first loop of an order that is not in the box; -1: none. */
static int next_loop(const struct block *block, const int *order, int n)
{
	for (int i = 0; i < n; i++)
		if (block->extent[order[i]] == 1)
			return order[i];
	return -1;
}

/* A box, and with equal parts of a loop that is in neither run, so that it fills local memory. */
static void try_box_and_more(struct best_block *best, struct block *block,
	const struct kernel *first, int n_kernels, const struct trial *trial, int64_t most)
{
	const struct block_orders *orders = trial->orders;
	int next_y = next_loop(block, orders->y, orders->n_y);
	int next[] = { next_y, next_loop(block, orders->x, orders->n_x) };
	int64_t items = 1;

	for (int i = 0; i < trial->plan->n_loops; i++)
		items *= block->extent[i];
	if (!same_order(block) && items * LEAST_SHARE >= most) {
		count_runs(block, trial->plan);
		if (can_count(block, trial->plan))
			try_box(best, block, first, n_kernels, trial);
	}
	for (int i = 0; i < 2; i++) {
		int64_t last = 0;

		if (next[i] < 0 || (i == 1 && next[1] == next_y) || same_order(block) ||
			block->n_x == BLOCK_MAX_DIMS || block->n_y == BLOCK_MAX_DIMS)
			continue;
		block->between = next[i];
		for (int share = 1; share <= LEAST_SHARE && most / items / share > 1; share *= 2) {
			int64_t extent =
				plan_divisor(trial->plan->loops[next[i]].n, most / items / share);

			if (extent == 1 || extent == last)
				continue;
			last = block->extent[next[i]] = extent;
			count_runs(block, trial->plan);
			if (can_count(block, trial->plan))
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
		if (capacity_of(first + i) > most)
			most = capacity_of(first + i);
	return most;
}

/* The product of the extents of the first n loops of an order. */
static int64_t count_loop_items(const struct copy_plan *plan, const int *order, int n)
{
	int64_t items = 1;

	for (int i = 0; i < n; i++)
		items *= plan->loops[order[i]].n;
	return items;
}

/*
 * Sets the extents of a box that holds n_x loops with the smallest strides of the source and n_y of
 * the destination as a whole. Returns the number of its items.
 */
static int64_t hold_whole_loops(struct block *block, const struct trial *trial, int n_x, int n_y)
{
	const struct block_orders *orders = trial->orders;
	const struct copy_plan *plan = trial->plan;
	int64_t items = 1;

	for (int i = 0; i < plan->n_loops; i++)
		block->extent[i] = 1;
	for (int i = 0; i < n_x; i++)
		block->extent[orders->x[i]] = plan->loops[orders->x[i]].n;
	for (int i = 0; i < n_y; i++)
		block->extent[orders->y[i]] = plan->loops[orders->y[i]].n;
	for (int i = 0; i < plan->n_loops; i++)
		items *= block->extent[i];
	return items;
}

/* Tries boxes whose runs both end in a part of this loop. The block holds the other loops. */
static void try_both_cut(struct best_block *best, struct block *block, const struct kernel *first,
	int n_kernels, const struct trial *trial, int loop, const int64_t *extents, int n_extents)
{
	const int64_t most = largest_capacity(first, n_kernels);

	for (int i = 0; i < n_extents; i++) {
		block->extent[loop] = extents[i];
		if (extents[i] > 1 && extents[i] < trial->plan->loops[loop].n &&
			list_runs(block, trial->plan, trial->orders, loop, loop))
			try_box_and_more(best, block, first, n_kernels, trial, most);
	}
}

/*
 * Tries boxes that hold n_x loops with the smallest strides of the source and n_y of the
 * destination as a whole, and parts of the next loop of each.
 */
static void try_whole(struct best_block *best, const struct kernel *first, int n_kernels,
	const struct trial *trial, int n_x, int n_y)
{
	const struct block_orders *orders = trial->orders;
	const int64_t most = largest_capacity(first, n_kernels);
	int next_x = n_x < orders->n_x ? orders->x[n_x] : -1, n_cuts_x = 1;
	int next_y = n_y < orders->n_y ? orders->y[n_y] : -1, n_cuts_y = 1;
	int64_t cuts_x[MAX_CUTS] = { 1 }, cuts_y[MAX_CUTS] = { 1 };
	struct block block;
	const int64_t items = hold_whole_loops(&block, trial, n_x, n_y);

	if (items > most || (next_x >= 0 && block.extent[next_x] > 1) ||
		(next_y >= 0 && block.extent[next_y] > 1))
		return; /* too large, or the same as with one more whole loop */
	if (next_x >= 0)
		n_cuts_x = cut_extents(
			cuts_x, trial->plan, next_x, count_loop_items(trial->plan, orders->x, n_x));
	if (next_y >= 0)
		n_cuts_y = cut_extents(
			cuts_y, trial->plan, next_y, count_loop_items(trial->plan, orders->y, n_y));
	for (int i = 0; i < n_cuts_x; i++) {
		for (int j = 0; j < n_cuts_y; j++) {
			if (items * cuts_x[i] * cuts_y[j] > most ||
				(next_x == next_y && i > 0 && j > 0))
				continue;
			if (next_x >= 0)
				block.extent[next_x] = cuts_x[i];
			if (next_y >= 0 && (next_y != next_x || i == 0))
				block.extent[next_y] = cuts_y[j];
			if (list_runs(
				    &block, trial->plan, orders, i ? next_x : -1, j ? next_y : -1))
				try_box_and_more(best, &block, first, n_kernels, trial, most);
		}
	}
	if (next_x >= 0 && next_x == next_y) {
		const int64_t large[] = { most / items, most / items / 2 };

		try_both_cut(best, &block, first, n_kernels, trial, next_x, cuts_x, n_cuts_x);
		try_both_cut(best, &block, first, n_kernels, trial, next_x, cuts_y, n_cuts_y);
		try_both_cut(best, &block, first, n_kernels, trial, next_x, large, 2);
	}
}

/* The boxes of kernels that are alike. */
static void try_boxes(struct best_block *best, const struct kernel *first, int n_kernels,
	const struct trial *trial)
{
	for (int x = 0; x <= trial->orders->n_x && x <= BLOCK_MAX_DIMS; x++)
		for (int y = 0; y <= trial->orders->n_y && y <= BLOCK_MAX_DIMS; y++)
			try_whole(best, first, n_kernels, trial, x, y);
}

/* The boxes of one kernel, NULL: of any, in the order of kernels.list. */
static void try_kernels(
	struct best_block *best, const struct trial *trial, const struct kernel *only)
{
	int n;

	for (const struct kernel *kernel = only ? only : kernels; kernel->name; kernel += n) {
		n = only ? 1 : n_alike(kernel);
		if (kernel->item_bytes == trial->plan->item_bytes &&
			kernel->shape == KERNEL_TRANSPOSE)
			try_tiles(best, kernel, trial);
		else if (kernel->item_bytes == trial->plan->item_bytes &&
			 kernel->shape == KERNEL_BLOCK)
			try_boxes(best, kernel, n, trial);
		if (only)
			break;
	}
}

/* A trial of a plan, whose copy is faced. */
static struct trial trial_begin(
	struct copy_plan *faced, struct block_orders *orders, uint64_t src, uint64_t dst)
{
	face_source(faced);
	block_sort(orders, faced);
	return (struct trial){ .plan = faced,
		.orders = orders,
		.copy_bytes = kernel_copy_bytes(faced),
		.src_bits = src | (uint64_t)faced->src_offset_bytes,
		.dst_bits = dst | (uint64_t)faced->dst_offset_bytes };
}

bool kernel_blocks(struct kernel_launch *launch, const struct copy_plan *plan, uint64_t src,
	uint64_t dst, int max_arguments, const struct kernel *only, double limit)
{
	struct copy_plan faced = *plan;
	struct block_orders orders;
	struct trial trial = trial_begin(&faced, &orders, src, dst);
	struct best_block best = { .cost = limit };

	try_kernels(&best, &trial, only);
	if (!best.kernel)
		return false;
	if (best.kernel->shape == KERNEL_BLOCK)
		choose_pitch(&best.block, best.kernel);
	return block_arrange(
		launch, &best.block, best.kernel, &faced, trial.src_bits, max_arguments);
}

void kernel_each_block(const struct copy_plan *plan, uint64_t src, uint64_t dst,
	kernel_found *found, void *context)
{
	struct copy_plan faced = *plan;
	struct block_orders orders;
	struct trial trial = trial_begin(&faced, &orders, src, dst);
	struct best_block best = { .cost = HUGE_VAL };

	trial.found = found;
	trial.context = context;
	try_kernels(&best, &trial, NULL);
}

void kernel_smallest(struct kernel_launch *launch, const struct kernel *kernel, int64_t src_offset,
	int64_t dst_offset)
{
	struct copy_plan plan = { .item_bytes = kernel->item_bytes,
		.src_offset_bytes = src_offset,
		.dst_offset_bytes = dst_offset };
	struct block block = { .cut_x = -1,
		.cut_y = -1,
		.between = -1,
		.x_run = 1,
		.y_run = 1,
		.x_items = 1,
		.y_items = 1,
		.x_lanes = 1,
		.y_lanes = 1,
		.r_rows = 1,
		.q_rows = 1,
		.pitch = kernel->vector_items,
		.n_blocks = 1 };

	if (kernel->shape == KERNEL_TRANSPOSE || kernel->shape == KERNEL_BLOCK) {
		(void)block_arrange(launch, &block, kernel, &plan, 1, KERNEL_FEW_ARGUMENTS);
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
	launch->arguments[ARG_SRC_END] = kernel->item_bytes;
}
