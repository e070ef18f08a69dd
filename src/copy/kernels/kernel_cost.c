// SPDX-License-Identifier: MIT
/*
 * What the kernels cost that do not copy in blocks. Fitted to the times of 225 random layouts and
 * of interleaves with short planes on an H100.
 */
#include "copy/kernels/kernel_parts.h"

#include <stdlib.h>

enum {
	LONG_ROW_BYTES = 176, /* shorter rows may be faster in blocks or gathered */
	BLOCK_BYTES = 16,     /* that a work-item of a ROWS copies at once */
	/* Items after which the same sector is read without cost for the caches, or for memory. */
	CLOSE_IN_WARP = 16,
	CLOSE_IN_CACHES = 1 << 15,
};

static const double SHORT_ROWS = 1.15, GATHERED = 1.3, CACHE_BYTES_PER_NS = 7000,
		    NS_PER_ROW_BLOCK = 0.01, NS_PER_ROW_ITEM = 0.0031, NS_PER_GATHERED_PACK = 0.003,
		    NS_PER_GATHER_LOOP = 0.0009, NS_PER_LONE_STORE = 0.005;

static double count_planned(const struct copy_plan *plan)
{
	double n = 1;

	for (int i = 0; i < plan->n_loops; i++)
		n *= (double)plan->loops[i].n;
	return n;
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

static double gather_cost(const struct kernel_choice *choice, const struct copy_plan *plan)
{
	const struct kernel *kernel = choice->kernel;
	double n = count_planned(plan), item_bytes = (double)plan->item_bytes;
	double memory = n * (gathered_bytes(plan, CLOSE_IN_CACHES) + item_bytes) /
			KERNEL_BYTES_PER_NS * GATHERED;
	double caches = n * (gathered_bytes(plan, CLOSE_IN_WARP) + item_bytes) / CACHE_BYTES_PER_NS;
	double packs =
		n / (double)choice->a.n * (double)ceil_divide(choice->a.n, kernel->vector_items);
	double each = (kernel->vector_items > 1 ? NS_PER_GATHERED_PACK : 0) +
		      NS_PER_GATHER_LOOP * plan->n_loops;

	return kernel_power(memory) + kernel_power(caches) + kernel_power(packs * each);
}

static double rows_cost(const struct kernel_choice *choice, const struct copy_plan *plan)
{
	double n = count_planned(plan), item_bytes = (double)plan->item_bytes;
	int64_t row_bytes = choice->a.n * choice->a.dst_stride_bytes;
	double blocks = n / (double)choice->a.n * (double)ceil_divide(row_bytes, BLOCK_BYTES);

	if (row_bytes >= LONG_ROW_BYTES)
		return 0;
	if (choice->kernel->item_bytes == BLOCK_BYTES)
		blocks = 0;
	return kernel_power(n * 2 * item_bytes / KERNEL_BYTES_PER_NS * SHORT_ROWS) +
	       kernel_power(
		       blocks * (NS_PER_ROW_BLOCK + NS_PER_ROW_ITEM * BLOCK_BYTES / item_bytes));
}

static double interleave_cost(const struct kernel_choice *choice,
	const struct kernel_launch *launch, const struct copy_plan *plan)
{
	double n = count_planned(plan);
	double lone = launch->arguments[ARG_FLAGS] & KERNEL_FLAG_DST_VECTORS ? 0 : n;

	return kernel_power(n * 2 * (double)plan->item_bytes / KERNEL_BYTES_PER_NS) +
	       kernel_power(launch->n_groups * (choice->kernel->cost / 1000.0) +
			    lone * NS_PER_LONE_STORE);
}

double kernel_choice_cost(const struct kernel_choice *choice, const struct kernel_launch *launch,
	const struct copy_plan *plan)
{
	switch (choice->kernel->shape) {
	case KERNEL_GATHER:
		return gather_cost(choice, plan);
	case KERNEL_ROWS:
		return rows_cost(choice, plan);
	case KERNEL_INTERLEAVE:
	case KERNEL_DEINTERLEAVE:
		return interleave_cost(choice, launch, plan);
	default:
		return 0;
	}
}
