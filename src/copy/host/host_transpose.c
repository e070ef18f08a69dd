// SPDX-License-Identifier: MIT
/*
 * Transposes: rows of the source become columns of the destination, tile by tile in the order of
 * the source, so that whole lines of the destination can be streamed. If the rows of the
 * destination are not a multiple of whole lines, two tiles are joined to a line, or lines are
 * loaded item by item if items are large and rows are long, or rows are assembled in a buffer.
 * host_transpose_plan.c chooses between these, and divides the copy into units.
 */
#include "copy/host/host_transpose.h"

#include <stdlib.h>
#include <string.h>

enum {
	SLIM_PREFETCH_BYTES = 256,
	COLUMNS_AHEAD_BYTES =
		2 * HOST_LINE,  /* prefetched to the second-level cache while others are stored */
	DENSE_BYTES = 16 << 10, /* assembled at a time if rows of dst are contiguous */
	LONG_RUN_BYTES = 512,
	CACHED_ROWS = 512,     /* of one line each */
	FIRST_CACHE_SETS = 64, /* number of sets; each holds FIRST_CACHE_WAYS lines */
	FIRST_CACHE_WAYS = 8,
	LEAST_ODD_ITEMS = 16,  /* of rows of dst that begin at any offset in a line */
	SHORT_ROW_ITEMS = 7,   /* of 8 bytes: rows of src up to this are copied one by one */
	SHORT_RUN_ITEMS = 8,   /* the same in dst */
	FEW_SWAPPED_ITEMS = 4, /* of 16 bytes: longer rows of src are swapped faster by tiles */
};

/* Copies n items of one row of dst. */
static void copy_one_by_one(const struct host_job *job, const char *src, char *dst, int64_t n)
{
	job->one_by_one(job, src, dst, n);
	if (host_swap_after(job))
		job->kernels->swap(dst, dst, n * job->row_item_bytes, job->plan.swap_bytes);
}

bool host_fits_in_sets(int64_t n, int64_t stride_bytes)
{
	const int64_t lines = stride_bytes % HOST_LINE ? 1 : stride_bytes / HOST_LINE;
	const int64_t step = least(lines & -lines, FIRST_CACHE_SETS);

	return n <= FIRST_CACHE_SETS / step * FIRST_CACHE_WAYS;
}

bool host_avoids_splits(
	const struct host_job *job, int64_t n_i, int64_t src_stride, int64_t dst_stride)
{
	return job->plan.item_bytes == 8 && !job->stream && !job->plan.swap_bytes &&
	       n_i >= LEAST_ODD_ITEMS && dst_stride % HOST_HALF_LINE != 0 &&
	       host_fits_in_sets(n_i, src_stride) && host_splits_slowly();
}

/* Item by item, a few rows at a time if not all fit in the first-level cache, so that each line of
 * the source is read once. */
static void scalar_block(const struct host_job *job, const char *src, char *dst, int64_t dst_stride,
	int64_t n_i, int64_t n_j)
{
	const int64_t item = job->row_item_bytes;
	struct host_block block = { 0, n_j, job->src_stride, item, dst_stride, { .n = 1 }, 0 };
	const bool is_cached = !job->stream && host_fits_in_sets(n_i, job->src_stride);
	const int64_t most = is_cached ? CACHED_ROWS : 2 * HOST_ODD_ROWS;

	for (int64_t i = 0, n; i < n_i; i += n) {
		n = n_i - i < most ? n_i - i : HOST_ODD_ROWS;
		if (!host_swap_after(job)) {
			block.n_i = n;
			job->nest(job, src + i * job->src_stride, dst + i * item, &block);
			continue;
		}
		for (int64_t j = 0; j < n_j; j++)
			copy_one_by_one(job, src + i * job->src_stride + j * item,
				dst + j * dst_stride + i * item, n);
	}
}

