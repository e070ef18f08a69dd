// SPDX-License-Identifier: MIT
/*
 * Items one by one: rows, and nests of rows. Such loops are limited by the stores and by taken
 * branches, one in a cycle, so that one of the two inner loops is unrolled.
 */
#include "base/array_size.h"
#include "copy/host/host_engine.h"

#include <stdlib.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

enum {
	SHORT_ROW = 8,        /* items, at most, in an unrolled loop over a row */
	GROUP_ITEMS = 4,      /* of longer rows, in an unrolled loop */
	LONG_GROUP_ITEMS = 8, /* likewise, of 8 bytes, in a nest */
	FAR_GROUP_ITEMS = 16, /* likewise if they are at least FAR_BYTES apart */
	FAR_BYTES = 2 * HOST_LINE,
	FEW_ROWS = 5,    /* at most, in an unrolled loop over rows of more than SHORT_ROW items */
	FEWEST_ROWS = 3, /* likewise over rows of more than SHORTEST_ROW items */
	SHORTEST_ROW = 4,
	/*
	 * Of items of 2 bytes, of which one store writes two or four. Longer rows of src may evict
	 * each other, but in a loop over a few rows each line is read once.
	 */
	JOINED_ROW = 64,
	/*
	 * With at least as many planes and at most as many of the shortest rows, the loop over
	 * planes is the inner one.
	 */
	MANY_PLANES = 8,
	FEW_TURNED_ROWS = 4,
};

/* How items of one size are copied: as one part, or as two that overlap. Units of swap_bytes in
 * them are reversed, unless that is 0. Constants let the compiler inline memcpy as loads and
 * stores. */
struct item {
	int64_t n_bytes, part_bytes;
	bool is_one_part;
	int64_t swap_bytes;
};

INLINE uint32_t swap_32(uint32_t word, int64_t unit)
{
	word = __builtin_bswap32(word);
	return unit == 2 ? word << 16 | word >> 16 : word;
}

INLINE uint64_t swap_64(uint64_t word, int64_t unit)
{
	const uint64_t low_bytes = 0x00FF00FF00FF00FF;

	if (unit == 2)
		return (word & low_bytes) << 8 | (word >> 8 & low_bytes);
	word = __builtin_bswap64(word);
	return unit == 4 ? word << 32 | word >> 32 : word;
}

/* An item of 2, 4, 8 or 16 bytes. */
INLINE void copy_swapped(char *dst, const char *src, struct item item)
{
	uint64_t words[2];
	uint32_t word;
	uint16_t half;

	if (item.n_bytes == 2) {
		memcpy(&half, src, sizeof(half));
		half = __builtin_bswap16(half);
		memcpy(dst, &half, sizeof(half));
	} else if (item.n_bytes == 4) {
		memcpy(&word, src, sizeof(word));
		word = swap_32(word, item.swap_bytes);
		memcpy(dst, &word, sizeof(word));
	} else {
		memcpy(words, src, (size_t)item.n_bytes);
		words[0] = swap_64(words[0], item.swap_bytes);
		if (item.n_bytes == 16)
			words[1] = swap_64(words[1], item.swap_bytes);
		memcpy(dst, words, (size_t)item.n_bytes);
	}
}

INLINE void copy_parts(char *dst, const char *src, struct item item)
{
	const int64_t last = item.n_bytes - item.part_bytes;

	if (item.swap_bytes) {
		copy_swapped(dst, src, item);
		return;
	}
	memcpy(dst, src, (size_t)item.part_bytes);
	if (!item.is_one_part)
		memcpy(dst + last, src + last, (size_t)item.part_bytes);
}

/* --- items of 2 bytes that are contiguous in dst, of which one store writes two or four --- */

INLINE uint16_t load_half(const char *p)
{
	uint16_t half;

	memcpy(&half, p, sizeof(half));
	return half;
}

INLINE void copy_two_halves(const char *src, int64_t stride, char *out, bool is_swapped)
{
	uint32_t two = load_half(src) | (uint32_t)load_half(src + stride) << 16;

	two = is_swapped ? swap_32(two, 2) : two;
	memcpy(out, &two, sizeof(two));
}

