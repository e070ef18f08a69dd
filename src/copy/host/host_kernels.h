// SPDX-License-Identifier: MIT
/*
 * The loops for one instruction set. Included once by each host_<set>.c, which defines V, the
 * size of a vector in bytes; VEC, its type; LOAD(p), STORE(p, v), STREAM(p, v); LO8 ... HI64(a,
 * b), which interleave within 16 bytes; STORE_LANES(p, stride, v) for 16 bytes each; LINES, which
 * stores for each lane of V the line that four vectors have in it; LOAD_LANES(p, stride), which
 * loads 16 bytes into each lane; SWAP_ORDER(unit) and SWAP(v, order), which reverse each unit of
 * 2, 4, 8 or 16 bytes; LANE, LOAD_LANE(p), SET_LANE(p, v) and SWAP_LANE(v, order), the same for 16
 * bytes. IS_BASELINE is defined by the set that every processor of an architecture has, which also
 * defines host_small, host_stream_columns and host_stream_planes. SEPARATE, if it is defined, is
 * the name of the table of loops for neighbours that become rows. The tiles are in this file, the
 * other loops in the headers that it includes.
 *
 * Within 16 bytes, interleaving the first half of the rows with the second half, log2(number of
 * rows) times, transposes them; lanes of wider vectors do this in parallel.
 */
#ifndef COPY_HOST_HOST_KERNELS_H
#define COPY_HOST_HOST_KERNELS_H

#include "copy/host/host_engine.h"

#include <string.h>

enum { LANES = V / 16 };

#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 16")

/* One round of interleaving n rows of elements of 1 << log bytes. */
INLINE void round_rows(VEC *out, const VEC *in, int n, int log)
{
	UNROLL for (int k = 0; k < n / 2; k++)
	{
		VEC a = in[k], b = in[k + n / 2];

		out[2 * k] = log == 0   ? LO8(a, b)
			     : log == 1 ? LO16(a, b)
			     : log == 2 ? LO32(a, b)
					: LO64(a, b);
		out[2 * k + 1] = log == 0   ? HI8(a, b)
				 : log == 1 ? HI16(a, b)
				 : log == 2 ? HI32(a, b)
					    : HI64(a, b);
	}
}

/*
 * Swaps the bytes of 16 >> log rows by an order, unless that is NULL, and transposes them within
 * lanes: item k of each to row k.
 */
INLINE void turn(VEC *rows, int log, const ORDER *order)
{
	const int n = 16 >> log;
	VEC other[16];

	if (order)
		UNROLL for (int k = 0; k < n; k++) rows[k] = SWAP(rows[k], *order);
	if (log == 4)
		return;
	round_rows(other, rows, n, log);
	if (log == 3) {
		rows[0] = other[0];
		rows[1] = other[1];
		return;
	}
	round_rows(rows, other, n, log);
	if (log == 2)
		return;
	round_rows(other, rows, n, log);
	if (log == 1) {
		UNROLL for (int k = 0; k < n; k++) rows[k] = other[k];
		return;
	}
	round_rows(rows, other, n, log);
}

/* Loads 16 >> log rows of V bytes; lane L of out[k] becomes item L * (16 >> log) + k of each. */
INLINE void load_group(VEC *out, const char *src, int64_t stride, int log, const ORDER *order)
{
	const int n = 16 >> log;

	UNROLL for (int k = 0; k < n; k++) out[k] = LOAD(src + k * stride);
	turn(out, log, order);
}

INLINE void any_tile(const char *src, int64_t src_stride, char *dst, int64_t dst_stride,
	const ORDER *order, int log, bool stream)
{
	const int n = 16 >> log;

	for (int part = 0; part < HOST_LINE / V; part++) {
		VEC group[4][16];

		UNROLL for (int g = 0; g < 4; g++)
			load_group(group[g], src + g * n * src_stride, src_stride, log, order);
		UNROLL for (int k = 0; k < n; k++) LINES(dst + k * dst_stride, n * dst_stride,
			group[0][k], group[1][k], group[2][k], group[3][k], stream);
		src += V;
		dst += LANES * n * dst_stride;
	}
}

/*
 * A line of each row of dst, or HOST_SLIM_LINES(log) of them one after the other. They come from
 * columns of 16 bytes, so that few lines of the source are waited for and few rows of dst are
 * written at once.
 */
