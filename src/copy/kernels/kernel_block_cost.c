// SPDX-License-Identifier: MIT
/* How long a copy in boxes is expected to take. */
#include "copy/kernels/kernel_block.h"

enum {
	N_PROCESSORS = 132, /* of the devices that the costs were fitted to */
};

/* Fitted to times, as the costs in kernels.list; TILE_: of a TRANSPOSE and of a TURN.
 * PARTLY_WRITTEN: how often a byte counts that is in a sector only because of others; READ_AGAIN:
 * how often one counts that a block has already read. */
static const double NS_PER_TILE_LOOP = 0.124, NS_PER_PASS = 0.147, NS_PER_CONFLICT = 0.0219,
		    CACHE_BYTES_PER_NS = 3810, PARTLY_WRITTEN = 1.43,
		    TILE_CACHE_BYTES_PER_NS = 5890, TILE_PARTLY_WRITTEN = 4.95, READ_AGAIN = 0.666;
/* What a byte costs that memory moves again, by the side and the unit that it belongs to. */
static const double AGAIN_READ = 1.82, AGAIN_WRITTEN = 17, AGAIN_FETCHED_WRITTEN = 3.78;
/* The bytes that the caches keep while other boxes are copied: for the costs, and for the order of
 * boxes, which was fitted to times of both orders. */
static const double KEPT_BYTES = 12600, KEPT_BYTES_OF_ORDER = 1e6;
/* Of a TURN: the share of a group's time that does not depend on its box; and what a row of the
 * destination adds, and what its ends add if they are within vectors, for items of 1 and 2 bytes.
 */
static const double TURN_FIXED = 0.72, turn_row_ns[] = { 0.00515, 0 },
		    turn_ends_ns[] = { 0.00582, 0.002 };
/* What an item adds that is not accessed as a part of a vector, by items of 1, 2, 4, 8 and 16
 * bytes. */
struct lone_ns {
	double load[5], store[5];
};
static const struct lone_ns boxes_ns = { { 0.00027, 0.00054, 0.00003, 0.00007, 0 },
	{ 0.00002, 0.00005, 0.00004, 0.00009, 0 } };
static const struct lone_ns tiles_ns = { { 0.00003, 0.00052, 0.00004, 0.0001, 0 },
	{ 0.00027, 0.00049, 0.00192, 0.00099, 0 } };
/* Where words are accessed instead of items. */
static const struct lone_ns word_boxes_ns = { { 0.00008, 0.00038 }, { 0.00001, 0.00002 } };
static const struct lone_ns word_tiles_ns = { { 0.000056, 0.00034 }, { 0.00094, 0.00075 } };

/* The extent of a loop in a block, as far as units of memory are concerned: of the run that is
 * written in whole sectors, all of it. */
static int64_t extent_of(const struct block *block, const struct copy_plan *plan,
	enum block_end end, int64_t unit_bytes, int loop)
{
	return end == BLOCK_DST && unit_bytes <= KERNEL_SECTOR_BYTES && block_skews(block, loop)
		       ? plan->loops[loop].n
		       : block->extent[loop];
}

/* The bytes of the sectors that one side moves, where a block's part of n loops, those with the
 * smallest strides first, is moved at once: neighbours within a sector count as one run. */
static double moved_bytes(const struct block *block, const struct copy_plan *plan,
	enum block_end end, const int *loops, int n)
{
	int i = 0;
	int64_t span = plan->item_bytes, aligned = 0;
	double runs = 1;

	for (; i < n; i++) {
		int64_t step = block_distance(&plan->loops[loops[i]], end);
		int64_t extent = extent_of(block, plan, end, KERNEL_SECTOR_BYTES, loops[i]);

		if (extent == 1 || step >= span + KERNEL_SECTOR_BYTES)
			break;
		span += (extent - 1) * step;
	}
	for (int j = 0; j < plan->n_loops; j++) {
		const struct copy_loop *loop = &plan->loops[j];
		int at = block_find(loops, n, j);
		int64_t extent = extent_of(block, plan, end, KERNEL_SECTOR_BYTES, j);
		bool within = at >= 0 && at < i;

		if (!within || extent < loop->n)
			aligned |= block_distance(loop, end) * (within ? extent : 1);
		runs *= (double)loop->n / (double)(within ? extent : 1);
	}
	if (aligned % KERNEL_SECTOR_BYTES || span % KERNEL_SECTOR_BYTES)
		span += KERNEL_SECTOR_BYTES - plan->item_bytes;
	if (block->skewed && end == BLOCK_SRC) /* and what other tiles write */
		runs *= 1 + KERNEL_SECTOR_BYTES /
				    (double)(block->sides[BLOCK_DST].run_items * plan->item_bytes);
	return runs * (double)span;
}

