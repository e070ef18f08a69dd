// SPDX-License-Identifier: MIT
/* The kernels with 16-byte vectors, which every x86-64 processor supports. */
#ifdef __x86_64__
#include <emmintrin.h>

#define V 16
#define VEC __m128i
#define LOAD(P) _mm_loadu_si128((const __m128i *)(const void *)(P))
#define STORE(P, VALUE) _mm_storeu_si128((__m128i *)(void *)(P), VALUE)
#define STREAM(P, VALUE) _mm_stream_si128((__m128i *)(void *)(P), VALUE)
#define STORE_LANES(P, STRIDE, VALUE) STORE(P, VALUE)
#define LOAD_LANES(P, STRIDE) LOAD(P)
#define LO8 _mm_unpacklo_epi8
#define HI8 _mm_unpackhi_epi8
#define LO16 _mm_unpacklo_epi16
#define HI16 _mm_unpackhi_epi16
#define LO32 _mm_unpacklo_epi32
#define HI32 _mm_unpackhi_epi32
#define LO64 _mm_unpacklo_epi64
#define HI64 _mm_unpackhi_epi64

static inline __attribute__((always_inline)) void store_lines_sse2(
	char *dst, long lane_stride, __m128i a, __m128i b, __m128i c, __m128i d, _Bool streamed)
{
	(void)lane_stride;
	if (streamed) {
		STREAM(dst, a);
		STREAM(dst + 16, b);
		STREAM(dst + 32, c);
		STREAM(dst + 48, d);
		return;
	}
	STORE(dst, a);
	STORE(dst + 16, b);
	STORE(dst + 32, c);
	STORE(dst + 48, d);
}
#define LINES store_lines_sse2

/* Swaps bytes within 2, then pairs within 4, and so on. */
static inline __attribute__((always_inline)) __m128i swap_unit(__m128i v, long unit)
{
	v = _mm_or_si128(_mm_slli_epi16(v, 8), _mm_srli_epi16(v, 8));
	if (unit == 4)
		return _mm_shufflehi_epi16(_mm_shufflelo_epi16(v, 0xB1), 0xB1);
	if (unit >= 8)
		v = _mm_shufflehi_epi16(_mm_shufflelo_epi16(v, 0x1B), 0x1B);
	return unit == 16 ? _mm_shuffle_epi32(v, 0x4E) : v;
}
#define ORDER long
#define SWAP_ORDER(UNIT) ((long)(UNIT))
#define SWAP swap_unit
#define LANE VEC
#define LOAD_LANE LOAD
#define SET_LANE STORE
#define SWAP_LANE SWAP
#define IS_BASELINE
#define STREAM_PARTS host_stream_parts_16
#define SEPARATE host_separate_16

#include "copy/host/host_kernels.h"

const struct host_kernels host_kernels_sse2 = {
	.name = "sse2",
	HOST_TILES,
	HOST_ROWS,
	.separate = host_separate_16,
	.separate_bytes = 16,
	.stream_parts = host_stream_parts_16,
};
#endif
