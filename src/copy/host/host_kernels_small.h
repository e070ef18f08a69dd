// SPDX-License-Identifier: MIT
/*
 * Small transposes and planes, and columns: once for each architecture.
 * A part of host_kernels.h, which includes it.
 */
#ifndef COPY_HOST_HOST_KERNELS_SMALL_H
#define COPY_HOST_HOST_KERNELS_SMALL_H

/* One vector of each of 16 >> log rows. */
INLINE void any_small(const char *src, int64_t src_stride, char *dst, int64_t dst_stride,
	const ORDER *order, int log)
{
	const int n = 16 >> log;
	VEC group[16];

	load_group(group, src, src_stride, log, order);
	UNROLL for (int k = 0; k < n; k++) STORE(dst + k * dst_stride, group[k]);
}

#define DEFINE_SMALL(DEFINE, LOG)            \
	DEFINE(small_##LOG, TILE_PARAMETERS, \
		any_small(src, src_stride, dst, dst_stride, order, LOG))

DEFINE_SMALL(DEFINE_PLAIN, 0)
DEFINE_SMALL(DEFINE_ORDERED, 1)
DEFINE_SMALL(DEFINE_ORDERED, 2)
DEFINE_SMALL(DEFINE_ORDERED, 3)
DEFINE_SMALL(DEFINE_ORDERED, 4)

host_tile *const host_small[HOST_ITEM_LOGS][2] = BY_LOG(small_);

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

host_columns *const host_stream_columns[HOST_ITEM_LOGS][2] = {
	[3] = ORDERED(columns_3), [4] = ORDERED(columns_4)
};

void host_stream_planes(const char *src, int64_t src_stride, char *dst, int64_t n_planes, int64_t n)
{
	for (int64_t j = 0; j < n; j++, src += 16)
		for (int64_t i = 0; i < n_planes; i++, dst += 16)
			STREAM(dst, LOAD(src + i * src_stride));
}

#endif
