// SPDX-License-Identifier: MIT
/*
 * Kernels for plans: which kernel of strided_copy.cl copies a plan, with which arguments. Pure: the
 * runtimes (devices/) build and launch what is chosen here. The kernels are the rows of
 * copy/kernels/kernels.list, a measured choice is a row there.
 */
#ifndef COPY_KERNELS_KERNELS_H
#define COPY_KERNELS_KERNELS_H

#include "copy/plan.h"

#include <stddef.h>

enum kernel_shape {
	KERNEL_ROWS,
	KERNEL_FILL,
	KERNEL_GATHER,
	KERNEL_TRANSPOSE,
	KERNEL_INTERLEAVE,
	KERNEL_DEINTERLEAVE,
	KERNEL_REVERSE,
	/* Of reduce.list: copy/kernels/reduce.h. */
	KERNEL_CRC,
	KERNEL_SUM,
	KERNEL_STATS,
	KERNEL_FOLD,
};

/* A row of kernels.list or reduce.list, and its code as far as this build has it. */
struct kernel {
	const char *name; /* of the function: "transpose4" */
	enum kernel_shape shape;
	int item_bytes, vector_items;
	int n; /* of a transpose's blocks along a tile, of a short dimension's items, of a
		* work-item's blocks or vectors elsewhere */
	const char *source; /* what to build, a text, and with which options */
	const char *options;
	const char *spirv, *spirv_end; /* NULL: none */
	const char *ptx, *ptx_end;     /* text, which ends with a zero; NULL: none */
};

/* Made from kernels.list and reduce.list by tools/embed-kernels; each ends with a NULL name. */
extern const struct kernel kernels[];
extern const struct kernel reduce_kernels[];

/* NULL where the list has none of that name. */
const struct kernel *kernel_find(const char *name);

/* Work-items of a group, in one dimension; every kernel asks for so many. */
enum { KERNEL_GROUP_ITEMS = 256 };

/* What follows the pointers src and dst in each kernel's parameters: int64_t each. */
enum kernel_argument {
	ARG_SRC_OFFSET,
	ARG_DST_OFFSET,
	ARG_A, /* three each: count, source's stride, destination's */
	ARG_B = ARG_A + 3,
	ARG_REST = ARG_B + 3,
	ARG_TOTAL = ARG_REST + 9,
	ARG_SWAP,
	ARG_T0,
	ARG_T1,
	ARG_FLAGS,
	KERNEL_N_ARGUMENTS,
};

struct kernel_launch {
	const struct kernel *kernel;
	uint32_t n_groups;
	int64_t arguments[KERNEL_N_ARGUMENTS];
};

/*
 * Calls run for each launch that the plan takes, one in most cases; stops at the first that fails.
 * src and dst are the addresses of element 0,0,..., of which alignment is taken; the kernels add
 * the offsets to what they are given as src and dst. Nothing is run for an empty plan.
 */
int kernel_launches(const struct copy_plan *plan, uint64_t src, uint64_t dst,
	int (*run)(void *context, const struct kernel_launch *launch, struct err *err),
	void *context, struct err *err);

/* A count and its reciprocal, as kernels divide by it; n is 1 to 2^31 - 1. */
int64_t kernel_count(int64_t n);

#endif
