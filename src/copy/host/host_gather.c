// SPDX-License-Identifier: MIT
/*
 * Items from any position: one value repeated, neighbours at small or negative strides by tables,
 * others one by one.
 */
#include "copy/host/host_engine.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
	TABLE_RESULT_ITEMS = 1024, /* in all: fewer take less time than setting up a table */
	TABLE_ROW_ITEMS = 128,     /* shorter rows take less time one by one than by a table */
	REVERSED_ROW_ITEMS = 64,
	PICKED_ITEMS = 4, /* the fewest items of a vector that are worth a table */
	SHARED_BYTES = 256 << 10,
	LONG_ROW_BYTES = 1024,
	FILLED_ROW_BYTES = 256,    /* more */
	REPEATED_ROW_BYTES = 1024, /* at most, of rows that are joined */
	LONG_LINED_BYTES = 8192, /* for items of 1 byte: both ends of a row are copied one by one */
};

static bool is_vector_item(int64_t item_bytes)
{
	return (item_bytes & (item_bytes - 1)) == 0 && item_bytes <= 16;
}

/* Items of other sizes: writes the first one, then doubles what is written. */
static void row_fill(const struct host_job *job, const char *src, char *out, int64_t n)
{
	int64_t n_bytes = n * job->row_item_bytes, done = job->row_item_bytes;
	char swapped[16];

	if (job->swaps_items) {
		job->one_by_one(job, src, swapped, 1);
		src = swapped;
	}
	if (is_vector_item(done)) {
		job->kernels->repeat(out, src, 0, done, n_bytes, n ? 1 : 0);
		return;
	}
	memcpy(out, src, (size_t)done);
	for (; done < n_bytes; done *= 2)
		memcpy(out + done, out, (size_t)(done * 2 < n_bytes ? done : n_bytes - done));
}

/* Streams whole lines from a buffer of repeated items. */
static void row_fill_lines(const struct host_job *job, const char *src, char *out, int64_t n)
{
	_Alignas(HOST_STAGE_BYTES) char bytes[HOST_STAGE_BYTES];
	const int64_t item = job->row_item_bytes;
	int64_t part = host_items_to_line(job, out, n), most = HOST_STAGE_BYTES / item;

	if (most > HOST_LINE)
		most = most / HOST_LINE * HOST_LINE;
	row_fill(job, src, bytes, most < n ? most : n);
	for (; n > 0; n -= part, part = most < n ? most : n) {
		job->kernels->stream(out, bytes, part * item);
		out += part * item;
	}
}

/* Rows of planes.n repeated items, each of which is an item of a longer row. */
static void row_repeat(const struct host_job *job, const char *src, char *out, int64_t n)
{
	job->kernels->repeat(
		out, src, job->row_src_stride, job->plan.item_bytes, job->row_item_bytes, n);
}

/* Joins short rows of one repeated item that are contiguous in dst. They are written faster through
 * the caches than through a stage, whatever the size of the result. */
static bool plan_repeat(struct host_job *job)
{
	const struct copy_loop *rows;
	const int64_t n_bytes = job->row_items * job->row_item_bytes;

	if (job->row_src_stride != 0 || !job->n_outer || n_bytes > REPEATED_ROW_BYTES ||
		!is_vector_item(job->row_item_bytes))
		return false;
	rows = &job->outer[job->n_outer - 1];
	if (rows->dst_stride_bytes != n_bytes)
		return false;
	job->row_item_bytes = n_bytes;
	job->row_items = rows->n;
	job->row_src_stride = rows->src_stride_bytes;
	job->n_outer--;
	job->row = row_repeat;
	job->swaps_items = false;
	job->stream = false;
	host_cut_rows(job);
	return true;
}

int64_t host_items_to_line(const struct host_job *job, const char *out, int64_t n)
{
	int64_t head = 0;

	while (head < n && (uintptr_t)(out + head * job->row_item_bytes) % HOST_LINE != 0)
		head++;
	return head;
}

/* Whether no row has items before the first line or after the last step of a table. */
static bool is_whole_steps(const struct host_job *job)
{
	return job->row_items * job->row_item_bytes % HOST_LINE == 0 &&
	       (job->row != host_row_pick || job->row_items % job->table->step_items == 0) &&
	       host_is_aligned(job, (uint64_t)(uintptr_t)job->dst, HOST_LINE);
}

void host_choose_lined(struct host_job *job)
{
	const int64_t unit = job->row_item_bytes & -job->row_item_bytes;
	const int64_t least = is_whole_steps(job) ? 4 * (int64_t)HOST_LINE
						  : LONG_LINED_BYTES / job->plan.item_bytes;

	job->lined = job->stream && !host_swap_after(job) &&
		     host_is_aligned(job, (uint64_t)(uintptr_t)job->dst,
			     unit < HOST_LINE ? unit : HOST_LINE) &&
		     job->row_items * job->row_item_bytes >= least;
	job->staged = job->staged && !job->lined;
}