/* How many times a block reads each item of the source: once for each step of loops of stride 0. */
static double n_reads(const struct block *block, const struct copy_plan *plan)
{
	double n = 1;

	for (int i = 0; i < plan->n_loops; i++)
		if (!plan->loops[i].src_stride_bytes)
			n *= (double)block->extent[i];
	return n;
}

/* The bytes that blocks read, and a share of those that their rows read again. */
static double read_bytes(const struct block *block, const struct block_trial *trial)
{
	const struct block_side *side = &block->sides[BLOCK_SRC];
	const struct block_order *order = &trial->orders[BLOCK_SRC];
	double by_rows = moved_bytes(block, trial->plan, BLOCK_SRC, side->run, side->n_run);
	double at_once = moved_bytes(block, trial->plan, BLOCK_SRC, order->loops, order->n) /
			 n_reads(block, trial->plan);

	return at_once < by_rows ? at_once + READ_AGAIN * (by_rows - at_once) : by_rows;
}

/* How many blocks later the neighbours of a block's bytes are moved, if loop leads to them. */
static double blocks_between(const struct block *block, const struct copy_plan *plan, int loop)
{
	int cut_x = block->sides[BLOCK_SRC].cut, cut_y = block->sides[BLOCK_DST].cut;
	double n_x = (double)block_n_cuts(block, plan, cut_x);
	double n_y = (double)block_n_cuts(block, plan, cut_y), n = n_x * n_y;

	if (loop == cut_x)
		return block->y_first ? n_y : 1;
	if (loop == cut_y)
		return block->y_first ? 1 : n_x;
	for (int i = plan->n_loops - 1; i > loop; i--)
		if (block->extent[i] == 1 || i == block->between)
			n *= (double)plan->loops[i].n / (double)block->extent[i];
	return n;
}

/*
 * The bytes that memory moves more than once, since a block has only a part of their unit and
 * the caches, which have kept_bytes, do not keep it until another block has the rest. Units are
 * sectors or what memory delivers.
 */
static double torn_bytes(const struct block *block, const struct copy_plan *plan,
	const struct block_order *order, enum block_end end, int64_t unit_bytes, double kept_bytes)
{
	int i = 0;
	int64_t span = plan->item_bytes, aligned = 0;
	double runs = 1, later, block_bytes = (double)(2 * plan->item_bytes);

	for (; i < order->n; i++) {
		int loop = order->loops[i];
		int64_t step = block_distance(&plan->loops[loop], end);
		int64_t extent = extent_of(block, plan, end, unit_bytes, loop);

		if (extent == 1 || step >= span + unit_bytes)
			break;
		span += (extent - 1) * step;
		if (extent < plan->loops[loop].n)
			break;
	}
	for (int j = 0; j < plan->n_loops; j++) {
		const struct copy_loop *loop = &plan->loops[j];
		int at = block_find(order->loops, order->n, j);
		int64_t extent = extent_of(block, plan, end, unit_bytes, j);
		bool within = at >= 0 && (at < i || (at == i && extent > 1 && extent < loop->n));

		if (!within || extent < loop->n)
			aligned |= block_distance(loop, end) * (within ? extent : 1);
		runs *= (double)loop->n / (double)(within ? extent : 1);
		block_bytes *= (double)block->extent[j];
	}
	if (i == order->n || (aligned % unit_bytes == 0 && span % unit_bytes == 0))
		return 0;
	later = blocks_between(block, plan, order->loops[i]) * block_bytes / kept_bytes;
	return runs * unit_bytes * later / (1 + later);
}

/* What the processors take for a block of vectors, in ns of the whole device. */
static double block_work(
	const struct block *block, const struct kernel *kernel, const struct copy_plan *plan)
{
	const struct block_side *x = &block->sides[BLOCK_SRC], *y = &block->sides[BLOCK_DST];
	double work = kernel->cost / 1000.0;

	if (kernel->shape == KERNEL_TURN)
		work *= TURN_FIXED + (1 - TURN_FIXED) * turn_share(block, kernel);
	for (int i = 0; i < plan->n_loops; i++)
		work += block->extent[i] < plan->loops[i].n ? NS_PER_TILE_LOOP : 0;
	if (kernel->shape == KERNEL_BLOCK)
		work += NS_PER_PASS * (double)(block_passes(x->lanes, x->n_rows) +
					       block_passes(y->lanes, y->n_rows));
	return work;
}

/* What the conflicts of a BLOCK add, whose pitch it chooses. */
static double conflict_work(struct block *block, const struct kernel *kernel)
{
	const struct block_side *y = &block->sides[BLOCK_DST];

	if (kernel->shape != KERNEL_BLOCK)
		return 0;
	block_choose_pitch(block, kernel);
	return NS_PER_CONFLICT * block->conflicts * kernel->vector_items *
	       (double)block_passes(y->lanes, y->n_rows);
}

