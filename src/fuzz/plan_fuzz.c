// SPDX-License-Identifier: MIT
/* Any two layouts for the planner: what it takes must stay within the extents that the layouts
 * have, made, widened and absorbed alike. Built by clang -fsanitize=fuzzer,address,undefined with
 * the files of base and model and src/copy/plan*.c. */
#include "copy/plan.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_DIMS = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes);

struct input {
	const uint8_t *bytes;
	size_t n_bytes;
};

/* Mostly small numbers; every fourth is any. */
static int64_t take_input(struct input *input)
{
	size_t n = input->n_bytes && input->bytes[0] % 4 == 3 ? 9 : 2;
	int64_t number = 0;

	if (input->n_bytes < n)
		return 0;
	memcpy(&number, input->bytes + 1, n - 1);
	input->bytes += n;
	input->n_bytes -= n;
	return n == 2 ? (int8_t)number : number;
}

static void span(uint64_t *low, uint64_t *high, int64_t n, int64_t stride_bytes)
{
	uint64_t step = (uint64_t)(n - 1) * (uint64_t)stride_bytes;

	*(stride_bytes < 0 ? low : high) += step;
}

/* The first and last byte that a plan reaches on one side, from element 0,0,... on. */
static void reach_of_plan(const struct copy_plan *plan, bool is_src, uint64_t *low, uint64_t *high)
{
	*low = (uint64_t)(is_src ? plan->src_offset_bytes : plan->dst_offset_bytes);
	*high = *low + (uint64_t)plan->item_bytes;
	for (int i = 0; i < plan->n_loops; i++)
		span(low, high, plan->loops[i].n,
			is_src ? plan->loops[i].src_stride_bytes : plan->loops[i].dst_stride_bytes);
}

static void reach_of_array(const struct array *array, uint64_t *low, uint64_t *high)
{
	*low = 0;
	*high = (uint64_t)dtype_itemsize(&array->dtype);
	for (int i = 0; i < array->n_dims; i++)
		span(low, high, array->shape[i], array->stride_bytes[i]);
}

static void check_plan(
	const struct copy_plan *plan, const struct array *from, const struct array *to)
{
	uint64_t low, high, plan_low, plan_high, n_bytes = (uint64_t)plan->item_bytes, wanted;

	if (plan->empty)
		return;
	for (int side = 0; side < 2; side++) {
		reach_of_plan(plan, side == 0, &plan_low, &plan_high);
		reach_of_array(side == 0 ? from : to, &low, &high);
		if (plan_low != low || plan_high != high)
			abort();
	}
	wanted = (uint64_t)dtype_itemsize(&from->dtype);
	for (int i = 0; i < from->n_dims; i++)
		wanted *= (uint64_t)from->shape[i];
	for (int i = 0; i < plan->n_loops; i++)
		n_bytes *= (uint64_t)plan->loops[i].n;
	if (n_bytes != wanted)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
	struct input input = { bytes, n_bytes };
	struct array from = { .dtype = { .kind = DTYPE_VOID, .lanes = 1 } }, to, kept;
	struct copy_plan plan, other;
	uint64_t src, dst;
	struct err err;

	from.dtype.kind = take_input(&input) & 1 ? DTYPE_VOID : DTYPE_COMPLEX;
	from.dtype.bits = 8 * (take_input(&input) & 63);
	from.n_dims = (int)(take_input(&input) & (MAX_DIMS - 1)) + 1;
	for (int i = 0; i < from.n_dims; i++)
		from.shape[i] = take_input(&input) & INT64_MAX;
	to = from;
	to.dtype.foreign_order = take_input(&input) & 1;
	for (int i = 0; i < from.n_dims; i++) {
		from.stride_bytes[i] = take_input(&input);
		to.stride_bytes[i] = take_input(&input);
	}
	kept = from;
	(void)array_overlap(&from);
	plan_keep_order(&kept, &from);
	src = (uint64_t)take_input(&input);
	dst = (uint64_t)take_input(&input);
	if (plan_make(&plan, &from, &to, &err))
		return 0;
	check_plan(&plan, &from, &to);
	other = plan;
	plan_widen(&other, src, dst);
	check_plan(&other, &from, &to);
	plan_absorb(&plan, take_input(&input));
	check_plan(&plan, &from, &to);
	return 0;
}
