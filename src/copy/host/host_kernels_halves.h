// SPDX-License-Identifier: MIT
/*
 * Tiles and squares of half lines, for sets with HALVES.
 * A part of host_kernels.h, which includes it.
 */
#ifndef COPY_HOST_HOST_KERNELS_HALVES_H
#define COPY_HOST_HOST_KERNELS_HALVES_H

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

#define DEFINE_HALF(DEFINE, LOG) \
	DEFINE(half_##LOG, TILE_PARAMETERS, any_half(src, src_stride, dst, dst_stride, order, LOG))

DEFINE_HALF(DEFINE_PLAIN, 0)
DEFINE_HALF(DEFINE_ORDERED, 1)
DEFINE_HALF(DEFINE_ORDERED, 2)
DEFINE_HALF(DEFINE_ORDERED, 3)

#define HOST_HALVES .half = { PLAIN(half_0), ORDERED(half_1), ORDERED(half_2), ORDERED(half_3) }

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
