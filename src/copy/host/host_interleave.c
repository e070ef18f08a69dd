// SPDX-License-Identifier: MIT
/*
 * Transposes with one short side, such as three colours: a few planes are interleaved with
 * tables, or neighbours are separated into planes, each a row of items at a small stride.
 */
#include "copy/host/host_engine.h"

#include <string.h>

enum {
	PLANE_BYTES = 4096,
	LONG_PLANE_BYTES = 1024, /* shorter ones are faster through the caches */
	/* More planes of larger items are copied faster as tiles than by tables. */
	TABLE_PLANES = 4,
	TABLE_ITEM_BYTES = 2,
	TABLE_RESULT_BYTES = 16 << 10, /* setting up a table costs some thousand items */
	STREAMED_TABLE_ITEMS = 128,    /* at least, of rows that are not whole lines */
	STREAMED_WIDE_ITEMS = 48,      /* of 16 bytes, at least, of a row of a streamed result */
	STREAMED_PLANE_ITEMS = 25,     /* the same, of a plane */
	/* Planes of 16 bytes whose items are streamed one by one, and their items. */
	LEAST_STREAMED_PLANES = 5,
	SHORT_PLANE_ITEMS = 16,
	LONG_PLANE_ITEMS = 128,
};

/* The loops outside of a row and of the planes. */
static void add_other_loops(struct host_job *job)
{
	const struct copy_plan *plan = &job->plan;

	for (int i = 0; i < plan->n_loops; i++)
		if (i != plan->src_unit && i != plan->dst_unit)
			job->outer[job->n_outer++] = plan->loops[i];
}

static void pack_one_by_one(const struct host_job *job, const char *src, char *out, int64_t n)
{
	const size_t item = (size_t)job->plan.item_bytes;
	char *const first = out;

	for (int64_t i = 0; i < n; i++)
		for (int64_t plane = 0; plane < job->planes.n; plane++) {
			memcpy(out, src + i * (int64_t)item + plane * job->planes.src_stride_bytes,
				item);
			out += item;
		}
	if (job->swaps_items)
		job->kernels->swap(first, first, out - first, job->plan.swap_bytes);
}

static bool plan_pack(struct host_job *job)
{
	struct copy_plan *plan = &job->plan;
	struct host_table *table = job->table;
	const struct copy_loop *planes = &plan->loops[plan->dst_unit], *row;
	const int64_t item = plan->item_bytes;

	host_choose_items(job, item);
	if (plan->src_unit != plan->n_loops - 2 || planes->n > COPY_SHORT)
		return false;
	row = &plan->loops[plan->src_unit];
	if (row->dst_stride_bytes != planes->n * item || row->src_stride_bytes != item ||
		!host_table_start(job, item, planes->n, planes->n))
		return false;
	table->in_stride_bytes = planes->src_stride_bytes;
	table->in_step_bytes = table->out_stride_bytes = table->vector_bytes;
	table->out_step_bytes = planes->n * table->vector_bytes;
	table->step_items = table->vector_bytes / item;
	for (int64_t i = 0; i < table->step_items; i++)
		for (int64_t plane = 0; plane < planes->n; plane++)
			host_table_set(table, item, (i * planes->n + plane) * item,
				plane * table->vector_bytes + i * item);
	job->planes = *planes;
	job->row = host_row_pick;
	job->one_by_one = pack_one_by_one;
	job->row_items = row->n;
	job->row_src_stride = item;
	job->row_item_bytes = row->dst_stride_bytes;
	add_other_loops(job);
	host_cut_rows(job);
	host_choose_lined(job);
	/* Other rows end with a step that overlaps the one before, which must not be streamed. */
	job->stream = job->lined;
	job->staged = host_swap_after(job) != 0;
	return true;
}

static void row_stream_planes(const struct host_job *job, const char *src, char *out, int64_t n)
{
	host_stream_planes(src, job->planes.src_stride_bytes, out, job->planes.n, n);
}

/* Whether the matrix of a row of each plane is followed by another one in dst, without a gap. */
static bool has_matrices_in_a_row(const struct copy_plan *plan)
{
	const struct copy_loop *row = &plan->loops[plan->src_unit];

	for (int i = 0; i < plan->n_loops; i++)
		if (plan->loops[i].dst_stride_bytes == row->n * row->dst_stride_bytes)
			return true;
	return false;
}

/*
 * Whether items of 16 bytes, of a large result, are faster streamed one by one than by tiles: if
 * the processor prefetches a row of each plane, or if a matrix stays in the first-level cache.
 */
static bool is_faster_as_stream(const struct copy_plan *plan)
{
	const int64_t n_planes = plan->loops[plan->dst_unit].n, n = plan->loops[plan->src_unit].n;

	return n_planes >= LEAST_STREAMED_PLANES && n_planes <= HOST_STREAMED_PLANES &&
	       (n >= LONG_PLANE_ITEMS || (n <= SHORT_PLANE_ITEMS && has_matrices_in_a_row(plan)));
}

