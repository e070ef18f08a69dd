// SPDX-License-Identifier: MIT
/*
 * Rows whose items are consecutive in the destination, from any position in the source: copied,
 * filled, reversed, picked or gathered. If lines are streamed or bytes are swapped, rows are
 * assembled in the first-level cache.
 */
#include "copy/host/host_engine.h"

#include <stdlib.h>
#include <string.h>

enum {
	HALF_LINE = HOST_LINE / 2,
	LONG_ROW_BYTES = 256,        /* of multiples of half lines, in results that are streamed */
	LONG_ODD_ROW_BYTES = 416,    /* of rows that are not aligned to half lines */
	LONG_CACHED_ROW_BYTES = 640, /* if the result is not streamed, or rows are read in order */
	LONG_SWAPPED_ROW_BYTES = 4096, /* the same, if their bytes are swapped */
	/* Of rows read backwards, without gaps, or several times, in results that would be
	 * streamed. */
	LEAST_STORED_BYTES = 352,
	MOST_BACKWARD_BYTES = 4096,
	MOST_REPEATED_BYTES = 1024,
	PART_BYTES = 1 << 18,
	ROWS_AHEAD = 8,
	STREAMED_AHEAD_BYTES = 8192, /* of rows that are streamed */
	STREAMED_NEIGHBOUR_BYTES = 4096,
	MIDDLE_ROW_BYTES = 512,
	SRC_ORDER_ROW_BYTES = 128,
	SRC_ORDER_RUN_BYTES = 20 << 10,
	NEIGHBOUR_BYTES = 16 << 10, /* of lines of src that stay in the first-level cache */
};

/* Bytes that are assembled but not yet written; they are consecutive in dst. */
struct stage {
	const struct host_job *job;
	char *dst;
	int64_t n_bytes;
	_Alignas(HOST_STAGE_BYTES) char bytes[HOST_STAGE_BYTES];
};

static void flush(struct stage *stage)
{
	const struct host_job *job = stage->job;

	if (host_swap_after(job))
		job->kernels->swap(
			stage->bytes, stage->bytes, stage->n_bytes, job->plan.swap_bytes);
	if (job->stream)
		job->kernels->stream(stage->dst, stage->bytes, stage->n_bytes);
	else
		job->kernels->copy(stage->dst, stage->bytes, stage->n_bytes);
	stage->dst += stage->n_bytes;
	stage->n_bytes = 0;
}

static void stage_row(struct stage *stage, const char *src, char *dst, int64_t n)
{
	const struct host_job *job = stage->job;

	if (dst != stage->dst + stage->n_bytes) {
		flush(stage);
		stage->dst = dst;
	}
	while (n > 0) {
		/* The first piece ends at the end of a line of dst, so that the following ones are
		 * aligned to lines. */
		int64_t end = ((int64_t)(uintptr_t)stage->dst + stage->n_bytes) & (HOST_LINE - 1);
		int64_t room = HOST_STAGE_BYTES - stage->n_bytes - (stage->n_bytes ? 0 : end);
		int64_t part = room / job->row_item_bytes;

		if (part == 0) {
			flush(stage);
			continue;
		}
		part = part < n ? part : n;
		job->row(job, src, stage->bytes + stage->n_bytes, part);
		stage->n_bytes += part * job->row_item_bytes;
		src += part * job->row_src_stride;
		n -= part;
	}
}

static void run_rows(const struct host_job *job, int64_t first, int64_t last)
{
	struct stage stage;
	struct host_walk walk;
	int64_t part = first % job->n_parts, at, n;

	stage.job = job;
	stage.dst = job->dst;
	stage.n_bytes = 0;
	for (host_walk_start(&walk, job, first / job->n_parts); first < last; first++) {
		at = part * job->part_items;
		n = job->row_items - at < job->part_items ? job->row_items - at : job->part_items;
		if (job->staged)
			stage_row(&stage, walk.src + at * job->row_src_stride,
				walk.dst + at * job->row_item_bytes, n);
		else
			job->row(job, walk.src + at * job->row_src_stride,
				walk.dst + at * job->row_item_bytes, n);
		if (++part == job->n_parts) {
			part = 0;
			host_walk_next(&walk);
		}
	}
	flush(&stage);
}

