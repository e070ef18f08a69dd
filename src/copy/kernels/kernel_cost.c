// SPDX-License-Identifier: MIT
/*
 * What copies cost: the terms that all kernels share, and the kernels that do not copy in blocks
 * (those that do: kernel_block_cost.c). All constants of the model are fitted together, on an H200,
 * to the times of random layouts, views and planes, of the transpositions of TTC and of the copy
 * table of docs/performance.md, those of FILL before the others; docs/copy-speed.md has the rows
 * in which the choice falls short.
 */
#include "base/array_size.h"
#include "copy/kernels/kernel_block.h"

#include <math.h>
#include <stdlib.h>

enum {
	BLOCK_BYTES = 16, /* that a work-item of a ROWS copies at once */
	MAX_VECTOR_ITEMS = 4,
	WARP = 32,
	LINE_BYTES = 128,
	FETCHED_BYTES = 64, /* that memory delivers at a time */
	LONG_ROW_BYTES = 256,
};

/* Items after which the same sector is read without cost for a warp, for the first-level caches, or
 * for memory. */
static const double CLOSE_IN_WARP = 16, CLOSE_IN_CACHE = 512, CLOSE_IN_MEMORY = 32768;
static const double MEMORY_BYTES_PER_NS = 4870, CACHED_GAIN = 0.683, CACHED_BYTES = 48.9e6,
		    SECOND_LEVEL_BYTES_PER_NS = 3410, FIRST_LEVEL_BYTES_PER_NS = 11800,
		    NS_PER_ROW_BLOCK = 0.00673, NS_PER_ROW_LOOP = 0.00054,
		    NS_PER_LONE_ITEM = 0.00194, LONE_ROW_BYTES = 64, TORN_ROW_BYTES = 156,
		    NS_PER_GATHER_LOOP = 0.000731, MISALIGNED_SRC = 1.12, MISALIGNED_DST = 1.67,
		    NS_PER_END_OF_LINE = 0.0745, NS_PER_GATHERED_LOAD = 0.000291,
		    NS_PER_GATHERED_STORE = 0.000182, WHOLE_LINES = 0.596,
		    NS_PER_FLAT_VECTOR = 0.00366, NS_PER_FLAT_LOOP = 0.000801,
		    NS_PER_FLAT_ITEM = 0.000451, NS_PER_FLAT_STORE = 0.0003,
		    FLAT_BYTES_PER_NS = 29500, FLAT_CACHE_BYTES_PER_NS = 3360,
		    NS_PER_SQUARE = 0.00252, NS_PER_SQUARE_VECTOR = 0.00221,
		    NS_PER_SQUARE_LOOP = 0.00134, SQUARE_BYTES_PER_NS = 3830,
		    TORN_SQUARE_BYTES_PER_NS = 2390, SQUARE_LINES_PER_NS = 698,
		    NS_PER_FILLED_BLOCK = 0.00241, NS_PER_FILLED_ROW = 0.00387;
static const double ns_per_gathered_vector[MAX_VECTOR_ITEMS + 1] = { 0, 0.00449, 0.00388, 0,
	0.00252 };

static double count_planned(const struct copy_plan *plan)
{
	double n = 1;

	for (int i = 0; i < plan->n_loops; i++)
		n *= (double)plan->loops[i].n;
	return n;
}

double kernel_copy_bytes(const struct copy_plan *plan)
{
	return 2 * count_planned(plan) * (double)plan->item_bytes;
}

/* Sorts the strides of the source of a plan's loops from `first` on, and their counts; those of 0
 * are left out. */
static int sort_strides(const struct copy_plan *plan, int first, int64_t *strides, int64_t *counts)
{
	int n = 0;

	for (int i = first; i < plan->n_loops; i++) {
		int64_t stride = llabs(plan->loops[i].src_stride_bytes);
		int at = n;

		if (!stride)
			continue;
		for (; at > 0 && strides[at - 1] > stride; at--) {
			strides[at] = strides[at - 1];
			counts[at] = counts[at - 1];
		}
		strides[at] = stride;
		counts[at] = plan->loops[i].n;
		n++;
	}
	return n;
}

