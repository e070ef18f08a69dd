// SPDX-License-Identifier: MIT
/* How a kernel accesses a box: whether it has room for it, in which rows, and its pitch in local
 * memory. */
#include "copy/kernels/kernel_block.h"

#include <limits.h>

enum {
	N_BANKS = 32,
	BANK_BYTES = 4,
	WARP = 32,
	MAX_WORD_VECTOR = 8, /* bytes, of the kernels that access words; and their least tile */
	MIN_WORD_SIDE = 64,
	NEAR_BYTES = 32, /* strides within a sector, for which tiles pay off */
	TABLE_ENTRY_BYTES = 4,
};

int64_t block_passes(int64_t lanes, int64_t n_rows)
{
	return ceil_divide(n_rows, KERNEL_GROUP_ITEMS / lanes);
}

static bool fits_passes(const struct kernel *kernel, int64_t lanes, int64_t n_rows)
{
	return lanes <= KERNEL_GROUP_ITEMS && n_rows <= BLOCK_MAX_ROWS &&
	       block_passes(lanes, n_rows) <= kernel->n;
}

/* A loop of a warp's way through local memory: what one step adds, in items and in rows. */
struct place_loop {
	uint32_t n;
	int64_t items, rows;
};

static struct place_loop place_loop_of(const struct block *block, int loop)
{
	const struct block_side *x = &block->sides[BLOCK_SRC];
	int at = block_find_in_run(x, loop);
	uint32_t n = (uint32_t)block->extent[loop];

	if (at >= 0)
		return (struct place_loop){ n, block_product(block, x->run, at), 0 };
	return (struct place_loop){ n, 0,
		block_product(block, x->rest, block_find(x->rest, x->n_rest, loop)) };
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
	const struct block_side *side = &block->sides[BLOCK_DST];
	struct place_loop y[BLOCK_MAX_DIMS], q[BLOCK_MAX_DIMS];
	uint32_t lanes = (uint32_t)ceil_divide(side->row_items, vector_items);
	int64_t n_rows = side->n_rest ? side->n_rows : 1;