/* One column of tiles, of a line or of 16 bytes; the last tile overlaps the one before. */
static void transpose_column(const struct host_job *job, const char *src, char *dst,
	int64_t dst_stride, int64_t n_i, bool wide)
{
	const int log = job->item_log;
	const int64_t line = HOST_LINE >> log, half = HOST_HALF_LINE >> log, group = 16 >> log;
	const int64_t stride = job->src_stride, swap = job->plan.swap_bytes;
	host_tile *strip = wide ? job->strip : job->small;
	int64_t i = 0;

	for (; wide && i + line <= n_i; i += line) {
		if (job->columns_ahead)
			for (int64_t row = i; row < i + line; row++)
				__builtin_prefetch(src + row * stride + COLUMNS_AHEAD_BYTES, 0, 2);
		if (job->rows_ahead)
			for (int64_t row = line; row < 2 * line; row++)
				__builtin_prefetch(dst + row * dst_stride + (i << log), 0, 2);
		job->tile(src + i * stride, stride, dst + (i << log), dst_stride, swap);
	}
	if (wide && job->half && n_i >= half)
		for (; n_i - i > group; i += half) {
			const int64_t at = i + half <= n_i ? i : n_i - half;

			job->half(src + at * stride, stride, dst + (at << log), dst_stride, swap);
		}
	for (; i + group <= n_i; i += group)
		strip(src + i * stride, stride, dst + (i << log), dst_stride, swap);
	if (i < n_i)
		strip(src + (n_i - group) * stride, stride, dst + ((n_i - group) << log),
			dst_stride, swap);
}

static void columns(const struct host_job *job, const char *src, char *dst, int64_t dst_stride,
	int64_t n_i, int64_t n_j)
{
	const int64_t item = job->row_item_bytes;
	const int64_t line = HOST_LINE / item, group = 16 / item;
	int64_t step = n_j >= line ? line : group;
	int64_t j = 0;

	for (; j + step <= n_j; j += step)
		transpose_column(
			job, src + j * item, dst + j * dst_stride, dst_stride, n_i, step == line);
	if (j == n_j)
		return;
	if (n_j - j <= group)
		step = group;
	transpose_column(job, src + (n_j - step) * item, dst + (n_j - step) * dst_stride,
		dst_stride, n_i, step == line);
}

bool host_is_faster_one_by_one(const struct host_job *job, int64_t n_i, int64_t n_j)
{
	if (host_swap_after(job) || job->item_log < 3)
		return false;
	if (job->plan.swap_bytes && job->item_log == 4)
		return !job->stream && (n_j < FEW_SWAPPED_ITEMS || n_i <= SHORT_RUN_ITEMS);
	if (host_avoids_splits(job, n_i, job->src_stride, job->dst_stride))
		return true;
	if (job->stream)
		return job->item_log == 3 && n_j <= SHORT_ROW_ITEMS &&
		       n_i << job->item_log < LONG_RUN_BYTES;
	return job->item_log == 4 || n_j <= SHORT_ROW_ITEMS || n_i <= SHORT_RUN_ITEMS;
}

/* Parts of rows of 4 or 8 bytes that are too long for a nest, of few neighbours in src. */
static bool is_faster_by_squares(const struct host_job *job, const struct host_block *block)
{
	const int log = job->item_log;
	const bool is_lines = block->n_j * job->row_item_bytes % HOST_LINE == 0;

	return !job->stream && (log == 3 || (log == 2 && !is_lines)) &&
	       job->kernels->long_squares && !job->plan.swap_bytes &&
	       block->n_i >= HOST_HALF_LINE >> log && block->n_j < HOST_LEAST_TILE_ITEMS &&
	       host_has_squares(block, log) && host_fits_in_sets(block->n_i, job->src_stride);
}

void host_transpose_block(
	const struct host_job *job, const char *src, char *dst, const struct host_block *block)
{
	const int64_t group = 16 / job->row_item_bytes, n_i = block->n_i, n_j = block->n_j;

	if (job->squares)
		job->squares(job, src, dst, block);
	else if (is_faster_by_squares(job, block))
		job->kernels->long_squares[job->item_log][0](job, src, dst, block);
	else if (job->item_log < 0 || n_i < group || n_j < group ||
		 host_is_faster_one_by_one(job, n_i, n_j))
		scalar_block(job, src, dst, block->dst_j, n_i, n_j);
	else
		columns(job, src, dst, block->dst_j, n_i, n_j);
}

static void transpose_block(const struct host_job *job, const char *src, char *dst,
	int64_t dst_stride, int64_t n_i, int64_t n_j)
{
	const struct host_block block = { n_i, n_j, job->src_stride, job->row_item_bytes,
		dst_stride, { .n = 1 }, 0 };

	host_transpose_block(job, src, dst, &block);
}

/* The number of rows and columns of items in the unit. */
static void unit_size(const struct host_walk *walk, int64_t *n_i, int64_t *n_j)
{
	const struct host_job *job = walk->job;
	int64_t first_j = walk->index[job->at_j] * job->block_j;
	bool is_last = walk->index[job->at_j] + 1 == job->outer[job->at_j].n;

	*n_i = host_walk_block(walk, job->at_i, job->n_i, job->block_i);
	*n_j = is_last ? job->n_j - first_j : job->block_j;
}