/* Copies whole rows directly. */
static void run_copied(const struct host_job *job, int64_t first, int64_t last)
{
	const struct copy_loop *loop;
	const int64_t n_bytes = job->row_items * job->row_item_bytes;
	struct host_walk walk;
	int64_t n;

	for (host_walk_start(&walk, job, first); first < last; first += n) {
		loop = host_walk_loop(&walk);
		n = host_walk_left(&walk);
		n = n < last - first ? n : last - first;
		for (int64_t i = 0; i < n; i++)
			job->kernels->copy(walk.dst + i * loop->dst_stride_bytes,
				walk.src + i * loop->src_stride_bytes, n_bytes);
		host_walk_skip(&walk, n);
	}
}

/* --- short rows --- */

/*
 * Requests rows in advance, since the processor sees no sequence in them: from memory those of the
 * same block for the next neighbour in src, from the caches those that follow in the block.
 */
static int64_t bytes_ahead(const struct host_job *job, int64_t n_i)
{
	if (job->near.n == 1 || (job->n_bytes < HOST_CACHED_BYTES && n_i > 2 * (int64_t)ROWS_AHEAD))
		return ROWS_AHEAD * job->src_stride;
	return (ROWS_AHEAD + n_i - 1) / n_i * job->near.src_stride_bytes;
}

/* Whether rows are read from the last one to the first, without gaps, so that the processor
 * prefetches them. */
static bool is_backwards(int64_t src_stride, int64_t n_bytes)
{
	return src_stride == -n_bytes;
}

/* Rows through the caches. The loops within a unit are those of the kernel: a step of the walk
 * takes as long as copying some rows. */
static void run_short(const struct host_job *job, int64_t first, int64_t last)
{
	const struct copy_loop near = job->near;
	struct host_rows rows = { .n_bytes = job->row_items * job->row_item_bytes,
		.src_i = job->src_stride,
		.dst_i = job->dst_stride,
		.src_j = near.src_stride_bytes,
		.dst_j = near.dst_stride_bytes };
	struct host_walk walk;

	for (host_walk_start(&walk, job, first); first < last; first++) {
		rows.n_i = host_walk_block(&walk, job->at_i, job->n_i, job->block_i);
		rows.n_j = host_walk_block(&walk, job->at_j, near.n, job->block_j);
		rows.ahead = job->in_src_order || is_backwards(job->src_stride, rows.n_bytes)
				     ? 0
				     : bytes_ahead(job, rows.n_i);
		if (job->plan.swap_bytes)
			job->kernels->swap_rows(&rows, walk.src, walk.dst, job->plan.swap_bytes);
		else
			job->kernels->copy_rows(&rows, walk.src, walk.dst);
		host_walk_next(&walk);
	}
}

/* A position among the rows of a job. */
struct row_walk {
	struct host_walk units;
	int64_t n_left; /* of the unit */
	const char *src;
	char *dst;
};

static void start_unit(struct row_walk *rows)
{
	const struct host_job *job = rows->units.job;

	rows->n_left = host_walk_block(&rows->units, job->at_i, job->n_i, job->block_i);
	rows->src = rows->units.src;
	rows->dst = rows->units.dst;
}

static void start_rows(struct row_walk *rows, const struct host_job *job, int64_t unit)
{
	host_walk_start(&rows->units, job, unit);
	start_unit(rows);
}

/* n is at most n_left. */
static void skip_rows(struct row_walk *rows, int64_t n)
{
	rows->src += n * rows->units.job->src_stride;
	rows->dst += n * rows->units.job->dst_stride;
	rows->n_left -= n;
	if (!rows->n_left) {
		host_walk_next(&rows->units);
		start_unit(rows);
	}
}

/* Streams rows, and requests rows of src in advance. */
static void run_short_streamed(const struct host_job *job, int64_t first, int64_t last)
{
	const int64_t n_bytes = job->row_items * job->row_item_bytes;
	int64_t n, n_skip = STREAMED_AHEAD_BYTES / n_bytes;
	struct row_walk rows, ahead;

	start_rows(&rows, job, first);
	start_rows(&ahead, job, first);
	for (; n_skip; n_skip -= n) {
		n = n_skip < ahead.n_left ? n_skip : ahead.n_left;
		skip_rows(&ahead, n);
	}
	for (; first < last; first++)
		for (int64_t n_unit = rows.n_left; n_unit; n_unit -= n) {
			n = n_unit < ahead.n_left ? n_unit : ahead.n_left;
			job->kernels->stream_rows(rows.dst, job->dst_stride, rows.src,
				job->src_stride, ahead.src, n_bytes, n);
			skip_rows(&rows, n);
			skip_rows(&ahead, n);
		}
}

