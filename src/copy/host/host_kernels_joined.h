// SPDX-License-Identifier: MIT
/*
 * Tiles for rows of dst that begin at different offsets in a line. Included by host_kernels.h where
 * a vector is a line, if these are defined: LINES_OF(lines, a, b, c, d), the line that four vectors
 * have in each lane; JOIN(first, second, offset), the line at this offset, at most HOST_LINE, of
 * two that follow each other; JOIN_END(first, second, offset, n_bytes), the same if only the last
 * n_bytes of the second one follow; and STORE_PART(p, line, n_bytes), which stores its first bytes.
 */
#ifndef COPY_HOST_HOST_KERNELS_JOINED_H
#define COPY_HOST_HOST_KERNELS_JOINED_H

/* Streams the line of a row that begins in the part before dst, which becomes this part. */
INLINE void join_line(char *dst, char *before, VEC part)
{
	const int64_t offset = host_bytes_to_line(dst);

	STREAM(dst - HOST_LINE + offset, JOIN(LOAD(before), part, offset));
	STORE(before, part);
}

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
				before + (lane * n + k) * HOST_LINE, lines[lane]);
	}
}

/* The same, with loads like those of any_slim(). */
INLINE void any_joined_slim(const char *src, int64_t src_stride, char *dst, int64_t dst_stride,
	char *before, const ORDER *order, int log)
{
	const int n = 16 >> log;

	for (int at = 0; at < HOST_LINE; at += 16) {
		VEC part[16];

		UNROLL for (int k = 0; k < n; k++) part[k] =
			LOAD_LANES(src + k * src_stride, n * src_stride);
		turn(part, log, order);
		UNROLL for (int k = 0; k < n; k++)
			join_line(dst + k * dst_stride, before + k * HOST_LINE, part[k]);
		src += 16;
		dst += n * dst_stride;
		before += n * HOST_LINE;
	}
}

static void joined_begin(char *dst, int64_t dst_stride, const char *before, int64_t n)
{
	for (; n; n--, dst += dst_stride, before += HOST_LINE)
		STORE_PART(dst, LOAD(before), host_bytes_to_line(dst));
}

static void joined_end(char *dst, int64_t dst_stride, const char *before, const char *last,
	int64_t n_bytes, int64_t n)
{
	for (; n; n--, dst += dst_stride, before += HOST_LINE, last += HOST_LINE) {
		const int64_t offset = host_bytes_to_line(dst);
		const VEC end = LOAD(last), line = JOIN_END(LOAD(before), end, offset, n_bytes);

		if (offset > n_bytes) {
			STORE_PART(dst + offset, line, HOST_LINE + n_bytes - offset);
			continue;
		}
		STREAM(dst + offset, line);
		STORE_PART(dst + offset + HOST_LINE, JOIN(end, end, HOST_LINE - n_bytes + offset),
			n_bytes - offset);
	}
}

#define DEFINE_JOINED(NAME, CALL)                                                                  \
	DEFINE_ORDERED(NAME,                                                                       \
		(const char *src, int64_t src_stride, char *dst, int64_t dst_stride, char *before, \
			int64_t swap),                                                             \
		CALL)

DEFINE_JOINED(joined_0, any_joined(src, src_stride, dst, dst_stride, before, order, 0))
DEFINE_JOINED(joined_1, any_joined(src, src_stride, dst, dst_stride, before, order, 1))
DEFINE_JOINED(joined_2, any_joined(src, src_stride, dst, dst_stride, before, order, 2))
DEFINE_JOINED(joined_slim_2, any_joined_slim(src, src_stride, dst, dst_stride, before, order, 2))
DEFINE_JOINED(joined_slim_3, any_joined_slim(src, src_stride, dst, dst_stride, before, order, 3))

#define JOINED(LOG)                                  \
	{                                            \
		joined_##LOG, joined_##LOG##_swapped \
	}
#define JOINED_SLIM(LOG)                                       \
	{                                                      \
		joined_slim_##LOG, joined_slim_##LOG##_swapped \
	}
#define HOST_JOINED                                                    \
	.joined = { JOINED(0), JOINED(1), JOINED(2) },                 \
	.joined_slim = { [2] = JOINED_SLIM(2), [3] = JOINED_SLIM(3) }, \
	.joined_begin = joined_begin, .joined_end = joined_end

#endif