/* The bytes of the units of memory that hold the items of a plan's loops from `first` on, and of
 * those between items that are close. */
static double touched_bytes(const struct copy_plan *plan, int first, int64_t unit_bytes)
{
	int64_t strides[KERNEL_MAX_LOOPS], counts[KERNEL_MAX_LOOPS];
	int64_t span = plan->item_bytes, aligned;
	double runs = 1;
	int n = sort_strides(plan, first, strides, counts), i = 0;

	for (; i < n && strides[i] < span + unit_bytes; i++)
		span += (counts[i] - 1) * strides[i];
	aligned = span;
	for (; i < n; i++) {
		runs *= (double)counts[i];
		aligned |= strides[i];
	}
	if (runs > 1 && aligned % unit_bytes)
		span += unit_bytes - plan->item_bytes;
	return runs * (double)span;
}

double kernel_memory_bytes(const struct copy_plan *plan)
{
	return touched_bytes(plan, 0, FETCHED_BYTES) + kernel_copy_bytes(plan) / 2;
}

double kernel_memory_ns(double copy_bytes, double more_bytes)
{
	double share = copy_bytes / CACHED_BYTES;

	return (copy_bytes + more_bytes) /
	       (MEMORY_BYTES_PER_NS * (1 + CACHED_GAIN / (1 + share * share)));
}

static double fourth_power(double x)
{
	return x * x * x * x;
}

double kernel_longest(double memory, double caches, double work)
{
	return sqrt(sqrt(fourth_power(memory) + fourth_power(caches) + fourth_power(work)));
}

/* The bytes of the units that are read for an item if they stay close for that many items, so that
 * loops around the innermost may read from the same ones. */
static double gathered_bytes(const struct copy_plan *plan, double n_close, int64_t unit_bytes)
{
	double n = 1;
	int first = plan->n_loops;

	while (first > 0 && n <= n_close)
		n *= (double)plan->loops[--first].n;
	return touched_bytes(plan, first, unit_bytes) / n;
}

/* The same of the items of a group of work-items, of which the last loop may have a part. */
static double group_bytes(const struct copy_plan *plan, double n_items)
{
	struct copy_plan group = *plan;
	double n = 1;
	int first = plan->n_loops;

	while (first > 0 && n < n_items) {
		struct copy_loop *loop = &group.loops[--first];

		loop->n = (int64_t)fmin((double)loop->n, ceil(n_items / n));
		n *= (double)loop->n;
	}
	return touched_bytes(&group, first, KERNEL_SECTOR_BYTES) / n;
}

/* What memory moves for the items of the source in the order of the loops: again what does not stay
 * close, as far as the source is larger than the caches. */
static double far_bytes(const struct copy_plan *plan)
{
	double once = touched_bytes(plan, 0, FETCHED_BYTES), share = once / CACHED_BYTES;
	double all = count_planned(plan) * gathered_bytes(plan, CLOSE_IN_MEMORY, FETCHED_BYTES);

	return once + fmax(0, all - once) * share * share / (1 + share * share);
}

/* The same, and the destination. */
static double gathered_memory_bytes(const struct copy_plan *plan)
{
	return far_bytes(plan) + kernel_copy_bytes(plan) / 2;
}

/* Whether a warp that gathers blocks of 16 bytes reads and writes whole lines, which takes the
 * caches and processors less. */
static bool gathers_lines(const struct kernel_choice *choice)
{
	int64_t row_bytes = choice->a.n * BLOCK_BYTES;

	return choice->kernel->item_bytes == BLOCK_BYTES &&
	       choice->a.src_stride_bytes == BLOCK_BYTES &&
	       choice->a.dst_stride_bytes == BLOCK_BYTES && row_bytes % LINE_BYTES == 0 &&
	       row_bytes >= LONG_ROW_BYTES;
}

