// SPDX-License-Identifier: MIT
/*
 * Reductions of dense bytes: the same numbers on the host and by the kernels of reduce.cl, which
 * take whole vectors of 16 bytes and reduce them level by level to one result. Pure: devices/ runs
 * what is arranged here.
 */
#ifndef COPY_KERNELS_REDUCE_H
#define COPY_KERNELS_REDUCE_H

#include "copy/kernels/kernels.h"
#include "model/element.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum reduce_kind {
	REDUCE_CRC,   /* CRC-32 of the bytes */
	REDUCE_SUM,   /* 64 bits over words of 8 bytes, each mixed with its number; the last one
		       * filled up with zeroes */
	REDUCE_STATS, /* minimum, maximum and NaN by the keys of an order of elements */
};

struct reduction {
	enum reduce_kind kind;
	int item_bytes; /* of STATS: 1, 2, 4 or 8 */
	struct element_order order;
};

/* What was found so far; begin with reduce_begin. */
struct reduced {
	uint32_t crc;
	uint64_t sum;
	uint64_t min, max; /* keys, where n_nan is not n_items */
	uint64_t n_nan, n_items;
};

enum { REDUCE_VECTOR_BYTES = 16, REDUCE_MAX_RESULT_BYTES = 24 };

void reduce_begin(struct reduced *reduced);

/* Adds bytes that the host can read, of whole items. SUM takes one piece alone, and after vectors
 * that a device summed those behind them: n_before bytes. */
void reduce_bytes(struct reduced *reduced, const struct reduction *reduction, const void *bytes,
	int64_t n_bytes, int64_t n_before);

/* Adds what the kernels made of n_vectors, in the order of the bytes. */
void reduce_add_result(struct reduced *reduced, const struct reduction *reduction,
	const void *result, int64_t n_vectors);

/* Bytes of the result, and of the memory that the levels write, which ends in no vector's middle.
 */
size_t reduce_result_bytes(const struct reduction *reduction);
int64_t reduce_scratch_bytes(const struct reduction *reduction, int64_t n_vectors);

/*
 * Calls run for each level: from the data where from_data, else from the scratch memory, to which
 * all of them write; offsets are in the arguments. *result_offset is where the result is then.
 * n_vectors is 1 to 2^29. Stops at the first that fails.
 */
int reduce_launches(const struct reduction *reduction, int64_t n_vectors,
	int (*run)(
		void *context, const struct kernel_launch *launch, bool from_data, struct err *err),
	void *context, int64_t *result_offset, struct err *err);

/* A launch of a row of reduce.list to try it with: of the vector at byte 16 of src to byte 32 of
 * dst; gives what must be there then, its bytes returned. */
size_t reduce_trial(const struct kernel *row, const void *src, struct kernel_launch *launch,
	unsigned char expected[REDUCE_MAX_RESULT_BYTES]);

#endif
