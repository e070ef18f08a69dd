// SPDX-License-Identifier: MIT
/* The reductions on the host, and their levels as launches of reduce.cl. */
#include "copy/kernels/reduce.h"

#include "base/crc32.h"

#include <string.h>

/* The parameters of the kernels of reduce.cl after the pointers. */
enum {
	ARG_SKIP = ARG_DST_OFFSET + 1,
	ARG_SRC_GAP,
	ARG_DST_GAP,
	ARG_MODE,
	ARG_SIGN,
	ARG_LIMIT,
	ARG_ODD,
	ARG_POWERS, /* for 256, 128, ... 1 words */
	N_POWERS = 9,
	REDUCE_N_ARGUMENTS = ARG_POWERS + N_POWERS,
};

enum {
	GROUP_WORDS = 4 * REDUCE_GROUP_VECTORS, /* of 4 bytes, as used by the CRC */
	WORD_BITS = 32,
	SUM_BYTES = 8,
	STATS_PLANES = 3,
};

/* --- on the host --- */

void reduce_begin(struct reduced *reduced)
{
	*reduced = (struct reduced){ .min = UINT64_MAX };
}

static uint64_t mix(uint64_t word, uint64_t number)
{
	const uint64_t step = UINT64_C(0x9E3779B97F4A7C15), factor = UINT64_C(0xD6E8FEB86659FD93);

	word ^= (number + 1) * step;
	word ^= word >> 32;
	word *= factor;
	word ^= word >> 32;
	word *= factor;
	return word ^ (word >> 32);
}

static void add_sum(
	struct reduced *reduced, const unsigned char *bytes, int64_t n_bytes, int64_t n_before)
{
	uint64_t word, number = (uint64_t)n_before / SUM_BYTES;

	for (; n_bytes > 0; n_bytes -= SUM_BYTES, bytes += SUM_BYTES) {
		word = 0;
		memcpy(&word, bytes, n_bytes < SUM_BYTES ? (size_t)n_bytes : SUM_BYTES);
		reduced->sum += mix(word, number++);
	}
}

static void add_key(struct reduced *reduced, uint64_t key)
{
	reduced->min = key < reduced->min ? key : reduced->min;
	reduced->max = key > reduced->max ? key : reduced->max;
}

static void add_item(
	struct reduced *reduced, const struct reduction *reduction, const unsigned char *bytes)
{
	const struct element_order *order = &reduction->order;
	uint64_t bits = 0, mask = UINT64_MAX >> (64 - 8 * reduction->item_bytes);

	memcpy(&bits, bytes, (size_t)reduction->item_bytes);
	if (order->is_bool && bits)
		bits = 1;
	reduced->n_items++;
	if ((order->is_float ? bits & ~order->sign : bits) > order->limit ||
		bits == order->nan_bits)
		reduced->n_nan++;
	else
		add_key(reduced,
			order->is_float && bits & order->sign ? ~bits & mask : bits ^ order->sign);
}

void reduce_bytes(struct reduced *reduced, const struct reduction *reduction, const void *bytes,
	int64_t n_bytes, int64_t n_before)
{
	switch (reduction->kind) {
	case REDUCE_CRC:
		reduced->crc = crc32_add(reduced->crc, bytes, (size_t)n_bytes);
		break;
	case REDUCE_SUM:
		add_sum(reduced, bytes, n_bytes, n_before);
		break;
	case REDUCE_STATS:
		for (int64_t i = 0; i < n_bytes; i += reduction->item_bytes)
			add_item(reduced, reduction, (const unsigned char *)bytes + i);
		break;
	}
}

/* --- by kernels --- */

/* The size of a group's result: STATS has one plane for each of its three numbers. */
static int64_t number_bytes(const struct reduction *reduction)
{
	return reduction->kind == REDUCE_CRC ? WORD_BITS / 8 : SUM_BYTES;
}

size_t reduce_result_bytes(const struct reduction *reduction)
{
	int64_t n_planes = reduction->kind == REDUCE_STATS ? STATS_PLANES : 1;

	return (size_t)(n_planes * number_bytes(reduction));
}