/* Whether long runs of src are written to distant rows faster than in the order of dst: the
 * processor prefetches them. */
static bool is_faster_in_src_order(const struct host_job *job, int64_t n_bytes)
{
	const struct copy_loop *loops = job->outer;

	return !job->stream && host_is_streamed(job, HOST_CACHED_BYTES) && job->n_outer == 2 &&
	       n_bytes >= SRC_ORDER_ROW_BYTES && loops[0].src_stride_bytes == n_bytes &&
	       loops[0].n * n_bytes >= SRC_ORDER_RUN_BYTES &&
	       loops[1].n * n_bytes >= SRC_ORDER_RUN_BYTES;
}

/*
 * In the order of dst, except that the neighbours in src are innermost but one: lines that rows
 * share are then still in a cache, those of src because few neighbours in dst come between.
 */
static void plan_short(struct host_job *job)
{
	const int64_t n_bytes = job->row_items * job->row_item_bytes;
	struct copy_loop rows;
	int64_t most =
		(job->stream ? STREAMED_NEIGHBOUR_BYTES : NEIGHBOUR_BYTES) / (n_bytes + HOST_LINE);

	job->in_src_order = is_faster_in_src_order(job, n_bytes);
	if (job->in_src_order)
		host_move_outer(job, 0, 1);
	rows = job->outer[--job->n_outer];
	job->near = (struct copy_loop){ .n = 1 };
	if (job->n_outer) {
		host_move_outer(job, host_nearest_outer(job), job->n_outer - 1);
		job->near = job->outer[--job->n_outer];
	}
	if (job->near.n == 1 || job->in_src_order)
		most = rows.n;
	job->n_i = rows.n;
	job->src_stride = rows.src_stride_bytes;
	job->dst_stride = rows.dst_stride_bytes;
	job->at_i = host_divide_loop(job, rows, most, &job->block_i);
	job->unit_bytes = job->block_i * n_bytes;
	if (job->stream) {
		job->outer[job->n_outer++] = job->near;
		job->run = run_short_streamed;
		return;
	}
	most = job->unit_bytes < PART_BYTES ? PART_BYTES / job->unit_bytes : 1;
	job->at_j = host_divide_loop(job, job->near, most, &job->block_j);
	job->unit_bytes *= job->block_j;
	job->run = run_short;
}

static void row_stream(const struct host_job *job, const char *src, char *out, int64_t n)
{
	job->kernels->stream(out, src, n * job->row_item_bytes);
}

static void row_copy(const struct host_job *job, const char *src, char *out, int64_t n)
{
	job->kernels->copy(out, src, n * job->row_item_bytes);
}

static void row_swap(const struct host_job *job, const char *src, char *out, int64_t n)
{
	job->kernels->swap(out, src, n * job->row_item_bytes, job->plan.swap_bytes);
}

static void row_stream_swap(const struct host_job *job, const char *src, char *out, int64_t n)
{
	job->kernels->stream_swap(out, src, n * job->row_item_bytes, job->plan.swap_bytes);
}

void host_cut_rows(struct host_job *job)
{
	job->n_parts = 1;
	job->part_items = job->row_items;
	if (job->row_items * job->row_item_bytes > 2 * (int64_t)PART_BYTES) {
		job->part_items = PART_BYTES / job->row_item_bytes / HOST_LINE * HOST_LINE;
		job->n_parts = (job->row_items + job->part_items - 1) / job->part_items;
	}
	job->unit_bytes = job->part_items * job->row_item_bytes;
	job->staged = job->stream || host_swap_after(job);
	job->run = run_rows;
}

/* Whether in every row some unit begins at a line. */
static bool has_units_at_lines(const struct host_job *job)
{
	const int64_t unit = job->plan.swap_bytes;

	return host_has_swap_order(unit) &&
	       host_is_aligned(job, (uint64_t)(uintptr_t)job->dst, unit);
}

