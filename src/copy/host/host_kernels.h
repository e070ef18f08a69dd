// SPDX-License-Identifier: MIT
/*
 * The loops for one instruction set. Included once by each host_<set>.c, which defines V, the
 * size of a vector in bytes; VEC, its type; LOAD(p), STORE(p, v), STREAM(p, v); LO8 ... HI64(a,
 * b), which interleave within 16 bytes; STORE_LANES(p, stride, v) for 16 bytes each; LINES, which
 * stores for each lane of V the line that four vectors have in it; LOAD_LANES(p, stride), which
 * loads 16 bytes into each lane; SWAP_ORDER(unit) and SWAP(v, order), which reverse each unit of
 * 2, 4, 8 or 16 bytes; LANE, LOAD_LANE(p), SET_LANE(p, v) and SWAP_LANE(v, order), the same for 16
 * bytes. IS_BASELINE is defined by the set that every processor of an architecture
 * has, which also defines host_small, host_stream_columns and host_stream_planes. SEPARATE, if it
 * is defined, is the name of the table of loops for neighbours that become rows.
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

/* NAME, and NAME_swapped, whose parameters include the size of the units to swap. */
#define DEFINE_ORDERED(NAME, PARAMETERS, CALL)                                   \
	static void NAME PARAMETERS                                              \
	{                                                                        \
		const ORDER *order = NULL;                                       \
                                                                                 \
		(void)swap;                                                      \
		CALL;                                                            \
	}                                                                        \
	static void NAME##_swapped PARAMETERS                                    \
	{                                                                        \
		const ORDER swap_order = SWAP_ORDER(swap), *order = &swap_order; \
                                                                                 \
		CALL;                                                            \
	}
#define DEFINE_TILE(NAME, CALL)                                                      \
	DEFINE_ORDERED(NAME,                                                         \
		(const char *src, int64_t src_stride, char *dst, int64_t dst_stride, \
			int64_t swap),                                               \
		CALL)
