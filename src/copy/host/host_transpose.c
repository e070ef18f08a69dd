// SPDX-License-Identifier: MIT
/*
 * Transposes: rows of the source become columns of the destination, tile by tile in the order of
 * the source, so that whole lines of the destination can be streamed. If the rows of the
 * destination are not a multiple of whole lines, they are assembled in a buffer first.
 */
#include "copy/host/host_engine.h"

#include <stdlib.h>
#include <string.h>

enum {
	BLOCK_LINES = 8,       /* per unit, in both dimensions */
	SLIM_ROW_BYTES = 2048, /* minimum */
	SLIM_BLOCK_BYTES = 16384,
	SLIM_PREFETCH_BYTES = 256,
	PAGE_BYTES = 4096, /* lines at this distance map to the same set of the first-level cache */
	PREFETCH_BYTES = 128,         /* prefetched ahead in each row of a large unit */
	AHEAD_UNIT_BYTES = 256 << 10, /* larger units do not stay in the second-level cache */
	COLUMNS_AHEAD_BYTES =
		2 * HOST_LINE, /* prefetched to the second-level cache while others are stored */
	BUFFER_BYTES = 96 << 10,
	RUN_BYTES = 2048,
	SHORT_RUN_BYTES = 256, /* most of its lines would be written in two parts */
	ODD_ROWS = 16,
	SECOND_CACHE_BYTES = 1 << 20, /* for both sides */
	LEAST_TILE_ITEMS = 64,        /* fewer are copied faster one by one */
};

/* Item by item, a few rows at a time so that each line of the source is read once. */
static void scalar_block(const struct host_job *job, const char *src, char *dst, int64_t dst_stride,
	int64_t n_i, int64_t n_j)
{
	const int64_t item = job->row_item_bytes, swap = job->plan.swap_bytes;

	for (int64_t i = 0; i < n_i; i += ODD_ROWS)
		for (int64_t j = 0; j < n_j; j++) {
			const int64_t n = n_i - i < ODD_ROWS ? n_i - i : ODD_ROWS;
			char *out = dst + j * dst_stride + i * item;

			job->one_by_one(job, src + i * job->src_stride + j * item, out, n);
			if (swap)
				job->kernels->swap(out, out, n * item, swap);
		}
}

