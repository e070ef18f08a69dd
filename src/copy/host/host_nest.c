// SPDX-License-Identifier: MIT
/*
 * Nests: short rows from distant places, item by item or by small tiles. What such loops wait for
 * is the source, since the processor prefetches few of its lines, and an access to a line that is
 * on its way delays others. So the loops are divided into blocks whose lines fit in the
 * second-level cache, and the lines of the next block are requested while one is copied.
 */
#include "copy/host/host_engine.h"

#include <stdlib.h>
#include <string.h>

enum {
	UNIT_ITEMS = 1024,   /* items per unit, approximately */
	REQUEST_ITEMS = 256, /* items copied between requests, approximately */
	RUN_BYTES = 256, /* the contiguous part of src that a block reads, if there is as much */
	BLOCK_BYTES = 256 << 10,
	NEIGHBOUR_BYTES = 1024, /* loops of smaller strides in dst are moved into a block */
	REQUESTED_AHEAD_BYTES = 16 << 10,
	WRITTEN_LINE_BYTES =
		24,            /* at least, that a block writes to a line, if these are requested */
	LEAST_UNIT_ITEMS = 80, /* fewer are copied in less time than a call takes */
	LEAST_UNIT_BYTES = 320,        /* the same, of items of more than 4 bytes */
	LEAST_FEW_ITEMS = 8,           /* smaller matrices are copied faster item by item */
	SMALL_ITEM_BYTES = 8,          /* less */
	SHORT_ROW_BYTES = 384,         /* less, in src */
	LOOPS_OF_UNIT = 3,             /* row_items, block_j and block_i */
	PREFETCHED_RUNS = 32,          /* runs of src that the processor prefetches by itself */
	PREFETCHED_SPAN_BYTES = 4096,  /* more: of a row whose lines the processor prefetches */
	PREFETCHED_STRIDE_BYTES = 256, /* at most, between its items */
	LEAST_SEPARATED_ITEMS = 64,    /* of 1 byte, of a row of dst, from rows of 4 or 8 in src */
	NEAR_BYTES = 16, /* at most, between neighbours of long rows that are copied in parts */
	TABLE_RESULT_BYTES =
		16 << 10,  /* at least: setting up a table takes as long as copying some */
	MOST_INPUTS = 4,   /* of a step of a table */
	PAGE_BYTES = 4096, /* lines at this distance map to the same set of the first-level cache */
};

static int64_t at_least(int64_t n, int64_t least)
{
	return n > least ? n : least;
}

/* --- the order of the loops --- */

/* The loops inside another, by their strides in one side. */
struct span {
	int n_loops;
	int64_t item_bytes;
	struct {
		int64_t n, stride_bytes;
	} loops[HOST_OUTER_MAX + 3];
};

static void span_add(struct span *span, int64_t n, int64_t stride_bytes)
{
	int at = span->n_loops++;

	stride_bytes = llabs(stride_bytes);
	for (; at > 0 && span->loops[at - 1].stride_bytes > stride_bytes; at--)
		span->loops[at] = span->loops[at - 1];
	span->loops[at].n = n;
	span->loops[at].stride_bytes = stride_bytes;
}

/* Whether a loop continues runs of so many bytes; gaps of less than a line are read as well. */
static bool continues(int64_t run_bytes, int64_t stride_bytes)
{
	return llabs(stride_bytes) <= (run_bytes < HOST_LINE ? HOST_LINE : run_bytes);
}

/* The size of the lines that the loops touch. */
static int64_t span_bytes(const struct span *span)
{
	int64_t n_runs = 1, run = span->item_bytes;

	for (int i = 0; i < span->n_loops; i++) {
		if (continues(run, span->loops[i].stride_bytes))
			run += (span->loops[i].n - 1) * span->loops[i].stride_bytes;
		else
			n_runs *= span->loops[i].n;
	}
	return n_runs * (run + HOST_LINE);
}

/* The number of inner loops of outer, at most n, that with the unit touch at most BLOCK_BYTES. */
static int count_inner(const struct host_job *job, int n)
{
	struct span src = { .item_bytes = job->row_item_bytes }, dst = src;
	int n_inner;

	span_add(&src, job->row_items, job->row_src_stride);
	span_add(&dst, job->row_items, job->row_item_bytes);
	span_add(&src, job->block_j, job->src_stride);
	span_add(&dst, job->block_j, job->dst_stride);
	span_add(&src, job->block_i, job->planes.src_stride_bytes);
	span_add(&dst, job->block_i, job->planes.dst_stride_bytes);
	for (n_inner = 0; n_inner < n; n_inner++) {
		const struct copy_loop *loop = &job->outer[job->n_outer - 1 - n_inner];

		span_add(&src, loop->n, loop->src_stride_bytes);
		span_add(&dst, loop->n, loop->dst_stride_bytes);
		if (span_bytes(&src) + span_bytes(&dst) > BLOCK_BYTES)
			break;
	}
	return n_inner;
}

