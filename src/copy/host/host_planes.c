// SPDX-License-Identifier: MIT
/*
 * Few neighbours in the source that become long rows of a large result: planes. A short part of
 * each plane is assembled in the first-level cache, and its whole lines are streamed; the rest of
 * the last line remains for the next part. The source is read once, in order, and requested in
 * advance.
 */
#include "copy/host/host_engine.h"

#include <stdlib.h>
#include <string.h>

enum {
	MOST_PLANES = 63,
	FEW_PLANES = 8,
	UNIT_BYTES = 64 << 10,
	AHEAD_BYTES = 16 << 10, /* requested before they are used */
	STAGE_PAGES = 4,
	TABLE_PLANES = 4, /* at most, that are separated by tables */
};

/*
 * How many planes a page of the stage holds, and how many bytes of each are assembled at a time. No
 * plane crosses the end of a page: between streaming stores, such a store takes as long as some
 * hundred others.
 */
struct plane_parts {
	int64_t most_planes, page_planes, n_bytes;
};

static const struct plane_parts *plane_parts_of(const struct host_job *job)
{
	static const struct plane_parts parts[] = { { 4, 4, 768 }, { 20, 8, 384 }, { 32, 8, 256 },
		{ MOST_PLANES, 16, 128 } };
	const int64_t n_planes = job->n_j;
	const struct plane_parts *found = parts;

	if (job->item_log == 0 && n_planes > 8)
		return &parts[3];
	while (n_planes > found->most_planes)
		found++;
	return found;
}

/* Bytes between planes of a page. */
static int64_t plane_pitch(const struct host_job *job)
{
	return plane_parts_of(job)->n_bytes + HOST_LINE + (job->dst_stride & (HOST_LINE - 1));
}

struct plane_stage {
	const struct host_job *job;
	const struct plane_parts *parts;
	struct host_plane_rows rows;
	int64_t ahead_offset; /* of the first line to request, from the first byte of a part of src
			       */
	_Alignas(HOST_STAGE_BYTES) char bytes[STAGE_PAGES * HOST_STAGE_BYTES];
};

/* Requests the lines of some rows of src with each plane, or, if rows have small gaps, those of the
 * memory from the first one on. */
static void choose_plane_requests(struct plane_stage *stage, int64_t n_rows)
{
	const struct host_job *job = stage->job;
	const int64_t row_bytes = job->n_j * job->row_item_bytes, step = llabs(job->src_stride);
	const bool is_dense = step <= row_bytes + HOST_LINE;
	const int64_t n = is_dense ? n_rows * step / HOST_LINE : n_rows;

	stage->ahead_offset = (AHEAD_BYTES / (is_dense ? step : row_bytes) + 1) * job->src_stride;
	stage->rows.n_ahead = (n + job->n_j - 1) / job->n_j;
	stage->rows.ahead_bytes = is_dense ? HOST_LINE : row_bytes;
	stage->rows.ahead_stride = job->src_stride;
	if (is_dense)
		stage->rows.ahead_stride = job->src_stride > 0 ? HOST_LINE : -HOST_LINE;
}

static void start_planes(struct plane_stage *stage, const struct host_job *job)
{
	stage->job = job;
	stage->parts = plane_parts_of(job);
	stage->rows.n_bytes = stage->parts->n_bytes;
	stage->rows.stride = plane_pitch(job);
	stage->rows.dst_stride = job->dst_stride;
	choose_plane_requests(stage, stage->parts->n_bytes / job->row_item_bytes);
}

/* Sets the rows to the planes from j on that are in a page; they begin at the same offsets in a
 * line as those of dst. Returns their number. */
static int64_t find_planes(struct plane_stage *stage, char *page, char *dst, int64_t j)
{
	const struct host_job *job = stage->job;
	const int64_t n = job->n_j - j;

	stage->rows.n = n < stage->parts->page_planes ? n : stage->parts->page_planes;
	stage->rows.dst = dst + j * job->dst_stride;
	stage->rows.bytes = page + ((uintptr_t)stage->rows.dst & (HOST_LINE - 1));
	return stage->rows.n;
}