/* One column of tiles, size_j items wide; the remainder overlaps the previous tile. */
static void transpose_column(const struct host_job *job, const char *src, char *dst,
	int64_t dst_stride, int64_t n_i, bool wide)
{
	const int log = job->item_log;
	const int64_t line = HOST_LINE >> log, group = 16 >> log;
	const int64_t stride = job->src_stride, swap = job->plan.swap_bytes;
	host_tile *strip = wide ? job->strip : job->small;
	int64_t i = 0;

	for (; wide && i + line <= n_i; i += line) {
		if (job->columns_ahead)
			for (int64_t row = i; row < i + line; row++)
				__builtin_prefetch(src + row * stride + COLUMNS_AHEAD_BYTES, 0, 2);
		job->tile(src + i * stride, stride, dst + (i << log), dst_stride, swap);
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
	const int64_t line = HOST_LINE / item;
	const int64_t step = n_j >= line ? line : 16 / item;
	int64_t j = 0;

	for (; j + step <= n_j; j += step)
		transpose_column(
			job, src + j * item, dst + j * dst_stride, dst_stride, n_i, step == line);
	if (j < n_j)
		transpose_column(job, src + (n_j - step) * item, dst + (n_j - step) * dst_stride,
			dst_stride, n_i, step == line);
}

static void transpose_block(const struct host_job *job, const char *src, char *dst,
	int64_t dst_stride, int64_t n_i, int64_t n_j)
{
	const int64_t group = 16 / job->row_item_bytes;

	if (job->item_log < 0 || n_i < group || n_j < group)
		scalar_block(job, src, dst, dst_stride, n_i, n_j);
	else
		columns(job, src, dst, dst_stride, n_i, n_j);
}

/* The number of rows and columns of items in the unit. */
static void unit_size(const struct host_walk *walk, int64_t *n_i, int64_t *n_j)
{
	const struct host_job *job = walk->job;
	int64_t first_i = walk->index[job->at_i] * job->block_i;
	int64_t first_j = walk->index[job->at_j] * job->block_j;
	bool is_last = walk->index[job->at_j] + 1 == job->outer[job->at_j].n;

	*n_i = job->n_i - first_i < job->block_i ? job->n_i - first_i : job->block_i;
	*n_j = is_last ? job->n_j - first_j : job->block_j;
}

static void run_plain(const struct host_job *job, int64_t first, int64_t last)
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
 * One tile at most HOST_LINE bytes wide; if it exceeds n_j it is moved back. The lines that are
 * `ahead` bytes after it are prefetched into the second-level cache.
 */
static void stream_tile(const struct host_job *job, const char *src, char *dst, int64_t j,
	int64_t n_j, int64_t ahead)
{
	const int64_t line = HOST_LINE >> job->item_log;
	const int64_t at = j + line <= n_j ? j : n_j - line;
	const char *next = src + (j << job->item_log) + ahead;

	for (int64_t i = 0; i < line; i++)
		__builtin_prefetch(next + i * job->src_stride, 0, 2);
	job->stream_tile(src + (at << job->item_log), job->src_stride, dst + at * job->dst_stride,
		job->dst_stride, job->plan.swap_bytes);
}

/*
 * Slim tiles along whole rows: the processor prefetches sequential reads of sixteen rows, but not
 * of more, and not of parts. Software prefetching helps in addition unless rows evict each other.
 */
static void stream_slim(const struct host_job *job, const char *src, char *dst, int64_t n_j)
{
	const int64_t line = HOST_LINE >> job->item_log, stride = job->src_stride;
	const int64_t n_rows = HOST_SLIM_LINES(job->item_log) * line;
	const bool ahead = stride % PAGE_BYTES != 0;

	for (int64_t j = 0; j < n_j; j += line) {
		int64_t at = j + line <= n_j ? j : n_j - line;
		const char *from = src + (at << job->item_log);

		for (int64_t i = 0; ahead && i < n_rows; i++)
			__builtin_prefetch(from + i * stride + SLIM_PREFETCH_BYTES, 0, 3);
		job->stream_slim(from, stride, dst + at * job->dst_stride, job->dst_stride,
			job->plan.swap_bytes);
	}
}

/* Square groups of tiles, so that neighbouring lines on both sides are accessed close in time. */
static void stream_columns(const struct host_job *job, const char *src, char *dst, int64_t n_lines,
	int64_t n_j, int64_t ahead)
{
	const int64_t line = HOST_LINE >> job->item_log;
	const int64_t src_step = line * job->src_stride;
	int64_t end;

	for (int64_t first = 0; first < n_j; first = end) {
		end = first + BLOCK_LINES * line < n_j ? first + BLOCK_LINES * line : n_j;
		for (int64_t i = 0; i < n_lines; i++)
			for (int64_t j = first; j < end; j += line)
				stream_tile(job, src + i * src_step, dst + i * HOST_LINE, j, n_j,
					ahead);
	}
}

/* The first block includes the rows before the first whole line, the last block those after it. */
static void run_streamed(const struct host_job *job, int64_t first, int64_t last)
{
	const int64_t item = job->row_item_bytes, line = HOST_LINE / item;
	const bool is_small = job->unit_bytes <= AHEAD_UNIT_BYTES;
	struct host_walk walk, next;
	int64_t n_i, n_j, whole;

	host_walk_start(&next, job, first);
	for (host_walk_start(&walk, job, first); first < last; first++) {
		host_walk_next(&next);
		unit_size(&walk, &n_i, &n_j);
		if (walk.index[job->at_i] == 0 && job->head_i)
			transpose_block(job, walk.src - job->head_i * job->src_stride,
				walk.dst - job->head_i * item, job->dst_stride, job->head_i, n_j);
		whole = n_i / line * line;
		if (job->stream_slim && n_i / line == HOST_SLIM_LINES(job->item_log))
			stream_slim(job, walk.src, walk.dst, n_j);
		else
			stream_columns(job, walk.src, walk.dst, n_i / line, n_j,
				is_small ? next.src - walk.src : PREFETCH_BYTES);
		if (whole < n_i)
			transpose_block(job, walk.src + whole * job->src_stride,
				walk.dst + whole * item, job->dst_stride, n_i - whole, n_j);
		host_walk_next(&walk);
	}
}

/*
 * Fills the rows of the buffer from the chain of inner loops; returns the size of a row in bytes.
 */
static int64_t fill_buffer(const struct host_job *job, const char *src, char *buffer, int64_t pitch,
	int64_t n_i, int64_t n_j)
{
	int64_t index[ARRAY_MAX_DIMS] = { 0 };
	int64_t at = 0;
	int depth;

	do {
		transpose_block(job, src, buffer + at, pitch, n_i, n_j);
		at += n_i * job->row_item_bytes;
		for (depth = job->n_chain - 1; depth >= 0; depth--) {
			src += job->chain[depth].src_stride_bytes;
			if (++index[depth] < job->chain[depth].n)
				break;
			index[depth] = 0;
			src -= job->chain[depth].n * job->chain[depth].src_stride_bytes;
		}
	} while (depth >= 0);
	return at;
}

static void run_buffered(const struct host_job *job, int64_t first, int64_t last)
{
	_Alignas(HOST_LINE) char buffer[BUFFER_BYTES];
	struct host_walk walk;
	int64_t n_i, n_j, n_bytes;

	for (host_walk_start(&walk, job, first); first < last; first++) {
		unit_size(&walk, &n_i, &n_j);
		n_bytes = fill_buffer(job, walk.src, buffer, job->pitch, n_i, n_j);
		for (int64_t j = 0; j < n_j; j++)
			job->kernels->stream(
				walk.dst + j * job->dst_stride, buffer + j * job->pitch, n_bytes);
		host_walk_next(&walk);
	}
}

/* Whether all rows of the destination begin at the same offset in a line. */
static bool has_whole_lines(const struct host_job *job)
{
	const int64_t item = job->row_item_bytes;

	return job->item_log >= 0 && host_is_aligned(job, (uint64_t)job->dst_stride, HOST_LINE) &&
	       (uintptr_t)job->dst % (uint64_t)item == 0 && job->n_i * item >= HOST_LINE &&
	       job->n_j * item >= HOST_LINE;
}

static int find_outer(const struct host_job *job, struct copy_loop loop)
{
	int at = 0;

	while (memcmp(&job->outer[at], &loop, sizeof(loop)) != 0)
		at++;
	return at;
}

/* Divides both loops into blocks, in the order of the source. */
static void divide_blocks(struct host_job *job, int64_t block_i, int64_t block_j)
{
	const int64_t item = job->row_item_bytes;
	struct copy_loop i = { 0 }, j = { 0 };

	job->block_i = block_i < job->n_i ? block_i : job->n_i;
	job->block_j = block_j < job->n_j ? block_j : job->n_j;
	i.n = (job->n_i + job->block_i - 1) / job->block_i;
	i.src_stride_bytes = job->block_i * job->src_stride;
	i.dst_stride_bytes = job->block_i * item;
	j.n = job->n_j / job->block_j;
	j.src_stride_bytes = job->block_j * item;
	j.dst_stride_bytes = job->block_j * job->dst_stride;
	host_add_outer(job, j);
	host_add_outer(job, i);
	job->at_i = find_outer(job, i);
	job->at_j = find_outer(job, j);
	job->unit_bytes = job->block_i * job->block_j * item;
}

/*
 * Square groups of tiles are faster for short rows, and if sixteen rows of small items map to the
 * same sets of the first-level cache: slim tiles would read each of their lines four times.
 */
static bool is_slim(const struct host_job *job)
{
	const int64_t item = job->row_item_bytes;

	return job->stream_slim && job->n_j * item >= SLIM_ROW_BYTES &&
	       (item > 4 || job->src_stride % PAGE_BYTES != 0);
}

static void plan_streamed(struct host_job *job)
{
	const int64_t item = job->row_item_bytes;

	job->head_i = (int64_t)(-(uintptr_t)job->dst & (HOST_LINE - 1)) / item;
	job->n_i -= job->head_i;
	job->src += job->head_i * job->src_stride;
	job->dst += job->head_i * item;
	job->run = run_streamed;
	if (!is_slim(job))
		job->stream_slim = NULL;
	if (job->stream_slim)
		divide_blocks(job, HOST_SLIM_LINES(job->item_log) * (HOST_LINE / item),
			SLIM_BLOCK_BYTES / item);
	else
		divide_blocks(job, BLOCK_LINES * (HOST_LINE / item), 4096 / item);
}

/* Adds loops that are contiguous in dst with i to the unit as long as a row remains short. */
static int64_t chain_loops(struct host_job *job, int64_t run, int64_t room)
{
	int at;

	for (;;) {
		for (at = 0; at < job->n_outer; at++)
			if (job->outer[at].dst_stride_bytes == run &&
				job->outer[at].n * run <= room)
				break;
		if (at == job->n_outer)
			return run;
		run *= job->outer[at].n;
		memmove(job->chain + 1, job->chain, (size_t)job->n_chain * sizeof(job->chain[0]));
		job->chain[0] = job->outer[at];
		job->n_chain++;
		job->n_outer--;
		memmove(job->outer + at, job->outer + at + 1,
			(size_t)(job->n_outer - at) * sizeof(job->outer[0]));
	}
}

static void plan_plain(struct host_job *job)
{
	job->columns_ahead = job->n_bytes > SECOND_CACHE_BYTES / 2;
	job->run = run_plain;
	divide_blocks(job, 4 * (int64_t)HOST_LINE, 4096);
}

/* The size of about equal parts of n, a multiple of unit, of at most most. */
static int64_t divide_evenly(int64_t n, int64_t most, int64_t unit)
{
	int64_t n_parts = (n + most - 1) / most;

	return ((n + n_parts - 1) / n_parts + unit - 1) / unit * unit;
}

static void plan_buffered(struct host_job *job)
{
	const int64_t item = job->row_item_bytes, line = HOST_LINE / item;
	/* The last block may be almost twice as wide as the others. */
	const int64_t room = BUFFER_BYTES / 2 / line - 2 * (int64_t)HOST_LINE;
	int64_t run = job->n_i * item, block_j;

	if (run <= room)
		run = chain_loops(job, run, room);
	else if (room < RUN_BYTES)
		run = room / HOST_LINE * HOST_LINE / item * item;
	else
		run = divide_evenly(job->n_i, RUN_BYTES / item, line) * item;
	if (run < SHORT_RUN_BYTES && !job->n_chain) {
		plan_plain(job);
		return;
	}
	job->pitch = (run + 2 * (int64_t)HOST_LINE - 1) & ~(int64_t)(HOST_LINE - 1);
	block_j = BUFFER_BYTES / 2 / job->pitch / line * line;
	job->run = run_buffered;
	divide_blocks(job, run / item, block_j > 2 * line ? 2 * line : block_j);
	if (job->n_chain)
		job->unit_bytes = run * job->block_j;
}

static void choose_tiles(struct host_job *job)
{
	const int64_t item = job->plan.item_bytes;
	const bool swapped = job->plan.swap_bytes != 0;

	job->item_log = -1;
	if ((item & (item - 1)) != 0 || item > COPY_WIDEST_BYTES)
		return;
	job->item_log = __builtin_ctzll((uint64_t)item);
	job->tile = job->kernels->tile[job->item_log][swapped];
	job->stream_tile = job->kernels->stream_tile[job->item_log][swapped];
	job->stream_slim = job->kernels->stream_slim[job->item_log][swapped];
	job->strip = job->kernels->strip[job->item_log][swapped];
	job->small = host_small[job->item_log][swapped];
}

bool host_plan_transpose(struct host_job *job)
{
	struct copy_plan *plan = &job->plan;
	struct copy_loop i, j;

	if (plan->kind != COPY_TRANSPOSE && plan->kind != COPY_INTERLEAVE)
		return false;
	i = plan->loops[plan->dst_unit];
	j = plan->loops[plan->src_unit];
	if (i.n * plan->item_bytes < 16 || j.n * plan->item_bytes < 16)
		return false;
	if (i.n * j.n < LEAST_TILE_ITEMS && !plan->swap_bytes)
		return false;
	choose_tiles(job);
	job->row_item_bytes = plan->item_bytes;
	if (j.src_stride_bytes < 0) {
		job->src += (j.n - 1) * j.src_stride_bytes;
		job->dst += (j.n - 1) * j.dst_stride_bytes;
		j.dst_stride_bytes = -j.dst_stride_bytes;
	}
	job->n_i = i.n;
	job->n_j = j.n;
	job->src_stride = job->row_src_stride = i.src_stride_bytes;
	job->one_by_one = host_gather_of(plan->item_bytes);
	job->dst_stride = j.dst_stride_bytes;
	for (int at = 0; at < plan->n_loops; at++)
		if (at != plan->dst_unit && at != plan->src_unit)
			host_add_outer(job, plan->loops[at]);
	if (job->stream && has_whole_lines(job)) {
		plan_streamed(job);
	} else if (job->stream) {
		plan_buffered(job);
	} else {
		plan_plain(job);
	}
	return true;
}