/* The inner loops of outer that complete the runs which the unit reads, of which the last may be
 * divided, unless it is the rest of one. */
static int complete_runs(struct host_job *job, const struct copy_loop *rest)
{
	int64_t run = job->row_item_bytes, part;
	int n_run = 0;

	if (continues(run, job->row_src_stride))
		run += (job->row_items - 1) * llabs(job->row_src_stride);
	if (continues(run, job->src_stride))
		run += (job->block_j - 1) * llabs(job->src_stride);
	if (continues(run, job->planes.src_stride_bytes))
		run += (job->block_i - 1) * llabs(job->planes.src_stride_bytes);
	while (n_run < job->n_outer && run < RUN_BYTES) {
		struct copy_loop *loop = &job->outer[job->n_outer - 1 - n_run];
		const int64_t stride = llabs(loop->src_stride_bytes);

		if (stride == 0 || !continues(run, stride) || !memcmp(loop, rest, sizeof(*rest)))
			break;
		part = loop->n * stride <= 2 * (int64_t)RUN_BYTES
			       ? loop->n
			       : plan_divisor(loop->n, RUN_BYTES / stride + 1);
		if (part == 1)
			break;
		n_run++;
		if (part < loop->n) {
			memmove(loop + 1, loop, (size_t)n_run * sizeof(*loop));
			job->n_outer++;
			loop[0].n /= part;
			loop[0].src_stride_bytes *= part;
			loop[0].dst_stride_bytes *= part;
			loop[1].n = part;
			break;
		}
		run += (part - 1) * stride;
	}
	return n_run;
}

/* The loop of outer with the largest stride in dst below stride_bytes, or -1. */
static int farthest_below(const struct host_job *job, int64_t stride_bytes)
{
	int found = -1;

	for (int i = 0; i < job->n_outer; i++) {
		const int64_t stride = job->outer[i].dst_stride_bytes;

		if (stride < stride_bytes &&
			(found < 0 || stride > job->outer[found].dst_stride_bytes))
			found = i;
	}
	return found;
}

static int64_t by_dst(const struct copy_loop *loop)
{
	return loop->dst_stride_bytes;
}

/* Loops that stay near on either side use the same lines again. */
static int64_t by_nearness(const struct copy_loop *loop)
{
	const int64_t src = llabs(loop->src_stride_bytes);

	return src < loop->dst_stride_bytes ? src : loop->dst_stride_bytes;
}

/* Sorts the n inner loops of outer: those of the smallest key become the inner ones. */
static void sort_inner(struct host_job *job, int n, int64_t (*key)(const struct copy_loop *loop))
{
	for (int i = job->n_outer - n + 1; i < job->n_outer; i++) {
		const struct copy_loop loop = job->outer[i];
		int at = i;

		for (; at > job->n_outer - n && key(&job->outer[at - 1]) < key(&loop); at--)
			job->outer[at] = job->outer[at - 1];
		job->outer[at] = loop;
	}
}

/*
 * Blocks are copied in the order of the source, except that neighbours in dst are written while
 * their lines are in the second-level cache; what is in a block, in the order of dst.
 */
static void order_loops(struct host_job *job, const struct copy_loop *rest)
{
	int n = job->n_outer, at, n_run, n_inner;

	if (!job->stream) {
		sort_inner(job, n, by_nearness);
		return;
	}
	host_order_by_src(job);
	n_run = complete_runs(job, rest);
	n = job->n_outer;
	for (int64_t stride = NEIGHBOUR_BYTES; (at = farthest_below(job, stride)) >= 0;) {
		stride = job->outer[at].dst_stride_bytes;
		if (at >= n - n_run)
			continue;
		n_inner = count_inner(job, n - 1 - at);
		host_move_outer(job, at, n - 1 - (n_inner > n_run ? n_inner : n_run));
	}
	n_inner = count_inner(job, n);
	job->n_inner = n_inner > n_run ? n_inner : n_run;
	sort_inner(job, job->n_inner, by_dst);
}