#define DEFINE_TILES(LOG)                                                                        \
	DEFINE_TILE(tile_##LOG, any_tile(src, src_stride, dst, dst_stride, order, LOG, false))   \
	DEFINE_TILE(                                                                             \
		stream_tile_##LOG, any_tile(src, src_stride, dst, dst_stride, order, LOG, true)) \
	DEFINE_TILE(strip_##LOG, any_strip(src, src_stride, dst, dst_stride, order, LOG))

DEFINE_TILES(0)
DEFINE_TILES(1)
DEFINE_TILES(2)
DEFINE_TILES(3)
DEFINE_TILES(4)
DEFINE_TILE(stream_slim_2, any_slim(src, src_stride, dst, dst_stride, order, 2))
DEFINE_TILE(stream_slim_3, any_slim(src, src_stride, dst, dst_stride, order, 3))
DEFINE_TILE(stream_slim_4, any_slim(src, src_stride, dst, dst_stride, order, 4))

/*
 * A row of at least 16 bytes, by vectors of which the last one overlaps the one before: it is
 * loaded first, so that dst may be src. If it is not, those of a long row are aligned.
 */
INLINE void swap_row(char *dst, const char *src, int64_t n_bytes, int64_t unit, ORDER order)
{
	if (n_bytes >= V) {
		const VEC last = SWAP(LOAD(src + n_bytes - V), order);
		int64_t i = 0;

		if (n_bytes >= 4 * V && dst != src &&
			((uintptr_t)dst & (uintptr_t)(unit - 1)) == 0) {
			STORE(dst, SWAP(LOAD(src), order));
			i = -(int64_t)(uintptr_t)dst & (V - 1);
		}
		for (; i + V <= n_bytes; i += V)
			STORE(dst + i, SWAP(LOAD(src + i), order));
		STORE(dst + n_bytes - V, last);
	} else {
		const LANE last = SWAP_LANE(LOAD_LANE(src + n_bytes - 16), order);

		for (int64_t i = 0; i + 16 <= n_bytes; i += 16)
			SET_LANE(dst + i, SWAP_LANE(LOAD_LANE(src + i), order));
		SET_LANE(dst + n_bytes - 16, last);
	}
}

static void swap(char *dst, const char *src, int64_t n_bytes, int64_t unit)
{
	if (n_bytes >= 16 && host_has_swap_order(unit))
		swap_row(dst, src, n_bytes, unit, SWAP_ORDER(unit));
	else
		host_swap_plain(dst, src, n_bytes, unit);
}

/*
 * Streams whole lines to dst, which is aligned to a line, swapped by an order unless that is
 * NULL; returns the number of bytes written.
 */
INLINE int64_t any_lines(char *dst, const char *src, int64_t n_bytes, const ORDER *order)
{
	int64_t i;

	for (i = 0; i + HOST_LINE <= n_bytes; i += HOST_LINE) {
		VEC line[HOST_LINE / V];

		UNROLL for (int k = 0; k < HOST_LINE / V; k++) line[k] = LOAD(src + i + k * V);
		if (order)
			UNROLL for (int k = 0; k < HOST_LINE / V; k++) line[k] =
				SWAP(line[k], *order);
		UNROLL for (int k = 0; k < HOST_LINE / V; k++) STREAM(dst + i + k * V, line[k]);
	}
	return i;
}

INLINE int64_t to_line(const char *dst, int64_t n_bytes)
{
	int64_t head = -(int64_t)(uintptr_t)dst & (HOST_LINE - 1);

	return head < n_bytes ? head : n_bytes;
}

static void copy_lines(char *dst, const char *src, int64_t n_bytes)
{
	int64_t i = to_line(dst, n_bytes);

	memcpy(dst, src, (size_t)i);
	i += any_lines(dst + i, src + i, n_bytes - i, NULL);
	memcpy(dst + i, src + i, (size_t)(n_bytes - i));
}

/* 32 bytes, at any address: memcpy() would become loads and stores of 16 bytes. */
typedef char part_of_32 __attribute__((vector_size(32), aligned(1), may_alias));

INLINE void copy_32(char *dst, const char *src)
{
	*(part_of_32 *)dst = *(const part_of_32 *)src;
}

/*
 * From about 2 KiB on, memcpy() of glibc 2.36 uses `rep movsb`, which takes up to 17 times as long
 * on AMD Zen 5 where dst, modulo a page, is 1 to 15 bytes above src.
 */
static void copy(char *dst, const char *src, int64_t n_bytes)
{
#ifdef __x86_64__
	enum { PART = 32, LEAST = 1024 };

	if (n_bytes >= LEAST) {
		int64_t at = -(int64_t)(uintptr_t)dst & (PART - 1);

		copy_32(dst, src);
		for (; at + 4 * PART <= n_bytes; at += 4 * PART)
			UNROLL for (int k = 0; k < 4 * PART; k += PART)
				copy_32(dst + at + k, src + at + k);
		for (; at + PART <= n_bytes; at += PART)
			copy_32(dst + at, src + at);
		copy_32(dst + n_bytes - PART, src + n_bytes - PART);
		return;
	}
#endif
	memcpy(dst, src, (size_t)n_bytes);
}

/* A row of at least 16 bytes, and of at most most_bytes, which is a constant. Parts of 32 bytes
 * cross fewer lines than those of 64. */
INLINE void copy_row(char *out, const char *src, int64_t n_bytes, int64_t most_bytes)
{
	const int64_t part = most_bytes <= 32 ? 16 : 32;

	memcpy(out, src, (size_t)part);
	for (int64_t at = part; most_bytes > HOST_LINE && at + part <= n_bytes; at += part)
		memcpy(out + at, src + at, (size_t)part);
	memcpy(out + n_bytes - part, src + n_bytes - part, (size_t)part);
}

/* Rows as long as copy_row() copies; units are swapped by an order unless that is NULL. */
INLINE void any_rows(const struct host_rows *rows, const char *src, char *dst, int64_t most_bytes,
	int64_t unit, const ORDER *order)
{
	const struct host_rows all = *rows;

	for (int64_t j = 0; j < all.n_j; j++) {
		const char *from = src + j * all.src_j;
		char *to = dst + j * all.dst_j;

		for (int64_t i = 0; i < all.n_i; i++, from += all.src_i, to += all.dst_i) {
			if (all.ahead) {
				for (int64_t at = 0; at < all.n_bytes; at += HOST_LINE)
					__builtin_prefetch(from + all.ahead + at);
				__builtin_prefetch(from + all.ahead + all.n_bytes - 1);
			}
			if (order)
				swap_row(to, from, all.n_bytes, unit, *order);
			else
				copy_row(to, from, all.n_bytes, most_bytes);
		}
	}
}

static void copy_rows(const struct host_rows *rows, const char *src, char *dst)
{
	if (rows->n_bytes <= HOST_LINE / 2)
		any_rows(rows, src, dst, HOST_LINE / 2, 0, NULL);
	else if (rows->n_bytes <= HOST_LINE)
		any_rows(rows, src, dst, HOST_LINE, 0, NULL);
	else
		any_rows(rows, src, dst, INT64_MAX, 0, NULL);
}

static void swap_rows(const struct host_rows *rows, const char *src, char *dst, int64_t unit)
{
	const ORDER order = SWAP_ORDER(unit);

	any_rows(rows, src, dst, INT64_MAX, unit, &order);
}

static void stream_rows(char *dst, int64_t dst_stride, const char *src, int64_t src_stride,
	const char *ahead, int64_t n_bytes, int64_t n)
{
	for (; n; n--) {
		for (int64_t byte = 0; byte < n_bytes; byte += HOST_LINE)
			__builtin_prefetch(ahead + byte, 0, 2);
		__builtin_prefetch(ahead + n_bytes - 1, 0, 2);
		any_lines(dst, src, n_bytes, NULL);
		ahead += src_stride;
		src += src_stride;
		dst += dst_stride;
	}
}

#ifdef STREAM_PARTS
void STREAM_PARTS(struct host_plane_rows *rows)
{
	const struct host_plane_rows all = *rows;
	const char *ahead = all.ahead;

	for (int64_t k = 0; k < all.n; k++) {
		char *dst = all.dst + k * all.dst_stride;
		const int64_t offset = (int64_t)((uintptr_t)dst & (HOST_LINE - 1));
		char *bytes = all.bytes + k * all.stride - offset;

		for (int64_t n = 0; n < all.n_ahead; n++, ahead += all.ahead_stride)
			for (int64_t at = 0; at < all.ahead_bytes; at += HOST_LINE)
				__builtin_prefetch(ahead + at, 0, 2);
		any_lines(dst - offset, bytes, all.n_bytes, NULL);
		UNROLL for (int at = 0; at < HOST_LINE; at += V)
			STORE(bytes + at, LOAD(bytes + all.n_bytes + at));
	}
	rows->ahead = ahead;
}
#endif

static void swap_lines(char *dst, const char *src, int64_t n_bytes, int64_t unit)
{
	const ORDER order = SWAP_ORDER(unit);
	int64_t i = to_line(dst, n_bytes);

	swap(dst, src, i, unit);
	i += any_lines(dst + i, src + i, n_bytes - i, &order);
	swap(dst + i, src + i, n_bytes - i, unit);
}

typedef uint64_t words_of_16 __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint64_t words_of_32 __attribute__((vector_size(32), aligned(1), may_alias));
typedef uint64_t words_of_64 __attribute__((vector_size(64), aligned(1), may_alias));

/* An item of 1 << log bytes, as often as it fits. */
struct repeated {
	uint64_t low, high;
};

INLINE struct repeated load_repeated(const char *src, int log)
{
	struct repeated words = { 0 };

	memcpy(&words, src, (size_t)1 << log);
	if (log < 3)
		words.low *= UINT64_MAX / (((uint64_t)1 << (8 << log)) - 1);
	if (log < 4)
		words.high = words.low;
	return words;
}

INLINE void store_repeated(char *dst, struct repeated words, int width)
{
	const uint64_t a = words.low, b = words.high;

	if (width == 16)
		*(words_of_16 *)dst = (words_of_16){ a, b };
	else if (width == 32)
		*(words_of_32 *)dst = (words_of_32){ a, b, a, b };
	else
		*(words_of_64 *)dst = (words_of_64){ a, b, a, b, a, b, a, b };
}

/* A row of at least 64 bytes. */
INLINE void repeat_long(char *dst, struct repeated words, int64_t n_bytes)
{
	for (int64_t at = 0; at + 64 <= n_bytes; at += 64)
		store_repeated(dst + at, words, 64);
	store_repeated(dst + n_bytes - 64, words, 64);
}

/*
 * Rows of at most width bytes, which are written by one store each: what it writes after a row is
 * written again by the rows that follow, of which the last ones are written exactly.
 */
INLINE void repeat_short(char *dst, const char *src, int64_t src_stride, int64_t n_bytes, int64_t n,
	int log, int width)
{
	const int64_t n_exact = (width - 1) / n_bytes;
	char bytes[64];

	for (; n > n_exact; n--, src += src_stride, dst += n_bytes)
		store_repeated(dst, load_repeated(src, log), width);
	for (; n; n--, src += src_stride, dst += n_bytes) {
		store_repeated(bytes, load_repeated(src, log), width);
		memcpy(dst, bytes, (size_t)n_bytes);
	}
}

INLINE void any_repeat(
	char *dst, const char *src, int64_t src_stride, int64_t n_bytes, int64_t n, int log)
{
	if (n_bytes <= 16)
		repeat_short(dst, src, src_stride, n_bytes, n, log, 16);
	else if (n_bytes <= 32)
		repeat_short(dst, src, src_stride, n_bytes, n, log, 32);
	else if (n_bytes < 64)
		repeat_short(dst, src, src_stride, n_bytes, n, log, 64);
	else
		for (; n; n--, src += src_stride, dst += n_bytes)
			repeat_long(dst, load_repeated(src, log), n_bytes);
}

static void repeat(char *dst, const char *src, int64_t src_stride, int64_t item_bytes,
	int64_t n_bytes, int64_t n)
{
	switch (item_bytes) {
	case 1:
		any_repeat(dst, src, src_stride, n_bytes, n, 0);
		break;
	case 2:
		any_repeat(dst, src, src_stride, n_bytes, n, 1);
		break;
	case 4:
		any_repeat(dst, src, src_stride, n_bytes, n, 2);
		break;
	case 8:
		any_repeat(dst, src, src_stride, n_bytes, n, 3);
		break;
	default:
		any_repeat(dst, src, src_stride, n_bytes, n, 4);
	}
}

#define BY_LOG(NAME)                                        \
	{                                                   \
		NAME(0), NAME(1), NAME(2), NAME(3), NAME(4) \
	}
#define TILE(LOG)                                \
	{                                        \
		tile_##LOG, tile_##LOG##_swapped \
	}
#define STREAM_TILE(LOG)                                       \
	{                                                      \
		stream_tile_##LOG, stream_tile_##LOG##_swapped \
	}
#define STRIP(LOG)                                 \
	{                                          \
		strip_##LOG, strip_##LOG##_swapped \
	}
#define STREAM_SLIM(LOG)                                       \
	{                                                      \
		stream_slim_##LOG, stream_slim_##LOG##_swapped \
	}
#define HOST_TILES                                                                        \
	.tile = BY_LOG(TILE), .stream_tile = BY_LOG(STREAM_TILE), .strip = BY_LOG(STRIP), \
	.stream_slim = { [2] = STREAM_SLIM(2), [3] = STREAM_SLIM(3), [4] = STREAM_SLIM(4) }

#ifdef HALVES
/* Rows of half a line: HALVES(p, stride, a, b) stores for each lane of V what both vectors have in
 * it. With vectors of one lane, two strips are faster. */
INLINE void half_part(const char *src, int64_t src_stride, char *dst, int64_t dst_stride,
	const ORDER *order, int log)
{
	const int n = 16 >> log;
	VEC group[2][16];

	load_group(group[0], src, src_stride, log, order);
	load_group(group[1], src + n * src_stride, src_stride, log, order);
	UNROLL for (int k = 0; k < n; k++)
		HALVES(dst + k * dst_stride, n * dst_stride, group[0][k], group[1][k]);
}

INLINE void any_half(const char *src, int64_t src_stride, char *dst, int64_t dst_stride,
	const ORDER *order, int log)
{
	for (int part = 0; part < HOST_LINE / V; part++) {
		half_part(src, src_stride, dst, dst_stride, order, log);
		src += V;
		dst += LANES * (16 >> log) * dst_stride;
	}
}

#define DEFINE_HALF(LOG) \
	DEFINE_TILE(half_##LOG, any_half(src, src_stride, dst, dst_stride, order, LOG))

DEFINE_HALF(0)
DEFINE_HALF(1)
DEFINE_HALF(2)
DEFINE_HALF(3)

#define HALF(LOG)                                \
	{                                        \
		half_##LOG, half_##LOG##_swapped \
	}
#define HOST_HALVES .half = { HALF(0), HALF(1), HALF(2), HALF(3) }

#ifdef IS_HALF_LINE
/* Squares of half lines, the last ones overlapping those before them. */
INLINE void any_square_nest(const struct host_job *job, const char *src, char *dst,
	const struct host_block *block, int log)
{
	const struct host_block all = *block;
	const int64_t n = V >> log;

	if (all.n_i < n || all.n_j < n) {
		host_nest_items(job, src, dst, block);
		return;
	}
	for (int64_t k = 0; k < all.planes.n; k++) {
		for (int64_t j = 0; j < all.n_j; j += n) {
			const int64_t at_j = j < all.n_j - n ? j : all.n_j - n;
			const char *from = src + (at_j << log);
			char *to = dst + at_j * all.dst_j;

			for (int64_t i = 0; i < all.n_i; i += n) {
				const int64_t at_i = i < all.n_i - n ? i : all.n_i - n;

				half_part(from + at_i * all.src_i, all.src_i, to + (at_i << log),
					all.dst_j, NULL, log);
			}
		}
		src += all.planes.src_stride_bytes;
		dst += all.planes.dst_stride_bytes;
	}
}

#define DEFINE_SQUARES(LOG)                                                                    \
	static void nest_squares_##LOG(const struct host_job *job, const char *src, char *dst, \
		const struct host_block *block)                                                \
	{                                                                                      \
		any_square_nest(job, src, dst, block, LOG);                                    \
	}

DEFINE_SQUARES(2)
DEFINE_SQUARES(3)

/* The last n_rows, a constant, of the rows that a square writes, of which the first is at dst. */
INLINE void last_of_square(const char *src, int64_t src_stride, char *dst, int64_t dst_stride,
	int n_rows, int log, bool stream)
{
	const int n = 16 >> log, first = LANES * n - n_rows;
	VEC group[2][16];

	load_group(group[0], src, src_stride, log, NULL);
	load_group(group[1], src + n * src_stride, src_stride, log, NULL);
	UNROLL for (int k = 0; k < n; k++)
	{
		const int low = k - first, high = low + n;

		if (low >= 0)
			STORE_HALF(dst + low * dst_stride, group[0][k], group[1][k], 0, stream);
		if (high >= 0)
			STORE_HALF(dst + high * dst_stride, group[0][k], group[1][k], 1, stream);
	}
}

/* The square of the first rows of src, before which nothing may be read. */
INLINE void first_square(const char *src, int64_t src_stride, char *dst, int64_t dst_stride,
	int n_rows, int log, bool stream)
{
	const int n = V >> log, row_bytes = n_rows << log;
	char rows[V * V / 4] = { 0 };

	UNROLL for (int i = 0; i < n; i++)
		memcpy(rows + (i + 1) * V - row_bytes, src + i * src_stride, (size_t)row_bytes);
	last_of_square(rows, V, dst, dst_stride, n_rows, log, stream);
}

/* Squares of the same n_rows rows of dst. The last one overlaps the one before it, or is left out
 * if they are streamed. */
INLINE void column_of_squares(const char *src, char *dst, const struct host_block *block,
	bool is_narrow, int n_rows, int log, bool stream)
{
	const int64_t n = V >> log, n_i = block->n_i, src_i = block->src_i, dst_j = block->dst_j;
	const char *from = src - ((n - n_rows) << log);
	int64_t i = 0;

	if (is_narrow && n_rows > n / 2 && n_rows < n) {
		first_square(src, src_i, dst, dst_j, n_rows, log, stream);
		i = n;
	}
	for (; stream ? i + n <= n_i : i < n_i; i += n) {
		const int64_t at = stream || i + n <= n_i ? i : n_i - n;

		last_of_square(
			from + at * src_i, src_i, dst + (at << log), dst_j, n_rows, log, stream);
	}
}

#define COLUMN_CASE(N)                                                                       \
	case N:                                                                              \
		if ((N) <= V >> log)                                                         \
			column_of_squares(                                                   \
				from, to, &all, all.n_j + all.n_before < n, N, log, stream); \
		break;

/* Squares of half lines in long rows of dst, of which the last ones write no row again. */
INLINE void any_long_squares(
	const char *src, char *dst, const struct host_block *block, int log, bool stream)
{
	const struct host_block all = *block;
	const int64_t n = V >> log;

	for (int64_t j = 0; j < all.n_j; j += n) {
		const char *from = src + (j << log);
		char *to = dst + j * all.dst_j;

		switch (all.n_j - j < n ? all.n_j - j : n) {
			COLUMN_CASE(1)
			COLUMN_CASE(2)
			COLUMN_CASE(3)
			COLUMN_CASE(4)
			COLUMN_CASE(5)
			COLUMN_CASE(6)
			COLUMN_CASE(7)
			COLUMN_CASE(8)
		}
	}
}

/* Rows that do not fill a square are not streamed. */
#define DEFINE_LONG_SQUARES(LOG)                                                                 \
	static void long_squares_##LOG(const struct host_job *job, const char *src, char *dst,   \
		const struct host_block *block)                                                  \
	{                                                                                        \
		if (block->n_i < V >> (LOG))                                                     \
			host_nest_items(job, src, dst, block);                                   \
		else                                                                             \
			any_long_squares(src, dst, block, LOG, false);                           \
	}                                                                                        \
	static void stream_squares_##LOG(const struct host_job *job, const char *src, char *dst, \
		const struct host_block *block)                                                  \
	{                                                                                        \
		struct host_block last = *block;                                                 \
                                                                                                 \
		last.n_i %= V >> (LOG);                                                          \
		if (last.n_i < block->n_i)                                                       \
			any_long_squares(src, dst, block, LOG, true);                            \
		if (last.n_i)                                                                    \
			host_nest_items(job, src + (block->n_i - last.n_i) * block->src_i,       \
				dst + ((block->n_i - last.n_i) << (LOG)), &last);                \
	}

DEFINE_LONG_SQUARES(2)
DEFINE_LONG_SQUARES(3)

host_nest *const host_nest_squares[HOST_ITEM_LOGS] = { [2] = nest_squares_2, [3] = nest_squares_3 };
host_nest *const host_long_squares[HOST_ITEM_LOGS][2] = {
	[2] = { long_squares_2, stream_squares_2 }, [3] = { long_squares_3, stream_squares_3 }
};
#endif
#endif

#ifdef IS_BASELINE
/* One vector of each of 16 >> log rows. */
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

typedef uint32_t words __attribute__((vector_size(16)));
typedef uint64_t pair __attribute__((vector_size(16)));

INLINE uint64_t load_64(const char *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
	return word;
}

/* An item of 16 bytes, or of each of two rows one of 8. */
INLINE VEC load_column(const char *src, int64_t stride, int log)
{
	return log == 4 ? LOAD(src) : (VEC)(pair){ load_64(src), load_64(src + stride) };
}

INLINE void any_columns(const char *src, int64_t src_stride, char *dst, int64_t dst_stride,
	int64_t n, const ORDER *order, int log)
{
	for (int64_t j = 0; j < n; j++) {
		const int64_t head = to_line(dst, HOST_LINE);
		const char *from = src + (head >> log) * src_stride;
		VEC line[HOST_LINE / V];

		UNROLL for (int k = 0; k < HOST_LINE / V; k++)
		{
			line[k] = load_column(from, src_stride, log);
			if (order)
				line[k] = SWAP(line[k], *order);
			from += (16 >> log) * src_stride;
		}
		UNROLL for (int k = 0; k < HOST_LINE / V; k++) STREAM(dst + head + k * V, line[k]);
		src += 1 << log;
		dst += dst_stride;
	}
}

/* --- small transposes --- */

/* Loads 4, 8 or 16 bytes; the rest of the vector is 0. */
INLINE VEC load_part(const char *p, int n_bytes)
{
	uint32_t word;

	if (n_bytes == 16)
		return LOAD(p);
	if (n_bytes == 8)
		return (VEC)(pair){ load_64(p), 0 };
	memcpy(&word, p, sizeof(word));
	return (VEC)(words){ word, 0, 0, 0 };
}

INLINE void store_part(char *p, VEC v, int n_bytes, int part)
{
	const uint64_t two = ((pair)v)[part & 1];
	const uint32_t one = ((words)v)[part & 3];

	if (n_bytes == 16)
		STORE(p, v);
	else if (n_bytes == 8)
		memcpy(p, &two, sizeof(two));
	else
		memcpy(p, &one, sizeof(one));
}

INLINE void next_round(VEC *rows, int n, int log)
{
	VEC other[16];

	round_rows(other, rows, n, log);
	UNROLL for (int k = 0; k < n; k++) rows[k] = other[k];
}

/*
 * Transposes from_bytes of each of n rows of src, where n items are to_bytes, the size of the rows
 * written to dst. After interleaving, the columns follow each other in the vectors.
 */
INLINE void any_oblong(const char *src, int64_t src_stride, char *dst, int64_t dst_stride, int log,
	int from_bytes, int to_bytes)
{
	const int n = to_bytes >> log;
	VEC rows[16];

	UNROLL for (int k = 0; k < n; k++) rows[k] = load_part(src + k * src_stride, from_bytes);
	next_round(rows, n, log);
	if (n > 2)
		next_round(rows, n, log);
	if (n > 4)
		next_round(rows, n, log);
	if (n > 8)
		next_round(rows, n, log);
	UNROLL for (int k = 0; k < from_bytes >> log; k++) store_part(
		dst + k * dst_stride, rows[k * to_bytes / 16], to_bytes, k % (16 / to_bytes));
}

/* The last tiles overlap those before them. */
INLINE void any_plane(const char *src, char *dst, const struct host_block *block, int log,
	int from_bytes, int to_bytes)
{
	const int64_t n_i = block->n_i, n_j = block->n_j, src_i = block->src_i;
	const int64_t dst_j = block->dst_j;
	const int64_t step_i = to_bytes >> log, step_j = from_bytes >> log;

	for (int64_t j = 0; j < n_j; j += step_j) {
		const int64_t at_j = j < n_j - step_j ? j : n_j - step_j;
		const char *from = src + (at_j << log);
		char *to = dst + at_j * dst_j;

		for (int64_t i = 0; i < n_i; i += step_i) {
			const int64_t at_i = i < n_i - step_i ? i : n_i - step_i;

			any_oblong(from + at_i * src_i, src_i, to + (at_i << log), dst_j, log,
				from_bytes, to_bytes);
		}
	}
}

INLINE void any_nest(const char *src, char *dst, const struct host_block *block, int log,
	int from_bytes, int to_bytes)
{
	const struct host_block same = *block;

	for (int64_t k = 0; k < same.planes.n; k++) {
		any_plane(src, dst, &same, log, from_bytes, to_bytes);
		src += same.planes.src_stride_bytes;
		dst += same.planes.dst_stride_bytes;
	}
}

#define NEST_CASE(LOG, FROM, TO)                                  \
	case (FROM)*32 + (TO):                                    \
		if ((FROM) >> (LOG) > 1 && (TO) >> (LOG) > 1)     \
			any_nest(src, dst, block, LOG, FROM, TO); \
		break;

/*
 * The widest parts that both loops have items for. The last block of a loop may have fewer items
 * than any part: a tile would also write those before it, which another thread may be writing.
 */
#define DEFINE_NEST(LOG)                                                                     \
	static void nest_tiles_##LOG(const struct host_job *job, const char *src, char *dst, \
		const struct host_block *block)                                              \
	{                                                                                    \
		const int64_t least = (LOG) < 2 ? 4 >> (LOG) : 2;                            \
                                                                                             \
		if (block->n_i < least || block->n_j < least) {                              \
			host_nest_items(job, src, dst, block);                               \
			return;                                                              \
		}                                                                            \
		switch (host_part_bytes(block->n_j << (LOG)) * 32 +                          \
			host_part_bytes(block->n_i << (LOG))) {                              \
			NEST_CASE(LOG, 4, 4)                                                 \
			NEST_CASE(LOG, 4, 8)                                                 \
			NEST_CASE(LOG, 4, 16)                                                \
			NEST_CASE(LOG, 8, 4)                                                 \
			NEST_CASE(LOG, 8, 8)                                                 \
			NEST_CASE(LOG, 8, 16)                                                \
			NEST_CASE(LOG, 16, 4)                                                \
			NEST_CASE(LOG, 16, 8)                                                \
			NEST_CASE(LOG, 16, 16)                                               \
		}                                                                            \
	}

