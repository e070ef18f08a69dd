// SPDX-License-Identifier: MIT
/*
 * Kernels for plans: which kernel of strided_copy.cl copies a plan, and with which arguments.
 * Pure: the runtimes (devices/) build and launch the selected kernels. The kernels are the rows
 * of copy/kernels/kernels.list; a measured choice is a row there.
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
	KERNEL_BLOCK,
	/* In reduce.list: copy/kernels/reduce.h. */
	KERNEL_CRC,
	KERNEL_SUM,
	KERNEL_STATS,
	KERNEL_FOLD,
};

/* A row of kernels.list or reduce.list, and its code in the forms that this build has. */
struct kernel {
	const char *name; /* of the function: "transpose4" */
	enum kernel_shape shape;
	int item_bytes, vector_items;
	int n; /* blocks along a tile of a transpose; items of a short dimension; otherwise blocks
		  or vectors of a work-item */
	int cost; /* of a BLOCK or TRANSPOSE: picoseconds of a block if the device has many */
	const char *source; /* OpenCL C, and its build options */
	const char *options;
	const char *spirv, *spirv_end; /* NULL: none */
	const char *ptx, *ptx_end;     /* text, terminated by a zero; NULL: none */
};

/*
 * Generated from kernels.list and reduce.list by tools/embed-kernels; each ends with a NULL name.
 */
extern const struct kernel kernels[];
extern const struct kernel reduce_kernels[];

/* NULL if the list has no such kernel. */
const struct kernel *kernel_find(const char *name);

/* Work-items per group, in one dimension; every kernel requires this size. */
enum { KERNEL_GROUP_ITEMS = 256 };

/* The parameters after the pointers src and dst, int64_t each; BLOCK and TRANSPOSE: kernel_block.h.
 */
enum kernel_argument {
	ARG_SRC_OFFSET,
	ARG_DST_OFFSET,
	ARG_A, /* three per loop: count, source stride, destination stride */
	ARG_B = ARG_A + 3,
	ARG_REST = ARG_B + 3,
	ARG_TOTAL = ARG_REST + 24,
	ARG_SWAP,
	ARG_T0,
	ARG_T1,
	ARG_FLAGS,
	KERNEL_N_ARGUMENTS,
};

/* What a runtime can pass: CUDA 4,096 bytes, OpenCL and SYCL at least 1,024. */
enum { KERNEL_MAX_ARGUMENTS = 154, KERNEL_FEW_ARGUMENTS = 109 };

struct kernel_launch {
	const struct kernel *kernel;
	uint32_t n_groups;
	int n_arguments;
	int64_t arguments[KERNEL_MAX_ARGUMENTS];
};

/*
 * Calls run for each launch of the plan, almost always one; stops at the first that fails. src
 * and dst are the addresses of element 0,0,... and determine the alignment; the kernels add the
 * offsets to the src and dst they are passed. max_arguments: KERNEL_MAX_ARGUMENTS or
 * KERNEL_FEW_ARGUMENTS. An empty plan has no launches.
 */
int kernel_launches(const struct copy_plan *plan, uint64_t src, uint64_t dst, int max_arguments,
	int (*run)(void *context, const struct kernel_launch *launch, struct err *err),
	void *context, struct err *err);

/* A launch that copies one item (one per plane) from and to these offsets, to test a kernel. */
void kernel_smallest(struct kernel_launch *launch, const struct kernel *kernel, int64_t src_offset,
	int64_t dst_offset);

/* A count and its reciprocal, by which kernels divide; n is 1 to 2^31 - 1. */
int64_t kernel_count(int64_t n);

#endif