/* Whole lines of the first or the last n_bytes of a unit. */
static void stream_plane_ends(
	struct plane_stage *stage, int64_t n_bytes, bool is_first, bool is_last)
{
	const struct host_plane_rows *rows = &stage->rows;

	for (int64_t k = 0; k < rows->n; k++) {
		char *dst = rows->dst + k * rows->dst_stride;
		const int64_t offset = (int64_t)((uintptr_t)dst & (HOST_LINE - 1));
		char *bytes = rows->bytes + k * rows->stride - offset;
		const int64_t begin = is_first ? offset : 0, end = offset + n_bytes;
		const int64_t end_of_lines = is_last ? end : end / HOST_LINE * HOST_LINE;

		stage->job->kernels->stream(
			dst - offset + begin, bytes + begin, end_of_lines - begin);
		if (!is_last)
			memcpy(bytes, bytes + n_bytes, HOST_LINE);
	}
}

/* A part of all planes: n rows of src. The first one of a unit and the last one do not end with
 * whole lines. */
static void copy_planes(struct plane_stage *stage, const char *src, char *dst, int64_t n,
	bool is_first, bool is_last)
{
	const struct host_job *job = stage->job;
	const int64_t item = job->row_item_bytes;
	struct host_block block = {
		.n_i = n,
		.src_i = job->src_stride,
		.src_j = item,
		.dst_j = stage->rows.stride,
		.planes = { .n = 1 },
	};
	const bool has_rows_before =
		!is_first && job->src_stride > 0 && job->src_stride <= HOST_LINE;
	char *page;

	page = stage->bytes;
	for (int64_t j = 0; j < job->n_j; j += block.n_j, page += HOST_STAGE_BYTES) {
		block.n_j = find_planes(stage, page, dst, j);
		block.n_before = has_rows_before ? HOST_LINE : j;
		host_transpose_block(job, src + j * item, stage->rows.bytes, &block);
	}
	page = stage->bytes;
	stage->rows.ahead = src + stage->ahead_offset;
	for (int64_t j = 0; j < job->n_j; j += stage->rows.n, page += HOST_STAGE_BYTES) {
		find_planes(stage, page, dst, j);
		if (is_first || is_last)
			stream_plane_ends(stage, n * item, is_first, is_last);
		else
			job->kernels->stream_parts(&stage->rows);
	}
}

/* Units that follow each other are copied as one. */
static void run_planes(const struct host_job *job, int64_t first, int64_t last)
{
	struct plane_stage stage;
	struct host_walk walk;
	const int64_t item = job->row_item_bytes;
	int64_t part, n_units, n_i, n;

	start_planes(&stage, job);
	part = stage.parts->n_bytes / item;
	for (host_walk_start(&walk, job, first); first < last; first += n_units) {
		n_units = host_walk_left(&walk);
		if (n_units > last - first)
			n_units = last - first;
		n_i = job->n_i - walk.index[job->n_outer - 1] * job->block_i;
		if (n_i > n_units * job->block_i)
			n_i = n_units * job->block_i;
		for (int64_t i = 0; i < n_i; i += n) {
			n = n_i - i < part ? n_i - i : part;
			copy_planes(&stage, walk.src + i * job->src_stride, walk.dst + i * item, n,
				i == 0, i + n == n_i);
		}
		host_walk_skip(&walk, n_units);
	}
}

/* Whole vectors by a table, and the other items one by one. */
static void separate_by_table(
	const struct host_job *job, const char *src, char *dst, const struct host_block *block)
{
	const struct host_table *table = job->table;
	const int64_t n_steps = block->n_i / table->step_items, n = n_steps * table->step_items;
	struct host_block rest = *block;

	job->kernels->pick(table, src, dst, n_steps);
	rest.n_i -= n;
	if (rest.n_i)
		host_nest_items(job, src + n * block->src_i, dst + n * block->src_j, &rest);
}