DEFINE_NEST(0)
DEFINE_NEST(1)
DEFINE_NEST(2)

host_nest *const host_nest_tiles[HOST_ITEM_LOGS] = { nest_tiles_0, nest_tiles_1, nest_tiles_2 };

/* Transposes n_i rows of n_j items of 4 bytes; both numbers are 0, 1, 2 or 4. */
INLINE void any_words(
	const char *src, int64_t src_stride, char *dst, int64_t dst_stride, int n_i, int n_j)
{
	if (n_i > 1 && n_i * n_j > 2) {
		any_oblong(src, src_stride, dst, dst_stride, 2, 4 * n_j, 4 * n_i);
		return;
	}
	UNROLL for (int i = 0; i < n_i; i++) UNROLL for (int j = 0; j < n_j; j++) memcpy(
		dst + j * dst_stride + (int64_t)4 * i, src + i * src_stride + (int64_t)4 * j, 4);
}

/* The sizes of the first and the last of the parts, of 1, 2 or 4 items, that make up n items, at
 * most HOST_FEW; 0 if one is enough. Of 7, the last 4 overlap the first 4: 4, 2 and 1 take more
 * stores. */
INLINE int few_first(int n)
{
	return n >= 4 ? 4 : n >= 2 ? 2 : 1;
}