	for (int i = 0; i < side->n_run; i++)
		y[i] = place_loop_of(block, side->run[i]);
	for (int i = 0; i < side->n_rest; i++)
		q[i] = place_loop_of(block, side->rest[i]);
	places->n = 0;
	for (uint32_t t = 0; t < WARP && t / lanes < n_rows; t++) {
		int64_t items = 0, rows = 0;

		add_place(y, side->n_run, t % lanes * step, &items, &rows);
		add_place(q, side->n_rest, t / lanes, &items, &rows);
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
static int n_chained(const struct block *block, const struct copy_plan *plan, enum block_end end,
	int64_t *n_items)
{
	const struct block_side *side = &block->sides[end];
	int i = 0;

	for (*n_items = 1; i < side->n_run; i++) {
		int loop = side->run[i];

		if (block_stride(&plan->loops[loop], end) != *n_items * plan->item_bytes)
			break;
		*n_items *= block->extent[loop];
	}
	return i;
}

/* Whether vectors can be used along a run: neighbours, aligned at every position of the others. */
static bool has_vectors(const struct block *block, const struct kernel *kernel,
	const struct copy_plan *plan, enum block_end end, uint64_t bits)
{
	const struct block_side *side = &block->sides[end];
	int64_t chain, vector = (int64_t)kernel->vector_items * kernel->item_bytes;
	int first = n_chained(block, plan, end, &chain);

	if (chain % kernel->vector_items && first < side->n_run)
		return false;
	for (int i = 0; i < plan->n_loops; i++) {
		const struct copy_loop *loop = &plan->loops[i];
		int at = block_find_in_run(side, i);

		if (at < 0 || at >= first || block->extent[i] < loop->n)
			bits |= (uint64_t)(block_stride(loop, end) *
					   (at >= 0 && at < first ? block->extent[i] : 1));
	}
	return first > 0 && bits % (uint64_t)vector == 0;
}

int64_t block_capacity(const struct kernel *kernel)
{
	return KERNEL_GROUP_ITEMS * (int64_t)kernel->n * kernel->vector_items * 9 / 8;
}

static int64_t least_pitch(const struct block *block, const struct kernel *kernel)
{
	return ceil_divide(block->sides[BLOCK_SRC].row_items, kernel->vector_items) *
	       kernel->vector_items;
}

/* The distance between the first items that neighbouring work-items read along y. */
static uint32_t step_along_y(const struct block *block, const struct kernel *kernel)
{
	return block->flags & (KERNEL_FLAG_DST_VECTORS | KERNEL_FLAG_LONG_Y)
		       ? (uint32_t)kernel->vector_items
		       : 1;
}

void block_choose_pitch(struct block *block, const struct kernel *kernel)
{
	int64_t v = kernel->vector_items, least = least_pitch(block, kernel);
	bool can_choose = !(block->flags & KERNEL_FLAG_LONG_X); /* whose parts follow each other */
	int64_t most = can_choose ? least + N_BANKS * v : least + v;
	int needed = (int)ceil_divide(kernel->item_bytes, BANK_BYTES), best = INT_MAX;
	struct warp_places places;

	find_places(&places, block, v, step_along_y(block, kernel));
	for (int64_t pitch = least; pitch < most; pitch += v) {
		int cycles;

		if (can_choose && pitch * block->sides[BLOCK_SRC].n_rows > block_capacity(kernel))
			break;
		cycles = warp_cycles(&places, pitch, kernel->item_bytes);
		if (cycles >= best)
			continue;
		block->pitch = pitch;
		best = cycles;
		if (cycles <= needed)
			break; /* no conflict */
	}
	block->conflicts = best > needed ? best - needed : 0;
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

int64_t block_n_cuts(const struct block *block, const struct copy_plan *plan, int cut)
{
	return cut < 0 ? 1 : ceil_divide(plan->loops[cut].n, block->extent[cut]);
}

/* Whether the distances along a run fit in 32 bits. */
static bool lanes_are_near(
	const struct block *block, const struct copy_plan *plan, enum block_end end)
{
	const struct block_side *side = &block->sides[end];
	int64_t bytes = 0;

	for (int i = 0; i < side->n_run; i++) {
		int loop = side->run[i];

		if (__builtin_add_overflow(bytes,
			    block->extent[loop] * block_distance(&plan->loops[loop], end), &bytes))
			return false;
	}
	return bytes <= INT32_MAX;
}

/* Sides of a tile of a transpose: their loops differ, and neighbours are near. */
static bool fits_tile(
	const struct block *block, const struct kernel *kernel, const struct copy_plan *plan)
{
	const struct block_side *x = &block->sides[BLOCK_SRC], *y = &block->sides[BLOCK_DST];
	int64_t most = (int64_t)kernel->n * kernel->vector_items;

	return x->n_run && y->n_run && x->n_rest == y->n_run && y->n_rest == x->n_run &&
	       x->row_items >= BLOCK_MIN_TILE_ITEMS && y->row_items >= BLOCK_MIN_TILE_ITEMS &&
	       x->row_items <= most && y->row_items <= most &&
	       block_distance(&plan->loops[x->run[0]], BLOCK_SRC) <= NEAR_BYTES &&
	       block_distance(&plan->loops[y->run[0]], BLOCK_DST) <= NEAR_BYTES;
}

bool block_can_count(struct block *block, const struct copy_plan *plan)
{
	return lanes_are_near(block, plan, BLOCK_SRC) && lanes_are_near(block, plan, BLOCK_DST) &&
	       count_blocks(block, plan);
}

/* Whether local memory has room for the tables of the runs of a box, before it has its items. */
static bool fits_tables(const struct block *block, const struct kernel *kernel)
{
	const struct block_side *x = &block->sides[BLOCK_SRC], *y = &block->sides[BLOCK_DST];
	bool has_x = x->n_run > 1 && !(block->flags & KERNEL_FLAG_SRC_WORDS);
	int64_t n_entries = (has_x ? x->row_items : 0) + (y->n_run > 1 ? 2 * y->row_items : 0);

	return n_entries * TABLE_ENTRY_BYTES <= block_capacity(kernel) * kernel->item_bytes;
}

/* Whether a kernel is one that accesses the aligned words of memory that a run is in, not single
 * items: READS_WORDS in cl/words.cl, WORDS in cl/transpose.cl. */
bool kernel_knows_words(const struct kernel *kernel)
{
	return kernel->item_bytes <= 2 && kernel->vector_items > 1 &&
	       kernel->vector_items * kernel->item_bytes <= MAX_WORD_VECTOR &&
	       (kernel->shape == KERNEL_BLOCK || kernel->shape == KERNEL_TURN ||
		       kernel->shape == KERNEL_SQUARE || kernel->item_bytes == 1 ||
		       kernel->n * kernel->vector_items > MIN_WORD_SIDE);
}

/* Whether it does so for a run. A BLOCK writes a run in words if it is the only row. */
static bool has_words(const struct block *block, const struct kernel *kernel,
	const struct copy_plan *plan, enum block_end end)
{
	const struct block_side *side = &block->sides[end];
	int64_t chain;

	if (!kernel_knows_words(kernel) || !side->n_run ||
		n_chained(block, plan, end, &chain) < side->n_run)
		return false;
	return end == BLOCK_SRC || kernel->shape != KERNEL_BLOCK || !side->n_rest;
}

/*
 * Divides the only row of a run, if it is too long for a group, into parts of whole vectors; the
 * last loop is the one that is divided. False if the other loops are too long for that.
 */
static bool divide_run(struct block *block, const struct kernel *kernel, enum block_end end)
{
	struct block_side *side = &block->sides[end];
	int last = side->n_run - 1;
	int64_t step = block_product(block, side->run, last);
	int64_t n_steps = block->extent[side->run[last]];
	int64_t most = KERNEL_GROUP_ITEMS * (int64_t)kernel->vector_items / step, unit = 1, part;

	while (step * unit % kernel->vector_items)
		unit *= 2;
	most -= most % unit;
	if (!most)
		return false;
	part = ceil_divide(ceil_divide(n_steps, ceil_divide(n_steps, most)), unit) * unit;
	side->row_items = part * step;
	side->n_rows = ceil_divide(n_steps, part);
	block->flags |= end == BLOCK_SRC ? KERNEL_FLAG_LONG_X : KERNEL_FLAG_LONG_Y;
	return true;
}

/* How a BLOCK accesses one side of a box. False if it has no such rows. */
static bool fit_rows(struct block *block, const struct kernel *kernel, enum block_end end)
{
	struct block_side *side = &block->sides[end];
	int64_t v = kernel->vector_items;
	bool words =
		block->flags & (end == BLOCK_SRC ? KERNEL_FLAG_SRC_WORDS : KERNEL_FLAG_DST_WORDS);
	bool unaligned_dst = end == BLOCK_DST && !(block->flags & KERNEL_FLAG_DST_VECTORS);

	side->lanes = ceil_divide(side->run_items, v);
	if ((side->lanes > KERNEL_GROUP_ITEMS || unaligned_dst) && words && !side->n_rest &&
		divide_run(block, kernel, end)) {
		side->lanes = side->row_items / v;
		/* The first word may begin before the run. */
		if (unaligned_dst)
			side->n_rows = ceil_divide(side->run_items + v - 1, side->row_items);
	}
	return side->lanes <= KERNEL_GROUP_ITEMS;
}

/* Sets what depends on the kernel that copies a box, apart from the pitch. False if none of its
 * groups can hold the box. */
bool block_fit(struct block *block, const struct kernel *kernel, const struct copy_plan *plan,
	uint64_t src_bits, uint64_t dst_bits)
{
	struct block_side *x = &block->sides[BLOCK_SRC], *y = &block->sides[BLOCK_DST];

	block->flags =
		(has_vectors(block, kernel, plan, BLOCK_SRC, src_bits) ? KERNEL_FLAG_SRC_VECTORS
								       : 0) |
		(has_vectors(block, kernel, plan, BLOCK_DST, dst_bits) ? KERNEL_FLAG_DST_VECTORS
								       : 0) |
		(has_words(block, kernel, plan, BLOCK_SRC) ? KERNEL_FLAG_SRC_WORDS : 0) |
		(has_words(block, kernel, plan, BLOCK_DST) ? KERNEL_FLAG_DST_WORDS : 0) |
		(block->cut_both ? KERNEL_FLAG_CUT_BOTH : 0);
	if (kernel->shape == KERNEL_TRANSPOSE) {
		x->lanes = ceil_divide(x->run_items, kernel->vector_items);
		y->lanes = ceil_divide(y->run_items, kernel->vector_items);
		return fits_tile(block, kernel, plan);
	}
	if (kernel->shape == KERNEL_TURN)
		return turn_fit(block, kernel, plan);
	for (int end = 0; end < BLOCK_ENDS; end++)
		if (!fit_rows(block, kernel, end))
			return block_shorten_run(block, plan, end) &&
			       block_fit(block, kernel, plan, src_bits, dst_bits);
	return fits_tables(block, kernel) && fits_passes(kernel, x->lanes, x->n_rows) &&
	       fits_passes(kernel, y->lanes, y->n_rows) &&
	       least_pitch(block, kernel) * x->n_rows <= block_capacity(kernel);
}

int64_t block_local_step(const struct block *block, int loop)
{
	struct place_loop place = place_loop_of(block, loop);

	return place.items + place.rows * block->pitch;
}
