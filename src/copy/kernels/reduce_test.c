// SPDX-License-Identifier: MIT
/* The levels of a reduction, run by kernels in C, give the same result as the host. */
#include "base/array_size.h"
#include "copy/kernels/reduce.h"

#include "base/crc32.h"
#include "base/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BYTES = 200 << 10, SCRATCH_BYTES = 1 << 16 };

/* Numbers of the arguments of reduce.cl. */
enum { SKIP = 2, SRC_GAP, DST_GAP, MODE, POWERS = 9, LAST_POWER = 17 };

static unsigned char data[MAX_BYTES];

struct levels {
	struct reduction reduction;
	unsigned char scratch[SCRATCH_BYTES];
	int64_t scratch_bytes;
	int n_levels;
};

/* The CRC of one group, from its words as digits. */
static uint32_t crc_of_group(
	const struct kernel_launch *launch, const unsigned char *from, int64_t g)
{
	uint32_t residue = 0, word;

	for (int64_t i = 0; i < INT64_C(4) * REDUCE_GROUP_VECTORS; i++) {
		int64_t at = g * REDUCE_GROUP_VECTORS * 4 + i - launch->arguments[SKIP] * 4;

		word = 0;
		if (at >= 0)
			memcpy(&word, from + at * 4, 4);
		residue = crc32_multiply(residue, (uint32_t)launch->arguments[LAST_POWER]) ^ word;
	}
	return residue;
}

static uint64_t sum_of_group(const struct levels *levels, const struct kernel_launch *launch,
	const unsigned char *from, int64_t g)
{
	int64_t first = g * REDUCE_GROUP_VECTORS - launch->arguments[SKIP];
	int64_t n = first < 0 ? REDUCE_GROUP_VECTORS + first : REDUCE_GROUP_VECTORS;
	struct reduced reduced;
	uint64_t number;

	reduce_begin(&reduced);
	first = first < 0 ? 0 : first;
	for (int64_t i = first; n > 0 && i < first + n; i++) {
		for (int64_t half = 0; half < 2; half++) {
			if (levels->n_levels) {
				memcpy(&number, from + i * 16 + half * 8, 8);
				reduced.sum += number;
			} else {
				reduce_bytes(&reduced, &levels->reduction, from + i * 16 + half * 8,
					8, i * 16 + half * 8);
			}
		}
	}
	return reduced.sum;
}

/* A level of SUM or CRC. */
static int run(void *context, const struct kernel_launch *launch, bool from_data, struct err *err)
{
	struct levels *levels = context;
	const unsigned char *from = (from_data ? data : levels->scratch) + launch->arguments[0];
	unsigned char *to = levels->scratch + launch->arguments[1];
	uint64_t sum;
	uint32_t residue;

	(void)err;
	CHECK(from_data == !levels->n_levels, "level %d", levels->n_levels);
	for (int64_t g = 0; g < launch->n_groups; g++) {
		if (levels->reduction.kind == REDUCE_CRC) {
			residue = crc_of_group(launch, from, g);
			memcpy(to + g * 4, &residue, 4);
			CHECK(to + g * 4 + 4 <= levels->scratch + levels->scratch_bytes, "scratch");
		} else {
			sum = sum_of_group(levels, launch, from, g);
			memcpy(to + g * 8, &sum, 8);
			CHECK(to + g * 8 + 8 <= levels->scratch + levels->scratch_bytes, "scratch");
		}
	}
	levels->n_levels++;
	return 0;
}

static void check_levels(enum reduce_kind kind, int64_t n_bytes, int n_levels)
{
	static struct levels levels;
	int64_t n_vectors = n_bytes / 16, offset, n_whole = n_vectors * 16;
	struct reduced by_levels, at_once;
	struct err err;

	memset(&levels, 0, sizeof(levels));
	levels.reduction.kind = kind;
	levels.scratch_bytes = reduce_scratch_bytes(&levels.reduction, n_vectors);
	CHECK(levels.scratch_bytes <= SCRATCH_BYTES, "%d", (int)levels.scratch_bytes);
	reduce_begin(&by_levels);
	reduce_begin(&at_once);
	CHECK(!reduce_launches(&levels.reduction, n_vectors, run, &levels, &offset, &err), "%s",
		err.message);
	reduce_add_result(&by_levels, &levels.reduction, levels.scratch + offset, n_vectors);
	reduce_bytes(&by_levels, &levels.reduction, data + n_whole, n_bytes - n_whole, n_whole);
	reduce_bytes(&at_once, &levels.reduction, data, n_bytes, 0);
	CHECK(by_levels.crc == at_once.crc && by_levels.sum == at_once.sum, "kind %d of %d bytes",
		(int)kind, (int)n_bytes);
	CHECK(levels.n_levels == n_levels, "%d levels", levels.n_levels);
}