static double gather_cost(const struct kernel_choice *choice, const struct kernel_launch *launch,
	const struct copy_plan *plan)
{
	const struct kernel *kernel = choice->kernel;
	int64_t flags = launch->arguments[ARG_FLAGS];
	double n = count_planned(plan), item_bytes = (double)plan->item_bytes;
	double memory = kernel_memory_ns(gathered_memory_bytes(plan), 0);
	double caches = n *
			(gathered_bytes(plan, CLOSE_IN_CACHE, KERNEL_SECTOR_BYTES) + item_bytes) /
			SECOND_LEVEL_BYTES_PER_NS;
	bool is_along = choice->a.n >= (int64_t)WARP * kernel->vector_items;
	double apart =
		flags & KERNEL_FLAG_SRC_VECTORS || !is_along
			? 0
			: fmin(KERNEL_SECTOR_BYTES, (double)(kernel->vector_items *
							     llabs(choice->a.src_stride_bytes)));
	double warp = n *
		      (fmax(apart, gathered_bytes(plan, CLOSE_IN_WARP, KERNEL_SECTOR_BYTES)) +
			      item_bytes) /
		      FIRST_LEVEL_BYTES_PER_NS;
	double vectors =
		n / (double)choice->a.n * (double)ceil_divide(choice->a.n, kernel->vector_items);
	double each =
		ns_per_gathered_vector[kernel->vector_items] + NS_PER_GATHER_LOOP * plan->n_loops;

	if (kernel->vector_items > 1) {
		each += flags & KERNEL_FLAG_SRC_VECTORS
				? 0
				: NS_PER_GATHERED_LOAD * kernel->vector_items;
		each += flags & KERNEL_FLAG_DST_VECTORS
				? 0
				: NS_PER_GATHERED_STORE * kernel->vector_items;
	}
	caches = kernel_longest(caches, warp, vectors * each);
	return kernel->latency +
	       kernel_longest(memory, gathers_lines(choice) ? caches * WHOLE_LINES : caches, 0);
}

static double flat_cost(const struct kernel_choice *choice, const struct kernel_launch *launch,
	const struct copy_plan *plan)
{
	const struct kernel *kernel = choice->kernel;
	double n = count_planned(plan), item_bytes = (double)plan->item_bytes;
	double memory = kernel_memory_ns(gathered_memory_bytes(plan), 0);
	double n_group = (double)(KERNEL_GROUP_ITEMS * kernel->vector_items * kernel->n);
	double caches = n * (group_bytes(plan, n_group) + item_bytes) / FLAT_CACHE_BYTES_PER_NS;
	/* Neighbouring work-items read items that are a vector apart, again for each item of it. */
	double apart = fmin(KERNEL_SECTOR_BYTES,
		kernel->vector_items * group_bytes(plan, WARP * kernel->vector_items));
	double warp = n * (apart + item_bytes) / FLAT_BYTES_PER_NS;
	double each = NS_PER_FLAT_ITEM * kernel->vector_items + NS_PER_FLAT_VECTOR +
		      NS_PER_FLAT_LOOP * plan->n_loops;

	if (!(launch->arguments[ARG_FLAGS] & KERNEL_FLAG_DST_VECTORS))
		each += NS_PER_FLAT_STORE * kernel->vector_items;
	caches =
		kernel_longest(caches, warp, n / kernel->vector_items * each) * kernel->cost / 1000;
	return kernel->latency + kernel_longest(memory, caches, 0);
}

/* Reads little, and writes each row in blocks. Where a work-item has blocks of several rows, it
 * computes where each begins. */
