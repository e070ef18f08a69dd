// SPDX-License-Identifier: MIT
/* The kernels with 32-byte vectors; compiled with -mavx2, and run if the processor supports it. */
#ifdef __x86_64__
#include <immintrin.h>

#define V 32
#define VEC __m256i
#define LOAD(P) _mm256_loadu_si256((const __m256i *)(const void *)(P))
#define STORE(P, VALUE) _mm256_storeu_si256((__m256i *)(void *)(P), VALUE)
#define STREAM(P, VALUE) _mm256_stream_si256((__m256i *)(void *)(P), VALUE)
#define LOAD_LANE(P) _mm_loadu_si128((const __m128i *)(const void *)(P))
#define STORE_LANE(P, VALUE, LANE) \
	_mm_storeu_si128((__m128i *)(void *)(P), _mm256_extracti128_si256(VALUE, LANE))
#define LO8 _mm256_unpacklo_epi8
#define HI8 _mm256_unpackhi_epi8
#define LO16 _mm256_unpacklo_epi16
#define HI16 _mm256_unpackhi_epi16
#define LO32 _mm256_unpacklo_epi32
#define HI32 _mm256_unpackhi_epi32
#define LO64 _mm256_unpacklo_epi64
#define HI64 _mm256_unpackhi_epi64

static inline __attribute__((always_inline)) void store_lanes_avx2(
	char *dst, long lane_stride, __m256i lanes)
{
	STORE_LANE(dst, lanes, 0);
	STORE_LANE(dst + lane_stride, lanes, 1);
}
#define STORE_LANES store_lanes_avx2

static inline __attribute__((always_inline)) __m256i load_lanes_avx2(
	const char *src, long lane_stride)
{
	return _mm256_inserti128_si256(
		_mm256_castsi128_si256(LOAD_LANE(src)), LOAD_LANE(src + lane_stride), 1);
}
#define LOAD_LANES load_lanes_avx2

static inline __attribute__((always_inline)) void store_line_avx2(
	char *dst, __m256i low, __m256i high, _Bool streamed)
{
	if (streamed) {
		STREAM(dst, low);
		STREAM(dst + 32, high);
		return;
	}
	STORE(dst, low);
	STORE(dst + 32, high);
}

static inline __attribute__((always_inline)) void store_lines_avx2(
	char *dst, long lane_stride, __m256i a, __m256i b, __m256i c, __m256i d, _Bool streamed)
{
	store_line_avx2(dst, _mm256_permute2x128_si256(a, b, 0x20),
		_mm256_permute2x128_si256(c, d, 0x20), streamed);
	store_line_avx2(dst + lane_stride, _mm256_permute2x128_si256(a, b, 0x31),
		_mm256_permute2x128_si256(c, d, 0x31), streamed);
}
#define LINES store_lines_avx2

/* The offset is a multiple of 4. */
static inline __attribute__((always_inline)) void join_avx2(
	__m256i *line, const char *first, const __m256i *second, int64_t offset)
{
	const __m256i words = _mm256_add_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7),
		_mm256_set1_epi32((int)(offset % V / 4)));
	const __m256i is_next = _mm256_cmpgt_epi32(words, _mm256_set1_epi32(7));
	const __m256i is_upper = _mm256_set1_epi32(-(offset >= V));
	__m256i a = LOAD(first), b = LOAD(first + V), c = second[0];

	a = _mm256_permutevar8x32_epi32(_mm256_blendv_epi8(a, b, is_upper), words);
	b = _mm256_permutevar8x32_epi32(_mm256_blendv_epi8(b, c, is_upper), words);
	c = _mm256_permutevar8x32_epi32(_mm256_blendv_epi8(c, second[1], is_upper), words);
	line[0] = _mm256_blendv_epi8(a, b, is_next);
	line[1] = _mm256_blendv_epi8(b, c, is_next);
}
#define JOINED_UNIT 4
#define JOIN join_avx2

/* Stores what two vectors have in a lane, 0 or 1. */
static inline __attribute__((always_inline)) void store_half_avx2(
	char *dst, __m256i a, __m256i b, int lane, _Bool streamed)
{
	const __m256i half = lane ? _mm256_permute2x128_si256(a, b, 0x31)
				  : _mm256_permute2x128_si256(a, b, 0x20);

	if (streamed)
		STREAM(dst, half);
	else
		STORE(dst, half);
}
#define STORE_HALF store_half_avx2

static inline __attribute__((always_inline)) void store_halves_avx2(
	char *dst, long lane_stride, __m256i a, __m256i b)
{
	STORE_HALF(dst, a, b, 0, 0);
	STORE_HALF(dst + lane_stride, a, b, 1, 0);
}
#define HALVES store_halves_avx2
#define IS_HALF_LINE

#define ORDER __m256i
#define SWAP_ORDER(UNIT)                                                            \
	_mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *) \
			host_swap_orders[__builtin_ctzll((uint64_t)(UNIT))]))
#define SWAP _mm256_shuffle_epi8
#define LANE __m128i
#define SET_LANE(P, VALUE) _mm_storeu_si128((__m128i *)(void *)(P), VALUE)
#define SWAP_LANE(VALUE, ORDER) _mm_shuffle_epi8(VALUE, _mm256_castsi256_si128(ORDER))

#define STREAM_PARTS host_stream_parts_32
#define SEPARATE host_separate_32
#define HAS_TABLES
#define TABLE_VEC __m128i
#define TABLE_LOAD(P) _mm_loadu_si128((const __m128i *)(const void *)(P))
#define TABLE_STREAM(P, VALUE) _mm_stream_si128((__m128i *)(void *)(P), VALUE)
#define TABLE_STORE(P, VALUE) _mm_storeu_si128((__m128i *)(void *)(P), VALUE)

struct picked {
	__m128i at;
};
#define PICKED(TABLE, O, I) ((struct picked){ TABLE_LOAD((TABLE)->at[O][I]) })
#define PICK_FIRST(PICKED_AT, VALUE) _mm_shuffle_epi8(VALUE, (PICKED_AT).at)
#define PICK(LINE, PICKED_AT, VALUE) _mm_or_si128(LINE, PICK_FIRST(PICKED_AT, VALUE))

#include "copy/host/host_kernels.h"

const struct host_kernels host_kernels_avx2 = {
	.name = "avx2",
	.table_bytes = 16,
	HOST_TILES,
	HOST_ROWS,
	HOST_HALVES,
	HOST_JOINED,
	.nest_squares = host_nest_squares,
	.long_squares = host_long_squares,
	.separate = host_separate_32,
	.separate_bytes = 32,
	.stream_parts = host_stream_parts_32,
	.pick = pick,
	.stream_pick = stream_pick,
};
#endif
