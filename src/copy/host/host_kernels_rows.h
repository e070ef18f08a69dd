// SPDX-License-Identifier: MIT
/*
 * Contiguous rows, repeated items, and rows whose bytes are swapped.
 * A part of host_kernels.h, which includes it.
 */
#ifndef COPY_HOST_HOST_KERNELS_ROWS_H
#define COPY_HOST_HOST_KERNELS_ROWS_H

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
	int64_t head = host_bytes_to_line(dst);

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

/* Requests a row into the second-level cache. */
INLINE void request_row(const char *row, int64_t n_bytes)
{
	for (int64_t at = 0; at < n_bytes; at += HOST_LINE)
		__builtin_prefetch(row + at, 0, 2);
	__builtin_prefetch(row + n_bytes - 1, 0, 2);
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
			if (all.far_ahead)
				request_row(from + all.far_ahead, all.n_bytes);
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
		request_row(ahead, n_bytes);
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

/* The members of struct host_kernels that every instruction set has from here, besides HOST_TILES.
 */
#define HOST_ROWS                                                                           \
	.copy = copy, .stream = copy_lines, .copy_rows = copy_rows, .swap_rows = swap_rows, \
	.stream_rows = stream_rows, .repeat = repeat, .swap = swap, .stream_swap = swap_lines

#endif
