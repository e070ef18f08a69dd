// SPDX-License-Identifier: MIT
/* The smallest launch of each kernel, by which a runtime is tested before it copies. */
#include "copy/kernels/kernel_block.h"

#include <string.h>

static void arrange_smallest_block(struct kernel_launch *launch, const struct kernel *kernel,
	int64_t src_offset, int64_t dst_offset)
{
	struct copy_plan plan = { .item_bytes = kernel->item_bytes,
		.src_offset_bytes = src_offset,
		.dst_offset_bytes = dst_offset };
	const struct block_side item = {
		.cut = -1, .run_items = 1, .row_items = 1, .n_rows = 1, .lanes = 1
	};
	struct block block = {
		.sides = { item, item }, .between = -1, .pitch = kernel->vector_items, .n_blocks = 1
	};

	if (kernel->shape == KERNEL_TURN)
		block.sides[BLOCK_DST].lanes = 2; /* one is behind the run */
	(void)block_arrange(launch, &block, kernel, &plan, 1, KERNEL_FEW_ARGUMENTS);
}

static void arrange_smallest(struct kernel_launch *launch, const struct kernel *kernel,
	int64_t src_offset, int64_t dst_offset)
{
	*launch = (struct kernel_launch){
		.kernel = kernel, .n_groups = 1, .n_arguments = KERNEL_N_ARGUMENTS
	};
	for (int i = ARG_A; i < ARG_TOTAL; i += 3)
		kernel_set_loop(&launch->arguments[i],
			&(struct copy_loop){ 1, kernel->item_bytes, kernel->item_bytes });
	if (kernel->shape == KERNEL_ROWS || kernel->shape == KERNEL_FILL)
		launch->arguments[ARG_A] = kernel_count(kernel->item_bytes);
	launch->arguments[ARG_SRC_OFFSET] = src_offset;
	launch->arguments[ARG_DST_OFFSET] = dst_offset;
	launch->arguments[ARG_TOTAL] = 1;
	launch->arguments[ARG_T0] = kernel_count(1);
	launch->arguments[ARG_SRC_END] = kernel->item_bytes;
}

/* The first row of a square, whose items are the first of each vector of the source. */
static void arrange_smallest_square(struct kernel_launch *launch, const struct kernel *kernel,
	int64_t src_offset, int64_t dst_offset)
{
	int64_t vector_bytes = (int64_t)kernel->vector_items * kernel->item_bytes;

	arrange_smallest(launch, kernel, src_offset, dst_offset);
	kernel_set_loop(&launch->arguments[ARG_A],
		&(struct copy_loop){ 1, vector_bytes, kernel->item_bytes });
	launch->arguments[ARG_T1] = 1;
	launch->arguments[ARG_FLAGS] =
		KERNEL_FLAG_SRC_VECTORS | KERNEL_FLAG_DST_VECTORS | INT64_C(1) << 32;
	launch->arguments[ARG_SRC_END] = kernel->vector_items * vector_bytes;
}

size_t kernel_trial(struct kernel_launch *launch, void *expected, const struct kernel *kernel,
	const void *src, int64_t src_offset, int64_t dst_offset)
{
	size_t item_bytes = (size_t)kernel->item_bytes, n_items = 1, stride_bytes = item_bytes;

	if (kernel_has_blocks(kernel)) {
		arrange_smallest_block(launch, kernel, src_offset, dst_offset);
	} else if (kernel->shape == KERNEL_SQUARE) {
		arrange_smallest_square(launch, kernel, src_offset, dst_offset);
		n_items = (size_t)kernel->vector_items;
		stride_bytes = n_items * item_bytes;
	} else {
		arrange_smallest(launch, kernel, src_offset, dst_offset);
		if (kernel->shape == KERNEL_INTERLEAVE || kernel->shape == KERNEL_DEINTERLEAVE)
			n_items = (size_t)kernel->n; /* one of each plane */
	}
	for (size_t i = 0; i < n_items; i++)
		memcpy((char *)expected + i * item_bytes,
			(const char *)src + src_offset + i * stride_bytes, item_bytes);
	return n_items * item_bytes;
}