INLINE int few_last(int n)
{
	return n == 7 ? 4 : n - few_first(n);
}

/* The same for both numbers from 1 to HOST_FEW. */
INLINE void any_few(
	const char *src, int64_t src_stride, char *dst, int64_t dst_stride, int n_i, int n_j)
{
	const int first_i = few_first(n_i), last_i = few_last(n_i);
	const int first_j = few_first(n_j), last_j = few_last(n_j);
	const char *const last_row = src + (n_i - last_i) * src_stride;
	char *const last_out = dst + (n_j - last_j) * dst_stride;
	const int64_t at_i = (int64_t)4 * (n_i - last_i), at_j = (int64_t)4 * (n_j - last_j);

	any_words(src, src_stride, dst, dst_stride, first_i, first_j);
	any_words(src + at_j, src_stride, last_out, dst_stride, first_i, last_j);
	any_words(last_row, src_stride, dst + at_i, dst_stride, last_i, first_j);
	any_words(last_row + at_j, src_stride, last_out + at_i, dst_stride, last_i, last_j);
}

/*
 * Copies all planes. One of n_i and n_j is a constant, the other is 0: that side has any number of
 * items and is copied in steps of 4. Of three remaining items, a step of 4 overlaps the last one.
 */
INLINE void few_nest(const char *src, char *dst, const struct host_block *block, int n_i, int n_j)
{
	const struct host_block all = *block;
	const int64_t n = n_i ? all.n_j : all.n_i;
	const int64_t src_step = n_i ? 4 : all.src_i, dst_step = n_i ? all.dst_j : 4;

	for (int64_t k = 0; k < all.planes.n; k++) {
		int64_t at = 0;

#define FEW(N)                                                                                   \
	any_few(src + at * src_step, all.src_i, dst + at * dst_step, all.dst_j, n_i ? n_i : (N), \
		n_j ? n_j : (N))
		for (; at + 4 <= n; at += 4)
			FEW(4);
		if (n - at == 3 && at) {
			at--;
			FEW(4);
		} else if (n - at == 3) {
			FEW(3);
		} else if (n - at == 2) {
			FEW(2);
		} else if (n - at == 1) {
			FEW(1);
		}
#undef FEW
		src += all.planes.src_stride_bytes;
		dst += all.planes.dst_stride_bytes;
	}
}

