// SPDX-License-Identifier: MIT
/*
 * Reductions of contiguous bytes: the same numbers on the host and with the kernels of reduce.cl,
 * which take whole vectors of 16 bytes and reduce them level by level to one result. Pure:
 * devices/ runs what is prepared here.
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
	REDUCE_SUM,   /* 64 bits over words of 8 bytes, each mixed with its index; the last one is
			 padded with zeros */
	REDUCE_STATS, /* minimum, maximum and NaN by the keys of an element order */
};

struct reduction {
	enum reduce_kind kind;
	int item_bytes; /* of STATS: 1, 2, 4 or 8 */
	struct element_order order;
};

/* The intermediate result; begin with reduce_begin. */
struct reduced {
	uint32_t crc;
	uint64_t sum;
	uint64_t min, max; /* keys, unless n_nan equals n_items */
	uint64_t n_nan, n_items;
};

enum { REDUCE_VECTOR_BYTES = 16, REDUCE_MAX_RESULT_BYTES = 24 };

void reduce_begin(struct reduced *reduced);

/*
 * Adds bytes that the host can read, of whole items. SUM accepts only one piece, or after vectors
 * summed by a device the bytes behind them: n_before bytes precede it.
 */
void reduce_bytes(struct reduced *reduced, const struct reduction *reduction, const void *bytes,
	int64_t n_bytes, int64_t n_before);

/* Adds the result of the kernels for n_vectors, in the order of the bytes. */
void reduce_add_result(struct reduced *reduced, const struct reduction *reduction,
	const void *result, int64_t n_vectors);

/* The size of the result, and of the scratch memory of the levels, a multiple of a vector. */
size_t reduce_result_bytes(const struct reduction *reduction);
int64_t reduce_scratch_bytes(const struct reduction *reduction, int64_t n_vectors);

/*
 * Calls run for each level: with the data as input if from_data, otherwise with the scratch
 * memory, to which all levels write; offsets are in the arguments. *result_offset is the offset
 * of the result. n_vectors is 1 to 2^29. Stops at the first that fails.
 */
int reduce_launches(const struct reduction *reduction, int64_t n_vectors,
	int (*run)(
		void *context, const struct kernel_launch *launch, bool from_data, struct err *err),
	void *context, int64_t *result_offset, struct err *err);

/*
 * A launch that tests a row of reduce.list: from the vector at byte 16 of src to byte 32 of dst;
 * gives the expected bytes and returns their number.
 */
size_t reduce_trial(const struct kernel *row, const void *src, struct kernel_launch *launch,
	unsigned char expected[REDUCE_MAX_RESULT_BYTES]);

#endif
