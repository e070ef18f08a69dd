// SPDX-License-Identifier: MIT
/* The kernels with 16-byte vectors, which every AArch64 processor supports. */
#ifdef __aarch64__
#include <arm_neon.h>

#define V 16
#define VEC uint8x16_t
#define LOAD(P) vld1q_u8((const uint8_t *)(const void *)(P))
#define STORE(P, VALUE) vst1q_u8((uint8_t *)(void *)(P), VALUE)
#define STREAM STORE /* there is no store of 16 bytes that bypasses the caches */
#define STORE_LANES(P, STRIDE, VALUE) STORE(P, VALUE)
#define LOAD_LANES(P, STRIDE) LOAD(P)
#define LO8 vzip1q_u8
#define HI8 vzip2q_u8

#define WIDE(OPERATION, BITS, A, B) \
	vreinterpretq_u8_u##BITS(   \
		OPERATION##_u##BITS(vreinterpretq_u##BITS##_u8(A), vreinterpretq_u##BITS##_u8(B)))
#define LO16(A, B) WIDE(vzip1q, 16, A, B)
#define HI16(A, B) WIDE(vzip2q, 16, A, B)
#define LO32(A, B) WIDE(vzip1q, 32, A, B)
#define HI32(A, B) WIDE(vzip2q, 32, A, B)
#define LO64(A, B) WIDE(vzip1q, 64, A, B)
#define HI64(A, B) WIDE(vzip2q, 64, A, B)

static inline __attribute__((always_inline)) void store_line_neon(
	char *dst, uint8x16_t a, uint8x16_t b, uint8x16_t c, uint8x16_t d, _Bool streamed)
{
	(void)streamed;
	STORE(dst, a);
	STORE(dst + 16, b);
	STORE(dst + 32, c);
	STORE(dst + 48, d);
}
#define LINES(P, STRIDE, A, B, C, D, STREAMED) store_line_neon(P, A, B, C, D, STREAMED)

#define ORDER uint8x16_t
#define SWAP_ORDER(UNIT) vld1q_u8(host_swap_orders[__builtin_ctzll((uint64_t)(UNIT))])
#define SWAP vqtbl1q_u8
#define LANE VEC
#define LOAD_LANE LOAD
#define SET_LANE STORE
#define SWAP_LANE SWAP
#define IS_BASELINE
#define STREAM_PARTS host_stream_parts_16
#define SEPARATE host_separate_16

#include "copy/host/host_kernels.h"

const struct host_kernels host_kernels_neon = {
	.name = "neon",
	HOST_TILES,
	HOST_ROWS,
	.separate = host_separate_16,
	.separate_bytes = 16,
	.stream_parts = host_stream_parts_16,
};
#endif
