// SPDX-License-Identifier: MIT
/*
 * The launches of the last plans. Choosing the blocks of a launch takes 3 to 12 us, as long as a
 * copy of a few MB takes on a GPU; programs copy arrays of one layout again and again.
 */
#ifndef COPY_KERNELS_KERNEL_MEMO_H
#define COPY_KERNELS_KERNEL_MEMO_H

#include "copy/kernels/kernels.h"

/* What the launch of a plan depends on. */
struct kernel_memo_key {
	const struct copy_plan *plan; /* widened; its offsets matter by their low bits only */
	uint64_t src, dst;            /* addresses of element 0,0,..., by their low bits only */
	int max_arguments;
};

/* Fills launch if one was kept for the key. Any thread may call; false while another one does. */
bool kernel_memo_find(struct kernel_launch *launch, const struct kernel_memo_key *key);

/* Keeps the launch that copies the whole plan, in the place of the oldest. */
void kernel_memo_keep(const struct kernel_memo_key *key, const struct kernel_launch *launch);

/* Forgets all launches: for a table of kernels that changes at run time. */
void kernel_memo_clear(void);

#endif
