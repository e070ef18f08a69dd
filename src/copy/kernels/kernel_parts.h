// SPDX-License-Identifier: MIT
/* Between copy/kernels/kernels.c (launches), kernel_choose.c (which kernel) and kernel_arrange.c
 * (its arguments). */
#ifndef COPY_KERNELS_KERNEL_PARTS_H
#define COPY_KERNELS_KERNEL_PARTS_H

#include "copy/kernels/kernels.h"

enum { KERNEL_N_REST = 3, KERNEL_MAX_LOOPS = ARRAY_MAX_DIMS + 2 };

/* A plan, widened, in the parts that a kernel has arguments for. */
struct kernel_choice {
	const struct kernel *kernel;
	struct copy_loop a, b, rest[KERNEL_MAX_LOOPS]; /* a and b may be once around */
	int n_rest;
	int64_t swap_bytes;
	uint64_t src_bits, dst_bits; /* low bits of the first element's addresses */
};

/*
 * The first kernel of the list that fits, its a and b taken from the plan and the others left as
 * rest; the plan's offsets change where b is walked the other way. All strides fit 32 bits and no
 * loop is longer than KERNEL_MAX_COUNT. NULL kernel: none does, as the list is empty.
 */
void kernel_choose(struct kernel_choice *choice, struct copy_plan *plan);

enum { KERNEL_MAX_COUNT = 1 << 26 };

/* Fills launch but for the offsets. False where rest has more loops than there are arguments, or
 * the launch more work than 32 bits count. */
bool kernel_arrange(struct kernel_launch *launch, const struct kernel_choice *choice);

#endif