static void advance(const struct host_job *job, const char **src, char **out, int64_t n)
{
	*src += n * job->row_src_stride;
	*out += n * job->row_item_bytes;
}

/* The last items, which do not fill a step, by a step that overlaps the one before. */
static bool pick_overlapped(const struct host_job *job, const char *src, char *out, int64_t n)
{
	const struct host_table *table = job->table;

	if (job->lined || table->reads_past || n < table->step_items || n % table->step_items == 0)
		return false;
	advance(job, &src, &out, n - table->step_items);
	job->kernels->pick(table, src + table->first_bytes, out, 1);
	return true;
}

/*
 * Whole lines are streamed, the steps after them stored: if a line is streamed in part and stored
 * in part, the processor waits 150 to 450 ns for it.
 */
static void pick_steps(const struct host_job *job, const char *src, char *out, int64_t n_steps)
{
	const struct host_table *table = job->table;
	int64_t n = 0;

	if (job->lined) {
		for (n = n_steps; n * table->out_step_bytes % HOST_LINE;)
			n--;
		job->kernels->stream_pick(table, src, out, n);
	}
	if (n < n_steps)
		job->kernels->pick(table, src + n * table->in_step_bytes,
			out + n * table->out_step_bytes, n_steps - n);
}

/* Whether the bytes after the items that end at src may be read, too: those of other items follow,
 * and the page is the same. */
static bool is_readable_past(const struct host_job *job, const char *src)
{
	const struct host_table *table = job->table;
	const int64_t n_bytes = job->row_src_stride - job->row_item_bytes;

	return src + n_bytes <= table->src_end &&
	       (((uintptr_t)src - 1) ^ ((uintptr_t)(src + n_bytes) - 1)) < HOST_PAGE_BYTES;
}

void host_row_pick(const struct host_job *job, const char *src, char *out, int64_t n)
{
	const struct host_table *table = job->table;
	int64_t head = job->lined ? host_items_to_line(job, out, n) : 0, n_steps;
	const bool is_complete = pick_overlapped(job, src, out, n);

	job->one_by_one(job, src, out, head);
	advance(job, &src, &out, head);
	n_steps = (n - head) / table->step_items;
	if (table->reads_past && n_steps && n_steps * table->step_items == n - head &&
		!is_readable_past(
			job, src + (n - head - 1) * job->row_src_stride + job->row_item_bytes))
		n_steps--;
	pick_steps(job, src + table->first_bytes, out, n_steps);
	if (is_complete)
		return;
	advance(job, &src, &out, n_steps * table->step_items);
	job->one_by_one(job, src, out, n - head - n_steps * table->step_items);
}

void host_table_set(struct host_table *table, int64_t item_bytes, int64_t out, int64_t in)
{
	const int log = __builtin_ctz((unsigned int)table->vector_bytes);
	const int64_t o = out >> log, i = in >> log;
	const int64_t flip = table->swap_bytes ? table->swap_bytes - 1 : 0;

	out &= table->vector_bytes - 1;
	in &= table->vector_bytes - 1;
	for (int64_t byte = 0; byte < item_bytes; byte++)
		table->at[o][i][out + byte] = (unsigned char)(in + (byte ^ flip));
	table->mask[o][i] |= (((uint64_t)1 << item_bytes) - 1) << out;
}

bool host_table_start(struct host_job *job, int64_t item_bytes, int64_t n_in, int64_t n_out)
{
	struct host_table *table = job->table;

	if (job->kernels->table_bytes < 2 * item_bytes || (item_bytes & (item_bytes - 1)) != 0)
		return false;
	memset(table, 0, offsetof(struct host_table, at));
	for (int64_t o = 0; o < n_out; o++)
		memset(table->at[o], 0x80, (size_t)n_in * sizeof(table->at[o][0]));
	table->n_in = (int)n_in;
	table->n_out = (int)n_out;
	table->swap_bytes = job->swaps_items ? job->plan.swap_bytes : 0;
	table->vector_bytes = job->kernels->table_bytes;
	return true;
}

/* The end of the last byte of all rows. */
static const char *end_of_source(const struct host_job *job)
{
	const char *end =
		job->src + (job->row_items - 1) * job->row_src_stride + job->row_item_bytes;

	for (int i = 0; i < job->n_outer; i++)
		if (job->outer[i].src_stride_bytes > 0)
			end += (job->outer[i].n - 1) * job->outer[i].src_stride_bytes;
	return end;
}

