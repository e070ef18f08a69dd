// SPDX-License-Identifier: MIT
/*
 * Internals shared by kernels.c (launches), kernel_choose.c (selection) and kernel_arrange.c
 * (arguments).
 */
#ifndef COPY_KERNELS_KERNEL_PARTS_H
#define COPY_KERNELS_KERNEL_PARTS_H

#include "copy/kernels/kernels.h"

enum { KERNEL_N_REST = 8, KERNEL_MAX_LOOPS = ARRAY_MAX_DIMS + 2, KERNEL_SECTOR_BYTES = 32 };

/* Between the rates of an H100 (2,750) and an H200 (3,800): a plan does not depend on the device.
 */
#define KERNEL_BYTES_PER_NS 3300.0

/* As in strided_copy.cl. */
enum { KERNEL_FLAG_SRC_VECTORS = 1, KERNEL_FLAG_DST_VECTORS = 2 };

/* The number of parts of `by` items that cover n items. */
static inline int64_t ceil_divide(int64_t n, int64_t by)
{
	return (n + by - 1) / by;
}

/* A widened plan, divided into the loops that a kernel has arguments for. */
struct kernel_choice {
	const struct kernel *kernel;
	struct copy_loop a, b, rest[KERNEL_MAX_LOOPS]; /* a and b may have a count of 1 */
	int n_rest;
	int64_t swap_bytes;
	uint64_t src_bits, dst_bits; /* low bits of the addresses of the first element */
};

/*
 * Selects the first kernel of the list that fits, except those that copy in blocks; a and b are
 * taken from the plan, the other loops are in rest. All strides fit in 32 bits
 * and no loop is longer than KERNEL_MAX_COUNT. gathers: only those of shape GATHER, which fit any
 * plan. NULL kernel: none fits, because the list is empty.
 */
void kernel_choose(struct kernel_choice *choice, const struct copy_plan *plan, bool gathers);

/*
 * What a launch of a choice takes, comparable to other costs of the same plan (see kernel_power());
 * 0 if nothing can be faster. The launch is arranged.
 */
double kernel_choice_cost(const struct kernel_choice *choice, const struct kernel_launch *launch,
	const struct copy_plan *plan);

/*
 * Costs are sums of such powers of times in ns: what memory takes and what the processors take
 * overlap, so that the fourth root of the sum is little more than the longer one.
 */
static inline double kernel_power(double ns)
{
	return ns * ns * ns * ns;
}

enum { KERNEL_MAX_COUNT = 1 << 26 };

/*
 * Fills a launch that copies the whole plan in blocks, with a TRANSPOSE or a BLOCK; src and dst
 * are the addresses of element 0,0,..., or their low bits. False if no kernel fits, the
 * plan needs more than max_arguments, or none costs less than limit.
 */
bool kernel_blocks(struct kernel_launch *launch, const struct copy_plan *plan, uint64_t src,
	uint64_t dst, int max_arguments, double limit);

/*
 * Fills launch except for the offsets. False if rest has more loops than there are arguments, or
 * the launch has more work than 32 bits can count.
 */
bool kernel_arrange(struct kernel_launch *launch, const struct kernel_choice *choice);

#endif