void reduce_add_result(struct reduced *reduced, const struct reduction *reduction,
	const void *result, int64_t n_vectors)
{
	uint64_t numbers[STATS_PLANES] = { 0 };
	uint32_t residue;

	if (reduction->kind == REDUCE_CRC) {
		memcpy(&residue, result, sizeof(residue));
		reduced->crc = crc32_add_residue(
			reduced->crc, residue, (uint64_t)n_vectors * REDUCE_VECTOR_BYTES / 4);
		return;
	}
	memcpy(numbers, result, reduce_result_bytes(reduction));
	if (reduction->kind == REDUCE_SUM) {
		reduced->sum += numbers[0];
		return;
	}
	reduced->n_items += (uint64_t)(n_vectors * REDUCE_VECTOR_BYTES / reduction->item_bytes);
	reduced->n_nan += numbers[2];
	if (reduced->n_nan < reduced->n_items) {
		reduced->min = numbers[0] < reduced->min ? numbers[0] : reduced->min;
		reduced->max = numbers[1] > reduced->max ? numbers[1] : reduced->max;
	}
}

/* Groups at one level: if there are several, their results are whole vectors for the next level. */
static int64_t groups_of(int64_t n_vectors)
{
	int64_t n_groups = (n_vectors + REDUCE_GROUP_VECTORS - 1) / REDUCE_GROUP_VECTORS;

	return n_groups > 1 ? (n_groups + 3) / 4 * 4 : 1;
}

static int64_t level_bytes(const struct reduction *reduction, int64_t n_groups)
{
	int64_t n_bytes = n_groups * (int64_t)reduce_result_bytes(reduction);

	return (n_bytes + REDUCE_VECTOR_BYTES - 1) / REDUCE_VECTOR_BYTES * REDUCE_VECTOR_BYTES;
}

static int64_t next_vectors(const struct reduction *reduction, int64_t n_groups)
{
	return n_groups * number_bytes(reduction) / REDUCE_VECTOR_BYTES;
}

/*
 * Levels alternate between the start of the memory and the part behind the output of the first
 * level.
 */
int64_t reduce_scratch_bytes(const struct reduction *reduction, int64_t n_vectors)
{
	int64_t n_groups = groups_of(n_vectors);
	int64_t second = n_groups > 1 ? groups_of(next_vectors(reduction, n_groups)) : 0;

	return level_bytes(reduction, n_groups) + level_bytes(reduction, second);
}

static const struct kernel *find_row(const struct reduction *reduction, bool is_first)
{
	static const enum kernel_shape shapes[] = {
		[REDUCE_CRC] = KERNEL_CRC, [REDUCE_SUM] = KERNEL_SUM, [REDUCE_STATS] = KERNEL_STATS
	};
	enum kernel_shape shape = shapes[reduction->kind];
	const struct kernel *row = reduce_kernels;

	if (shape == KERNEL_STATS && !is_first)
		shape = KERNEL_FOLD;
	while (row->name &&
		(row->shape != shape ||
			(shape == KERNEL_STATS && row->item_bytes != reduction->item_bytes)))
		row++;
	return row->name ? row : NULL;
}

/* base: the factor by which a CRC is multiplied to precede one word of this level. */
static void set_powers(int64_t *powers, uint32_t base)
{
	for (int i = N_POWERS - 1; i >= 0; i--) {
		powers[i] = base;
		base = crc32_multiply(base, base);
	}
}

static void arrange(struct kernel_launch *launch, const struct reduction *reduction,
	int64_t n_vectors, int64_t n_groups, bool is_first)
{
	const struct element_order *order = &reduction->order;
	int64_t *arguments = launch->arguments;

	*launch = (struct kernel_launch){ .kernel = find_row(reduction, is_first),
		.n_groups = (uint32_t)n_groups,
		.n_arguments = REDUCE_N_ARGUMENTS };
	arguments[ARG_SKIP] = n_groups * REDUCE_GROUP_VECTORS - n_vectors;
	arguments[ARG_SRC_GAP] = n_vectors * REDUCE_VECTOR_BYTES;
	arguments[ARG_DST_GAP] = n_groups * SUM_BYTES;
	arguments[ARG_MODE] = (order->is_bool ? REDUCE_MODE_BOOL : 0) |
			      (order->is_float ? REDUCE_MODE_FLOAT : 0) |
			      (is_first ? 0 : REDUCE_MODE_PLAIN);
	arguments[ARG_SIGN] = (int64_t)order->sign;
	arguments[ARG_LIMIT] = (int64_t)order->limit;
	arguments[ARG_ODD] = (int64_t)order->nan_bits;
}