/* The number of rows of src after the n_i rows of the unit. */
static int64_t rows_after(const struct host_walk *walk, int64_t n_i)
{
	const struct host_job *job = walk->job;

	return job->n_i - walk->index[job->at_i] * job->block_i - n_i;
}

void host_run_plain(const struct host_job *job, int64_t first, int64_t last)
{
	struct host_walk walk;
	int64_t n_i, n_j;

	for (host_walk_start(&walk, job, first); first < last; first++) {
		unit_size(&walk, &n_i, &n_j);
		transpose_block(job, walk.src, walk.dst, job->dst_stride, n_i, n_j);
		host_walk_next(&walk);
	}
}

/*
 * Prefetches what slim tiles read next, unless rows evict each other. Inline, because GCC removes
 * calls of functions that only prefetch.
 */
static inline __attribute__((always_inline)) void request_slim(
	const struct host_job *job, const char *from, int64_t n_rows)
{
	if (job->src_stride % HOST_PAGE_BYTES == 0)
		return;
	for (int64_t i = 0; i < n_rows; i++)
		__builtin_prefetch(from + i * job->src_stride + SLIM_PREFETCH_BYTES, 0, 3);
}

/*
 * Slim tiles along whole rows: the processor prefetches sequential reads of sixteen rows, but not
 * of more, and not of parts. Software prefetching helps in addition.
 */
static void stream_slim(const struct host_job *job, const char *src, char *dst, int64_t n_j)
{
	const int64_t line = HOST_LINE >> job->item_log;

	for (int64_t j = 0; j < n_j; j += line) {
		int64_t at = j + line <= n_j ? j : n_j - line;
		const char *from = src + (at << job->item_log);

		request_slim(job, from, HOST_SLIM_LINES(job->item_log) * line);
		job->stream_slim(from, job->src_stride, dst + at * job->dst_stride, job->dst_stride,
			job->plan.swap_bytes);
	}
}

/*
 * Lines of the source that are requested into the second-level cache some units before they are
 * used: in the order of the source, whereas their use is in the order of the destination.
 */
struct ahead {
	struct host_walk walk;
	int64_t n_units;               /* that remain */
	int64_t index[ARRAY_MAX_DIMS]; /* in the chain */
	int64_t n_rows, row_bytes;
	const char *block, *row, *line;
};

static void begin_row(struct ahead *ahead, const char *row)
{
	ahead->row = row;
	ahead->line = row - ((uintptr_t)row & (HOST_LINE - 1));
}

static void begin_block(struct ahead *ahead)
{
	const struct host_job *job = ahead->walk.job;
	int64_t n_j;

	unit_size(&ahead->walk, &ahead->n_rows, &n_j);
	ahead->n_rows += least(job->n_more, rows_after(&ahead->walk, ahead->n_rows));
	ahead->row_bytes = n_j * job->row_item_bytes;
	begin_row(ahead, ahead->block);
}

static void begin_unit(struct ahead *ahead)
{
	ahead->n_rows = 0;
	if (ahead->n_units-- <= 0)
		return;
	ahead->block = ahead->walk.src;
	begin_block(ahead);
}

static void request(struct ahead *ahead, int64_t n_lines)
{
	const struct host_job *job = ahead->walk.job;

	for (; n_lines && ahead->n_rows; n_lines--) {
		__builtin_prefetch(ahead->line, 0, 2);
		ahead->line += HOST_LINE;
		if (ahead->line < ahead->row + ahead->row_bytes)
			continue;
		if (--ahead->n_rows)
			begin_row(ahead, ahead->row + job->src_stride);
		else if (host_next_in_chain(job, ahead->index, &ahead->block))
			begin_block(ahead);
	}
}

/* Requests the rest of a unit. */
static void next_ahead(struct ahead *ahead)
{
	request(ahead, INT64_MAX);
	host_walk_next(&ahead->walk);
	begin_unit(ahead);
}

static void start_ahead(
	struct ahead *ahead, const struct host_job *job, int64_t first, int64_t last)
{
	host_walk_start(&ahead->walk, job, first);
	memset(ahead->index, 0, (size_t)job->n_chain * sizeof(ahead->index[0]));
	ahead->n_units = last - first;
	begin_unit(ahead);
	for (int64_t i = 0; i < job->n_ahead; i++)
		next_ahead(ahead);
}

