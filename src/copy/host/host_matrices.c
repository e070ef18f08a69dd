// SPDX-License-Identifier: MIT
/*
 * Blocks of few bytes that follow each other in the destination, such as small matrices: a table
 * permutes the bytes of one block, or of several at a time.
 */
#include "copy/host/host_engine.h"

#include <string.h>

enum {
	MOST_VECTORS = 4,        /* of a step, on either side */
	RESULT_BYTES = 16 << 10, /* at least: setting up a table takes as long as copying some */
	GAP_BYTES = HOST_LINE,   /* at most, that are read between blocks of src */
	ROW_INSTRUCTIONS = 60,   /* for both ends of a row of blocks, approximately */
};

/* What the loops of a plan from `at` on copy; the loop before them is the one over blocks. */
struct small_block {
	int at;
	int64_t n_bytes;     /* of dst */
	int64_t offset, end; /* of the bytes of src that are read, from the first item */
	int64_t n_together;  /* blocks in a step */
	int64_t n_in, n_out; /* vectors of a step */
};

static const struct copy_loop *loop_over(
	const struct host_job *job, const struct small_block *block)
{
	return &job->plan.loops[block->at - 1];
}

static int64_t count_vectors(const struct host_job *job, int64_t n_bytes)
{
	return (n_bytes + job->kernels->table_bytes - 1) / job->kernels->table_bytes;
}

/* Bytes that are copied for each instruction, approximately. */
static double rate_of_steps(const struct host_job *job, const struct small_block *block)
{
	const int64_t n_blocks = loop_over(job, block)->n;
	const int64_t n_steps = n_blocks / block->n_together + 1;
	const int64_t per_step = block->n_in * block->n_out + block->n_in + block->n_out;

	return (double)(n_blocks * block->n_bytes) /
	       (double)(n_steps * per_step + ROW_INSTRUCTIONS);
}

/* Sets the number of blocks in a step that takes the fewest instructions, and returns the rate. */
static double choose_together(const struct host_job *job, struct small_block *block)
{
	const struct copy_loop *blocks = loop_over(job, block);
	struct small_block tried = *block;
	double best = 0;

	for (int64_t n = 1; n <= blocks->n; n++) {
		double rate;

		tried.n_together = n;
		tried.n_in = count_vectors(
			job, block->end - block->offset + (n - 1) * blocks->src_stride_bytes);
		tried.n_out = count_vectors(job, n * block->n_bytes);
		if (tried.n_in > MOST_VECTORS || tried.n_out > MOST_VECTORS)
			break;
		/* The numbers for which loops are unrolled: others take twice as long. */
		if (tried.n_out > 1 && tried.n_in != tried.n_out)
			continue;
		rate = rate_of_steps(job, &tried);
		if (rate > best) {
			best = rate;
			*block = tried;
		}
	}
	return best;
}

/* The rate of the other ways to copy blocks, which combine more of larger items. */
static double usual_rate(const struct host_job *job)
{
	const bool is_small = job->plan.item_bytes < 4;

	if (job->kernels->table_bytes > 16)
		return is_small ? 3 : 6;
	return is_small ? 2 : 3;
}

/* Finds the block that is copied the fastest; false if other ways are faster. */
static bool find_block(const struct host_job *job, struct small_block *found)
{
	const struct copy_plan *plan = &job->plan;
	const int64_t most = MOST_VECTORS * (int64_t)job->kernels->table_bytes;
	struct small_block block = {
		.at = plan->n_loops, .n_bytes = plan->item_bytes, .end = plan->item_bytes
	};
	double best = usual_rate(job);

	*found = (struct small_block){ 0 };
	while (block.at > 1 && loop_over(job, &block)->dst_stride_bytes == block.n_bytes) {
		const struct copy_loop *inner = loop_over(job, &block), *blocks = inner - 1;
		double rate;

		block.at--;
		block.n_bytes *= inner->n;
		plan_add_reach(inner, inner->n, &block.offset, &block.end);
		if (block.n_bytes > most || block.end - block.offset > most)
			break;
		if (blocks->dst_stride_bytes != block.n_bytes || blocks->src_stride_bytes <= 0 ||
			blocks->src_stride_bytes > block.end - block.offset + GAP_BYTES)
			continue;
		rate = choose_together(job, &block);
		if (rate > best) {
			best = rate;
			*found = block;
		}
	}
	return found->at > 0;
}