/* --- requests --- */

/* Lines of one side that are requested into the second-level cache some blocks before they are
 * used. */
struct requests {
	const struct host_job *job;
	const struct host_runs *runs;
	int64_t block, n_blocks;
	int64_t index[HOST_BLOCK_MAX]; /* in the loops over runs */
	const char *run, *line;
};

static void begin_run(struct requests *requests)
{
	requests->line = requests->run - ((uintptr_t)requests->run & (HOST_LINE - 1));
}

static void request_block(struct requests *requests, int64_t block)
{
	const struct host_job *job = requests->job;
	const struct host_runs *runs = requests->runs;
	struct host_walk walk;

	requests->block = block;
	if (block >= requests->n_blocks)
		return;
	host_walk_start(&walk, job, block * job->block_units);
	requests->run = (runs == &job->src_runs ? walk.src : walk.dst) + runs->offset;
	begin_run(requests);
}

/* Moves to the next run of the block; returns false after the last one. */
static bool next_run(struct requests *requests)
{
	const struct host_runs *runs = requests->runs;

	for (int depth = runs->n_loops - 1; depth >= 0; depth--) {
		requests->run += runs->loops[depth].stride_bytes;
		if (++requests->index[depth] < runs->loops[depth].n)
			return true;
		requests->index[depth] = 0;
		requests->run -= runs->loops[depth].n * runs->loops[depth].stride_bytes;
	}
	return false;
}

/* Requests the lines for one step, of no later block than last. The same with a loop over the lines
 * of each run took longer. */
static void request_lines(struct requests *requests, int64_t last)
{
	const struct host_runs *runs = requests->runs;

	last = last < requests->n_blocks ? last : requests->n_blocks - 1;
	for (int64_t n = runs->step_lines; n && requests->block <= last; n--) {
		__builtin_prefetch(requests->line, 0, 2);
		requests->line += HOST_LINE;
		if (requests->line < requests->run + runs->n_bytes)
			continue;
		if (next_run(requests))
			begin_run(requests);
		else
			request_block(requests, requests->block + 1);
	}
}

static void start_requests(struct requests *requests, const struct host_job *job,
	const struct host_runs *runs, int64_t block, int64_t n_blocks)
{
	*requests = (struct requests){ .job = job, .runs = runs, .n_blocks = n_blocks };
	request_block(requests, block);
}

/* Requests the lines for one step of a block, and first the rest of that block, so that requests do
 * not fall behind more and more. */
static void request_step(struct requests *requests, int64_t block, int64_t last)
{
	if (!requests->runs->step_lines)
		return;
	while (requests->block <= block)
		request_lines(requests, block);
	request_lines(requests, last);
}

/* The part of n in a block, if the loop `at` of outer divides it into units, of which the last one
 * may be smaller. */
static int64_t part_in_block(const struct host_job *job, int at, int64_t n, int64_t unit)
{
	return at >= job->n_outer - job->n_inner ? n : unit;
}

/* The loops of a block, without those that divide others into units: returns their number. */
static int loops_of_block(const struct host_job *job, struct copy_loop *loops)
{
	int n = 0;

	loops[n++] = (struct copy_loop){ part_in_block(job, job->at_row, job->n_i, job->row_items),
		job->row_src_stride, job->row_item_bytes };
	loops[n++] = (struct copy_loop){ part_in_block(job, job->at_j, job->n_j, job->block_j),
		job->src_stride, job->dst_stride };
	loops[n++] = (struct copy_loop){ part_in_block(job, job->at_i, job->planes.n, job->block_i),
		job->planes.src_stride_bytes, job->planes.dst_stride_bytes };
	for (int i = job->n_outer - job->n_inner; i < job->n_outer; i++)
		if (i != job->at_row && i != job->at_j && i != job->at_i)
			loops[n++] = job->outer[i];
	return n;
}

static int64_t stride_of(const struct copy_loop *loop, bool is_src)
{
	return is_src ? loop->src_stride_bytes : loop->dst_stride_bytes;
}

/* Divides loops into runs of one side and the loops over these, of which those of the smallest
 * strides are the inner ones. */
