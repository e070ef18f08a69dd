// SPDX-License-Identifier: MIT
/*
 * The kernels with 64-byte vectors; compiled with -mavx512vbmi and its prerequisites, and run if
 * the processor supports them.
 */
#ifdef __x86_64__
#include <immintrin.h>

#define V 64
#define VEC __m512i
#define LOAD(P) _mm512_loadu_si512((const void *)(P))
#define STORE(P, VALUE) _mm512_storeu_si512((void *)(P), VALUE)
#define STREAM(P, VALUE) _mm512_stream_si512((void *)(P), VALUE)
#define LOAD_LANE(P) _mm_loadu_si128((const __m128i *)(const void *)(P))
#define STORE_LANE(P, VALUE, LANE) \
	_mm_storeu_si128((__m128i *)(void *)(P), _mm512_extracti32x4_epi32(VALUE, LANE))
#define LO8 _mm512_unpacklo_epi8
#define HI8 _mm512_unpackhi_epi8
#define LO16 _mm512_unpacklo_epi16
#define HI16 _mm512_unpackhi_epi16
#define LO32 _mm512_unpacklo_epi32
#define HI32 _mm512_unpackhi_epi32
#define LO64 _mm512_unpacklo_epi64
#define HI64 _mm512_unpackhi_epi64

static inline __attribute__((always_inline)) void store_lanes_avx512(
	char *dst, long lane_stride, __m512i lanes)
{
	STORE_LANE(dst, lanes, 0);
	STORE_LANE(dst + lane_stride, lanes, 1);
	STORE_LANE(dst + 2 * lane_stride, lanes, 2);
	STORE_LANE(dst + 3 * lane_stride, lanes, 3);
}
#define STORE_LANES store_lanes_avx512

static inline __attribute__((always_inline)) __m512i load_lanes_avx512(
	const char *src, long lane_stride)
{
	__m512i lanes = _mm512_castsi128_si512(LOAD_LANE(src));

	lanes = _mm512_inserti32x4(lanes, LOAD_LANE(src + lane_stride), 1);
	lanes = _mm512_inserti32x4(lanes, LOAD_LANE(src + 2 * lane_stride), 2);
	return _mm512_inserti32x4(lanes, LOAD_LANE(src + 3 * lane_stride), 3);
}
#define LOAD_LANES load_lanes_avx512

static inline __attribute__((always_inline)) void store_line_avx512(
	char *dst, __m512i line, _Bool streamed)
{
	if (streamed)
		STREAM(dst, line);
	else
		STORE(dst, line);
}

/* The lines that four vectors have in each lane, in the order of the lanes. */
static inline __attribute__((always_inline)) void lines_avx512(
	__m512i *lines, __m512i a, __m512i b, __m512i c, __m512i d)
{
	__m512i ab_low = _mm512_shuffle_i64x2(a, b, 0x44),
		ab_high = _mm512_shuffle_i64x2(a, b, 0xEE);
	__m512i cd_low = _mm512_shuffle_i64x2(c, d, 0x44),
		cd_high = _mm512_shuffle_i64x2(c, d, 0xEE);

	lines[0] = _mm512_shuffle_i64x2(ab_low, cd_low, 0x88);
	lines[1] = _mm512_shuffle_i64x2(ab_low, cd_low, 0xDD);
	lines[2] = _mm512_shuffle_i64x2(ab_high, cd_high, 0x88);
	lines[3] = _mm512_shuffle_i64x2(ab_high, cd_high, 0xDD);
}

static inline __attribute__((always_inline)) void store_lines_avx512(
	char *dst, long lane_stride, __m512i a, __m512i b, __m512i c, __m512i d, _Bool streamed)
{
	__m512i lines[4];

	lines_avx512(lines, a, b, c, d);
	store_line_avx512(dst, lines[0], streamed);
	store_line_avx512(dst + lane_stride, lines[1], streamed);
	store_line_avx512(dst + 2 * lane_stride, lines[2], streamed);
	store_line_avx512(dst + 3 * lane_stride, lines[3], streamed);
}
#define LINES store_lines_avx512