/* The largest power of 2, at most 16 and half a vector, that divides items and their strides. */
static int64_t find_part_bytes(const struct host_job *job, const struct small_block *block)
{
	const struct copy_plan *plan = &job->plan;
	int64_t part = plan->item_bytes | 16 | job->kernels->table_bytes / 2;

	for (int i = block->at - 1; i < plan->n_loops; i++)
		part |= plan->loops[i].src_stride_bytes;
	return part & -part;
}

/* Adds the items of the loops from `at` on to the table, by parts of so many bytes. */
static void add_items(const struct host_job *job, int at, int64_t part, int64_t out, int64_t in)
{
	const struct copy_plan *plan = &job->plan;

	if (at < plan->n_loops) {
		for (int64_t i = 0; i < plan->loops[at].n; i++)
			add_items(job, at + 1, part, out + i * plan->loops[at].dst_stride_bytes,
				in + i * plan->loops[at].src_stride_bytes);
		return;
	}
	for (int64_t byte = 0; byte < plan->item_bytes; byte += part)
		host_table_set(job->table, part, out + byte, in + byte);
}

/* The last blocks of a row, behind which nothing may be read or written. */
static void copy_last_blocks(const struct host_job *job, const char *src, char *out, int64_t n)
{
	const struct host_table *table = job->table;
	char from[MOST_VECTORS * HOST_LINE] = { 0 }, to[MOST_VECTORS * HOST_LINE];

	while (n > 0) {
		const int64_t n_now = n < table->step_items ? n : table->step_items;

		memcpy(from, src + table->first_bytes,
			(size_t)(table->reach_bytes + (n_now - 1) * job->row_src_stride));
		job->kernels->pick(table, from, to, 1);
		memcpy(out, to, (size_t)(n_now * job->row_item_bytes));
		src += n_now * job->row_src_stride;
		out += n_now * job->row_item_bytes;
		n -= n_now;
	}
}

/* Whole vectors are stored, of which the next step overwrites what is behind the blocks. */
static void row_of_blocks(const struct host_job *job, const char *src, char *out, int64_t n)
{
	const struct host_table *table = job->table;
	const int64_t vector = table->vector_bytes;
	const int64_t n_src_bytes = table->reach_bytes + (n - 1) * job->row_src_stride;
	const int64_t last_in = n_src_bytes - table->n_in * vector;
	const int64_t last_out = n * job->row_item_bytes - table->n_out * vector;
	int64_t n_copied = 0;

	if (last_in >= 0 && last_out >= 0) {
		const int64_t n_in = last_in / table->in_step_bytes + 1;
		const int64_t n_out = last_out / table->out_step_bytes + 1;
		const int64_t n_steps = n_in < n_out ? n_in : n_out;

		job->kernels->pick(table, src + table->first_bytes, out, n_steps);
		n_copied = n_steps * table->step_items;
	}
	copy_last_blocks(job, src + n_copied * job->row_src_stride,
		out + n_copied * job->row_item_bytes, n - n_copied);
}

bool host_plan_matrices(struct host_job *job)
{
	const struct copy_plan *plan = &job->plan;
	struct host_table *table = job->table;
	const struct copy_loop *blocks;
	struct small_block block;
	int64_t part;

	if (job->n_all_bytes < RESULT_BYTES || !job->kernels->table_bytes)
		return false;
	host_choose_items(job, plan->item_bytes);
	if (host_swap_after(job) || !find_block(job, &block))
		return false;
	part = find_part_bytes(job, &block);
	if (part < plan->swap_bytes || !host_table_start(job, part, block.n_in, block.n_out))
		return false;
	blocks = loop_over(job, &block);
	table->in_stride_bytes = table->out_stride_bytes = table->vector_bytes;
	table->in_step_bytes = block.n_together * blocks->src_stride_bytes;
	table->out_step_bytes = block.n_together * block.n_bytes;
	table->first_bytes = block.offset;
	table->reach_bytes = block.end - block.offset;
	table->step_items = block.n_together;
	for (int64_t i = 0; i < block.n_together; i++)
		add_items(job, block.at, part, i * block.n_bytes,
			i * blocks->src_stride_bytes - block.offset);
	job->row = row_of_blocks;
	job->row_items = blocks->n;
	job->row_item_bytes = block.n_bytes;
	job->row_src_stride = blocks->src_stride_bytes;
	job->n_outer = block.at - 1;
	memcpy(job->outer, plan->loops, (size_t)job->n_outer * sizeof(job->outer[0]));
	host_cut_rows(job);
	return true;
}
