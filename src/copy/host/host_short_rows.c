// SPDX-License-Identifier: MIT
/*
 * Rows of few bytes, from distant places in the source, whose lines are requested in advance:
 * copied through the caches, streamed, or assembled in lines that are streamed.
 */
#include "copy/host/host_stage.h"

#include <stdlib.h>
#include <unistd.h>

enum {
	PART_BYTES = 1 << 18,
	ROWS_AHEAD = 8,
	STREAMED_AHEAD_BYTES = 8192, /* of rows that are streamed */
	STREAMED_NEIGHBOUR_BYTES = 4096,
	SRC_ORDER_ROW_BYTES = 128,
	SRC_ORDER_RUN_BYTES = 20 << 10,
	NEIGHBOUR_BYTES = 16 << 10,   /* of lines of src that stay in the first-level cache */
	LARGE_CACHE_BYTES = 64 << 20, /* more */
	LEAST_IN_LARGE_CACHE_BYTES = 16 << 20,
	WRITTEN_BYTES = 1024, /* at least, at a time, of rows that are assembled */
	ASSEMBLED_BYTES = HOST_STAGE_BYTES - 2 * HOST_LINE, /* at most, at a time */
	UNIT_BYTES = 64 << 10,            /* the same, whose lines stay in the second-level cache */
	MOST_ROW_BYTES = 704,             /* less */
	PREFETCHED_BYTES = 2 * HOST_LINE, /* at most, between rows that the processor prefetches */
	LEAST_RUN_BYTES = 1024,           /* of rows that follow each other in dst */
	LEAST_PART_BYTES = 512, /* the same for one neighbour, if those of the next one follow */
};

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

static void copy_rows_of(
	const struct host_job *job, const struct host_rows *rows, const char *src, char *dst)
{
	if (job->plan.swap_bytes)
		job->kernels->swap_rows(rows, src, dst, job->plan.swap_bytes);
	else
		job->kernels->copy_rows(rows, src, dst);
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
		rows.ahead = job->in_src_order || host_is_backwards(job->src_stride, rows.n_bytes)
				     ? 0
				     : bytes_ahead(job, rows.n_i);
		copy_rows_of(job, &rows, walk.src, walk.dst);
		host_walk_next(&walk);
	}
}

/*
 * For each neighbour in src, rows that follow each other in dst: assembled, and streamed. Their
 * lines are requested into the second-level cache while the unit before is copied.
 */