static void find_runs(struct host_runs *runs, const struct copy_loop *loops, int n_loops,
	int64_t item_bytes, bool is_src)
{
	struct copy_loop left[HOST_BLOCK_MAX];

	memcpy(left, loops, (size_t)n_loops * sizeof(*loops));
	*runs = (struct host_runs){ .n_bytes = item_bytes };
	for (; n_loops; n_loops--) {
		struct copy_loop *loop = left;
		int64_t stride;

		for (int i = 1; i < n_loops; i++)
			if (llabs(stride_of(&left[i], is_src)) < llabs(stride_of(loop, is_src)))
				loop = &left[i];
		stride = stride_of(loop, is_src);
		if (!runs->n_loops && continues(runs->n_bytes, stride)) {
			runs->n_bytes += (loop->n - 1) * llabs(stride);
			runs->offset += stride < 0 ? (loop->n - 1) * stride : 0;
		} else if (loop->n > 1) {
			memmove(runs->loops + 1, runs->loops,
				(size_t)runs->n_loops++ * sizeof(runs->loops[0]));
			runs->loops[0].n = loop->n;
			runs->loops[0].stride_bytes = stride;
		}
		*loop = left[n_loops - 1];
	}
}

static int64_t count_runs(const struct host_runs *runs)
{
	int64_t n_runs = 1;

	for (int i = 0; i < runs->n_loops; i++)
		n_runs *= runs->loops[i].n;
	return n_runs;
}

/* An estimate, since runs begin anywhere in a line. */
static int64_t count_lines_of_runs(const struct host_runs *runs)
{
	return count_runs(runs) * (runs->n_bytes / HOST_LINE + 1);
}

/*
 * Whether blocks of these loops (loops_of_block()) are read from end to end, with gaps of less than
 * a line, so that the processor prefetches them. Short rows of small items are faster if their
 * lines are requested all the same.
 */
static bool is_read_in_order(const struct host_job *job, const struct copy_loop *loops, int n_loops)
{
	const struct copy_loop *next = &job->outer[job->n_outer - job->n_inner - 1];
	int64_t extent = job->row_item_bytes;

	if (extent < SMALL_ITEM_BYTES &&
		loops[0].n * llabs(loops[0].src_stride_bytes) < SHORT_ROW_BYTES)
		return false;
	for (int i = 0; i < n_loops; i++) { /* from the innermost loop on */
		const struct copy_loop *loop =
			&loops[i < LOOPS_OF_UNIT ? i : n_loops - 1 + LOOPS_OF_UNIT - i];

		if (loop->n == 1)
			continue;
		if (llabs(loop->src_stride_bytes) >= extent + HOST_LINE ||
			!host_extend_reach(&extent, loop))
			return false;
	}
	return llabs(next->src_stride_bytes) < extent + HOST_LINE;
}

/* Whether the processor prefetches the lines of rows by itself. */
static bool has_prefetched_rows(const struct host_job *job)
{
	const int64_t stride = llabs(job->row_src_stride);

	return stride <= PREFETCHED_STRIDE_BYTES && job->row_items * stride > PREFETCHED_SPAN_BYTES;
}

/* Divides the lines that a block uses among its steps. Those of src are requested unless they are
 * read in order, those of dst unless several blocks write to each, so that most are in a cache. */
static void plan_requests(struct host_job *job)
{
	const int first = job->n_outer - job->n_inner;
	struct host_runs *src = &job->src_runs, *dst = &job->dst_runs;
	struct copy_loop loops[HOST_BLOCK_MAX];
	const int n_loops = loops_of_block(job, loops);
	int64_t n_units = 1, n_steps = part_in_block(job, job->at_i, job->planes.n, job->block_i);
	int64_t n_bytes = job->row_item_bytes, n_lines;

	find_runs(src, loops, n_loops, job->row_item_bytes, true);
	if (!job->n_inner && count_runs(src) <= PREFETCHED_RUNS && first &&
		llabs(job->outer[first - 1].src_stride_bytes) <= src->n_bytes + HOST_LINE)
		return;
	for (int i = first; i < job->n_outer; i++) {
		n_units *= job->outer[i].n;
		n_steps *= i != job->at_i ? job->outer[i].n : 1;
	}
	for (int i = 0; i < n_loops; i++)
		n_bytes *= loops[i].n;
	job->block_units = n_units;
	job->request_planes = at_least(REQUEST_ITEMS / (job->row_items * job->block_j), 1);
	n_steps = at_least(n_steps / job->request_planes, n_units);
	n_lines = count_lines_of_runs(src);
	job->n_ahead = 1 + REQUESTED_AHEAD_BYTES / (n_lines * HOST_LINE);
	if (!has_prefetched_rows(job) && (!first || !is_read_in_order(job, loops, n_loops)))
		src->step_lines = (n_lines + n_steps - 1) / n_steps;
	find_runs(dst, loops, n_loops, job->row_item_bytes, false);
	n_lines = count_lines_of_runs(dst);
	if (n_lines * WRITTEN_LINE_BYTES <= n_bytes)
		dst->step_lines = (n_lines + n_steps - 1) / n_steps;
	job->is_requested = src->step_lines || dst->step_lines;
}