/*
 * Streams one line of each of n rows of dst. Fewer rows than a tile has are loaded item by item if
 * items are large, or else the tile overlaps the one before, and writes lines again.
 */
static void stream_lines(const struct host_job *job, const char *src, char *dst, int64_t n)
{
	const int64_t line = HOST_LINE >> job->item_log, stride = job->src_stride;

	if (n <= line / 2 && job->stream_columns)
		job->stream_columns(src, stride, dst, job->dst_stride, n, job->plan.swap_bytes);
	else
		job->stream_tile(src - ((line - n) << job->item_log), stride,
			dst - (line - n) * job->dst_stride, job->dst_stride, job->plan.swap_bytes);
}

/* In the order of dst, except for neighbours in src. If rows of src are short, all lines of some
 * rows of dst are written before the next rows. */
static void stream_tiles(const struct host_job *job, struct ahead *ahead, const char *src,
	char *dst, int64_t n_lines, int64_t n_j)
{
	const int64_t line = HOST_LINE >> job->item_log;
	const bool is_short = n_j * job->row_item_bytes < HOST_NEIGHBOURS_ROW_BYTES;
	const int64_t n_together = is_short ? n_lines : 1;
	int64_t end;

	for (int64_t first = 0; first < n_j; first = end) {
		end = least(n_j, first + job->n_neighbours * line);
		for (int64_t from = 0; from < n_lines; from += n_together)
			for (int64_t j = first; j < end; j += line)
				for (int64_t i = from; i < from + n_together; i++) {
					request(ahead, job->ahead_lines);
					stream_lines(job,
						src + i * line * job->src_stride +
							(j << job->item_log),
						dst + j * job->dst_stride + i * HOST_LINE,
						least(line, n_j - j));
				}
	}
}

/*
 * For rows of dst whose lines begin at different items, without a buffer: a unit of n_i rows of src
 * writes the lines that begin in it, of which the last one may contain some of the n_more rows
 * after it. The first and the last unit also write what does not fill a line.
 */
static void stream_columns(const struct host_job *job, struct ahead *ahead, const char *src,
	char *dst, int64_t n_i, int64_t n_more, int64_t n_j, bool is_first)
{
	const int64_t item = job->row_item_bytes, line = HOST_LINE / item;
	const int64_t n_lines = least(n_i, n_i + n_more - line + 1) / line;
	int64_t n;

	for (int64_t j = 0; j < n_j; j += n, src += n * item, dst += n * job->dst_stride) {
		n = least(line, n_j - j);
		for (int64_t k = 0; is_first && k < n; k++) {
			char *out = dst + k * job->dst_stride;

			copy_one_by_one(job, src + k * item, out, host_bytes_to_line(out) / item);
		}
		for (int64_t i = 0; i < n_lines; i++) {
			request(ahead, job->ahead_lines);
			job->stream_columns(src + i * line * job->src_stride, job->src_stride,
				dst + i * HOST_LINE, job->dst_stride, n, job->plan.swap_bytes);
		}
		for (int64_t k = 0; n_lines * line < n_i && k < n; k++) {
			char *out = dst + k * job->dst_stride;
			int64_t i = n_lines * line + host_bytes_to_line(out) / item;
			const char *from = src + k * item + i * job->src_stride;

			for (out += i * item; i < n_i; i += line) {
				if (i + line <= n_i + n_more)
					job->stream_columns(from, job->src_stride, out, 0, 1,
						job->plan.swap_bytes);
				else
					copy_one_by_one(job, from, out, n_i + n_more - i);
				from += line * job->src_stride;
				out += HOST_LINE;
			}
		}
	}
}

/* What becomes of a tile: it is kept for the next one; or, in addition, what rows have before their
 * first line is stored; or, in addition, it is joined with the one before. */
enum joined_part { JOINED_KEPT, JOINED_BEGIN, JOINED_LINES };