/* A function for each number, since the compiler allocates registers for each separately. */
#define DEFINE_FEW(N)                                                       \
	static __attribute__((noinline)) void few_rows_of_##N(              \
		const char *src, char *dst, const struct host_block *block) \
	{                                                                   \
		few_nest(src, dst, block, N, 0);                            \
	}                                                                   \
	static __attribute__((noinline)) void few_columns_of_##N(           \
		const char *src, char *dst, const struct host_block *block) \
	{                                                                   \
		few_nest(src, dst, block, 0, N);                            \
	}

DEFINE_FEW(2)
DEFINE_FEW(3)
DEFINE_FEW(4)
DEFINE_FEW(5)
DEFINE_FEW(6)
DEFINE_FEW(7)
DEFINE_FEW(8)

void host_nest_few(
	const struct host_job *job, const char *src, char *dst, const struct host_block *block)
{
	typedef void nest(const char *src, char *dst, const struct host_block *block);
	static nest *const rows[HOST_FEW + 1] = { NULL, NULL, few_rows_of_2, few_rows_of_3,
		few_rows_of_4, few_rows_of_5, few_rows_of_6, few_rows_of_7, few_rows_of_8 };
	static nest *const columns[HOST_FEW + 1] = { NULL, NULL, few_columns_of_2, few_columns_of_3,
		few_columns_of_4, few_columns_of_5, few_columns_of_6, few_columns_of_7,
		few_columns_of_8 };
	const int64_t n_i = block->n_i, n_j = block->n_j;

	if (n_j >= 2 && n_j <= HOST_FEW && n_j < n_i)
		columns[n_j](src, dst, block);
	else if (n_i >= 2 && n_i <= HOST_FEW)
		rows[n_i](src, dst, block);
	else
		host_nest_items(job, src, dst, block);
}

