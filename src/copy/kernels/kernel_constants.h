// SPDX-License-Identifier: MIT
/* What kernels and the host agree on. Included by C and, through strided_copy.cl and reduce.cl, by
 * OpenCL C. */
#ifndef COPY_KERNELS_KERNEL_CONSTANTS_H
#define COPY_KERNELS_KERNEL_CONSTANTS_H

enum {
	KERNEL_GROUP_ITEMS = 256, /* work-items of each group, in one dimension */
	KERNEL_SECTOR_BYTES = 32,
	BLOCK_MAX_ROWS = 256,
	TURN_MAX_X = 256, /* items of the runs along source and destination */
	TURN_MAX_Y = 1024,
	REDUCE_GROUP_VECTORS = 2048, /* of 16 bytes, which a group reduces to one result */
};

/* Of copies. */
enum {
	KERNEL_FLAG_SRC_VECTORS = 1,
	KERNEL_FLAG_DST_VECTORS = 2,
	KERNEL_FLAG_ALONG = 4,
	KERNEL_FLAG_CUT_Y_FIRST = 8,
	KERNEL_FLAG_DST_WORDS = 16,
	KERNEL_FLAG_SRC_WORDS = 32,
	/* Of a BLOCK. */
	KERNEL_FLAG_CUT_BOTH = 64,
	KERNEL_FLAG_LONG_X = 128,
	KERNEL_FLAG_LONG_Y = 256,
	/* Of a TURN. */
	KERNEL_FLAG_SKEWED = 512,
};

/* Of statistics: how the words of the input are ordered. */
enum { REDUCE_MODE_BOOL = 1, REDUCE_MODE_FLOAT = 2, REDUCE_MODE_PLAIN = 4 };

#endif