/* Tiles of n_j columns; those before are at `before`. */
static void join_tiles(const struct host_job *job, struct ahead *ahead, const char *src, char *dst,
	char *before, int64_t n_j, enum joined_part part)
{
	const int64_t item = job->row_item_bytes, line = HOST_LINE / item;
	const int64_t stride = job->src_stride;

	for (int64_t j = 0; j < n_j; j += line, before += line * HOST_LINE) {
		const int64_t at = least(j, n_j - line);
		const char *from = src + at * item;
		char *to = dst + at * job->dst_stride;

		if (job->ahead_lines)
			request(ahead, job->ahead_lines);
		else
			request_slim(job, from, line);
		if (part == JOINED_LINES)
			job->joined(
				from, stride, to, job->dst_stride, before, job->plan.swap_bytes);
		else
			job->tile(from, stride, before, HOST_LINE, job->plan.swap_bytes);
		for (int64_t k = 0; part == JOINED_BEGIN && k < line; k++, to += job->dst_stride)
			memcpy(to, before + k * HOST_LINE, (size_t)host_bytes_to_line(to));
	}
}

/* The rest of each row of dst, from the first line that begins in the tile before, after which the
 * last n_bytes of the last tile follow; src has its rows. */
static void join_ends(const struct host_job *job, const char *src, char *dst, const char *before,
	int64_t n_j, int64_t n_bytes)
{
	_Alignas(HOST_LINE) char last[HOST_LINE * HOST_LINE];
	const int64_t item = job->row_item_bytes, line = HOST_LINE / item;
	char both[2 * HOST_LINE];

	for (int64_t j = 0; j < n_j; j += line) {
		const int64_t at = least(j, n_j - line);
		char *to = dst + at * job->dst_stride;

		job->tile(src + at * item, job->src_stride, last, HOST_LINE, job->plan.swap_bytes);
		for (int64_t k = 0; k < line; k++, to += job->dst_stride, before += HOST_LINE) {
			const int64_t offset = host_bytes_to_line(to);

			memcpy(both + n_bytes, last + k * HOST_LINE, HOST_LINE);
			memcpy(both, before, HOST_LINE);
			job->kernels->stream(
				to + offset, both + offset, HOST_LINE + n_bytes - offset);
		}
	}
}

/*
 * For rows of dst whose lines begin at different items, by tiles of which two are joined to a line:
 * a unit writes the lines that begin in it, and if fewer rows than a line of items follow, these,
 * too. The last columns overlap those before.
 */
static void stream_joined(const struct host_job *job, struct ahead *ahead, const char *src,
	char *dst, int64_t n_i, int64_t n_more, int64_t n_j, bool is_first)
{
	_Alignas(HOST_LINE) char before[HOST_JOINED_COLUMNS * HOST_LINE];
	const int64_t item = job->row_item_bytes, line = HOST_LINE / item;
	const bool is_last = n_more < line;
	const int64_t n_all = is_last ? n_i + n_more : n_i + line;
	int64_t n, i;

	if (n_all < line)
		return;
	for (int64_t j = 0; j < n_j; j += n, src += n * item, dst += n * job->dst_stride) {
		n = least(job->joined_columns, n_j - j);
		join_tiles(job, ahead, src, dst, before, n, is_first ? JOINED_BEGIN : JOINED_KEPT);
		for (i = line; i + line <= n_all; i += line)
			join_tiles(job, ahead, src + i * job->src_stride, dst + i * item, before, n,
				JOINED_LINES);
		if (is_last)
			join_ends(job, src + (n_all - line) * job->src_stride,
				dst + (i - line) * item, before, n, (n_all - i) * item);
	}
}

void host_run_joined(const struct host_job *job, int64_t first, int64_t last)
{
	struct host_walk walk;
	struct ahead ahead;
	int64_t n_i, n_j;

	start_ahead(&ahead, job, first, job->ahead_lines ? last : first);
	for (host_walk_start(&walk, job, first); first < last; first++) {
		unit_size(&walk, &n_i, &n_j);
		stream_joined(job, &ahead, walk.src, walk.dst, n_i, rows_after(&walk, n_i), n_j,
			walk.index[job->at_i] == 0);
		host_walk_next(&walk);
		next_ahead(&ahead);
	}
}

void host_run_columns(const struct host_job *job, int64_t first, int64_t last)
{
	struct host_walk walk;
	struct ahead ahead;
	int64_t n_i, n_j;

	start_ahead(&ahead, job, first, last);
	for (host_walk_start(&walk, job, first); first < last; first++) {
		unit_size(&walk, &n_i, &n_j);
		stream_columns(job, &ahead, walk.src, walk.dst, n_i, rows_after(&walk, n_i), n_j,
			walk.index[job->at_i] == 0);
		host_walk_next(&walk);
		next_ahead(&ahead);
	}
}