/* --- units --- */

static void size_unit(const struct host_walk *walk, struct host_block *block)
{
	const struct host_job *job = walk->job;

	block->planes.n = host_walk_block(walk, job->at_i, job->planes.n, job->block_i);
	block->n_i = host_walk_block(walk, job->at_row, job->n_i, job->row_items);
	block->n_j = host_walk_block(walk, job->at_j, job->n_j, job->block_j);
}

/* Units, and requests in between. */
static void run_requested_units(
	struct host_walk *walk, struct host_block *block, int64_t first, int64_t last)
{
	const struct host_job *job = walk->job;
	const int64_t next = first / job->block_units + 1, step = job->request_planes;
	const int64_t n_blocks = (last + job->block_units - 1) / job->block_units;
	struct requests src, dst;

	start_requests(&src, job, &job->src_runs, next, n_blocks);
	start_requests(&dst, job, &job->dst_runs, next, n_blocks);
	for (; first < last; first++) {
		const int64_t at = first / job->block_units;
		int64_t n;

		size_unit(walk, block);
		n = block->planes.n;
		for (int64_t k = 0; k < n; k += step) {
			request_step(&src, at, at + job->n_ahead);
			request_step(&dst, at, at + job->n_ahead);
			block->planes.n = n - k < step ? n - k : step;
			job->nest(job, walk->src + k * job->planes.src_stride_bytes,
				walk->dst + k * job->planes.dst_stride_bytes, block);
		}
		host_walk_next(walk);
	}
}

/* Whether the units of the innermost loop of outer are of one size. */
static bool has_equal_units(const struct host_job *job)
{
	const int innermost = job->n_outer - 1;

	return job->at_i != innermost && job->at_j != innermost && job->at_row != innermost;
}

/*
 * Steps through the innermost loop without the walk, of which a step takes as long as copying some
 * 30 items.
 */
static void run_equal_units(struct host_walk *walk, struct host_block *block, int64_t n_units)
{
	const struct host_job *job = walk->job;
	const struct copy_loop *loop = host_walk_loop(walk);

	while (n_units) {
		const int64_t n_left = host_walk_left(walk),
			      n = n_left < n_units ? n_left : n_units;

		size_unit(walk, block);
		for (int64_t unit = 0; unit < n; unit++)
			job->nest(job, walk->src + unit * loop->src_stride_bytes,
				walk->dst + unit * loop->dst_stride_bytes, block);
		host_walk_skip(walk, n);
		n_units -= n;
	}
}

static void run_nest(const struct host_job *job, int64_t first, int64_t last)
{
	struct host_block block = { .src_i = job->row_src_stride,
		.src_j = job->src_stride,
		.dst_j = job->dst_stride,
		.planes = job->planes };
	struct host_walk walk;

	host_walk_start(&walk, job, first);
	if (job->is_requested) {
		run_requested_units(&walk, &block, first, last);
		return;
	}
	if (has_equal_units(job)) {
		run_equal_units(&walk, &block, last - first);
		return;
	}
	for (; first < last; first++) {
		size_unit(&walk, &block);
		job->nest(job, walk.src, walk.dst, &block);
		host_walk_next(&walk);
	}
}

/* The number of tiles of i by j items that cover the rows. */
static int64_t count_tiles(const struct host_job *job, int64_t i, int64_t j)
{
	return ((job->row_items + i - 1) / i) * ((job->n_j + j - 1) / j);
}

/*
 * Whether host_nest_few is faster than item by item. It writes rows of 3 items by two stores, which
 * pays off only if they are contiguous.
 */
static bool is_faster_as_few(const struct host_job *job)
{
	const int64_t n_i = job->row_items;

	return n_i >= 2 && job->n_j >= 2 && n_i * job->n_j >= LEAST_FEW_ITEMS &&
	       (n_i != 3 || job->dst_stride == n_i * job->row_item_bytes);
}

