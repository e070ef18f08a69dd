// SPDX-License-Identifier: MIT
/* Determines the kind of a loop nest, and the element size for an engine. */
#include "copy/plan.h"

#include <stdlib.h>

const char *copy_kind_name(enum copy_kind kind)
{
	static const char *const names[] = {
		[COPY_MEMCPY] = "memcpy",
		[COPY_FILL] = "fill",
		[COPY_ROWS] = "rows",
		[COPY_INTERLEAVE] = "interleave",
		[COPY_TRANSPOSE] = "transpose",
		[COPY_GATHER] = "gather",
	};

	return names[kind];
}

static int find_src_unit(const struct copy_plan *plan)
{
	int found = -1;

	for (int i = 0; i < plan->n_loops; i++)
		if (llabs(plan->loops[i].src_stride_bytes) == plan->item_bytes &&
			(found < 0 || plan->loops[i].n > plan->loops[found].n))
			found = i;
	return found;
}

static bool plan_kind_is_dense(const struct copy_plan *plan)
{
	const struct copy_loop *last = &plan->loops[plan->n_loops ? plan->n_loops - 1 : 0];

	return plan->n_loops == 0 || (last->src_stride_bytes == plan->item_bytes &&
					     last->dst_stride_bytes == plan->item_bytes);
}

static enum copy_kind plan_kind_of(const struct copy_plan *plan)
{
	if (plan_kind_is_dense(plan))
		return plan->n_loops > 1 || plan->swap_bytes ? COPY_ROWS : COPY_MEMCPY;
	if (plan->dst_unit < 0)
		return COPY_GATHER;
	if (plan->loops[plan->dst_unit].src_stride_bytes == 0)
		return COPY_FILL;
	if (plan->src_unit < 0 || plan->src_unit == plan->dst_unit)
		return COPY_GATHER;
	if (plan->loops[plan->dst_unit].n <= COPY_SHORT ||
		plan->loops[plan->src_unit].n <= COPY_SHORT)
		return COPY_INTERLEAVE;
	return COPY_TRANSPOSE;
}

void plan_name(struct copy_plan *plan)
{
	int last = plan->n_loops - 1;
	bool dst_is_unit = last >= 0 && plan->loops[last].dst_stride_bytes == plan->item_bytes;

	plan->dst_unit = dst_is_unit ? last : -1;
	plan->src_unit = find_src_unit(plan);
	plan->kind = plan_kind_of(plan);
	if (plan->kind == COPY_ROWS)
		plan->src_unit = last;
}

/* The number of contiguous bytes on both sides at each position of the other loops. */
static int64_t run_bytes(const struct copy_plan *plan)
{
	if (plan->n_loops && plan_kind_is_dense(plan))
		return plan->loops[plan->n_loops - 1].n * plan->item_bytes;
	return plan->item_bytes;
}

static void set_run(struct copy_plan *plan, int64_t run, int64_t item_bytes)
{
	if (run_bytes(plan) != plan->item_bytes)
		plan->n_loops--;
	plan->item_bytes = item_bytes;
	if (run != item_bytes)
		plan->loops[plan->n_loops++] =
			(struct copy_loop){ run / item_bytes, item_bytes, item_bytes };
}

/* Reversing each unit is the same as reading its bytes backwards, one by one. */
static void unswap(struct copy_plan *plan, int64_t run)
{
	int64_t unit = plan->swap_bytes;

	set_run(plan, run, unit);
	plan->src_offset_bytes += unit - 1;
	plan->loops[plan->n_loops++] = (struct copy_loop){ unit, -1, 1 };
	plan->item_bytes = 1;
	plan->swap_bytes = 0;
}

void plan_widen(struct copy_plan *plan, uint64_t src, uint64_t dst)
{
	int64_t run = run_bytes(plan);
	int n_outer = plan->n_loops - (run != plan->item_bytes);
	uint64_t bits = COPY_WIDEST_BYTES | (uint64_t)run | src | dst |
			(uint64_t)plan->src_offset_bytes | (uint64_t)plan->dst_offset_bytes;
	int64_t unit;

	if (plan->empty)
		return;
	for (int i = 0; i < n_outer; i++)
		bits |= (uint64_t)plan->loops[i].src_stride_bytes |
			(uint64_t)plan->loops[i].dst_stride_bytes;
	unit = (int64_t)(bits & -bits);
	if (plan->swap_bytes && unit % plan->swap_bytes)
		unswap(plan, run);
	else
		set_run(plan, run, unit);
	plan_name(plan);
}

void plan_absorb(struct copy_plan *plan, int64_t max_bytes)
{
	int64_t run = run_bytes(plan);

	if (plan->empty || run > max_bytes)
		return;
	set_run(plan, run, run);
	plan_name(plan);
}
