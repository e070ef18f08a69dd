// SPDX-License-Identifier: MIT
/*
 * What copies cost: the terms that all kernels share, and the kernels that do not copy in blocks
 * (those that do: kernel_block.c). Fitted to the times of random layouts, of the transpositions of
 * TTC and of the copy table of docs/performance.md on an H100.
 */
#include "copy/kernels/kernel_parts.h"

#include <math.h>
#include <stdlib.h>

enum {
	BLOCK_BYTES = 16, /* that a work-item of a ROWS copies at once */
	MAX_VECTOR_ITEMS = 4,
	WARP = 32,
	/* Items after which the same sector is read without cost for a warp, for the first-level
	   caches, or for memory. */
	CLOSE_IN_WARP = 16,
	CLOSE_IN_CACHE = 512,
	CLOSE_IN_MEMORY = 1 << 15,
	LINE_BYTES = 128,
	LONG_ROW_BYTES = 256,
};

static const double MEMORY_BYTES_PER_NS = 4349, CACHED_GAIN = 0.834, CACHED_BYTES = 40e6,
		    SECOND_LEVEL_BYTES_PER_NS = 3401, FIRST_LEVEL_BYTES_PER_NS = 7387,
		    NS_PER_ROW_BLOCK = 0.00673, NS_PER_ROW_LOOP = 0.00054,
		    NS_PER_LONE_ITEM = 0.00194, LONE_ROW_BYTES = 64, TORN_ROW_BYTES = 156,
		    NS_PER_GATHER_LOOP = 0.00087, MISALIGNED_LINE = 1.13,
		    NS_PER_END_OF_LINE = 0.045, NS_PER_GATHERED_LOAD = 0.00034,
		    NS_PER_GATHERED_STORE = 0.00008, WHOLE_LINES = 0.5;
static const double ns_per_gathered_vector[MAX_VECTOR_ITEMS + 1] = { 0, 0.00354, 0.00343, 0,
	0.00309 };

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

/* The bytes that are read for an item if sectors stay close for that many items: loops around the
 * innermost may read from the same ones. */
static double gathered_bytes(const struct copy_plan *plan, double n_close)
{
	double bytes = KERNEL_SECTOR_BYTES, n = 1;

	for (int i = plan->n_loops - 1; i >= 0 && n <= n_close; i--) {
		const struct copy_loop *loop = &plan->loops[i];
		double step = (double)llabs(loop->src_stride_bytes);

		if (step > 0 && step < bytes)
			bytes = step;
		n *= (double)loop->n;
	}
	return bytes > (double)plan->item_bytes ? bytes : (double)plan->item_bytes;
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
	double memory =
		kernel_memory_ns(n * (gathered_bytes(plan, CLOSE_IN_MEMORY) + item_bytes), 0);
	double caches =
		n * (gathered_bytes(plan, CLOSE_IN_CACHE) + item_bytes) / SECOND_LEVEL_BYTES_PER_NS;
	bool is_along = choice->a.n >= (int64_t)WARP * kernel->vector_items;
	double apart =
		flags & KERNEL_FLAG_SRC_VECTORS || !is_along
			? 0
			: fmin(KERNEL_SECTOR_BYTES, (double)(kernel->vector_items *
							     llabs(choice->a.src_stride_bytes)));
	double warp = n * (fmax(apart, gathered_bytes(plan, CLOSE_IN_WARP)) + item_bytes) /
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
	       kernel_longest(kernel_memory_ns(copy_bytes, copy_bytes * TORN_ROW_BYTES / row_bytes),
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

	if (!(flags & KERNEL_FLAG_DST_VECTORS))
		work *= MISALIGNED_LINE;
	if (!(flags & KERNEL_FLAG_SRC_VECTORS) || !(flags & KERNEL_FLAG_DST_VECTORS))
		work += n_parts * kernel->n * NS_PER_END_OF_LINE;
	return kernel->latency +
	       kernel_longest(kernel_memory_ns(kernel_copy_bytes(plan), 0), work, 0);
}

double kernel_choice_cost(const struct kernel_choice *choice, const struct kernel_launch *launch,
	const struct copy_plan *plan)
{
	double share = choice->kernel->cost / 1000.0;

	switch (choice->kernel->shape) {
	case KERNEL_GATHER:
		return share * gather_cost(choice, launch, plan);
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