/* The first block includes the rows before the first whole line, the last block those after it. */
void host_run_streamed(const struct host_job *job, int64_t first, int64_t last)
{
	const int64_t item = job->row_item_bytes, line = HOST_LINE / item;
	struct host_walk walk;
	struct ahead ahead;
	int64_t n_i, n_j, whole;

	start_ahead(&ahead, job, first, job->stream_slim ? first : last);
	for (host_walk_start(&walk, job, first); first < last; first++) {
		unit_size(&walk, &n_i, &n_j);
		if (walk.index[job->at_i] == 0 && job->head_i)
			transpose_block(job, walk.src - job->head_i * job->src_stride,
				walk.dst - job->head_i * item, job->dst_stride, job->head_i, n_j);
		whole = n_i / line * line;
		if (job->stream_slim && n_i / line == HOST_SLIM_LINES(job->item_log))
			stream_slim(job, walk.src, walk.dst, n_j);
		else
			stream_tiles(job, &ahead, walk.src, walk.dst, n_i / line, n_j);
		if (whole < n_i)
			transpose_block(job, walk.src + whole * job->src_stride,
				walk.dst + whole * item, job->dst_stride, n_i - whole, n_j);
		host_walk_next(&walk);
		next_ahead(&ahead);
	}
}

/*
 * Fills the rows of the buffer from the chain of inner loops; returns the size of a row in bytes.
 */
static int64_t fill_buffer(const struct host_job *job, struct ahead *ahead, const char *src,
	char *buffer, int64_t n_i, int64_t n_j)
{
	const int64_t line = HOST_LINE / job->row_item_bytes;
	const int64_t step = job->separates ? n_i : job->squares ? job->block_i : line;
	int64_t index[ARRAY_MAX_DIMS] = { 0 };
	int64_t at = 0, n;

	do {
		for (int64_t i = 0; i < n_i; i += n) {
			n = n_i - i < 2 * step ? n_i - i : step;
			request(ahead, job->ahead_lines);
			transpose_block(
				job, src + i * job->src_stride, buffer + at, job->pitch, n, n_j);
			at += n * job->row_item_bytes;
		}
	} while (host_next_in_chain(job, index, &src));
	return at;
}

/*
 * Whole lines of n rows of the buffer: in each row of dst, a block begins with the first one if
 * others are before it, and continues to the end of the last one, for which it has read some rows
 * of the next block; n_own of the n_bytes are its own.
 */
static void stream_buffer_rows(const struct host_job *job, const char *buffer, char *dst, int64_t n,
	int64_t n_bytes, int64_t n_own, bool is_inner)
{
	int64_t begin, end;

	for (; n; n--) {
		begin = is_inner ? host_bytes_to_line(dst) : 0;
		end = n_own < n_bytes ? least(n_bytes, n_own + host_bytes_to_line(dst + n_own))
				      : n_bytes;
		if (begin < end)
			job->kernels->stream(dst + begin, buffer + begin, end - begin);
		dst += job->dst_stride;
		buffer += job->pitch;
	}
}

void host_run_buffered(const struct host_job *job, int64_t first, int64_t last)
{
	_Alignas(HOST_LINE) char buffer[HOST_BUFFER_BYTES];
	const int64_t item = job->row_item_bytes, line = HOST_LINE / item;
	const int64_t most =
		job->dense ? within(DENSE_BYTES / job->pitch / line * line, line, job->n_j + line)
			   : line;
	struct host_walk walk;
	struct ahead ahead;
	int64_t n_i, n_j, n_more, n_cols, n_bytes;

	start_ahead(&ahead, job, first, job->separates ? first : last);
	for (host_walk_start(&walk, job, first); first < last; first++) {
		unit_size(&walk, &n_i, &n_j);
		n_more = least(rows_after(&walk, n_i), line + 1);
		for (int64_t j = 0; j < n_j; j += n_cols) {
			char *dst = walk.dst + j * job->dst_stride;

			n_cols = n_j - j < most + line ? n_j - j : most;
			n_bytes = fill_buffer(
				job, &ahead, walk.src + j * item, buffer, n_i + n_more, n_cols);
			if (job->dense)
				job->kernels->stream(dst, buffer, n_cols * n_bytes);
			else
				stream_buffer_rows(job, buffer, dst, n_cols, n_bytes,
					n_more ? n_i * item : n_bytes, walk.index[job->at_i] != 0);
		}
		host_walk_next(&walk);
		next_ahead(&ahead);
	}
}