int reduce_launches(const struct reduction *reduction, int64_t n_vectors,
	int (*run)(
		void *context, const struct kernel_launch *launch, bool from_data, struct err *err),
	void *context, int64_t *result_offset, struct err *err)
{
	int64_t n_groups = groups_of(n_vectors), from = 0;
	int64_t second = level_bytes(reduction, n_groups);
	uint64_t word_bits = WORD_BITS;
	struct kernel_launch launch;

	for (bool is_first = true;; is_first = false) {
		*result_offset = is_first || from ? 0 : second;
		arrange(&launch, reduction, n_vectors, n_groups, is_first);
		if (!launch.kernel)
			return err_set(err, EXIT_UNAVAILABLE,
				"this build has no kernel for this reduction");
		launch.arguments[ARG_SRC_OFFSET] = from;
		launch.arguments[ARG_DST_OFFSET] = *result_offset;
		set_powers(&launch.arguments[ARG_POWERS], crc32_power(word_bits));
		if (run(context, &launch, is_first, err))
			return -1;
		if (n_groups == 1)
			return 0;
		from = *result_offset;
		word_bits *= GROUP_WORDS;
		n_vectors = next_vectors(reduction, n_groups);
		n_groups = groups_of(n_vectors);
	}
}

/* --- trials --- */

/* The result of fold for one vector in all three planes. */
static void fold_vector(const unsigned char *vector, struct reduced *reduced)
{
	uint64_t numbers[2];

	memcpy(numbers, vector, sizeof(numbers));
	add_key(reduced, numbers[0]);
	add_key(reduced, numbers[1]);
	reduced->n_nan = (numbers[0] & UINT32_MAX) + (numbers[1] & UINT32_MAX);
	reduced->n_nan &= UINT32_MAX;
}

size_t reduce_trial(const struct kernel *row, const void *src, struct kernel_launch *launch,
	unsigned char expected[REDUCE_MAX_RESULT_BYTES])
{
	const unsigned char *vector = (const unsigned char *)src + REDUCE_VECTOR_BYTES;
	struct reduction reduction = { .kind = row->shape == KERNEL_CRC   ? REDUCE_CRC
					       : row->shape == KERNEL_SUM ? REDUCE_SUM
									  : REDUCE_STATS,
		.item_bytes = row->item_bytes,
		.order = { .limit = UINT64_MAX, .nan_bits = UINT64_MAX } };
	uint32_t base = crc32_power(WORD_BITS), residue = 0, word;
	struct reduced reduced;

	reduce_begin(&reduced);
	arrange(launch, &reduction, 1, 1, row->shape != KERNEL_FOLD);
	launch->arguments[ARG_SRC_OFFSET] = REDUCE_VECTOR_BYTES;
	launch->arguments[ARG_DST_OFFSET] = INT64_C(2) * REDUCE_VECTOR_BYTES;
	launch->arguments[ARG_SRC_GAP] = 0;
	set_powers(&launch->arguments[ARG_POWERS], base);
	if (row->shape == KERNEL_CRC) {
		for (int i = 0; i < REDUCE_VECTOR_BYTES; i += 4) {
			memcpy(&word, vector + i, sizeof(word));
			residue = crc32_multiply(residue, base) ^ word;
		}
		memcpy(expected, &residue, sizeof(residue));
	} else if (row->shape == KERNEL_FOLD) {
		fold_vector(vector, &reduced);
		memcpy(expected, &reduced.min, REDUCE_MAX_RESULT_BYTES);
	} else {
		reduce_bytes(&reduced, &reduction, vector, REDUCE_VECTOR_BYTES, 0);
		memcpy(expected, reduction.kind == REDUCE_SUM ? &reduced.sum : &reduced.min,
			reduce_result_bytes(&reduction));
	}
	return reduce_result_bytes(&reduction);
}
