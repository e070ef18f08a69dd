// SPDX-License-Identifier: MIT
/*
 * Rows whose items are consecutive in the destination, from any position in the source: copied,
 * filled, reversed, picked or gathered. If lines are streamed or bytes are swapped, rows are
 * assembled in the first-level cache.
 */
#include "copy/host/host_engine.h"

#include <string.h>

enum { LONG_ROW_BYTES = 256, PART_BYTES = 1 << 18 };

/* Bytes that are assembled but not yet written; they are consecutive in dst. */
struct stage {
	const struct host_job *job;
	char *dst;
	int64_t n_bytes;
	_Alignas(HOST_LINE) char bytes[HOST_STAGE_BYTES];
};

static void flush(struct stage *stage)
{
	const struct host_job *job = stage->job;

	if (job->plan.swap_bytes)
		job->kernels->swap(
			stage->bytes, stage->bytes, stage->n_bytes, job->plan.swap_bytes);
	if (job->stream)
		job->kernels->stream(stage->dst, stage->bytes, stage->n_bytes);
	else
		memcpy(stage->dst, stage->bytes, (size_t)stage->n_bytes);
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

static void row_stream(const struct host_job *job, const char *src, char *out, int64_t n)
{
	job->kernels->stream(out, src, n * job->row_item_bytes);
}

static void row_copy(const struct host_job *job, const char *src, char *out, int64_t n)
{
	memcpy(out, src, (size_t)(n * job->row_item_bytes));
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
	job->staged = job->stream || job->plan.swap_bytes;
	job->run = run_rows;
}

/* Whether in every row some unit is aligned to a line. */
static bool has_units_at_lines(const struct host_job *job)
{
	const uint64_t unit = (uint64_t)job->plan.swap_bytes;
	uint64_t bits = (uint64_t)(uintptr_t)job->dst;

	for (int i = 0; i < job->n_outer; i++)
		bits |= (uint64_t)job->outer[i].dst_stride_bytes;
	return unit <= 16 && (unit & (unit - 1)) == 0 && bits % unit == 0;
}

/* Streams whole rows in the order of the source, or assembles short ones in the order of dst. */
static void choose_copy(struct host_job *job)
{
	struct copy_plan *plan = &job->plan;
	const bool is_long = job->part_items * job->row_item_bytes >= LONG_ROW_BYTES;

	job->row = row_copy;
	job->staged = job->stream;
	if (job->stream && !is_long)
		return;
	if (plan->swap_bytes && job->stream && !has_units_at_lines(job))
		return;
	if (plan->swap_bytes)
		job->row = job->stream ? row_stream_swap : row_swap;
	else if (job->stream)
		job->row = row_stream;
	job->staged = false;
	job->n_outer = 0;
	for (int i = 0; i + 1 < plan->n_loops; i++)
		host_add_outer(job, plan->loops[i]);
}

bool host_plan_rows(struct host_job *job)
{
	struct copy_plan *plan = &job->plan;
	bool is_one = plan->n_loops == 0;

	if (plan->kind != COPY_ROWS && plan->kind != COPY_MEMCPY)
		return false;
	job->row_items = is_one ? 1 : plan->loops[plan->n_loops - 1].n;
	job->row_item_bytes = job->row_src_stride = plan->item_bytes;
	for (int i = 0; i + 1 < plan->n_loops; i++)
		job->outer[job->n_outer++] = plan->loops[i];
	host_cut_rows(job);
	choose_copy(job);
	return true;
}
