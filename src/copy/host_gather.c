// SPDX-License-Identifier: MIT
/* Items from anywhere: one value repeated, neighbours that are a few items apart or in reverse
 * order picked by tables, others one by one. */
#include "copy/host_engine.h"

#include <string.h>

/* A fixed size lets the compiler turn memcpy into loads and stores of unaligned data. */
#define DEFINE_GATHER(SIZE)                                                        \
	static void gather_##SIZE(                                                 \
		const struct host_job *job, const char *src, char *out, int64_t n) \
	{                                                                          \
		const int64_t step = job->row_src_stride;                          \
                                                                                   \
		for (int64_t i = 0; i < n; i++)                                    \
			memcpy(out + i * (SIZE), src + i * step, SIZE);            \
	}

DEFINE_GATHER(1)
DEFINE_GATHER(2)
DEFINE_GATHER(3)
DEFINE_GATHER(4)
DEFINE_GATHER(6)
DEFINE_GATHER(8)
DEFINE_GATHER(12)
DEFINE_GATHER(16)
DEFINE_GATHER(24)
DEFINE_GATHER(32)

static void gather_any(const struct host_job *job, const char *src, char *out, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		memcpy(out + i * job->row_item_bytes, src + i * job->row_src_stride,
			(size_t)job->row_item_bytes);
}

host_row *host_gather_of(int64_t item_bytes)
{
	static const struct {
		int64_t item_bytes;
		host_row *row;
	} rows[] = { { 1, gather_1 }, { 2, gather_2 }, { 3, gather_3 }, { 4, gather_4 },
		{ 6, gather_6 }, { 8, gather_8 }, { 12, gather_12 }, { 16, gather_16 },
		{ 24, gather_24 }, { 32, gather_32 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].item_bytes == item_bytes)
			return rows[i].row;
	return gather_any;
}

/* The first item, then what is there once more, and again. */
static void row_fill(const struct host_job *job, const char *src, char *out, int64_t n)
{
	int64_t n_bytes = n * job->row_item_bytes, done = job->row_item_bytes;

	memcpy(out, src, (size_t)done);
	for (; done < n_bytes; done *= 2)
		memcpy(out + done, out, (size_t)(done * 2 < n_bytes ? done : n_bytes - done));
}

/* Tables for whole vectors, single items for the rest: nothing past the last item is read. */
static void row_pick(const struct host_job *job, const char *src, char *out, int64_t n)
{
	const struct host_table *table = &job->table;
	const int64_t item = job->row_item_bytes, step_items = table->vector_bytes / item;
	const int64_t past_bytes = job->row_src_stride > item ? job->row_src_stride - item : 0;
	int64_t n_steps = n / step_items;

	if (past_bytes && n_steps && n_steps * step_items == n)
		n_steps--;
	job->kernels->pick(table, src + table->first_bytes, out, n_steps);
	n -= n_steps * step_items;
	job->one_by_one(job, src + n_steps * step_items * job->row_src_stride,
		out + n_steps * table->vector_bytes, n);
}

/* Byte `out` of line `o` is byte `in` of input `i`. */
void host_table_set(struct host_table *table, int64_t out, int64_t i, int64_t in)
{
	int64_t o = out / table->vector_bytes;

	table->at[o][i][out % table->vector_bytes] = (unsigned char)in;
	table->mask[o][i] |= (uint64_t)1 << (out % table->vector_bytes);
}

bool host_table_start(struct host_job *job, int64_t item_bytes)
{
	struct host_table *table = &job->table;

	table->vector_bytes = job->kernels->table_bytes;
	memset(table->at, 0x80, sizeof(table->at));
	return table->vector_bytes && table->vector_bytes >= 2 * item_bytes &&
	       (item_bytes & (item_bytes - 1)) == 0;
}

static bool plan_pick(struct host_job *job)
{
	struct host_table *table = &job->table;
	const int64_t item = job->row_item_bytes, times = job->row_src_stride / item;
	int64_t n_items;

	if (!host_table_start(job, item) || job->row_src_stride % item || times == 0 ||
		times < -1 || times > HOST_STRIDE_MAX)
		return false;
	n_items = table->vector_bytes / item;
	table->n_in = times < 0 ? 1 : (int)times;
	table->n_out = 1;
	table->in_stride_bytes = table->vector_bytes;
	table->in_step_bytes = times * table->vector_bytes;
	table->first_bytes = times < 0 ? item - table->vector_bytes : 0;
	for (int64_t i = 0; i < n_items; i++)
		for (int64_t byte = 0; byte < item; byte++) {
			int64_t in = (times < 0 ? n_items - 1 - i : i * times) * item + byte;

			host_table_set(table, i * item + byte, in / table->vector_bytes,
				in % table->vector_bytes);
		}
	return true;
}

void host_choose_row(struct host_job *job)
{
	job->one_by_one = host_gather_of(job->row_item_bytes);
	if (job->row_src_stride == 0)
		job->row = row_fill;
	else
		job->row = plan_pick(job) ? row_pick : job->one_by_one;
}

/* The destination's neighbours are not together: items are written one by one where they go. */
static void run_scattered(const struct host_job *job, int64_t first, int64_t last)
{
	const struct copy_plan *plan = &job->plan;
	const struct copy_loop *loop = &job->planes;
	struct host_walk walk;

	for (host_walk_start(&walk, job, first); first < last; first++) {
		for (int64_t i = 0; i < loop->n; i++) {
			char *dst = walk.dst + i * loop->dst_stride_bytes;

			job->one_by_one(job, walk.src + i * loop->src_stride_bytes, dst, 1);
			if (plan->swap_bytes)
				host_swap_plain(dst, dst, plan->item_bytes, plan->swap_bytes);
		}
		host_walk_next(&walk);
	}
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
		job->one_by_one = host_gather_of(plan->item_bytes);
		job->planes = last;
		job->unit_bytes = last.n * plan->item_bytes;
		job->run = run_scattered;
		return;
	}
	job->row_items = last.n;
	host_choose_row(job);
	host_cut_rows(job);
}