/* Stores the lower half of the vector, and the upper half one stride further. */
static inline __attribute__((always_inline)) void store_half_avx512(
	char *dst, long lane_stride, __m512i lanes)
{
	_mm256_storeu_si256((__m256i *)(void *)dst, _mm512_castsi512_si256(lanes));
	_mm256_storeu_si256(
		(__m256i *)(void *)(dst + lane_stride), _mm512_extracti64x4_epi64(lanes, 1));
}

static inline __attribute__((always_inline)) void store_halves_avx512(
	char *dst, long lane_stride, __m512i a, __m512i b)
{
	const __m512i low = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11),
		      high = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);

	store_half_avx512(dst, lane_stride, _mm512_permutex2var_epi64(a, low, b));
	store_half_avx512(
		dst + 2 * lane_stride, lane_stride, _mm512_permutex2var_epi64(a, high, b));
}
#define HALVES store_halves_avx512

static inline __attribute__((always_inline)) void join_avx512(
	__m512i *line, const char *first, const __m512i *second, int64_t offset)
{
	static const char NUMBERS[64] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
		17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37,
		38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58,
		59, 60, 61, 62, 63 };
	const __m512i bytes = _mm512_add_epi8(LOAD(NUMBERS), _mm512_set1_epi8((char)offset));

	*line = _mm512_permutex2var_epi8(LOAD(first), bytes, *second);
}
#define LINES_OF lines_avx512
#define JOINED_UNIT 1
#define JOIN join_avx512

#define ORDER __m512i
#define SWAP_ORDER(UNIT)                                                       \
	_mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(const void *) \
			host_swap_orders[__builtin_ctzll((uint64_t)(UNIT))]))
#define SWAP _mm512_shuffle_epi8
#define LANE __m128i
#define SET_LANE(P, VALUE) _mm_storeu_si128((__m128i *)(void *)(P), VALUE)
#define SWAP_LANE(VALUE, ORDER) _mm_shuffle_epi8(VALUE, _mm512_castsi512_si128(ORDER))

#define HAS_TABLES
#define TABLE_VEC __m512i
#define TABLE_LOAD LOAD
#define TABLE_STORE STORE
#define TABLE_STREAM STREAM
#define TABLE_LOAD_VALID(P, VALID) _mm512_maskz_loadu_epi8(VALID, P)
#define TABLE_STORE_VALID(P, VALID, V) _mm512_mask_storeu_epi8(P, VALID, V)

struct picked {
	__m512i at;
	__mmask64 mask;
};
#define PICKED(TABLE, O, I) ((struct picked){ LOAD((TABLE)->at[O][I]), (TABLE)->mask[O][I] })
/* The other inputs supply the bytes that the first one lacks. */
#define PICK_FIRST(PICKED_AT, VALUE) _mm512_permutexvar_epi8((PICKED_AT).at, VALUE)
#define PICK(LINE, PICKED_AT, VALUE) \
	_mm512_mask_permutexvar_epi8(LINE, (PICKED_AT).mask, (PICKED_AT).at, VALUE)

#include "copy/host/host_kernels.h"

const struct host_kernels host_kernels_avx512 = {
	.name = "avx512",
	.has_line_vectors = true,
	.table_bytes = 64,
	HOST_TILES,
	HOST_ROWS,
	HOST_HALVES,
	HOST_JOINED,
	HOST_JOINED_TILES,
	.nest_squares = host_nest_squares,
	.long_squares = host_long_squares,
	.separate = host_separate_32,
	.separate_bytes = 32,
	.stream_parts = host_stream_parts_32,
	.pick = pick,
	.stream_pick = stream_pick,
	.nest_by_table = nest_by_table,
};
#endif