static double fill_cost(const struct kernel_choice *choice, const struct kernel_launch *launch,
	const struct copy_plan *plan)
{
	double row_bytes = (double)(choice->a.n * choice->a.dst_stride_bytes);
	double item_bytes = (double)choice->kernel->item_bytes;
	double row = NS_PER_FILLED_ROW + NS_PER_ROW_LOOP * plan->n_loops;
	bool is_along = launch->arguments[ARG_FLAGS] & KERNEL_FLAG_ALONG;
	double each = NS_PER_FILLED_BLOCK + (is_along ? row / choice->kernel->n : row);

	if (item_bytes < BLOCK_BYTES)
		each += NS_PER_LONE_ITEM * BLOCK_BYTES / item_bytes *
			fmin(1, LONE_ROW_BYTES / row_bytes);
	return choice->kernel->latency +
	       kernel_longest(kernel_memory_ns(kernel_memory_bytes(plan), 0),
		       launch->n_groups * (double)(KERNEL_GROUP_ITEMS * choice->kernel->n) * each,
		       0);
}

static double rows_cost(const struct kernel_choice *choice, const struct kernel_launch *launch,
	const struct copy_plan *plan)
{
	double row_bytes = (double)(choice->a.n * choice->a.dst_stride_bytes);
	double copy_bytes = kernel_copy_bytes(plan),
	       item_bytes = (double)choice->kernel->item_bytes;
	double each = NS_PER_ROW_BLOCK + NS_PER_ROW_LOOP * plan->n_loops;

	/* Items are copied one by one at the ends of rows. */
	if (choice->kernel->shape != KERNEL_REVERSE || fmod(row_bytes, BLOCK_BYTES) != 0)
		each += NS_PER_LONE_ITEM * BLOCK_BYTES / item_bytes *
			fmin(1, LONE_ROW_BYTES / row_bytes);

	return choice->kernel->latency +
	       kernel_longest(kernel_memory_ns(kernel_memory_bytes(plan),
				      copy_bytes * TORN_ROW_BYTES / row_bytes),
		       launch->n_groups * (double)(KERNEL_GROUP_ITEMS * choice->kernel->n) * each,
		       0);
}

static double interleave_cost(const struct kernel_choice *choice,
	const struct kernel_launch *launch, const struct copy_plan *plan)
{
	const struct kernel *kernel = choice->kernel;
	int64_t flags = launch->arguments[ARG_FLAGS];
	double n_parts =
		(double)(uint32_t)launch->arguments[ARG_T0] * (double)launch->arguments[ARG_TOTAL];
	double work = launch->n_groups * (kernel->cost / 1000.0);

	if (!(flags & KERNEL_FLAG_SRC_VECTORS))
		work *= MISALIGNED_SRC;
	if (!(flags & KERNEL_FLAG_DST_VECTORS))
		work *= MISALIGNED_DST;
	if (!(flags & KERNEL_FLAG_SRC_VECTORS) || !(flags & KERNEL_FLAG_DST_VECTORS))
		work += n_parts * kernel->n * NS_PER_END_OF_LINE;
	return kernel->latency +
	       kernel_longest(kernel_memory_ns(kernel_memory_bytes(plan), 0), work, 0);
}

/* The loops of a SQUARE's plan in the order of its work-items, with the strides of one side. */
static void order_squares(struct copy_plan *ordered, const struct kernel_choice *choice,
	const struct kernel_launch *launch, enum block_end end)
{
	int64_t side = choice->kernel->vector_items;
	int64_t a = block_stride(&choice->a, end), b = block_stride(&choice->b, end);
	int64_t n_a = (uint32_t)launch->arguments[ARG_A], n_b = (uint32_t)launch->arguments[ARG_B];
	const struct copy_loop inner[] = {
		{ (uint32_t)launch->arguments[ARG_T0], n_a * side * a, 0 },
		{ n_b, side * b, 0 },
		{ n_a, side * a, 0 },
		{ choice->b.n < side ? choice->b.n : side, b, 0 },
		{ side, a, 0 },
	};

	*ordered = (struct copy_plan){ .item_bytes = choice->kernel->item_bytes };
	for (int i = choice->n_rest - 1; i >= 0; i--)
		ordered->loops[ordered->n_loops++] = (struct copy_loop){ choice->rest[i].n,
			block_stride(&choice->rest[i], end), 0 };
	for (size_t i = 0; i < ARRAY_SIZE(inner); i++)
		ordered->loops[ordered->n_loops++] = inner[i];
}

