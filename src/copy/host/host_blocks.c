// SPDX-License-Identifier: MIT
/*
 * Blocks that are contiguous in the destination, and either compact in the source, such as small
 * matrices that follow each other, or parts of some long rows. Each is copied to a stage by loops
 * for small results, and the whole lines of the stage are streamed. Compact blocks are read in
 * order first, and the lines of long rows are requested in advance.
 */
#include "copy/host/host_stage.h"

#include <string.h>

enum {
	WRITTEN_BYTES = 1024, /* at least, at a time */
	PART_BYTES = HOST_STAGE_BYTES - WRITTEN_BYTES - HOST_LINE,
	SMALL_BLOCK_BYTES = 16 << 10, /* stays in the first-level cache */
	BLOCK_BYTES = 64 << 10,
	/* At least, of each row of src that a part copies, in blocks of these sizes. */
	SMALL_BLOCK_RUN_BYTES = 8,
	BLOCK_RUN_BYTES = 32, /* the same for parts of long rows */
	AHEAD_BYTES = 1024,
	TABLE_PLANES = 4, /* tables separate or interleave so many planes of longer rows faster */
	TABLE_ROW_BYTES = 256,
	/* Of rows of src in compact blocks, at least, that tiles copy faster to whole lines. */
	TILED_BYTES = 96,
	WIDE_TILED_BYTES = 192,    /* of items of at least 4 bytes */
	SHORT_ROW_BYTES = 32,      /* of items of 1 byte */
	WIDE_SHORT_ROW_BYTES = 42, /* of 2 bytes */
	PART_TILES = 4,            /* take as long as starting a part, approximately */
	WHOLE_TILES = 8,           /* parts of whole tiles are smaller by at most an eighth */
};

struct block_copy {
	const struct host_job *job;
	struct host_job parts[2]; /* those of the job, with the addresses of the copied part */
	struct host_stage stage;
};

/* Loads a byte of each line in order, so that the processor prefetches those that follow. */
static void read_lines(const char *src, int64_t n_bytes)
{
	for (int64_t at = 0; at < n_bytes; at += HOST_LINE)
		(void)*(const volatile char *)(src + at);
}

/* Requests lines of the planes of which a part copies n_bytes each, every line once. GCC would
 * remove calls of a function that only requests lines. */
static inline __attribute__((always_inline)) void request_planes(
	const struct host_job *job, const char *src, int64_t n_bytes)
{
	for (int64_t i = 0; i < job->planes.n; i++) {
		const char *row = src + i * job->planes.src_stride_bytes + AHEAD_BYTES;

		for (int64_t at = -(uintptr_t)row & (HOST_LINE - 1); at < n_bytes; at += HOST_LINE)
			__builtin_prefetch(row + at, 0, 2);
	}
}

/* Copies part `which` of a job to the stage. Its own job begins some bytes from the first items if
 * it copies backwards. */
static void copy_part(struct block_copy *copy, int which, const char *src, char *dst)
{
	const struct host_job *job = copy->job, *planned = &job->parts[which];
	struct host_job *part = &copy->parts[which];
	char *staged = host_stage_place(&copy->stage, job->kernels, dst, part->n_bytes);

	read_lines(src + part->read_offset, part->read_bytes);
	if (job->planes.n)
		request_planes(job, src, part->n_bytes / job->planes.n);
	part->src = src + (planned->src - job->src);
	part->dst = staged + (planned->dst - job->dst);
	part->run(part, 0, part->n_units);
	if (job->plan.swap_bytes)
		job->kernels->swap(staged, staged, part->n_bytes, job->plan.swap_bytes);
	copy->stage.end += part->n_bytes;
	if (copy->stage.end >= WRITTEN_BYTES)
		host_stage_write_lines(&copy->stage, job->kernels);
}