static bool is_separated(const struct host_job *job)
{
	const int64_t item = job->row_item_bytes, row_bytes = job->n_j * item;
	const struct host_block block = { job->row_items, job->n_j, .src_i = job->row_src_stride };

	/* Tiles of 4 or 8 bytes do not overlap in such rows of src. */
	if ((row_bytes == 4 || row_bytes == 8) &&
		(item > 1 || job->row_items < LEAST_SEPARATED_ITEMS))
		return false;
	return host_is_separated_block(job, &block);
}

static uint64_t first_bytes_valid(int64_t n_bytes)
{
	return n_bytes >= HOST_LINE ? UINT64_MAX : ((uint64_t)1 << n_bytes) - 1;
}

/*
 * Whether a step of a table takes less time than its items one by one, or by tiles of 4 or 8 bytes
 * that do not overlap. In cycles of a Zen 4.
 */
static bool is_faster_by_table(
	const struct host_job *job, int64_t n_in, int64_t n_out, int64_t n_items)
{
	const int64_t item = job->row_item_bytes, row_bytes = job->n_j * item;
	const bool has_tiles = (row_bytes == 4 || row_bytes == 8) && job->src_stride == item &&
			       !job->plan.swap_bytes;
	const double usual = has_tiles ? 0.38 : item == 1 ? 0.9 : 0.6;

	return (double)(10 + 2 * n_in * n_out + n_in + n_out) <= usual * (double)n_items;
}

static bool start_table(
	struct host_job *job, int64_t n_items, int64_t step_items, int64_t n_in, int64_t n_out)
{
	struct host_table *table = job->table;

	if (!host_table_start(job, job->row_item_bytes, n_in, n_out))
		return false;
	table->n_items = n_items;
	table->step_items = step_items;
	table->n_steps = (n_items + step_items - 1) / step_items;
	return true;
}

/* Few rows of dst whose items are near each other in src. */
static bool plan_separating_table(struct host_job *job)
{
	const int64_t item = job->row_item_bytes, src_i = job->row_src_stride, n_j = job->n_j;
	const int64_t src_j = job->src_stride, near = (n_j - 1) * llabs(src_j) + item;
	const int64_t room = MOST_INPUTS * (int64_t)HOST_LINE - near;
	struct host_table *table = job->table;
	int64_t n, most, n_bytes, n_in, first;

	if (n_j > HOST_STRIDE_MAX || src_i <= 0 || (src_i | src_j) % item || room < 0)
		return false;
	most = room / src_i + 1 < HOST_LINE / item ? room / src_i + 1 : HOST_LINE / item;
	n = host_even_part(job->row_items, most);
	n_bytes = (n - 1) * src_i + near;
	n_in = (n_bytes + HOST_LINE - 1) / HOST_LINE;
	if (!is_faster_by_table(job, n_in, n_j, n * n_j) ||
		!start_table(job, job->row_items, n, n_in, n_j))
		return false;
	first = src_j < 0 ? (n_j - 1) * src_j : 0;
	table->first_bytes = first;
	table->in_stride_bytes = HOST_LINE;
	table->out_stride_bytes = job->dst_stride;
	table->in_step_bytes = src_i;
	table->out_step_bytes = item;
	for (int64_t i = 0; i < n_in; i++)
		table->in_valid[i] = first_bytes_valid(n_bytes - i * HOST_LINE);
	for (int64_t j = 0; j < n_j; j++) {
		table->out_valid[j] = first_bytes_valid(n * item);
		for (int64_t i = 0; i < n; i++)
			host_table_set(table, item, j * HOST_LINE + i * item,
				i * src_i + j * src_j - first);
	}
	return true;
}

/* Rows of dst that follow each other, of a few items, each of which is in a run of src. */
static bool plan_interleaving_table(struct host_job *job)
{
	const int64_t item = job->row_item_bytes, n_i = job->row_items;
	struct host_table *table = job->table;
	int64_t n, n_bytes, n_out;

	if (n_i > MOST_INPUTS || n_i < 2 || job->src_stride != item ||
		job->dst_stride != n_i * item)
		return false;
	n = host_even_part(job->n_j, HOST_LINE / item);
	n_bytes = n * n_i * item;
	n_out = (n_bytes + HOST_LINE - 1) / HOST_LINE;
	if (!is_faster_by_table(job, n_i, n_out, n * n_i) ||
		!start_table(job, job->n_j, n, n_i, n_out))
		return false;
	table->in_stride_bytes = job->row_src_stride;
	table->out_stride_bytes = HOST_LINE;
	table->in_step_bytes = item;
	table->out_step_bytes = n_i * item;
	for (int64_t i = 0; i < n_i; i++)
		table->in_valid[i] = first_bytes_valid(n * item);
	for (int64_t o = 0; o < n_out; o++)
		table->out_valid[o] = first_bytes_valid(n_bytes - o * HOST_LINE);
	for (int64_t j = 0; j < n; j++)
		for (int64_t i = 0; i < n_i; i++)
			host_table_set(table, item, (j * n_i + i) * item, i * HOST_LINE + j * item);
	return true;
}

