// SPDX-License-Identifier: MIT
/*
 * Neighbours of 1 and 2 bytes that become rows, for sets with SEPARATE.
 * A part of host_kernels.h, which includes it.
 */
#ifndef COPY_HOST_HOST_KERNELS_SEPARATE_H
#define COPY_HOST_HOST_KERNELS_SEPARATE_H

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