/* What items add that are not accessed as vectors. */
static double lone_work(const struct block *block, const struct kernel *kernel)
{
	const struct block_side *x = &block->sides[BLOCK_SRC];
	bool is_block = kernel->shape == KERNEL_BLOCK,
	     aligned = block->flags & KERNEL_FLAG_DST_VECTORS;
	const struct lone_ns *ns = is_block                     ? &boxes_ns
				   : kernel_knows_words(kernel) ? &word_tiles_ns
								: &tiles_ns;
	double items = (double)(x->row_items * x->n_rows), per_item = 0;
	int size = __builtin_ctz((unsigned)kernel->item_bytes);

	if (kernel->vector_items == 1)
		return 0;
	if (kernel->shape == KERNEL_TURN)
		return (double)x->run_items *
		       (turn_row_ns[size] + (aligned ? 0 : turn_ends_ns[size]));
	if (!(block->flags & KERNEL_FLAG_SRC_VECTORS))
		per_item += (is_block && block->flags & KERNEL_FLAG_SRC_WORDS ? &word_boxes_ns : ns)
				    ->load[size];
	if (!(block->flags & KERNEL_FLAG_DST_VECTORS))
		per_item += (is_block && block->flags & KERNEL_FLAG_DST_WORDS ? &word_boxes_ns : ns)
				    ->store[size];
	return items * per_item;
}

/* What the bytes are worth that memory moves again: units of read_bytes, and sectors. */
static double again_bytes(const struct block *block, const struct block_trial *trial,
	int64_t read_bytes, double kept_bytes)
{
	const struct block_order *orders = trial->orders;

	return AGAIN_READ * torn_bytes(block, trial->plan, &orders[BLOCK_SRC], BLOCK_SRC,
				    read_bytes, kept_bytes) +
	       AGAIN_WRITTEN * torn_bytes(block, trial->plan, &orders[BLOCK_DST], BLOCK_DST,
				       KERNEL_SECTOR_BYTES, kept_bytes);
}

/* The same in the order of the cut loops in which it is less. Memory delivers more than a sector at
 * a time, which is counted for a TURN only. */
static double least_again_bytes(
	struct block *block, const struct kernel *kernel, const struct block_trial *trial)
{
	int64_t read_bytes =
		kernel->shape == KERNEL_TURN ? BLOCK_FETCHED_BYTES : KERNEL_SECTOR_BYTES;
	double first, second;

	block->y_first = true;
	first = again_bytes(block, trial, read_bytes, KEPT_BYTES);
	if (first == 0 || block->sides[BLOCK_SRC].cut < 0 || block->sides[BLOCK_DST].cut < 0)
		return first;
	block->y_first = false;
	second = again_bytes(block, trial, read_bytes, KEPT_BYTES);
	return second < first ? second : first;
}

/* The same in one order of the cut loops, with all that memory delivers at a time. */
static double order_cost(struct block *block, const struct block_trial *trial, bool y_first)
{
	block->y_first = y_first;
	return again_bytes(block, trial, BLOCK_FETCHED_BYTES, KEPT_BYTES_OF_ORDER) +
	       AGAIN_FETCHED_WRITTEN * torn_bytes(block, trial->plan, &trial->orders[BLOCK_DST],
					       BLOCK_DST, BLOCK_FETCHED_BYTES, KEPT_BYTES_OF_ORDER);
}

void block_order_cuts(struct block *block, const struct block_trial *trial)
{
	/* In the order of the destination if memory moves the same bytes. */
	block->y_first = order_cost(block, trial, true) <= order_cost(block, trial, false);
}

/* What the caches take, more for sectors that are written in parts. */
static double cache_ns(
	const struct block *block, const struct kernel *kernel, const struct block_trial *trial)
{
	const struct block_side *side = &block->sides[BLOCK_DST];
	bool is_block = kernel->shape == KERNEL_BLOCK;
	double written = moved_bytes(block, trial->plan, BLOCK_DST, side->run, side->n_run);
	double more = written - trial->copy_bytes / 2;

	return (read_bytes(block, trial) + written +
		       (is_block ? PARTLY_WRITTEN : TILE_PARTLY_WRITTEN) * more) /
	       (is_block ? CACHE_BYTES_PER_NS : TILE_CACHE_BYTES_PER_NS);
}

double block_cost(struct block *block, const struct kernel *kernel, const struct block_trial *trial,
	double limit)
{
	double work = block_work(block, kernel, trial->plan), memory, caches;
	double n_blocks = (double)ceil_divide(block->n_blocks, N_PROCESSORS) * N_PROCESSORS;

	if (kernel->latency + work * n_blocks >= limit)
		return limit;
	work += lone_work(block, kernel);
	if (kernel->latency + work * n_blocks >= limit)
		return limit;
	work += conflict_work(block, kernel);
	if (kernel->latency + work * n_blocks >= limit)
		return limit;
	memory = kernel_memory_ns(trial->memory_bytes, least_again_bytes(block, kernel, trial));
	caches = cache_ns(block, kernel, trial);
	return kernel->latency + kernel_longest(memory, caches, work * n_blocks);
}