#define DEFINE_COLUMNS(LOG)                                                                     \
	DEFINE_ORDERED(columns_##LOG,                                                           \
		(const char *src, int64_t src_stride, char *dst, int64_t dst_stride, int64_t n, \
			int64_t swap),                                                          \
		any_columns(src, src_stride, dst, dst_stride, n, order, LOG))

DEFINE_COLUMNS(3)
DEFINE_COLUMNS(4)

#define COLUMNS(LOG)                                   \
	{                                              \
		columns_##LOG, columns_##LOG##_swapped \
	}
host_columns *const host_stream_columns[HOST_ITEM_LOGS][2] = { [3] = COLUMNS(3), [4] = COLUMNS(4) };

void host_stream_planes(const char *src, int64_t src_stride, char *dst, int64_t n_planes, int64_t n)
{
	for (int64_t j = 0; j < n; j++, src += 16)
		for (int64_t i = 0; i < n_planes; i++, dst += 16)
			STREAM(dst, LOAD(src + i * src_stride));
}

#endif

#ifdef SEPARATE
/* --- neighbours of 1 and 2 bytes that become rows --- */

/*
 * Writes a vector to each of n_rows rows of dst, at most n_most, which is a constant. A row of src
 * is loaded as the 16 bytes that begin or end with its items.
 */
