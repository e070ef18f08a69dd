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

static inline __attribute__((always_inline)) void store_lines(
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
#define LINES store_lines

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

#include "copy/host/host_kernels.h"

void host_swap_plain(char *dst, const char *src, int64_t n_bytes, int64_t unit)
{
	for (int64_t first = 0; first + unit <= n_bytes; first += unit)
		for (int64_t low = 0, high = unit - 1; low <= high; low++, high--) {
			char byte = src[first + low];

			dst[first + low] = src[first + high];
			dst[first + high] = byte;
		}
}

const unsigned char host_swap_orders[HOST_ITEM_LOGS][16] = {
	{ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 },
	{ 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14 },
	{ 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12 },
	{ 7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8 },
	{ 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0 },
};

INLINE void any_small(const char *src, int64_t src_stride, char *dst, int64_t dst_stride,
	const ORDER *order, int log)
{
	const int n = 16 >> log;
	VEC group[16];

	load_group(group, src, src_stride, log, order);
	UNROLL for (int k = 0; k < n; k++) STORE(dst + k * dst_stride, group[k]);
}

#define DEFINE_SMALL(LOG) \
	DEFINE_TILE(small_##LOG, any_small(src, src_stride, dst, dst_stride, order, LOG))

DEFINE_SMALL(0)
DEFINE_SMALL(1)
DEFINE_SMALL(2)
DEFINE_SMALL(3)
DEFINE_SMALL(4)

#define SMALL(LOG)                                 \
	{                                          \
		small_##LOG, small_##LOG##_swapped \
	}
host_tile *const host_small[HOST_ITEM_LOGS][2] = BY_LOG(SMALL);

const struct host_kernels host_kernels_sse2 = {
	.name = "sse2",
	HOST_TILES,
	.stream = copy_lines,
	.swap = swap,
	.stream_swap = swap_lines,
};
#endif