static bool plan_stream_planes(struct host_job *job)
{
	const struct copy_plan *plan = &job->plan;
	const struct copy_loop *planes = &plan->loops[plan->dst_unit];
	const struct copy_loop *row = &plan->loops[plan->src_unit];
	const int64_t item = plan->item_bytes;

	if (!job->stream || plan->swap_bytes || item != 16 || row->src_stride_bytes != item ||
		row->dst_stride_bytes != planes->n * item || !is_faster_as_stream(plan))
		return false;
	add_other_loops(job);
	if (!host_is_aligned(job, (uintptr_t)job->dst, item)) {
		job->n_outer = 0;
		return false;
	}
	job->planes = *planes;
	job->row = row_stream_planes;
	job->row_items = row->n;
	job->row_src_stride = item;
	job->row_item_bytes = row->dst_stride_bytes;
	host_cut_rows(job);
	job->staged = false;
	return true;
}

static void finish(const struct host_job *job, char *dst, char *bytes, int64_t n_bytes)
{
	if (host_swap_after(job))
		job->kernels->swap(bytes, bytes, n_bytes, job->plan.swap_bytes);
	if (job->stream)
		job->kernels->stream(dst, bytes, n_bytes);
	else
		memcpy(dst, bytes, (size_t)n_bytes);
}

/* Processes a piece of every plane while the source is in the first-level cache. */
static void unpack(const struct host_job *job, const char *src, char *dst, int64_t n)
{
	_Alignas(HOST_STAGE_BYTES) char bytes[PLANE_BYTES];

	for (int64_t plane = 0; plane < job->planes.n; plane++) {
		if (job->staged) {
			job->row(job, src, bytes, n);
			finish(job, dst, bytes, n * job->row_item_bytes);
		} else {
			job->row(job, src, dst, n);
		}
		src += job->planes.src_stride_bytes;
		dst += job->planes.dst_stride_bytes;
	}
}

static void run_unpack(const struct host_job *job, int64_t first, int64_t last)
{
	struct host_walk walk;
	int64_t part = first % job->n_parts, at, rest;

	for (host_walk_start(&walk, job, first / job->n_parts); first < last; first++) {
		at = part * job->part_items;
		rest = job->row_items - at;
		unpack(job, walk.src + at * job->row_src_stride,
			walk.dst + at * job->row_item_bytes,
			rest < job->part_items ? rest : job->part_items);
		if (++part == job->n_parts) {
			part = 0;
			host_walk_next(&walk);
		}
	}
}

static void unpack_one_by_one(const struct host_job *job, const char *src, char *out, int64_t n)
{
	for (int64_t plane = 0; plane < job->planes.n; plane++)
		job->gather(job, src + plane * job->planes.src_stride_bytes,
			out + plane * job->planes.dst_stride_bytes, n);
}

/*
 * All planes at once, if neighbours are contiguous and the lines of each plane begin at the same
 * item.
 */
static bool plan_unpack_lines(struct host_job *job)
{
	struct host_table *table = job->table;
	const int64_t item = job->row_item_bytes, planes = job->planes.n;

	if (job->planes.src_stride_bytes != item || job->row_src_stride != planes * item ||
		host_swap_after(job) || !host_table_start(job, item, planes, planes))
		return false;
	host_cut_rows(job);
	job->staged = false;
	host_choose_lined(job);
	if (job->stream && (!job->lined || job->planes.dst_stride_bytes % HOST_LINE)) {
		const int64_t n_bytes = job->row_items * item;

		if (n_bytes >= LONG_PLANE_BYTES || n_bytes % table->vector_bytes != 0)
			return false;
		job->stream = job->lined = false;
	}
	table->in_stride_bytes = table->out_step_bytes = table->vector_bytes;
	table->in_step_bytes = planes * table->vector_bytes;
	table->out_stride_bytes = job->planes.dst_stride_bytes;
	table->step_items = table->vector_bytes / item;
	for (int64_t i = 0; i < table->step_items; i++)
		for (int64_t plane = 0; plane < planes; plane++)
			host_table_set(table, item, plane * table->vector_bytes + i * item,
				(i * planes + plane) * item);
	job->gather = host_row_of(job->items);
	job->one_by_one = unpack_one_by_one;
	job->row = host_row_pick;
	return true;
}

static bool plan_unpack(struct host_job *job)
{
	struct copy_plan *plan = &job->plan;
	const struct copy_loop *row = &plan->loops[plan->dst_unit];
	const int64_t n_bytes = row->n * plan->item_bytes;

	job->planes = plan->loops[plan->src_unit];
	job->row_items = row->n;
	job->row_item_bytes = plan->item_bytes;
	job->row_src_stride = row->src_stride_bytes;
	add_other_loops(job);
	host_choose_items(job, plan->item_bytes);
	if (plan_unpack_lines(job))
		return true;
	host_choose_row(job);
	if (plan->item_bytes > TABLE_ITEM_BYTES && job->planes.n > TABLE_PLANES)
		job->row = job->one_by_one;
	job->lined = false;
	job->stream = job->stream && n_bytes >= LONG_PLANE_BYTES;
	job->staged = job->stream || host_swap_after(job);
	job->part_items = PLANE_BYTES / plan->item_bytes;
	job->n_parts = (row->n + job->part_items - 1) / job->part_items;
	job->unit_bytes = job->planes.n * PLANE_BYTES;
	job->run = run_unpack;
	return true;
}