static bool plan_pick(struct host_job *job)
{
	/*
	 * The most vectors of src that are loaded for one of dst, by the logarithm of the item
	 * size; beyond that, items one by one are faster.
	 */
	static const int64_t most[HOST_ITEM_LOGS] = { 8, 4, 4, 2, 0 };
	struct host_table *table = job->table;
	const int64_t item = job->row_item_bytes, times = job->row_src_stride / item;
	int64_t n_items;

	if ((item & (item - 1)) != 0 || item * PICKED_ITEMS > job->kernels->table_bytes ||
		job->row_src_stride % item || times == 0 || times < -1 ||
		llabs(times) > most[__builtin_ctzll((uint64_t)item)] ||
		job->n_bytes < item * TABLE_RESULT_ITEMS ||
		job->row_items < (times < 0 ? REVERSED_ROW_ITEMS : TABLE_ROW_ITEMS) ||
		!host_table_start(job, item, times < 0 ? 1 : times, 1))
		return false;
	n_items = table->vector_bytes / item;
	table->in_stride_bytes = table->vector_bytes;
	table->in_step_bytes = times * table->vector_bytes;
	table->out_step_bytes = table->vector_bytes;
	table->step_items = n_items;
	table->reads_past = times > 1;
	if (table->reads_past)
		table->src_end = end_of_source(job);
	table->first_bytes = times < 0 ? item - table->vector_bytes : 0;
	for (int64_t i = 0; i < n_items; i++)
		host_table_set(
			table, item, i * item, (times < 0 ? n_items - 1 - i : i * times) * item);
	return true;
}

/* Short rows of other items are copied one by one. */
static bool is_faster_filled(const struct host_job *job)
{
	return is_vector_item(job->row_item_bytes) ||
	       job->row_items * job->row_item_bytes > FILLED_ROW_BYTES;
}

void host_choose_items(struct host_job *job, int64_t item_bytes)
{
	job->items = host_items_of(item_bytes, job->plan.swap_bytes);
	job->swaps_items = job->plan.swap_bytes && job->items;
	if (!job->items)
		job->items = host_items_of(item_bytes, 0);
}

void host_choose_row(struct host_job *job)
{
	host_choose_items(job, job->row_item_bytes);
	job->one_by_one = host_row_of(job->items);
	if (job->row_src_stride == 0 && is_faster_filled(job))
		job->row = row_fill;
	else if (plan_pick(job))
		job->row = host_row_pick;
	else
		job->row = job->one_by_one;
}

/* Items for which no loops reverse units are reversed afterwards. */
static void swap_block(const struct host_job *job, char *dst, const struct host_block *block)
{
	for (int64_t k = 0; k < block->planes.n; k++)
		for (int64_t j = 0; j < block->n_j; j++) {
			char *item = dst + k * block->planes.dst_stride_bytes + j * block->dst_j;

			host_swap_plain(item, item, job->plan.item_bytes, job->plan.swap_bytes);
		}
}

/* Items are not adjacent in the destination: rows of one item. */
static void run_scattered(const struct host_job *job, int64_t first, int64_t last)
{
	struct host_block block = {
		.n_i = 1, .n_j = job->n_j, .src_j = job->src_stride, .dst_j = job->dst_stride
	};
	struct host_walk walk;

	for (host_walk_start(&walk, job, first); first < last; first += block.planes.n) {
		const int64_t n = host_walk_left(&walk);

		block.planes = *host_walk_loop(&walk);
		block.planes.n = n < last - first ? n : last - first;
		host_nest_items(job, walk.src, walk.dst, &block);
		if (host_swap_after(job))
			swap_block(job, walk.dst, &block);
		host_walk_skip(&walk, block.planes.n);
	}
}

/*
 * The loop whose rows share lines of src becomes the innermost one, if these lines stay in the
 * second-level cache and rows are written on their own anyway.
 */
static void put_sharing_last(struct host_job *job)
{
	const int64_t step = llabs(job->row_src_stride);
	const int64_t row_bytes = job->row_items * job->row_item_bytes;
	int near;

	if (!job->n_outer ||
		job->row_items * (step < HOST_LINE ? step : HOST_LINE) > SHARED_BYTES ||
		(job->stream && row_bytes < LONG_ROW_BYTES))
		return;
	near = host_nearest_outer(job);
	if (llabs(job->outer[near].src_stride_bytes) < HOST_LINE)
		host_move_outer(job, near, job->n_outer - 1);
}

void host_plan_gather(struct host_job *job)
{
	struct copy_plan *plan = &job->plan;
	struct copy_loop last = plan->loops[plan->n_loops - 1];

	for (int i = 0; i + 1 < plan->n_loops; i++)
		job->outer[job->n_outer++] = plan->loops[i];
	job->row_item_bytes = plan->item_bytes;
	job->row_src_stride = last.src_stride_bytes;
	if (plan->dst_unit < 0) {
		host_choose_items(job, plan->item_bytes);
		job->n_j = last.n;
		job->src_stride = last.src_stride_bytes;
		job->dst_stride = last.dst_stride_bytes;
		job->unit_bytes = last.n * plan->item_bytes;
		job->run = run_scattered;
		return;
	}
	job->row_items = last.n;
	host_choose_row(job);
	if (plan_repeat(job) || host_plan_nest(job))
		return;
	put_sharing_last(job);
	job->stream = job->stream && job->row != job->one_by_one;
	host_cut_rows(job);
	host_choose_lined(job);
	if (job->row == row_fill && job->lined)
		job->row = row_fill_lines;
}