static void run_assembled(const struct host_job *job, int64_t first, int64_t last)
{
	const struct copy_loop near = job->near, planes = job->planes;
	struct host_rows rows = { .n_bytes = job->row_items * job->row_item_bytes,
		.src_i = job->src_stride,
		.dst_i = job->dst_stride,
		.src_j = planes.src_stride_bytes,
		.dst_j = planes.dst_stride_bytes };
	const bool is_prefetched = llabs(rows.src_i) <= PREFETCHED_BYTES;
	struct host_walk walk, next;
	struct host_stage stage;
	int64_t n_bytes;

	host_walk_start(&walk, job, first);
	next = walk;
	host_stage_begin(&stage, walk.dst);
	for (; first < last; first++) {
		const int64_t n_near = host_walk_block(&walk, job->at_j, near.n, job->block_j);

		rows.n_i = host_walk_block(&walk, job->at_row, job->n_i, job->part_items);
		rows.n_j = host_walk_block(&walk, job->at_i, planes.n, job->block_i);
		if (first + 1 < last)
			host_walk_next(&next);
		rows.far_ahead = is_prefetched ? 0 : next.src - walk.src;
		n_bytes = rows.n_j * rows.n_i * rows.n_bytes;
		for (int64_t j = 0; j < n_near; j++) {
			const char *src = walk.src + j * near.src_stride_bytes;
			char *out = host_stage_place(&stage, job->kernels,
				walk.dst + j * near.dst_stride_bytes, n_bytes);

			copy_rows_of(job, &rows, src, out);
			stage.end += n_bytes;
			if (stage.end >= WRITTEN_BYTES)
				host_stage_write_lines(&stage, job->kernels);
		}
		host_walk_next(&walk);
	}
	host_stage_write(&stage, job->kernels, stage.end);
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

static struct copy_loop take_near(struct host_job *job)
{
	return job->n_outer ? host_take_outer(job, host_nearest_outer(job))
			    : (struct copy_loop){ .n = 1 };
}

/* Takes the loop of outer over runs of n_bytes that follow each other in dst. */
static struct copy_loop take_next(struct host_job *job, int64_t n_bytes)
{
	for (int at = 0; at < job->n_outer; at++)
		if (job->outer[at].dst_stride_bytes == n_bytes)
			return host_take_outer(job, at);
	return (struct copy_loop){ .n = 1 };
}

/* Results up to a size stay in a large third-level cache. Its size, for which the system may ask
 * the processor, is needed only for those. */
static bool has_large_result(const struct host_job *job)
{
	if (!host_is_streamed(job, HOST_CACHED_RUN_BYTES))
		return false;
#ifdef _SC_LEVEL3_CACHE_SIZE
	if (!host_is_streamed(job, LEAST_IN_LARGE_CACHE_BYTES))
		return sysconf(_SC_LEVEL3_CACHE_SIZE) <= LARGE_CACHE_BYTES;
#endif
	return true;
}

bool host_plan_assembled(struct host_job *job)
{
	const int64_t n_bytes = job->row_items * job->row_item_bytes;
	const struct copy_loop rows = job->outer[job->n_outer - 1];
	const int64_t most = ASSEMBLED_BYTES / n_bytes;
	struct host_job before;
	int64_t run;

	if (n_bytes >= MOST_ROW_BYTES || rows.dst_stride_bytes != n_bytes || !has_large_result(job))
		return false;
	before = *job;
	job->n_outer--;
	job->near = take_near(job);
	job->planes = (struct copy_loop){ .n = 1 };
	if (rows.n <= most)
		job->planes = take_next(job, rows.n * n_bytes);
	run = rows.n * job->planes.n * n_bytes;
	if (run < (job->near.dst_stride_bytes == run ? LEAST_PART_BYTES : LEAST_RUN_BYTES) ||
		(job->near.n > 1 && llabs(job->near.src_stride_bytes) < n_bytes)) {
		*job = before;
		return false;
	}
	job->n_i = rows.n;
	job->src_stride = rows.src_stride_bytes;
	job->dst_stride = rows.dst_stride_bytes;
	job->at_row = host_divide_evenly(job, rows, most, &job->part_items);
	job->at_i = host_divide_evenly(job, job->planes, most / job->part_items, &job->block_i);
	job->unit_bytes = job->block_i * job->part_items * n_bytes;
	job->at_j = host_divide_loop(job, job->near,
		job->unit_bytes < UNIT_BYTES ? UNIT_BYTES / job->unit_bytes : 1, &job->block_j);
	job->unit_bytes *= job->block_j;
	job->n_parts = 1;
	job->stream = true;
	job->run = run_assembled;
	return true;
}

/*
 * In the order of dst, except that the neighbours in src are innermost but one: lines that rows
 * share are then still in a cache, those of src because few neighbours in dst come between.
 */
void host_plan_short_rows(struct host_job *job)
{
	const int64_t n_bytes = job->row_items * job->row_item_bytes;
	struct copy_loop rows;
	int64_t most =
		(job->stream ? STREAMED_NEIGHBOUR_BYTES : NEIGHBOUR_BYTES) / (n_bytes + HOST_LINE);

	job->in_src_order = is_faster_in_src_order(job, n_bytes);
	if (!job->stream && !job->in_src_order && host_plan_assembled(job))
		return;
	if (job->in_src_order)
		host_move_outer(job, 0, 1);
	rows = job->outer[--job->n_outer];
	job->near = take_near(job);
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
