// SPDX-License-Identifier: MIT
/*
 * Internals shared by kernels.c (launches), kernel_choose.c (selection) and kernel_arrange.c
 * (arguments).
 */
#ifndef COPY_KERNELS_KERNEL_PARTS_H
#define COPY_KERNELS_KERNEL_PARTS_H

#include "copy/kernels/kernels.h"

enum { KERNEL_N_REST = 8, KERNEL_MAX_LOOPS = ARRAY_MAX_DIMS + 2 };

/* The number of parts of `by` items that cover n items. */
static inline int64_t ceil_divide(int64_t n, int64_t by)
{
	return (n + by - 1) / by;
}

/* Sets the three arguments of a loop, whose strides fit in 32 bits; see enum kernel_argument. */
void kernel_set_loop(int64_t *arguments, const struct copy_loop *loop);

/* A widened plan, divided into the loops that a kernel has arguments for. */
struct kernel_choice {
	const struct kernel *kernel;
	struct copy_loop a, b, rest[KERNEL_MAX_LOOPS]; /* a and b may have a count of 1 */
	int n_rest;
	int64_t swap_bytes;
	uint64_t src_bits, dst_bits; /* low bits of the addresses of the first element */
};

/*
 * Whether a kernel, other than those that copy in blocks, fits a plan; if so, a and b are taken
 * from the plan, and the other loops are in rest. All strides fit in 32 bits and no loop is longer
 * than KERNEL_MAX_COUNT. Kernels of shape GATHER and of one item fit any plan of their item.
 */
bool kernel_choose(
	struct kernel_choice *choice, const struct copy_plan *plan, const struct kernel *kernel);

/* The time of a choice's launch, which is arranged, in ns. */
double kernel_choice_cost(const struct kernel_choice *choice, const struct kernel_launch *launch,
	const struct copy_plan *plan);

/* Bytes that a plan reads and writes. */
double kernel_copy_bytes(const struct copy_plan *plan);

/* Bytes that memory moves at least: more if the source has gaps, fewer if items are read again. */
double kernel_memory_bytes(const struct copy_plan *plan);

/*
 * The time that memory takes for the bytes of a copy, less if they stay in the caches, and for
 * bytes that it moves in addition, in ns.
 */
double kernel_memory_ns(double copy_bytes, double more_bytes);

/*
 * The time of a copy whose parts take these times: memory, caches and processors overlap, so that
 * together they take little more than the longest.
 */
double kernel_longest(double memory, double caches, double work);

enum { KERNEL_MAX_COUNT = 1 << 26 };

/*
 * Fills a launch that copies the whole plan in blocks, with a kernel that has blocks; src and
 * dst are the addresses of element 0,0,..., or their low bits. only: this kernel, NULL: any. False
 * if no kernel fits, the plan needs more than max_arguments, or none takes less than limit, in ns.
 */
bool kernel_blocks(struct kernel_launch *launch, const struct copy_plan *plan, uint64_t src,
	uint64_t dst, int max_arguments, const struct kernel *only, double limit);

/* Calls found for each launch of such a kernel that copies the whole plan. */
void kernel_each_block(const struct copy_plan *plan, uint64_t src, uint64_t dst,
	kernel_found *found, void *context);

/*
 * Fills launch except for the offsets. False if rest has more loops than there are arguments, or
 * the launch has more work than 32 bits can count.
 */
bool kernel_arrange(struct kernel_launch *launch, const struct kernel_choice *choice);

#endif