/* In a vector, into which an instruction loads a half. */
INLINE void copy_four_halves(const char *src, int64_t stride, char *out, bool is_swapped)
{
	typedef uint16_t halves __attribute__((vector_size(16)));
	halves four = { 0 };

	_Pragma("GCC unroll 4") for (int i = 0; i < 4; i++) four[i] = load_half(src + i * stride);
	four = is_swapped ? four << 8 | four >> 8 : four;
	memcpy(out, &four, 8);
}

INLINE uint32_t load_four_bytes(const char *src, int64_t stride)
{
	const unsigned char *bytes = (const unsigned char *)src;

	return bytes[0] | (uint32_t)bytes[stride] << 8 | (uint32_t)bytes[2 * stride] << 16 |
	       (uint32_t)bytes[3 * stride] << 24;
}

/* For items of 1 byte. */
INLINE void copy_eight_bytes(const char *src, int64_t stride, char *out)
{
	const uint64_t low = load_four_bytes(src, stride),
		       high = load_four_bytes(src + 4 * stride, stride), eight = low | high << 32;

	memcpy(out, &eight, sizeof(eight));
}

/*
 * A constant number of items. The compiler unrolls more than four completely before it moves
 * multiples of the stride out of the loops around, for which it then lacks registers, unless the
 * pragma allows no more than four. It would also keep the places of the parts of all items.
 */
INLINE void copy_few(const char *src, char *dst, struct copy_loop few, struct item item)
{
	if (!item.is_one_part)
		_Pragma("GCC unroll 8") for (int64_t i = 0; i < few.n; i++)
		{
			copy_parts(dst, src, item);
			src += few.src_stride_bytes;
			dst += few.dst_stride_bytes;
			__asm__("" : "+r"(src), "+r"(dst));
		}
	else if (few.n <= 5)
		_Pragma("GCC unroll 4") for (int64_t i = 0; i < few.n; i++) copy_parts(
			dst + i * few.dst_stride_bytes, src + i * few.src_stride_bytes, item);
	else
		_Pragma("GCC unroll 16") for (int64_t i = 0; i < few.n; i++) copy_parts(
			dst + i * few.dst_stride_bytes, src + i * few.src_stride_bytes, item);
}

/*
 * Four or eight at a time, whose addresses do not depend on each other: a chain of additions takes
 * a cycle for each item. One store writes those of 1 or 2 bytes. Items that are far apart sixteen
 * at a time: AMD's processors request lines ahead for each instruction that reads at a constant
 * stride, so that more instructions request more lines.
 */
INLINE void copy_row_items(
	const char *src, int64_t src_stride, char *out, int64_t n, struct item item)
{
	const bool is_far = item.is_one_part && !item.swap_bytes && llabs(src_stride) >= FAR_BYTES;

	for (; is_far && n >= FAR_GROUP_ITEMS; n -= FAR_GROUP_ITEMS) {
		copy_few(src, out, (struct copy_loop){ FAR_GROUP_ITEMS, src_stride, item.n_bytes },
			item);
		src += FAR_GROUP_ITEMS * src_stride;
		out += FAR_GROUP_ITEMS * item.n_bytes;
	}
	for (; item.n_bytes == 1 && n >= 8; n -= 8) {
		copy_eight_bytes(src, src_stride, out);
		src += 8 * src_stride;
		out += 8;
	}
	for (; n >= GROUP_ITEMS; n -= GROUP_ITEMS) {
		const char *second = src + 2 * src_stride;

		if (item.n_bytes == 2) {
			copy_four_halves(src, src_stride, out, item.swap_bytes != 0);
		} else {
			copy_parts(out, src, item);
			copy_parts(out + item.n_bytes, src + src_stride, item);
			copy_parts(out + 2 * item.n_bytes, second, item);
			copy_parts(out + 3 * item.n_bytes, second + src_stride, item);
		}
		src += GROUP_ITEMS * src_stride;
		out += GROUP_ITEMS * item.n_bytes;
	}
	for (; n > 0; n--) {
		copy_parts(out, src, item);
		src += src_stride;
		out += item.n_bytes;
	}
}