static bool start_plane_table(struct host_job *job)
{
	const int64_t item = job->row_item_bytes, n = job->n_j;
	struct host_table *table = job->table;

	if (job->src_stride != n * item || host_swap_after(job) ||
		!host_table_start(job, item, n, n))
		return false;
	table->in_stride_bytes = table->out_step_bytes = table->vector_bytes;
	table->in_step_bytes = n * table->vector_bytes;
	table->out_stride_bytes = plane_pitch(job);
	table->step_items = table->vector_bytes / item;
	for (int64_t i = 0; i < table->step_items; i++)
		for (int64_t j = 0; j < n; j++)
			host_table_set(table, item, j * table->vector_bytes + i * item,
				(i * n + j) * item);
	return true;
}

/* The loops that assemble a part; false if there are none that are fast. */
static bool choose_plane_loops(struct host_job *job)
{
	const struct host_block rows = { .n_j = job->n_j, .src_i = job->src_stride };
	const int log = job->item_log;

	if (log >= 2 && !job->plan.swap_bytes && job->kernels->long_squares &&
		host_has_squares(&rows, log))
		job->squares = job->kernels->long_squares[log][0];
	else if (job->n_j <= TABLE_PLANES && start_plane_table(job))
		job->squares = separate_by_table;
	else if (job->n_j <= TABLE_PLANES && log < 4)
		return false;
	else if (log < 2 && !job->plan.swap_bytes)
		job->squares = job->kernels->separate[log];
	return true;
}

/* Rows that begin at lines are as fast without a stage if their tiles do not overlap. */
static bool is_faster_by_stage(const struct copy_plan *plan, int log)
{
	/* By the logarithm of the item size: numbers of planes that begin anywhere or at lines. */
	static const struct {
		int64_t least, most;
	} numbers[HOST_ITEM_LOGS][2] = {
		{ { 2, MOST_PLANES }, { 2, MOST_PLANES } },
		{ { 2, MOST_PLANES }, { 2, 48 } },
		{ { 2, MOST_PLANES }, { 13, 31 } },
		{ { 2, 31 }, { 9, 27 } },
		{ { 4, 7 }, { 1, 0 } },
	};
	/* The same: bytes of each of many and of few planes, at least. Both ends of a plane take
	 * longer than the rest of shorter ones. */
	static const int64_t plane_bytes[HOST_ITEM_LOGS][2] = { { 1024, 4096 }, { 2048, 4096 },
		{ 2048, 4096 }, { 12288, 4096 }, { 16384, 16384 } };
	const int64_t n_j = plan->loops[plan->src_unit].n, n_i = plan->loops[plan->dst_unit].n;
	uint64_t ends = 0;
	bool has_lines;

	for (int at = 0; at < plan->n_loops; at++)
		if (at != plan->dst_unit)
			ends |= (uint64_t)plan->loops[at].dst_stride_bytes;
	has_lines = ends % HOST_LINE == 0;
	return n_j >= numbers[log][has_lines].least && n_j <= numbers[log][has_lines].most &&
	       !(has_lines && (n_j << log) % HOST_LINE == 0) &&
	       !(has_lines && log >= 2 && plan->swap_bytes) &&
	       n_i << log >= plane_bytes[log][n_j <= FEW_PLANES];
}

bool host_plan_planes(struct host_job *job)
{
	const struct copy_plan *plan = &job->plan;
	const int64_t item = plan->item_bytes;
	struct host_job before;
	int64_t part, n;

	if ((plan->kind != COPY_TRANSPOSE && plan->kind != COPY_INTERLEAVE) || item > 16 ||
		(item & (item - 1)) != 0 ||
		!host_is_streamed(job, plan->loops[plan->src_unit].n * item < HOST_LINE
					       ? HOST_CACHED_RUN_BYTES
					       : HOST_CACHED_BYTES) ||
		!is_faster_by_stage(plan, __builtin_ctzll((uint64_t)item)))
		return false;
	before = *job;
	host_set_transpose(job);
	if (!choose_plane_loops(job)) {
		*job = before;
		return false;
	}
	part = plane_parts_of(job)->n_bytes / item;
	n = (UNIT_BYTES / (job->n_j * item) / part + 1) * part;
	job->block_i = n;
	job->unit_bytes = n * job->n_j * item;
	job->outer[job->n_outer++] =
		(struct copy_loop){ (job->n_i + n - 1) / n, n * job->src_stride, n * item };
	job->run = run_planes;
	return true;
}