INLINE void separate_block(const char *src, int64_t src_i, char *dst, int64_t dst_j, int64_t n_rows,
	int n_most, bool is_before, int log)
{
	const int n = 16 >> log;
	VEC rows[16];

	UNROLL for (int k = 0; k < n; k++) rows[k] = LOAD_LANES(src + k * src_i, n * src_i);
	turn(rows, log, NULL);
	if (is_before) {
		dst += (n_rows - 1) * dst_j;
		dst_j = -dst_j;
	}
	UNROLL for (int k = 0; k < n_most; k++)
	{
		if (k == n_rows)
			return;
		STORE(dst + k * dst_j, rows[is_before ? n - 1 - k : k]);
	}
}

/* The same for the rows of src from `first` to `end`. The last block may overlap the one before. */
INLINE void separate_rows(const char *src, char *dst, const struct host_block *block, int64_t first,
	int64_t end, int64_t n_rows, int n_most, bool is_before, int log)
{
	const int64_t n = V >> log, src_i = block->src_i, dst_j = block->dst_j;

	if (is_before)
		src -= 16 - (n_rows << log);
	for (int64_t i = first; i < end; i += n) {
		const int64_t at = i + n <= end ? i : end - n;

		separate_block(src + at * src_i, src_i, dst + (at << log), dst_j, n_rows, n_most,
			is_before, log);
	}
}

/*
 * One plane. Rows of src of less than 16 bytes are loaded together with the bytes after them, and
 * the last ones with those before them.
 */
