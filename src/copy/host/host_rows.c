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
	MIDDLE_ROW_BYTES = 512,
	AHEAD_BYTES = 4096, /* at least, of rows that are requested before they are used */
	MOST_AHEAD_BYTES = 16384,
	LEAST_REQUESTED_BYTES = 2 << 20,
	REQUESTED_ROW_BYTES = 4096, /* at most, since the processor prefetches the rest */
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

/*
 * Requests the first lines of a row, in each plane, into the second-level cache. Inline, because
 * GCC removes calls of functions that only prefetch.
 */
static inline __attribute__((always_inline)) void request_items(
	const struct host_job *job, const char *row)
{
	const int64_t step = job->row_src_stride < 0 ? -HOST_LINE : HOST_LINE;
	const int64_t extent = job->row_items * llabs(job->row_src_stride);
	const int64_t n_steps =
		(extent < REQUESTED_ROW_BYTES ? extent : REQUESTED_ROW_BYTES) / HOST_LINE;
	const int64_t n_planes =
		llabs(job->planes.src_stride_bytes) < HOST_LINE ? 1 : job->planes.n;

	for (int64_t plane = 0; plane < n_planes; plane++)
		for (int64_t n = 0; n <= n_steps; n++)
			__builtin_prefetch(
				row + plane * job->planes.src_stride_bytes + n * step, 0, 2);
}

/*
 * The number of rows that are requested before they are used; 0: they are in a cache, or the
 * processor prefetches them, because they are long or the next one follows without a gap, or they
 * share lines, or each item has its own.
 */
static int64_t choose_rows_ahead(const struct host_job *job)
{
	const int64_t stride = llabs(job->row_src_stride), extent = job->row_items * stride;
	const struct copy_loop *next;

	if (!job->n_outer || job->n_parts > 1 || !stride || stride > HOST_LINE ||
		extent > MOST_AHEAD_BYTES || job->n_units * extent < LEAST_REQUESTED_BYTES)
		return 0;
	next = &job->outer[job->n_outer - 1];
	if (next->src_stride_bytes == job->row_items * job->row_src_stride ||
		llabs(next->src_stride_bytes) < HOST_LINE)
		return 0;
	return 1 + AHEAD_BYTES / extent;
}

static void run_rows(const struct host_job *job, int64_t first, int64_t last)
{
	const int64_t n_ahead = choose_rows_ahead(job);
	struct stage stage;
	struct host_walk walk, next;
	int64_t part = first % job->n_parts, at, n;

	stage.job = job;
	stage.dst = job->dst;
	stage.n_bytes = 0;
	if (n_ahead && first + n_ahead < last)
		host_walk_start(&next, job, first + n_ahead);
	for (host_walk_start(&walk, job, first / job->n_parts); first < last; first++) {
		if (n_ahead && first + n_ahead < last) {
			request_items(job, next.src);
			host_walk_next(&next);
		}
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
	/* A vector that is shorter than a line is streamed slowly next to stored ones. */
	const bool is_repeated = stride == 0 || (!job->kernels->has_line_vectors &&
							job->n_src_bytes < job->n_bytes / 2);
	const int64_t most = is_repeated                          ? MOST_REPEATED_BYTES
			     : host_is_backwards(stride, n_bytes) ? MOST_BACKWARD_BYTES
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
	/* Rows that end within half lines are streamed in two parts at both ends. */
	const bool is_odd = is_long && !is_cached && !host_is_aligned(job, ends, HALF_LINE);

	job->stream = job->stream && !is_stored;
	job->row = row_copy;
	job->staged = job->stream;
	if (job->n_outer && n_bytes >= 16 && host_has_swap_order(plan->swap_bytes) &&
		(is_lines ? n_bytes <= MIDDLE_ROW_BYTES && !plan->swap_bytes : !is_long)) {
		job->stream = is_lines;
		host_plan_short_rows(job);
		return;
	}
	if (is_odd && job->n_outer && host_has_swap_order(plan->swap_bytes) &&
		host_plan_assembled(job))
		return;
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
