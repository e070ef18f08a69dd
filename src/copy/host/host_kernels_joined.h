// SPDX-License-Identifier: MIT
/*
 * Tiles for rows of dst that begin at different offsets in a line. Included by host_kernels.h if
 * JOIN(line, first, second, offset) is defined: the line that begins `offset` bytes, less than
 * HOST_LINE, after that at `first`, if `second` follows it. The offset is a multiple of JOINED_UNIT
 * bytes, and a line is an array of vectors. If a vector is a line, LINES_OF(lines, a, b, c, d) may
 * be defined, the line that four vectors have in each lane: then there are tiles for more items.
 */
#ifndef COPY_HOST_HOST_KERNELS_JOINED_H
#define COPY_HOST_HOST_KERNELS_JOINED_H

enum { PARTS = HOST_LINE / V };

INLINE void store_line(char *dst, const VEC *line)
{
	UNROLL for (int p = 0; p < PARTS; p++) STORE(dst + p * V, line[p]);
}

/* Streams the line of a row that begins in the part before dst, which becomes this part. */
INLINE void join_line(char *dst, char *before, const VEC *part)
{
	const int64_t offset = host_bytes_to_line(dst);
	VEC line[PARTS];

	JOIN(line, before, part, offset);
	UNROLL for (int p = 0; p < PARTS; p++) STREAM(dst - HOST_LINE + offset + p * V, line[p]);
	store_line(before, part);
}

/* Reads like any_slim(). */
INLINE void any_joined_slim(const char *src, int64_t src_stride, char *dst, int64_t dst_stride,
	char *before, const ORDER *order, int log)
{
	const int n = 16 >> log;

	for (int at = 0; at < HOST_LINE; at += 16) {
		VEC group[PARTS][4], line[PARTS];

		UNROLL for (int p = 0; p < PARTS; p++)
		{
			UNROLL for (int k = 0; k < n; k++) group[p][k] =
				LOAD_LANES(src + (p * LANES * n + k) * src_stride, n * src_stride);
			turn(group[p], log, order);
		}
		UNROLL for (int k = 0; k < n; k++)
		{
			UNROLL for (int p = 0; p < PARTS; p++) line[p] = group[p][k];
			join_line(dst + k * dst_stride, before + k * HOST_LINE, line);
		}
		src += 16;
		dst += n * dst_stride;
		before += n * HOST_LINE;
	}
}

#ifdef LINES_OF
/* Reads like any_tile(). */
INLINE void any_joined(const char *src, int64_t src_stride, char *dst, int64_t dst_stride,
	char *before, const ORDER *order, int log)
{
	const int n = 16 >> log;
	VEC group[4][16], lines[LANES];

	UNROLL for (int g = 0; g < 4; g++)
		load_group(group[g], src + g * n * src_stride, src_stride, log, order);
	UNROLL for (int k = 0; k < n; k++)
	{
		LINES_OF(lines, group[0][k], group[1][k], group[2][k], group[3][k]);
		UNROLL for (int lane = 0; lane < LANES; lane++)
			join_line(dst + (lane * n + k) * dst_stride,
				before + (lane * n + k) * HOST_LINE, &lines[lane]);
	}
}
#endif

#define JOINED_PARAMETERS                                                                  \
	(const char *src, int64_t src_stride, char *dst, int64_t dst_stride, char *before, \
		int64_t swap)
#define DEFINE_JOINED_SLIM(LOG)                              \
	DEFINE_ORDERED(joined_slim_##LOG, JOINED_PARAMETERS, \
		any_joined_slim(src, src_stride, dst, dst_stride, before, order, LOG))
#define DEFINE_JOINED(DEFINE, LOG)              \
	DEFINE(joined_##LOG, JOINED_PARAMETERS, \
		any_joined(src, src_stride, dst, dst_stride, before, order, LOG))

DEFINE_JOINED_SLIM(2)
DEFINE_JOINED_SLIM(3)
#ifdef LINES_OF
DEFINE_JOINED(DEFINE_PLAIN, 0)
DEFINE_JOINED(DEFINE_ORDERED, 1)
DEFINE_JOINED(DEFINE_ORDERED, 2)
#endif

#define HOST_JOINED                                                                    \
	.joined_slim = { [2] = ORDERED(joined_slim_2), [3] = ORDERED(joined_slim_3) }, \
	.joined_unit = JOINED_UNIT
#define HOST_JOINED_TILES .joined = { PLAIN(joined_0), ORDERED(joined_1), ORDERED(joined_2) }

#endif