INLINE void separate_plane(const char *src, char *dst, const struct host_block *block, int log)
{
	const int64_t n = V >> log, n_i = block->n_i, n_j = block->n_j, dst_j = block->dst_j;
	const int width = 16 >> log, half = width / 2;
	const int64_t rest = n_j % width;
	int64_t j = 0, whole = 0;

	for (; j + width <= n_j; j += width)
		separate_rows(
			src + (j << log), dst + j * dst_j, block, 0, n_i, width, width, false, log);
	if (!rest)
		return;
	src += j << log;
	dst += j * dst_j;
	if (!j && block->n_before < width) { /* without the rows that end less than 16 bytes before
						the last one does */
		const int64_t n_last = (16 - (rest << log) + block->src_i - 1) / block->src_i;

		whole = (n_i - n_last) / n * n;
	}
	if (rest <= half) {
		separate_rows(src, dst, block, 0, whole, rest, half, false, log);
		separate_rows(src, dst, block, whole, n_i, rest, half, true, log);
	} else {
		separate_rows(src, dst, block, 0, whole, rest, width, false, log);
		separate_rows(src, dst, block, whole, n_i, rest, width, true, log);
	}
}

#define DEFINE_SEPARATE(LOG)                                                               \
	static void separate_##LOG(const struct host_job *job, const char *src, char *dst, \
		const struct host_block *block)                                            \
	{                                                                                  \
		const struct host_block all = *block;                                      \
                                                                                           \
		if (!host_can_separate(block, V >> (LOG), 16 >> (LOG))) {                  \
			host_nest_tiles[LOG](job, src, dst, block);                        \
			return;                                                            \
		}                                                                          \
		for (int64_t k = 0; k < all.planes.n; k++)                                 \
			separate_plane(src + k * all.planes.src_stride_bytes,              \
				dst + k * all.planes.dst_stride_bytes, &all, LOG);         \
	}

DEFINE_SEPARATE(0)
DEFINE_SEPARATE(1)

host_nest *const SEPARATE[HOST_ITEM_LOGS] = { separate_0, separate_1 };
#endif

#ifdef HAS_TABLES
/* The tables are copied first because the compiler must assume that stores modify them. */
INLINE void any_pick(const struct host_table *table, const char *src, char *dst, int64_t n_steps,
	int n_in, int n_out, bool stream)
{
	const int64_t in_stride = table->in_stride_bytes, in_step = table->in_step_bytes;
	const int64_t out_stride = table->out_stride_bytes, out_step = table->out_step_bytes;
	struct picked picked[4][4];

	UNROLL for (int o = 0; o < n_out; o++) UNROLL for (int i = 0; i < n_in; i++) picked[o][i] =
		PICKED(table, o, i);
	for (int64_t step = 0; step < n_steps; step++) {
		TABLE_VEC in[4];

		UNROLL for (int i = 0; i < n_in; i++) in[i] = TABLE_LOAD(src + i * in_stride);
		UNROLL for (int o = 0; o < n_out; o++)
		{
			TABLE_VEC line = PICK_FIRST(picked[o][0], in[0]);

			UNROLL for (int i = 1; i < n_in; i++) line =
				PICK(line, picked[o][i], in[i]);
			if (stream)
				TABLE_STREAM(dst + o * out_stride, line);
			else
				TABLE_STORE(dst + o * out_stride, line);
		}
		src += in_step;
		dst += out_step;
	}
}

/* any_pick() for other numbers of vectors. */
INLINE void many_pick(
	const struct host_table *table, const char *src, char *dst, int64_t n_steps, bool stream)
{
	for (int64_t step = 0; step < n_steps; step++) {
		for (int o = 0; o < table->n_out; o++) {
			TABLE_VEC line = PICK_FIRST(PICKED(table, o, 0), TABLE_LOAD(src));

			for (int i = 1; i < table->n_in; i++)
				line = PICK(line, PICKED(table, o, i),
					TABLE_LOAD(src + i * table->in_stride_bytes));
			if (stream)
				TABLE_STREAM(dst + o * table->out_stride_bytes, line);
			else
				TABLE_STORE(dst + o * table->out_stride_bytes, line);
		}
		src += table->in_step_bytes;
		dst += table->out_step_bytes;
	}
}

/* Constant numbers keep the tables in registers. */
INLINE void choose_pick(
	const struct host_table *table, const char *src, char *dst, int64_t n_steps, bool stream)
{
	switch (table->n_in * 16 + table->n_out) {
	case 0x11:
		any_pick(table, src, dst, n_steps, 1, 1, stream);
		break;
	case 0x21:
		any_pick(table, src, dst, n_steps, 2, 1, stream);
		break;
	case 0x31:
		any_pick(table, src, dst, n_steps, 3, 1, stream);
		break;
	case 0x41:
		any_pick(table, src, dst, n_steps, 4, 1, stream);
		break;
	case 0x22:
		any_pick(table, src, dst, n_steps, 2, 2, stream);
		break;
	case 0x33:
		any_pick(table, src, dst, n_steps, 3, 3, stream);
		break;
	case 0x44:
		any_pick(table, src, dst, n_steps, 4, 4, stream);
		break;
	default:
		many_pick(table, src, dst, n_steps, stream);
	}
}

static void pick(const struct host_table *table, const char *src, char *dst, int64_t n_steps)
{
	choose_pick(table, src, dst, n_steps, false);
}

static void stream_pick(const struct host_table *table, const char *src, char *dst, int64_t n_steps)
{
	choose_pick(table, src, dst, n_steps, true);
}
#endif

/* The members of struct host_kernels that every instruction set has from here, besides HOST_TILES.
 */
#define HOST_ROWS                                                                           \
	.copy = copy, .stream = copy_lines, .copy_rows = copy_rows, .swap_rows = swap_rows, \
	.stream_rows = stream_rows, .repeat = repeat, .swap = swap, .stream_swap = swap_lines

#endif