static void run_blocks(const struct host_job *job, int64_t first, int64_t last)
{
	int64_t part = first % job->n_parts;
	struct block_copy copy;
	struct host_walk walk;

	copy.job = job;
	memcpy(copy.parts, job->parts, sizeof(copy.parts));
	host_walk_start(&walk, job, first / job->n_parts);
	host_stage_begin(&copy.stage, walk.dst + part * job->part_items * job->row_item_bytes);
	for (; first < last; first++) {
		const int64_t at = part * job->part_items;

		if (part == 0)
			read_lines(walk.src + job->read_offset, job->read_bytes);
		copy_part(&copy, part + 1 == job->n_parts, walk.src + at * job->row_src_stride,
			walk.dst + at * job->row_item_bytes);
		if (++part == job->n_parts) {
			part = 0;
			host_walk_next(&walk);
		}
	}
	host_stage_write(&copy.stage, job->kernels, copy.stage.end);
}

/* The bytes of src from the first to the last that the loops of a plan read; offset is that of the
 * first of them. */
static int64_t find_reach(const struct copy_plan *plan, int64_t *offset)
{
	int64_t end = plan->item_bytes;

	*offset = 0;
	for (int i = 0; i < plan->n_loops; i++)
		plan_add_reach(&plan->loops[i], plan->loops[i].n, offset, &end);
	return end - *offset;
}

/* The loops of a plan from `at` on, of which the first one has n steps. */
static struct copy_plan inner_plan(const struct copy_plan *plan, int at, int64_t n)
{
	struct copy_plan inner = *plan;

	at += n == 1;
	inner.src_offset_bytes = inner.dst_offset_bytes = inner.swap_bytes = 0;
	inner.n_loops = plan->n_loops - at;
	memcpy(inner.loops, plan->loops + at, (size_t)inner.n_loops * sizeof(inner.loops[0]));
	if (n > 1)
		inner.loops[0].n = n;
	plan_name(&inner);
	return inner;
}

/*
 * Finds the loop that is divided into parts which fit in the stage, together with the loops inside
 * it: returns its index, and the size of the part that one step copies, or -1.
 */
static int find_divided(const struct copy_plan *plan, int64_t *step_bytes)
{
	int at = plan->n_loops;

	*step_bytes = plan->item_bytes;
	while (at && plan->loops[at - 1].dst_stride_bytes == *step_bytes &&
		plan->loops[at - 1].n <= PART_BYTES / *step_bytes)
		*step_bytes *= plan->loops[--at].n;
	return at < plan->n_loops && at && plan->loops[at - 1].dst_stride_bytes == *step_bytes
		       ? at - 1
		       : -1;
}

/* Whether a stage is faster for such transposes than tables, or than tiles that stream whole lines
 * from rows of src of at least tiled_bytes. */
static bool is_faster_staged(const struct copy_plan *plan, int64_t tiled_bytes)
{
	const int64_t item = plan->item_bytes;
	int64_t n_i, n_j;

	if (plan->kind != COPY_INTERLEAVE && plan->kind != COPY_TRANSPOSE)
		return false;
	n_i = plan->loops[plan->dst_unit].n;
	n_j = plan->loops[plan->src_unit].n;
	if ((n_j <= TABLE_PLANES && n_i * item >= TABLE_ROW_BYTES) ||
		(n_i <= TABLE_PLANES && n_j * item >= TABLE_ROW_BYTES))
		return false;
	return n_i * item % HOST_LINE != 0 || n_j * item < tiled_bytes;
}

/* The part of n steps of the loop `at` and those inside it. */
static void plan_part(struct host_job *job, struct host_job *part, int at, int64_t n)
{
	const struct copy_plan plan = inner_plan(&job->plan, at, n);

	host_plan_part(job, part, &plan);
	part->read_bytes = find_reach(&plan, &part->read_offset);
}

/* Whether parts of n of n_steps rows of dst read enough of each line of a block. */
static bool has_long_parts(const struct host_job *job, int64_t n, int64_t n_steps, int64_t n_bytes)
{
	return n >= n_steps ||
	       n * job->plan.item_bytes >=
		       (n_bytes <= SMALL_BLOCK_BYTES ? SMALL_BLOCK_RUN_BYTES : BLOCK_RUN_BYTES);
}