/*
 * Whether tiles are faster. They are not if neighbours in src fill less than a line, because tiles
 * would then also write large results in parts of lines; squares of half lines are.
 */
static bool is_faster_as_tiles(const struct host_job *job)
{
	const struct copy_plan *plan = &job->plan;
	const int64_t n = plan->loops[plan->src_unit].n;

	return plan->item_bytes > TABLE_ITEM_BYTES && n > TABLE_PLANES &&
	       plan->loops[plan->dst_unit].n > TABLE_PLANES &&
	       (!job->stream || n >= COPY_SHORT || n * plan->item_bytes >= HOST_LINE ||
		       (job->kernels->long_squares && plan->item_bytes <= 8 && !plan->swap_bytes));
}

/*
 * Whether tables can separate neighbours in src: if the items of a row are not far apart. Rows of a
 * streamed result also have to be long, or to fill whole lines.
 */
static bool has_tables(const struct host_job *job)
{
	const struct copy_plan *plan = &job->plan;
	const struct copy_loop *row = &plan->loops[plan->dst_unit];
	const int64_t item = plan->item_bytes, n_planes = plan->loops[plan->src_unit].n;
	const int64_t most = n_planes > TABLE_PLANES ? n_planes : TABLE_PLANES;

	if (item > 16 || (item & (item - 1)) != 0)
		return false;
	if (row->src_stride_bytes <= 0 || row->src_stride_bytes > most * item)
		return false;
	return !job->stream || row->n >= STREAMED_TABLE_ITEMS || row->n * item % HOST_LINE == 0;
}

/* Whether neighbours in src are separated faster one plane after the other than as a nest. */
static bool has_long_planes(const struct host_job *job)
{
	/* The fewest items of a plane, by the logarithm of the item size. */
	static const int64_t fewest[HOST_ITEM_LOGS] = { 128, 128, 48, 64, 256 };
	const struct copy_plan *plan = &job->plan;
	const int64_t item = plan->item_bytes, n = plan->loops[plan->dst_unit].n;

	if (n * item < HOST_LINE)
		return false;
	if (!host_items_of(item, plan->swap_bytes))
		return true;
	if (job->stream && item == 16)
		return n >= STREAMED_PLANE_ITEMS;
	if (!has_tables(job) && (!job->stream || item <= 4))
		return false;
	return (item & (item - 1)) != 0 ||
	       (job->n_bytes >= TABLE_RESULT_BYTES &&
		       n >= fewest[__builtin_ctzll((uint64_t)item)] *
				       (plan->loops[plan->src_unit].n > TABLE_PLANES ? 2 : 1));
}

/* Whether a table interleaves planes faster than their items are copied one by one: the start of a
 * row takes as long as some of its items. */
static bool has_long_rows(const struct host_job *job)
{
	/*
	 * The fewest items of a row, by the logarithm of the item size and the number of planes; 0:
	 * a table is never faster.
	 */
	static const int64_t fewest[HOST_ITEM_LOGS][COPY_SHORT + 1] = {
		{ [2] = 64, [3] = 64, [4] = 160, [5] = 1024 },
		{ [2] = 96, [3] = 40, [4] = 160 },
		{ [2] = 64, [3] = 48, [4] = 96 },
		{ [2] = 64, [3] = 64, [4] = 64 },
		{ [2] = 384, [3] = 384, [4] = 384 },
	};
	const struct copy_plan *plan = &job->plan;
	const int64_t item = plan->item_bytes, n = plan->loops[plan->src_unit].n;
	const int64_t n_planes = plan->loops[plan->dst_unit].n;
	int64_t least;

	if (n_planes > COPY_SHORT || item > 16 || (item & (item - 1)) != 0)
		return false;
	if (!host_items_of(item, plan->swap_bytes))
		return n * item >= HOST_LINE;
	least = fewest[__builtin_ctzll((uint64_t)item)][n_planes];
	if (job->stream && item == 16)
		least = STREAMED_WIDE_ITEMS;
	return least > 0 && n >= least;
}

bool host_plan_interleave(struct host_job *job)
{
	const struct copy_plan *plan = &job->plan;
	bool is_planned;

	if (plan->kind != COPY_INTERLEAVE && plan->kind != COPY_TRANSPOSE)
		return false;
	if (plan_stream_planes(job))
		return true;
	if (plan->loops[plan->src_unit].n > TABLE_PLANES && host_is_separated(job))
		return false;
	if (plan->kind != COPY_INTERLEAVE || plan->item_bytes > PLANE_BYTES ||
		is_faster_as_tiles(job))
		return false;
	is_planned = plan->loops[plan->src_unit].n <= COPY_SHORT && has_long_planes(job)
			     ? plan_unpack(job)
			     : has_long_rows(job) && plan_pack(job);
	if (is_planned && job->stream)
		host_order_by_src(job);
	return is_planned;
}