/* The lines that a warp accesses with a vector of each work-item, n_across of them apart and
 * n_along in a row. */
static double square_lines(
	const struct kernel *kernel, double n_across, double n_along, int64_t stride_bytes)
{
	double vector_bytes = (double)(kernel->vector_items * kernel->item_bytes);
	double span = n_across * kernel->vector_items * (double)llabs(stride_bytes);

	return fmax(1,
		fmin(n_across * fmax(1, n_along * vector_bytes / LINE_BYTES), span / LINE_BYTES));
}

static double square_cost(const struct kernel_choice *choice, const struct kernel_launch *launch,
	const struct copy_plan *plan)
{
	const struct kernel *kernel = choice->kernel;
	double n_a = (uint32_t)launch->arguments[ARG_A], n_b = (uint32_t)launch->arguments[ARG_B];
	double lanes_a = n_b > 1 ? fmin(WARP, n_a) : fmin(WARP, (double)launch->arguments[ARG_T1]);
	double lanes_b = fmin(n_b, fmax(1, WARP / lanes_a));
	double n = count_planned(plan), total = (double)launch->arguments[ARG_TOTAL];
	double piece_bytes = lanes_a * kernel->vector_items * kernel->item_bytes;
	struct copy_plan src, dst;

	order_squares(&src, choice, launch, BLOCK_SRC);
	order_squares(&dst, choice, launch, BLOCK_DST);
	double memory = kernel_memory_ns(far_bytes(&src) + far_bytes(&dst), 0);
	double work = total * (NS_PER_SQUARE + NS_PER_SQUARE_VECTOR * kernel->vector_items +
				      NS_PER_SQUARE_LOOP * plan->n_loops);
	double caches = n *
			(gathered_bytes(&src, CLOSE_IN_CACHE, KERNEL_SECTOR_BYTES) +
				gathered_bytes(&dst, CLOSE_IN_CACHE, KERNEL_SECTOR_BYTES)) /
			SQUARE_BYTES_PER_NS;

	caches += n * kernel->item_bytes * fmax(0, KERNEL_SECTOR_BYTES / piece_bytes - 1) /
		  TORN_SQUARE_BYTES_PER_NS;
	caches += total / WARP * kernel->vector_items *
		  (square_lines(kernel, lanes_a, lanes_b, choice->a.src_stride_bytes) +
			  square_lines(kernel, lanes_b, lanes_a, choice->b.dst_stride_bytes)) /
		  SQUARE_LINES_PER_NS;
	return kernel->latency + kernel_longest(memory, caches, work * kernel->cost / 1000);
}

double kernel_choice_cost(const struct kernel_choice *choice, const struct kernel_launch *launch,
	const struct copy_plan *plan)
{
	double share = choice->kernel->cost / 1000.0;

	switch (choice->kernel->shape) {
	case KERNEL_GATHER:
		return share * gather_cost(choice, launch, plan);
	case KERNEL_FLAT:
		return flat_cost(choice, launch, plan);
	case KERNEL_SQUARE:
		return square_cost(choice, launch, plan);
	case KERNEL_FILL:
		return share * fill_cost(choice, launch, plan);
	case KERNEL_ROWS:
	case KERNEL_REVERSE:
		return share * rows_cost(choice, launch, plan);
	case KERNEL_INTERLEAVE:
	case KERNEL_DEINTERLEAVE:
		return interleave_cost(choice, launch, plan);
	default:
		return 0;
	}
}