/* A constant number. Of seven, the last four overlap the first four. */
INLINE void copy_halves(const char *src, int64_t stride, char *out, int64_t n, struct item item)
{
	const bool is_swapped = item.swap_bytes != 0;
	const int64_t fours = n / 4 * 4;

	_Pragma("GCC unroll 2") for (int64_t i = 0; i < fours; i += 4)
		copy_four_halves(src + i * stride, stride, out + 2 * i, is_swapped);
	if (n == 7)
		copy_four_halves(src + 3 * stride, stride, out + 6, is_swapped);
	else if (n - fours >= 2)
		copy_two_halves(src + fours * stride, stride, out + 2 * fours, is_swapped);
	if (n != 7 && n % 2)
		copy_parts(out + 2 * (n - 1), src + (n - 1) * stride, item);
}

/* A constant number of items that are contiguous in dst. One store for a row of two halves would
 * not be faster. */
INLINE void copy_run(const char *src, int64_t stride, char *out, int64_t n, struct item item)
{
	if (item.n_bytes == 2 && n > 2)
		copy_halves(src, stride, out, n, item);
	else
		copy_few(src, out, (struct copy_loop){ n, stride, item.n_bytes }, item);
}

/* --- loops --- */

/* For each plane and each step of the outer loop, a few items, which may be contiguous in dst. */
INLINE void copy_pairs(const char *src, char *dst, struct copy_loop planes, struct copy_loop outer,
	struct copy_loop few, bool is_run, struct item item)
{
	for (int64_t k = 0; k < planes.n; k++) {
		const char *from = src + k * planes.src_stride_bytes;
		char *to = dst + k * planes.dst_stride_bytes;

		for (int64_t j = 0; j < outer.n; j++) {
			if (is_run)
				copy_run(from, few.src_stride_bytes, to, few.n, item);
			else
				copy_few(from, to, few, item);
			from += outer.src_stride_bytes;
			to += outer.dst_stride_bytes;
		}
	}
}

/* Rows of a constant number of items. */
INLINE void copy_short_rows(
	const char *src, char *dst, const struct host_block *block, int64_t n_i, struct item item)
{
	copy_pairs(src, dst, block->planes,
		(struct copy_loop){ block->n_j, block->src_j, block->dst_j },
		(struct copy_loop){ n_i, block->src_i, item.n_bytes }, true, item);
}

/* A constant number of rows. */
INLINE void copy_few_rows(
	const char *src, char *dst, const struct host_block *block, int64_t n_j, struct item item)
{
	copy_pairs(src, dst, block->planes,
		(struct copy_loop){ block->n_i, block->src_i, item.n_bytes },
		(struct copy_loop){ n_j, block->src_j, block->dst_j }, false, item);
}

/* Rows of groups, and of a constant number of items after them. */
INLINE void copy_groups(const char *src, char *dst, const struct host_block *block, int64_t n_left,
	struct item item)
{
	const int64_t src_i = block->src_i, groups_bytes = (block->n_i - n_left) * item.n_bytes;
	const int64_t n_j = block->n_j, src_j = block->src_j, dst_j = block->dst_j;
	const int64_t long_bytes = LONG_GROUP_ITEMS * item.n_bytes;
	const struct copy_loop planes = block->planes;
	const bool has_long_groups = item.n_bytes == 8 && item.is_one_part && !item.swap_bytes;

	for (int64_t k = 0; k < planes.n; k++) {
		const char *row = src + k * planes.src_stride_bytes;
		char *out = dst + k * planes.dst_stride_bytes;

		for (int64_t j = 0; j < n_j; j++, row += src_j, out += dst_j) {
			const char *from = row;
			char *to = out;

			for (; has_long_groups && out + groups_bytes - to >= long_bytes;
				to += long_bytes) {
				copy_run(from, src_i, to, LONG_GROUP_ITEMS, item);
				from += LONG_GROUP_ITEMS * src_i;
			}
			for (; to != out + groups_bytes; to += GROUP_ITEMS * item.n_bytes) {
				copy_run(from, src_i, to, GROUP_ITEMS, item);
				from += GROUP_ITEMS * src_i;
			}
			if (item.n_bytes == 2 && n_left == 3)
				copy_four_halves(from - src_i, src_i, to - 2, item.swap_bytes != 0);
			else if (item.n_bytes == 2 && n_left == 2)
				copy_two_halves(from, src_i, to, item.swap_bytes != 0);
			else
				copy_run(from, src_i, to, n_left, item);
		}
	}
}

