// SPDX-License-Identifier: MIT
/* Whether a kernel fits a plan, and the loops that become its A and B. */
#include "copy/kernels/kernel_parts.h"

enum {
	MIN_ROW_BYTES = 64,   /* shorter rows are gathered */
	MIN_ROW_VECTORS = 2,  /* with fewer, too many lack items */
	MIN_PLANE_ITEMS = 64, /* along a plane of an interleave */
};

struct roles {
	int a, b; /* loops of the plan; -1: none */
};

static const struct copy_loop *last_loop(const struct copy_plan *plan)
{
	return plan->n_loops ? &plan->loops[plan->n_loops - 1] : NULL;
}

static bool fits_rows(
	const struct kernel *kernel, const struct copy_plan *plan, struct roles *roles)
{
	const struct copy_loop *row = last_loop(plan);

	(void)roles;
	if (!row || row->dst_stride_bytes != plan->item_bytes ||
		row->n * plan->item_bytes < MIN_ROW_BYTES)
		return false;
	return row->src_stride_bytes == (kernel->shape == KERNEL_FILL ? 0
						: kernel->shape == KERNEL_REVERSE
							? -plan->item_bytes
							: plan->item_bytes);
}

static bool fits_all(const struct kernel *kernel, const struct copy_plan *plan, struct roles *roles)
{
	const struct copy_loop *row = last_loop(plan);

	if (roles->a > 0)
		roles->b = roles->a - 1;
	return kernel->vector_items == 1 ||
	       (row && row->dst_stride_bytes == plan->item_bytes &&
		       (row->n % kernel->vector_items == 0 ||
			       row->n >= (int64_t)MIN_ROW_VECTORS * kernel->vector_items));
}

/* Whether the loops write one item behind the other, without gaps. */
static bool is_dense_in_destination(const struct copy_plan *plan)
{
	int64_t bytes = plan->item_bytes;

	for (int i = plan->n_loops - 1; i >= 0; i--) {
		if (plan->loops[i].dst_stride_bytes != bytes ||
			__builtin_mul_overflow(bytes, plan->loops[i].n, &bytes))
			return false;
	}
	return true;
}

static bool fits_flat(
	const struct kernel *kernel, const struct copy_plan *plan, struct roles *roles)
{
	int last = plan->n_loops - 1;

	if (last > 0)
		roles->b = last - 1;
	/* A vector has items of at most two positions of the outer loops. */
	return last >= 0 && is_dense_in_destination(plan) &&
	       (last < 2 || plan->loops[last].n * plan->loops[last - 1].n >= kernel->vector_items);
}

/* B runs along the source. */
static bool fits_square(
	const struct kernel *kernel, const struct copy_plan *plan, struct roles *roles)
{
	const struct copy_loop *a = last_loop(plan);

	if (!a || a->dst_stride_bytes != plan->item_bytes || a->n % kernel->vector_items)
		return false;
	for (int i = 0; i < plan->n_loops - 1; i++) {
		roles->b = i;
		if (plan->loops[i].src_stride_bytes == plan->item_bytes)
			return true;
	}
	return false;
}

/* Planes to neighbours: A is the short dimension, B iterates over positions. */
static bool fits_interleave(
	const struct kernel *kernel, const struct copy_plan *plan, struct roles *roles)
{
	const struct copy_loop *a = last_loop(plan), *b;

	if (!a || a->n != kernel->n || a->dst_stride_bytes != plan->item_bytes)
		return false;
	for (int i = 0; i < plan->n_loops - 1; i++) {
		b = &plan->loops[i];
		roles->b = i;
		if (b->n >= MIN_PLANE_ITEMS && b->src_stride_bytes == plan->item_bytes &&
			b->dst_stride_bytes == kernel->n * plan->item_bytes)
			return true;
	}
	return false;
}

static bool fits_deinterleave(
	const struct kernel *kernel, const struct copy_plan *plan, struct roles *roles)
{
	const struct copy_loop *a = last_loop(plan);

	if (!a || a->n < MIN_PLANE_ITEMS || a->dst_stride_bytes != plan->item_bytes ||
		a->src_stride_bytes != kernel->n * plan->item_bytes)
		return false;
	for (int i = 0; i < plan->n_loops - 1; i++) {
		roles->b = i;
		if (plan->loops[i].n == kernel->n &&
			plan->loops[i].src_stride_bytes == plan->item_bytes)
			return true;
	}
	return false;
}

typedef bool fits_function(
	const struct kernel *kernel, const struct copy_plan *plan, struct roles *roles);

static fits_function *const fits[] = {
	[KERNEL_ROWS] = fits_rows,
	[KERNEL_FILL] = fits_rows,
	[KERNEL_REVERSE] = fits_rows,
	[KERNEL_GATHER] = fits_all,
	[KERNEL_FLAT] = fits_flat,
	[KERNEL_SQUARE] = fits_square,
	[KERNEL_INTERLEAVE] = fits_interleave,
	[KERNEL_DEINTERLEAVE] = fits_deinterleave,
	[KERNEL_TRANSPOSE] = NULL, /* kernel_blocks() */
	[KERNEL_BLOCK] = NULL,
	[KERNEL_TURN] = NULL,
};

bool kernel_choose(
	struct kernel_choice *choice, const struct copy_plan *plan, const struct kernel *kernel)
{
	struct roles roles = { plan->n_loops - 1, -1 };

	*choice = (struct kernel_choice){
		.kernel = kernel, .a = { 1, 0, 0 }, .b = { 1, 0, 0 }, .swap_bytes = plan->swap_bytes
	};
	if (kernel->item_bytes != plan->item_bytes || !fits[kernel->shape] ||
		!fits[kernel->shape](kernel, plan, &roles))
		return false;
	if (roles.a >= 0)
		choice->a = plan->loops[roles.a];
	if (roles.b >= 0)
		choice->b = plan->loops[roles.b];
	for (int i = plan->n_loops - 1; i >= 0; i--)
		if (i != roles.a && i != roles.b)
			choice->rest[choice->n_rest++] = plan->loops[i];
	return true;
}