/* Whether the addresses of rows only increase, or only decrease, so that the processor prefetches
 * them. */
static bool reads_rows_in_order(const struct host_job *job, int64_t row_bytes)
{
	int64_t extent = row_bytes;

	for (int i = job->n_outer - 1; i >= 0; i--)
		if (!host_extend_reach(&extent, &job->outer[i]))
			return false;
	return true;
}

/* Whether streaming stores of rows that are read backwards, or several times, would take longer
 * than ordinary ones. */
static bool is_faster_stored(const struct host_job *job, int64_t n_bytes)
{
	const uint64_t ends = (uint64_t)n_bytes | (uintptr_t)job->dst;
	const int64_t stride =
		job->n_outer ? job->outer[job->n_outer - 1].src_stride_bytes : n_bytes;
	const int64_t most = stride == 0                     ? MOST_REPEATED_BYTES
			     : is_backwards(stride, n_bytes) ? MOST_BACKWARD_BYTES
							     : 0;

	return n_bytes >= LEAST_STORED_BYTES && n_bytes < most && job->stream &&
	       !job->plan.swap_bytes && !host_is_aligned(job, ends, HOST_LINE);
}

/*
 * Streams long rows, and those of whole lines, in the order of the source; assembles short ones if
 * bytes are swapped.
 */
static void choose_copy(struct host_job *job)
{
	struct copy_plan *plan = &job->plan;
	const int64_t n_bytes = job->part_items * job->row_item_bytes;
	const uint64_t ends = (uint64_t)n_bytes | (uintptr_t)job->dst;
	const bool is_lines = job->stream && host_is_aligned(job, ends, HOST_LINE);
	const bool is_cached = !job->stream || reads_rows_in_order(job, n_bytes);
	const int64_t long_bytes = is_cached && plan->swap_bytes           ? LONG_SWAPPED_ROW_BYTES
				   : is_cached                             ? LONG_CACHED_ROW_BYTES
				   : host_is_aligned(job, ends, HALF_LINE) ? LONG_ROW_BYTES
									   : LONG_ODD_ROW_BYTES;
	const bool is_stored = is_faster_stored(job, n_bytes);
	const bool is_long = n_bytes >= long_bytes || is_lines || is_stored;

	job->stream = job->stream && !is_stored;
	job->row = row_copy;
	job->staged = job->stream;
	if (job->n_outer && n_bytes >= 16 && host_has_swap_order(plan->swap_bytes) &&
		(is_lines ? n_bytes <= MIDDLE_ROW_BYTES && !plan->swap_bytes : !is_long)) {
		job->stream = is_lines;
		plan_short(job);
		return;
	}
	if (job->stream && !is_long)
		return;
	if (plan->swap_bytes && job->stream && !has_units_at_lines(job))
		return;
	if (plan->swap_bytes)
		job->row = job->stream ? row_stream_swap : row_swap;
	else if (job->stream)
		job->row = row_stream;
	job->staged = false;
	if (!job->stream) {
		if (job->n_parts == 1 && !plan->swap_bytes)
			job->run = run_copied;
		return;
	}
	host_order_by_src(job);
}

/* Whether rows of swapped items are shorter than the vectors of swap_rows(). */
static bool is_faster_by_items(const struct copy_plan *plan)
{
	return plan->swap_bytes && plan->n_loops > 1 &&
	       plan->loops[plan->n_loops - 1].n * plan->item_bytes < 16 &&
	       host_items_of(plan->item_bytes, plan->swap_bytes);
}

bool host_plan_rows(struct host_job *job)
{
	struct copy_plan *plan = &job->plan;
	bool is_one = plan->n_loops == 0;

	if ((plan->kind != COPY_ROWS && plan->kind != COPY_MEMCPY) || is_faster_by_items(plan))
		return false;
	job->row_items = is_one ? 1 : plan->loops[plan->n_loops - 1].n;
	job->row_item_bytes = job->row_src_stride = plan->item_bytes;
	for (int i = 0; i + 1 < plan->n_loops; i++)
		job->outer[job->n_outer++] = plan->loops[i];
	if (plan->kind == COPY_MEMCPY)
		job->stream = host_is_streamed(job, HOST_CACHED_RUN_BYTES);
	host_cut_rows(job);
	choose_copy(job);
	return true;
}