static bool plan_table(struct host_job *job)
{
	const int64_t item = job->row_item_bytes;

	return job->kernels->nest_by_table && job->at_j < 0 && job->row_items == job->n_i &&
	       item <= 2 && job->n_all_bytes >= TABLE_RESULT_BYTES && job->n_j > 1 &&
	       (plan_separating_table(job) || plan_interleaving_table(job));
}

/* The nest for rows that may be neighbours in src: tiles have to save enough loads and stores. */
static host_nest *choose_nest_tiles(const struct host_job *job)
{
	const int64_t item = job->row_item_bytes, n_i = job->row_items, n_j = job->n_j;
	const int64_t square = HOST_HALF_LINE / item, n_items = n_i * n_j;
	const int64_t i = host_part_bytes(n_i * item) / item,
		      j = host_part_bytes(n_j * item) / item;
	const bool is_few = n_i <= HOST_FEW || n_j <= HOST_FEW;
	int64_t n_accesses;
	int log;

	if (job->plan.swap_bytes || job->src_stride != item || item > 8 ||
		(item & (item - 1)) != 0 ||
		host_avoids_splits(job, n_i, job->row_src_stride, job->dst_stride))
		return host_nest_items;
	log = __builtin_ctzll((uint64_t)item);
	if (is_separated(job))
		return job->kernels->separate[log];
	if (job->kernels->nest_squares && job->kernels->nest_squares[log] && n_i >= square &&
		n_j >= square) {
		const int64_t n_squares = count_tiles(job, square, square);

		if (item == 8 && n_squares * 2 * square * 5 <= n_items * 4)
			return job->kernels->nest_squares[log];
		if (item == 4 && n_squares * 3 <= count_tiles(job, i, j) &&
			(!is_few || n_squares * square * square * 4 <= n_items * 5))
			return job->kernels->nest_squares[log];
	}
	if (item == 4 && is_few)
		return is_faster_as_few(job) ? host_nest_few : host_nest_items;
	if (item == 4)
		return host_nest_tiles[log];
	if (item > 4 || n_i * item < 4 || n_j * item < 4)
		return host_nest_items;
	/* Item by item, items of 1 byte take a load and a store each, those of 2 bytes fewer. */
	n_accesses = count_tiles(job, i, j) * (i + j);
	if (item == 1 ? n_accesses * 5 > n_items * 4 : n_accesses * 4 >= n_items * 3)
		return host_nest_items;
	return host_nest_tiles[log];
}

/* Whether the loop over neighbours of those that the unit reads makes it large enough, and its rows
 * in dst do not evict each other. */
static bool is_in_same_lines(const struct host_job *job, const struct copy_loop *loop)
{
	const int64_t stride = llabs(loop->src_stride_bytes);

	return stride > 0 && stride < HOST_LINE && loop->dst_stride_bytes % PAGE_BYTES != 0 &&
	       loop->n * job->n_j * job->row_items >= REQUEST_ITEMS;
}

/*
 * Puts the neighbours in src into the unit, and the next ones if they are in the same lines, and
 * adds to outer what is left of the last loop: returns that loop, or one of n = 0.
 */
static struct copy_loop begin_units(struct host_job *job)
{
	struct copy_loop near = host_take_outer(job, host_nearest_outer(job));
	int64_t unit = UNIT_ITEMS / job->row_items, stride;
	int at;