INLINE void any_slim(const char *src, int64_t src_stride, char *dst, int64_t dst_stride,
	const ORDER *order, int log)
{
	const int n = 16 >> log, n_parts = HOST_SLIM_LINES(log) * HOST_LINE / V;

	for (int at = 0; at < HOST_LINE; at += 16) {
		VEC part[2 * HOST_LINE / V][4];

		UNROLL for (int p = 0; p < n_parts; p++)
		{
			UNROLL for (int k = 0; k < n; k++) part[p][k] =
				LOAD_LANES(src + (p * LANES * n + k) * src_stride, n * src_stride);
			turn(part[p], log, order);
		}
		UNROLL for (int k = 0; k < n; k++) UNROLL for (int p = 0; p < n_parts; p++)
			STREAM(dst + k * dst_stride + p * V, part[p][k]);
		src += 16;
		dst += n * dst_stride;
	}
}

INLINE void any_strip(const char *src, int64_t src_stride, char *dst, int64_t dst_stride,
	const ORDER *order, int log)
{
	const int n = 16 >> log;

	for (int part = 0; part < HOST_LINE / V; part++) {
		VEC group[16];

		load_group(group, src, src_stride, log, order);
		UNROLL for (int k = 0; k < n; k++)
			STORE_LANES(dst + k * dst_stride, n * dst_stride, group[k]);
		src += V;
		dst += LANES * n * dst_stride;
	}
}

/* The size of the units to swap, `swap`, is one of the parameters; items of one byte have none. */
#define DEFINE_PLAIN(NAME, PARAMETERS, CALL) \
	static void NAME PARAMETERS          \
	{                                    \
		const ORDER *order = NULL;   \
                                             \
		(void)swap;                  \
		CALL;                        \
	}
/* NAME, and NAME_swapped. */
#define DEFINE_ORDERED(NAME, PARAMETERS, CALL)                                   \
	DEFINE_PLAIN(NAME, PARAMETERS, CALL)                                     \
	static void NAME##_swapped PARAMETERS                                    \
	{                                                                        \
		const ORDER swap_order = SWAP_ORDER(swap), *order = &swap_order; \
                                                                                 \
		CALL;                                                            \
	}
#define PLAIN(NAME)        \
	{                  \
		NAME, NULL \
	}
#define ORDERED(NAME)                \
	{                            \
		NAME, NAME##_swapped \
	}

#define TILE_PARAMETERS \
	(const char *src, int64_t src_stride, char *dst, int64_t dst_stride, int64_t swap)
#define DEFINE_TILES(DEFINE, LOG)                                              \
	DEFINE(tile_##LOG, TILE_PARAMETERS,                                    \
		any_tile(src, src_stride, dst, dst_stride, order, LOG, false)) \
	DEFINE(stream_tile_##LOG, TILE_PARAMETERS,                             \
		any_tile(src, src_stride, dst, dst_stride, order, LOG, true))  \
	DEFINE(strip_##LOG, TILE_PARAMETERS,                                   \
		any_strip(src, src_stride, dst, dst_stride, order, LOG))
#define DEFINE_SLIM(LOG)                                   \
	DEFINE_ORDERED(stream_slim_##LOG, TILE_PARAMETERS, \
		any_slim(src, src_stride, dst, dst_stride, order, LOG))

DEFINE_TILES(DEFINE_PLAIN, 0)
DEFINE_TILES(DEFINE_ORDERED, 1)
DEFINE_TILES(DEFINE_ORDERED, 2)
DEFINE_TILES(DEFINE_ORDERED, 3)
DEFINE_TILES(DEFINE_ORDERED, 4)
DEFINE_SLIM(2)
DEFINE_SLIM(3)
DEFINE_SLIM(4)

#define BY_LOG(NAME)                                                                  \
	{                                                                             \
		PLAIN(NAME##0), ORDERED(NAME##1), ORDERED(NAME##2), ORDERED(NAME##3), \
			ORDERED(NAME##4)                                              \
	}
#define HOST_TILES                                                                           \
	.tile = BY_LOG(tile_), .stream_tile = BY_LOG(stream_tile_), .strip = BY_LOG(strip_), \
	.stream_slim = { [2] = ORDERED(stream_slim_2),                                       \
		[3] = ORDERED(stream_slim_3),                                                \
		[4] = ORDERED(stream_slim_4) }

#include "copy/host/host_kernels_rows.h"
#ifdef HALVES
#include "copy/host/host_kernels_halves.h"
#endif
#ifdef JOIN
#include "copy/host/host_kernels_joined.h"
#endif
#ifdef IS_BASELINE
#include "copy/host/host_kernels_small.h"
#endif
#ifdef SEPARATE
#include "copy/host/host_kernels_separate.h"
#endif
#ifdef HAS_TABLES
#include "copy/host/host_kernels_tables.h"
#endif

#endif