/* The loops for items of one size. */
struct host_items {
	host_row *row;
	host_nest *short_rows[SHORT_ROW + 1], *few_rows[FEW_ROWS + 1], *groups[GROUP_ITEMS];
};

/* Each nest is a function of its own, for which the compiler allocates registers separately. */
#define DEFINE_NEST(NAME, LOOPS, N, ...)                                                          \
	static __attribute__((noinline)) void LOOPS##_##NAME##_by_##N(const struct host_job *job, \
		const char *src, char *dst, const struct host_block *block)                       \
	{                                                                                         \
		(void)job;                                                                        \
		copy_##LOOPS(src, dst, block, N, (struct item)__VA_ARGS__);                       \
	}
#define DEFINE_LOOPS(NAME, ...)                                                                   \
	static void row_##NAME(const struct host_job *job, const char *src, char *out, int64_t n) \
	{                                                                                         \
		copy_row_items(src, job->row_src_stride, out, n, (struct item)__VA_ARGS__);       \
	}                                                                                         \
	DEFINE_NEST(NAME, short_rows, 2, __VA_ARGS__)                                             \
	DEFINE_NEST(NAME, short_rows, 3, __VA_ARGS__)                                             \
	DEFINE_NEST(NAME, short_rows, 4, __VA_ARGS__)                                             \
	DEFINE_NEST(NAME, short_rows, 5, __VA_ARGS__)                                             \
	DEFINE_NEST(NAME, short_rows, 6, __VA_ARGS__)                                             \
	DEFINE_NEST(NAME, short_rows, 7, __VA_ARGS__)                                             \
	DEFINE_NEST(NAME, short_rows, 8, __VA_ARGS__)                                             \
	DEFINE_NEST(NAME, few_rows, 2, __VA_ARGS__)                                               \
	DEFINE_NEST(NAME, few_rows, 3, __VA_ARGS__)                                               \
	DEFINE_NEST(NAME, few_rows, 4, __VA_ARGS__)                                               \
	DEFINE_NEST(NAME, few_rows, 5, __VA_ARGS__)                                               \
	DEFINE_NEST(NAME, groups, 0, __VA_ARGS__)                                                 \
	DEFINE_NEST(NAME, groups, 1, __VA_ARGS__)                                                 \
	DEFINE_NEST(NAME, groups, 2, __VA_ARGS__)                                                 \
	DEFINE_NEST(NAME, groups, 3, __VA_ARGS__)

#define DEFINE_LOOPS_OF(N) DEFINE_LOOPS(N, { N, N, true, 0 })
#define DEFINE_SWAPPED(N, UNIT) DEFINE_LOOPS(N##_swapped_##UNIT, { N, N, true, UNIT })
/* Items of more than half of N bytes, and of at most N. */
#define DEFINE_LOOPS_TO(N) DEFINE_LOOPS(to_##N, { job->row_item_bytes, (N) / 2, false, 0 })

DEFINE_LOOPS_OF(1)
DEFINE_LOOPS_OF(2)
DEFINE_LOOPS_OF(4)
DEFINE_LOOPS_OF(8)
DEFINE_LOOPS_OF(16)
DEFINE_LOOPS_TO(4)
DEFINE_LOOPS_TO(8)
DEFINE_LOOPS_TO(16)
DEFINE_LOOPS_TO(32)
DEFINE_LOOPS_TO(64)
DEFINE_SWAPPED(2, 2)
DEFINE_SWAPPED(4, 2)
DEFINE_SWAPPED(4, 4)
DEFINE_SWAPPED(8, 2)
DEFINE_SWAPPED(8, 4)
DEFINE_SWAPPED(8, 8)
DEFINE_SWAPPED(16, 2)
DEFINE_SWAPPED(16, 4)
DEFINE_SWAPPED(16, 8)

