// SPDX-License-Identifier: MIT
/* Plain loops: memcpy for rows that are dense on both sides, typed moves for strided ones. */
#include "copy/host_copy.h"

#include <string.h>

/* Copies one innermost loop. */
typedef void row_function(
	const struct copy_plan *plan, const struct copy_loop *row, const char *src, char *dst);

static void row_dense(
	const struct copy_plan *plan, const struct copy_loop *row, const char *src, char *dst)
{
	memcpy(dst, src, (size_t)(row->n * plan->item_bytes));
}

static void row_any(
	const struct copy_plan *plan, const struct copy_loop *row, const char *src, char *dst)
{
	for (int64_t i = 0; i < row->n; i++)
		memcpy(dst + i * row->dst_stride_bytes, src + i * row->src_stride_bytes,
			(size_t)plan->item_bytes);
}

/* A fixed size lets the compiler turn memcpy into one load and one store of unaligned data. */
#define DEFINE_ROW(SIZE)                                                                  \
	static void row_##SIZE(const struct copy_plan *plan, const struct copy_loop *row, \
		const char *src, char *dst)                                               \
	{                                                                                 \
		const int64_t src_step = row->src_stride_bytes;                           \
		const int64_t dst_step = row->dst_stride_bytes;                           \
                                                                                          \
		(void)plan;                                                               \
		for (int64_t i = 0; i < row->n; i++)                                      \
			memcpy(dst + i * dst_step, src + i * src_step, SIZE);             \
	}

DEFINE_ROW(1)
DEFINE_ROW(2)
DEFINE_ROW(4)
DEFINE_ROW(8)
DEFINE_ROW(16)

static void row_swapped(
	const struct copy_plan *plan, const struct copy_loop *row, const char *src, char *dst)
{
	const int64_t unit = plan->swap_bytes;

	for (int64_t i = 0; i < row->n; i++) {
		for (int64_t first = 0; first + unit <= plan->item_bytes; first += unit)
			for (int64_t byte = 0; byte < unit; byte++)
				dst[first + byte] = src[first + unit - 1 - byte];
		src += row->src_stride_bytes;
		dst += row->dst_stride_bytes;
	}
}

static row_function *choose_row(const struct copy_plan *plan, const struct copy_loop *row)
{
	if (plan->swap_bytes)
		return row_swapped;
	if (row->src_stride_bytes == plan->item_bytes && row->dst_stride_bytes == plan->item_bytes)
		return row_dense;
	switch (plan->item_bytes) {
	case 1:
		return row_1;
	case 2:
		return row_2;
	case 4:
		return row_4;
	case 8:
		return row_8;
	case 16:
		return row_16;
	default:
		return row_any;
	}
}

void host_copy(const struct copy_plan *plan, const void *src_first, void *dst_first)
{
	const char *src = (const char *)src_first + plan->src_offset_bytes;
	char *dst = (char *)dst_first + plan->dst_offset_bytes;
	const struct copy_loop one = { 1, plan->item_bytes, plan->item_bytes };
	const struct copy_loop *row = plan->n_loops ? &plan->loops[plan->n_loops - 1] : &one;
	row_function *copy_row = choose_row(plan, row);
	int64_t index[ARRAY_MAX_DIMS] = { 0 };
	int depth;

	if (plan->empty)
		return;
	do {
		copy_row(plan, row, src, dst);
		for (depth = plan->n_loops - 2; depth >= 0; depth--) {
			const struct copy_loop *loop = &plan->loops[depth];

			src += loop->src_stride_bytes;
			dst += loop->dst_stride_bytes;
			if (++index[depth] < loop->n)
				break;
			index[depth] = 0;
			src -= loop->n * loop->src_stride_bytes;
			dst -= loop->n * loop->dst_stride_bytes;
		}
	} while (depth >= 0);
}