/* Swapped words, additional or missing zeros, and a single bit change the sum. */
static void check_sum(void)
{
	static const struct reduction sum = { .kind = REDUCE_SUM };
	unsigned char bytes[64] = { 1, 2, 3 };
	struct reduced first, second;

	reduce_begin(&first);
	reduce_bytes(&first, &sum, bytes, 64, 0);
	for (int at = 8; at < 64; at += 8) {
		memcpy(bytes + at, bytes, 8);
		memset(bytes, 0, 8);
		reduce_begin(&second);
		reduce_bytes(&second, &sum, bytes, 64, 0);
		CHECK(first.sum != second.sum, "words 0 and %d", at / 8);
		memcpy(bytes, bytes + at, 8);
		memset(bytes + at, 0, 8);
	}
	for (int bit = 0; bit < 512; bit++) {
		bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
		reduce_begin(&second);
		reduce_bytes(&second, &sum, bytes, 64, 0);
		CHECK(first.sum != second.sum, "bit %d", bit);
		bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
	}
	reduce_begin(&second);
	reduce_bytes(&second, &sum, bytes, 56, 0);
	CHECK(first.sum != second.sum, "a word of zeroes less");
}

static double number_of(const struct reduction *reduction, const struct dtype *dtype, uint64_t key)
{
	struct element element;

	element_of_key(&element, &reduction->order, dtype, key);
	return element.kind == ELEMENT_SIGNED     ? (double)element.integer
	       : element.kind == ELEMENT_UNSIGNED ? (double)element.natural
						  : element.real;
}

/* For items of a type on the host, as bits: the minimum, the maximum and the number of NaNs. */
static void check_stats(void)
{
	static const struct {
		struct dtype dtype;
		uint64_t items[5];
		double min, max;
		uint64_t n_nan;
	} rows[] = {
		{ { .kind = DTYPE_FLOAT, .bits = 32, .lanes = 1, .name = "float32" },
			{ 0x3f800000, 0x7f800000, 0x7f800001, 0xff800000, 0x80000000 }, -INFINITY,
			INFINITY, 1 },
		{ { .kind = DTYPE_FLOAT, .bits = 64, .lanes = 1, .name = "float64" },
			{ 0x7ff8000000000000, 0xfff0000000000001, 0x7ff8000000000000,
				0x4000000000000000, 0xc000000000000000 },
			-2, 2, 3 },
		{ { .kind = DTYPE_INT, .bits = 16, .lanes = 1, .name = "int16" },
			{ 0x8000, 0x7fff, 0xffff, 0, 1 }, -32768, 32767, 0 },
		{ { .kind = DTYPE_UINT, .bits = 8, .lanes = 1, .name = "uint8" },
			{ 0x80, 0x7f, 0xff, 3, 3 }, 3, 255, 0 },
		{ { .kind = DTYPE_BOOL, .bits = 8, .lanes = 1, .name = "bool" },
			{ 0x80, 0, 2, 0, 0 }, 0, 1, 0 },
	};

	for (size_t r = 0; r < ARRAY_SIZE(rows); r++) {
		const struct dtype *dtype = &rows[r].dtype;
		struct reduction reduction = { .kind = REDUCE_STATS,
			.item_bytes = (int)dtype_itemsize(dtype) };
		struct reduced reduced;

		CHECK(element_order(&reduction.order, dtype), "%s", dtype->name);
		reduce_begin(&reduced);
		for (int i = 0; i < 5; i++)
			reduce_bytes(
				&reduced, &reduction, &rows[r].items[i], reduction.item_bytes, 0);
		CHECK(reduced.n_items == 5 && reduced.n_nan == rows[r].n_nan, "%s: %d NaN",
			dtype->name, (int)reduced.n_nan);
		CHECK(number_of(&reduction, dtype, reduced.min) == rows[r].min, "%s: least",
			dtype->name);
		CHECK(number_of(&reduction, dtype, reduced.max) == rows[r].max, "%s: greatest",
			dtype->name);
	}
}

static void check_rows(void)
{
	for (const struct kernel *row = reduce_kernels; row->name; row++) {
		unsigned char src[32] = { 0 }, expected[REDUCE_MAX_RESULT_BYTES];
		struct kernel_launch launch;

		CHECK(reduce_trial(row, src, &launch, expected) > 0, "%s", row->name);
		CHECK(strstr(row->source, "REDUCE_GROUP_VECTORS"), "%s", row->name);
	}
}

int main(void)
{
	static const int64_t sizes[] = { 16, 31, 100, 32768, 32784, 32768 * 5 + 7, MAX_BYTES };
	static const int n_levels[] = { 1, 1, 1, 1, 2, 2, 2 };

	for (int i = 0; i < MAX_BYTES; i++)
		data[i] = (unsigned char)(i * 2654435761U >> 13);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		check_levels(REDUCE_CRC, sizes[i], n_levels[i]);
		check_levels(REDUCE_SUM, sizes[i], n_levels[i]);
	}
	check_sum();
	check_stats();
	check_rows();
	return test_end();
}