#define LOOPS(NAME)                                                                             \
	{                                                                                       \
		.row = row_##NAME,                                                              \
		.short_rows = { NULL, NULL, short_rows_##NAME##_by_2, short_rows_##NAME##_by_3, \
			short_rows_##NAME##_by_4, short_rows_##NAME##_by_5,                     \
			short_rows_##NAME##_by_6, short_rows_##NAME##_by_7,                     \
			short_rows_##NAME##_by_8 },                                             \
		.few_rows = { NULL, NULL, few_rows_##NAME##_by_2, few_rows_##NAME##_by_3,       \
			few_rows_##NAME##_by_4, few_rows_##NAME##_by_5 },                       \
		.groups = { groups_##NAME##_by_0, groups_##NAME##_by_1, groups_##NAME##_by_2,   \
			groups_##NAME##_by_3 },                                                 \
	}

/* Those of 1, 2, 4, 8 and 16 bytes, by the logarithms of the size and of the units, of which those
 * of 1 byte are not reversed. */
static const struct host_items whole_items[HOST_ITEM_LOGS][HOST_ITEM_LOGS - 1] = {
	{ LOOPS(1) },
	{ LOOPS(2), LOOPS(2_swapped_2) },
	{ LOOPS(4), LOOPS(4_swapped_2), LOOPS(4_swapped_4) },
	{ LOOPS(8), LOOPS(8_swapped_2), LOOPS(8_swapped_4), LOOPS(8_swapped_8) },
	{ LOOPS(16), LOOPS(16_swapped_2), LOOPS(16_swapped_4), LOOPS(16_swapped_8) },
};

/* Others of up to 4, 8, 16, 32 and 64 bytes. */
static const struct host_items other_items[] = { LOOPS(to_4), LOOPS(to_8), LOOPS(to_16),
	LOOPS(to_32), LOOPS(to_64) };

const struct host_items *host_items_of(int64_t item_bytes, int64_t swap_bytes)
{
	const struct host_items *others = other_items;

	if (item_bytes <= 16 && (item_bytes & (item_bytes - 1)) == 0 && swap_bytes <= 8 &&
		(swap_bytes & (swap_bytes - 1)) == 0) {
		const struct host_items *found =
			&whole_items[__builtin_ctzll((uint64_t)item_bytes)]
				    [swap_bytes ? __builtin_ctzll((uint64_t)swap_bytes) : 0];

		return found->row ? found : NULL;
	}
	if (swap_bytes)
		return NULL;
	for (int64_t most = 4; most < item_bytes; most *= 2)
		others++;
	return others;
}

host_row *host_row_of(const struct host_items *items)
{
	return items->row;
}

static host_nest *choose_nest(
	const struct host_items *items, int64_t item_bytes, int64_t n_i, int64_t n_j)
{
	const int64_t most = n_i > SHORT_ROW ? FEW_ROWS : n_i > SHORTEST_ROW ? FEWEST_ROWS : 0;
	const bool is_joined = item_bytes == 2 && n_i <= JOINED_ROW;

	host_nest *nest = items->groups[n_i % GROUP_ITEMS];

	if (!is_joined && n_j > 1 && n_j <= most)
		nest = items->few_rows[n_j];
	else if (n_i > 1 && n_i <= SHORT_ROW)
		nest = items->short_rows[n_i];
	return nest;
}

/* Whether the copy is faster with the loop over planes inside the loop over rows. */
static bool is_faster_by_planes(const struct host_block *block)
{
	return block->n_i <= SHORTEST_ROW && block->n_j <= FEW_TURNED_ROWS &&
	       block->planes.n >= MANY_PLANES;
}

void host_nest_items(
	const struct host_job *job, const char *src, char *dst, const struct host_block *block)
{
	host_nest *nest = choose_nest(job->items, job->plan.item_bytes, block->n_i, block->n_j);
	struct host_block turned;

	if (!is_faster_by_planes(block)) {
		nest(job, src, dst, block);
		return;
	}
	turned = *block;
	turned.n_j = block->planes.n;
	turned.src_j = block->planes.src_stride_bytes;
	turned.dst_j = block->planes.dst_stride_bytes;
	turned.planes = (struct copy_loop){ block->n_j, block->src_j, block->dst_j };
	nest(job, src, dst, &turned);
}