	job->n_j = near.n;
	job->src_stride = near.src_stride_bytes;
	job->dst_stride = near.dst_stride_bytes;
	job->planes = (struct copy_loop){ .n = 1 };
	job->block_i = 1;
	job->at_i = -1;
	job->at_j = host_divide_loop(
		job, near, at_least(unit, RUN_BYTES / job->row_item_bytes) + 1, &job->block_j);
	if (job->at_j >= 0)
		return job->outer[job->at_j];
	at = job->n_outer ? host_nearest_outer(job) : -1;
	if (at < 0 || !is_in_same_lines(job, &job->outer[at]))
		return (struct copy_loop){ 0 };
	stride = llabs(job->outer[at].src_stride_bytes);
	job->planes = host_take_outer(job, at);
	job->at_i = host_divide_loop(
		job, job->planes, at_least(unit / job->n_j, RUN_BYTES / stride) + 1, &job->block_i);
	return job->at_i >= 0 ? job->outer[job->at_i] : (struct copy_loop){ 0 };
}

/*
 * The loop of outer that becomes part of the units: the innermost one, or, of a result that is not
 * streamed, the innermost of those that make them large enough, or else the longest.
 */
static int choose_planes(const struct host_job *job)
{
	const int64_t n_rows = job->row_items * job->n_j;
	const int64_t least =
		job->row_item_bytes > 4 ? LEAST_UNIT_BYTES / job->row_item_bytes : LEAST_UNIT_ITEMS;
	const int last = job->n_outer - 1;
	int longest = last;

	if (job->stream || job->at_j >= 0)
		return last;
	for (int at = last; at >= 0; at--) {
		if (n_rows * job->outer[at].n >= least)
			return at;
		if (job->outer[at].n > job->outer[longest].n)
			longest = at;
	}
	return longest;
}

/*
 * Whether rows share so many lines of src with their neighbours that parts of them are copied
 * faster together than whole rows one by one. Items of more than 2 bytes, of which a line has
 * fewer, have to be contiguous in src.
 */
static bool has_shared_lines(const struct host_job *job)
{
	const int64_t near = llabs(job->outer[host_nearest_outer(job)].src_stride_bytes);
	const int64_t item = job->row_item_bytes;

	return near <= (item > 2 ? item : NEAR_BYTES) && near < llabs(job->row_src_stride);
}

/*
 * Divides long rows into about equal parts, whose lines stay in the second-level cache until the
 * neighbours in a unit are copied: returns the loop over the parts, or one of n = 0.
 */
static struct copy_loop divide_row(struct host_job *job)
{
	const struct copy_loop *near = &job->outer[host_nearest_outer(job)];
	const int64_t n_near = RUN_BYTES / job->row_item_bytes;
	const int64_t run = (near->n < n_near ? near->n : n_near) * llabs(near->src_stride_bytes);
	const int64_t fitting = BLOCK_BYTES / 2 / (run + HOST_LINE);
	const int64_t most = fitting < HOST_NEST_ITEMS ? fitting : HOST_NEST_ITEMS;

	if (job->n_i <= HOST_NEST_ITEMS)
		return (struct copy_loop){ 0 };
	job->row_items = host_even_part(job->n_i, most);
	return (struct copy_loop){ (job->n_i + job->row_items - 1) / job->row_items,
		job->row_items * job->row_src_stride, job->row_items * job->row_item_bytes };
}

bool host_plan_nest(struct host_job *job)
{
	struct copy_loop rest, parts;

	if (job->row != job->one_by_one || host_swap_after(job) || !job->n_outer ||
		(job->row_items > HOST_NEST_ITEMS && !has_shared_lines(job)))
		return false;
	job->n_i = job->row_items;
	parts = divide_row(job);
	rest = begin_units(job);
	job->nest = plan_table(job) ? job->kernels->nest_by_table : choose_nest_tiles(job);
	if (parts.n)
		job->outer[job->n_outer++] = parts;
	order_loops(job, &rest);
	job->at_row = parts.n ? host_find_outer(job, parts) : -1;
	if (job->at_j >= 0)
		job->at_j = host_find_outer(job, rest);
	if (job->at_i >= 0)
		job->at_i = host_find_outer(job, rest);
	if (!parts.n && job->planes.n == 1 && job->n_outer && job->at_j != job->n_outer - 1) {
		job->planes = host_take_outer(job, choose_planes(job));
		job->at_i = host_divide_loop(job, job->planes,
			UNIT_ITEMS / (job->row_items * job->block_j) + 1, &job->block_i);
		job->n_inner += (job->at_i >= 0) - (job->n_inner > 0);
	}
	if (job->stream)
		plan_requests(job);
	job->n_parts = 1;
	job->unit_bytes = job->block_i * job->block_j * job->row_items * job->row_item_bytes;
	job->stream = false;
	job->run = run_nest;
	return true;
}
