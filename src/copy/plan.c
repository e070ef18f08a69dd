// SPDX-License-Identifier: MIT
/*
 * Converts two layouts to loops: dimensions of one are dropped, negative strides flipped, and
 * loops sorted and merged by the destination.
 */
#include "copy/plan.h"

int64_t plan_swap_unit(const struct dtype *dtype)
{
	if (dtype->bits % (dtype->kind == DTYPE_COMPLEX ? 16 : 8))
		return 0;
	switch (dtype->kind) {
	case DTYPE_BOOL:
	case DTYPE_BYTES:
	case DTYPE_VOID:
	case DTYPE_OBJECT:
	case DTYPE_OPAQUE:
		return 0;
	case DTYPE_UNICODE:
		return dtype->bits % 32 ? 0 : 4;
	case DTYPE_COMPLEX:
		return dtype->bits / 16;
	default:
		return dtype->bits / 8;
	}
}

static int check_same_shape(const struct array *from, const struct array *to, struct err *err)
{
	bool same = from->n_dims == to->n_dims &&
		    dtype_itemsize(&from->dtype) == dtype_itemsize(&to->dtype);

	for (int i = 0; same && i < from->n_dims; i++)
		same = from->shape[i] == to->shape[i];
	return same ? 0
		    : err_set(err, EXIT_BUG,
			      "source and destination have different shapes or item sizes");
}

/* Makes the destination's stride positive by starting the dimension from its other end. */
static int flip(struct copy_plan *plan, struct copy_loop *loop, struct err *err)
{
	int64_t src_end, dst_end;

	if (__builtin_mul_overflow(loop->n - 1, loop->src_stride_bytes, &src_end) ||
		__builtin_mul_overflow(loop->n - 1, loop->dst_stride_bytes, &dst_end) ||
		__builtin_add_overflow(plan->src_offset_bytes, src_end, &plan->src_offset_bytes) ||
		__builtin_add_overflow(plan->dst_offset_bytes, dst_end, &plan->dst_offset_bytes))
		return err_set(err, EXIT_TARGET, "some elements are outside the address space");
	loop->src_stride_bytes = -loop->src_stride_bytes;
	loop->dst_stride_bytes = -loop->dst_stride_bytes;
	return 0;
}

static int plan_add_loop(struct copy_plan *plan, struct copy_loop loop, struct err *err)
{
	int at = plan->n_loops;

	if (loop.dst_stride_bytes == 0)
		return err_set(err, EXIT_BUG, "the elements of the destination overlap");
	if (loop.dst_stride_bytes == INT64_MIN || loop.src_stride_bytes == INT64_MIN)
		return err_set(err, EXIT_TARGET, "some elements are outside the address space");
	if (loop.dst_stride_bytes < 0 && flip(plan, &loop, err))
		return -1;
	for (; at > 0 && plan->loops[at - 1].dst_stride_bytes < loop.dst_stride_bytes; at--)
		plan->loops[at] = plan->loops[at - 1];
	plan->loops[at] = loop;
	plan->n_loops++;
	return 0;
}

static bool chains(int64_t outer_stride, int64_t inner_n, int64_t inner_stride)
{
	int64_t span;

	return !__builtin_mul_overflow(inner_n, inner_stride, &span) && span == outer_stride;
}

/* Joins neighbouring loops that both sides can iterate as one. */
static void plan_merge(struct copy_plan *plan)
{
	int last = 0;
	int64_t n;

	for (int i = 1; i < plan->n_loops; i++) {
		struct copy_loop *outer = &plan->loops[last];
		const struct copy_loop *inner = &plan->loops[i];

		if (chains(outer->src_stride_bytes, inner->n, inner->src_stride_bytes) &&
			chains(outer->dst_stride_bytes, inner->n, inner->dst_stride_bytes) &&
			!__builtin_mul_overflow(outer->n, inner->n, &n)) {
			outer->n = n;
			outer->src_stride_bytes = inner->src_stride_bytes;
			outer->dst_stride_bytes = inner->dst_stride_bytes;
		} else {
			plan->loops[++last] = *inner;
		}
	}
	if (plan->n_loops)
		plan->n_loops = last + 1;
}

static bool stretch(int64_t *low, int64_t *high, int64_t n, int64_t stride)
{
	int64_t step;

	return !__builtin_mul_overflow(n - 1, stride, &step) &&
	       !__builtin_add_overflow(stride < 0 ? *low : *high, step, stride < 0 ? low : high);
}

/* Checks that every byte of the loops, relative to element 0,0,..., fits in the address space. */
static int plan_check_reach(const struct copy_plan *plan, struct err *err)
{
	int64_t src_low = plan->src_offset_bytes, dst_low = plan->dst_offset_bytes;
	int64_t src_high, dst_high;
	bool fits = !__builtin_add_overflow(src_low, plan->item_bytes, &src_high) &&
		    !__builtin_add_overflow(dst_low, plan->item_bytes, &dst_high);

	for (int i = 0; fits && i < plan->n_loops; i++) {
		const struct copy_loop *loop = &plan->loops[i];

		fits = stretch(&src_low, &src_high, loop->n, loop->src_stride_bytes) &&
		       stretch(&dst_low, &dst_high, loop->n, loop->dst_stride_bytes);
	}
	return fits ? 0 : err_set(err, EXIT_TARGET, "some elements are outside the address space");
}

int plan_make(
	struct copy_plan *plan, const struct array *from, const struct array *to, struct err *err)
{
	*plan = (struct copy_plan){ .item_bytes = dtype_itemsize(&from->dtype) };
	if (check_same_shape(from, to, err))
		return -1;
	if (from->dtype.foreign_order != to->dtype.foreign_order)
		plan->swap_bytes = plan_swap_unit(&from->dtype);
	if (plan->swap_bytes == 1)
		plan->swap_bytes = 0;
	plan->empty = plan->item_bytes == 0;
	for (int i = 0; i < from->n_dims; i++)
		plan->empty = plan->empty || from->shape[i] == 0;
	for (int i = 0; !plan->empty && i < from->n_dims; i++) {
		struct copy_loop loop = { from->shape[i], from->stride_bytes[i],
			to->stride_bytes[i] };

		if (loop.n != 1 && plan_add_loop(plan, loop, err))
			return -1;
	}
	if (plan_check_reach(plan, err))
		return -1;
	plan_merge(plan);
	plan_name(plan);
	return 0;
}

int64_t plan_divisor(int64_t n, int64_t most)
{
	int64_t divisor = n < most ? n : most;

	while (n % divisor)
		divisor--;
	return divisor;
}

void plan_keep_order(struct array *to, const struct array *from)
{
	uint64_t size[ARRAY_MAX_DIMS];
	int order[ARRAY_MAX_DIMS] = { 0 };
	int64_t stride = dtype_itemsize(&to->dtype);

	for (int i = 0; i < from->n_dims; i++) {
		int64_t step = from->stride_bytes[i];
		int at = i;

		size[i] = step < 0 ? -(uint64_t)step : (uint64_t)step;
		for (; at > 0 && size[order[at - 1]] < size[i]; at--)
			order[at] = order[at - 1];
		order[at] = i;
	}
	for (int i = from->n_dims - 1; i >= 0; i--) {
		to->stride_bytes[order[i]] = stride;
		/* If an extent is 0 the others, and the strides, may have any value. */
		if (to->shape[order[i]] > 0 &&
			__builtin_mul_overflow(stride, to->shape[order[i]], &stride))
			stride = INT64_MAX;
	}
	to->strides_given = true;
}