/* Whether the loop `at`, of which a part has n steps, interleaves planes whose lines stay in the
 * first-level cache, and that are not faster streamed item by item. */
static bool has_planes(const struct copy_plan *plan, int at, int64_t n)
{
	const struct copy_loop *planes = &plan->loops[plan->n_loops - 1];

	return at == plan->n_loops - 2 && at == plan->src_unit &&
	       plan->loops[at].src_stride_bytes == plan->item_bytes &&
	       n * plan->item_bytes >= BLOCK_RUN_BYTES &&
	       (plan->item_bytes != 16 || planes->n > HOST_STREAMED_PLANES) &&
	       host_fits_in_sets(planes->n, planes->src_stride_bytes);
}

/*
 * Whether rows of src are so short that they are read in order anyway. If the first of several
 * parts copies few bytes of each, the loops for small items wait for the lines of longer rows.
 */
static bool has_short_rows(const struct copy_plan *block, bool has_parts)
{
	const int64_t item = block->item_bytes, n_bytes = block->loops[block->src_unit].n * item;

	if (has_parts && item <= 2)
		return n_bytes <= (item == 1 ? SHORT_ROW_BYTES : WIDE_SHORT_ROW_BYTES);
	return n_bytes <= HOST_LINE;
}

/* The time for n_steps rows, n of them in a part, in that of a tile of so many rows. */
static int64_t time_of_parts(int64_t n_steps, int64_t n, int64_t tile)
{
	const int64_t rest = n_steps % n;

	return n_steps / n * (PART_TILES + (n + tile - 1) / tile) +
	       (rest ? PART_TILES + (rest + tile - 1) / tile : 0);
}

bool host_plan_blocks(struct host_job *job)
{
	const struct copy_plan *plan = &job->plan;
	const int64_t tile = plan->item_bytes < 16 ? 16 / plan->item_bytes : 1; /* rows */
	const int64_t tiled_bytes = plan->item_bytes < 4 ? TILED_BYTES : WIDE_TILED_BYTES;
	int64_t step_bytes, n, n_steps, n_block;
	struct copy_plan block;
	bool is_compact, is_staged;
	int at;

	if (!host_is_streamed(job, HOST_CACHED_RUN_BYTES))
		return false;
	at = find_divided(plan, &step_bytes);
	if (at < 0)
		return false;
	n_steps = plan->loops[at].n;
	n = PART_BYTES / step_bytes;
	if (n < n_steps && n % tile * WHOLE_TILES <= n &&
		time_of_parts(n_steps, n - n % tile, tile) < time_of_parts(n_steps, n, tile))
		n -= n % tile;
	n_block = n_steps > BLOCK_BYTES / step_bytes ? n : n_steps;
	block = inner_plan(plan, at, n_block);
	job->read_bytes = find_reach(&block, &job->read_offset);
	is_compact = job->read_bytes <= 2 * n_block * step_bytes;
	is_staged = is_compact ? is_faster_staged(&block, tiled_bytes) &&
					 has_long_parts(job, n, n_block, n_block * step_bytes)
			       : is_faster_staged(plan, HOST_LINE) && has_planes(plan, at, n);
	if (!is_staged)
		return false;
	job->n_outer = at;
	memcpy(job->outer, plan->loops, (size_t)at * sizeof(job->outer[0]));
	job->n_parts = (n_steps + n - 1) / n;
	job->part_items = n;
	job->row_item_bytes = step_bytes;
	job->row_src_stride = plan->loops[at].src_stride_bytes;
	job->unit_bytes = n * step_bytes;
	plan_part(job, &job->parts[0], at, n);
	plan_part(job, &job->parts[1], at, n_steps - (job->n_parts - 1) * n);
	if (n_block == n || !is_compact || has_short_rows(&block, true))
		job->read_bytes = 0;
	if (n_block > n || !is_compact || has_short_rows(&block, false))
		job->parts[0].read_bytes = job->parts[1].read_bytes = 0;
	if (!is_compact)
		job->planes = plan->loops[plan->n_loops - 1];
	job->run = run_blocks;
	return true;
}
