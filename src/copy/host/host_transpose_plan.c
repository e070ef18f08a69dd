// SPDX-License-Identifier: MIT
/*
 * Which transposes are copied by tiles, by which of the loops of host_transpose.c, and in which
 * units. docs/copy-speed.md states what these choices gain.
 */
#include "copy/host/host_transpose.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	SAME_SET_BYTES =
		64 << 10, /* between lines in the same set of the smallest second-level cache */
	FAR_BYTES = 2304, /* at least, between rows of both sides together */
	SLIM_BLOCK_BYTES = 16384,
	SLIM_LINES = 8, /* rows of dst at multiples of this distance would share few channels */
	BUFFERED_RUN_BYTES = 1024, /* more, since the ends of runs are copied twice */
	LONG_BYTES = 4096,         /* at most: of a row of either side in a unit */
	PAGED_ROWS = 128,    /* per unit, of those that share the sets of the first-level cache */
	SAME_SET_ROWS = 32,  /* and of those that share one set of the second-level cache */
	AHEAD_BYTES = 16384, /* at least requested before they are used */
	/* Most lines of shorter runs would be written in two parts. */
	SHORT_RUN_BYTES = 256,
	SHORT_DENSE_BYTES = 2048,
	WIDE_SHORT_DENSE_BYTES = 1280, /* the same, of items of at least 4 bytes */
	MATRIX_BYTES = 32 << 10,       /* at most, of small matrices that are contiguous in dst */
	BUFFERED_MATRIX_BYTES = 4000,  /* at least, of those that pass through a buffer */
	SECOND_CACHE_BYTES = 1 << 20,  /* for both sides, and if the system does not tell */
	SECOND_CACHE_WAYS = 8,
	UNITS_IN_CACHE = 8,
	SMALL_UNITS_IN_CACHE = 16, /* of items of 2 or 4 bytes */
	BYTE_UNITS_IN_CACHE = 4,
	CACHED_BYTES_OF_4 = 16 << 20, /* of items of 4 bytes, whose rows end within lines */
	CACHED_BYTES_OF_HALVES = 16 << 20,
	HALVES_ROW_BYTES = 192,          /* at least, of a row of src */
	JOINED_BYTES = 2048,             /* of a row of dst in a unit */
	COLUMNS_BYTES = 448,             /* for shorter rows, copying both ends takes too long */
	COLUMNS_RUN_BYTES = 512,         /* of a row of dst in a unit */
	NEST_STREAMED_ITEMS = 20,        /* of 1 or 2 bytes: more are streamed faster */
	SMALL_ROW_BYTES = 2 * HOST_LINE, /* of 8 bytes: shorter sides are for nests */
	REQUESTED_SIDE_BYTES = 256,      /* at least */
	NARROW_RUN_BYTES = 384,          /* at least, of a row of dst that squares write */
	LONG_ROW_ITEMS = 64,    /* of 4 bytes, of a row of src: at least, for tiles of half lines */
	SEPARATED_ITEMS = 2048, /* of a row of dst, in a unit */
	SEPARATED_RUN_BYTES = 2048,  /* the same, assembled in a buffer */
	WIDE_SEPARATED_BYTES = 48,   /* of items of 2 bytes */
	LARGE_SEPARATED_BYTES = 44,  /* of items of 1 byte in large results */
	LEAST_SEPARATED_ITEMS = 128, /* shorter rows are for nests */
};

/* Small items in short rows: those of a nest take no step of a walk for each matrix. Items of 8
 * bytes, for which nests have squares, as long as no rows evict each other. */
static bool is_faster_as_nest(
	const struct host_job *job, const struct copy_loop *i, const struct copy_loop *j)
{
	const int64_t item = job->plan.item_bytes, n_i = i->n, n_j = j->n;

	if (job->item_log < 0 || host_swap_after(job) || n_i > HOST_NEST_ITEMS ||
		(job->plan.swap_bytes && item != 4))
		return false;
	/* Matrices this small are written faster through the caches. */
	if (job->stream && item == 8)
		return job->kernels->nest_squares && n_i * item < SMALL_ROW_BYTES &&
		       n_j * item < SMALL_ROW_BYTES && n_j * item >= HOST_LINE;
	if (job->stream)
		return n_j * item < HOST_LINE &&
		       (item == 4 || (item < 4 && n_j < NEST_STREAMED_ITEMS));
	if (item < 4)
		return n_j * item < HOST_LINE;
	if (item == 4 && (n_j * item < HOST_LINE || n_i * item < HOST_HALF_LINE))
		return true;
	if (item == 4 && n_i * item < HOST_LINE)
		return n_j < LONG_ROW_ITEMS;
	if (host_avoids_splits(job, n_i, i->src_stride_bytes, j->dst_stride_bytes))
		return true;
	/* Tiles request the rows of larger results. */
	if (item == 8 && job->n_bytes > SECOND_CACHE_BYTES && n_i * item >= REQUESTED_SIDE_BYTES &&
		n_j * item >= REQUESTED_SIDE_BYTES)
		return false;
	return item <= 8 && job->kernels->nest_squares && (item == 8 || n_j < LONG_ROW_ITEMS) &&
	       host_fits_in_sets(n_i, i->src_stride_bytes);
}

/* Whether a nest would read lines again that its other rows have evicted; scalar_block() reads a
 * few rows at a time. */
static bool has_rows_that_evict(const struct host_job *job, const struct copy_loop *i, int64_t n_j)
{
	return !job->stream && i->n > HOST_ODD_ROWS && n_j * job->plan.item_bytes >= HOST_LINE &&
	       !host_fits_in_sets(i->n, i->src_stride_bytes);
}

/*
 * Whether all rows of dst begin at the same offset in a part of part_bytes, a line or a part of
 * one.
 */
static bool has_whole_parts(const struct host_job *job, int64_t part_bytes)
{
	const int64_t item = job->row_item_bytes;

	return job->item_log >= 0 && host_is_aligned(job, (uint64_t)job->dst_stride, part_bytes) &&
	       (uintptr_t)job->dst % (uint64_t)item == 0 && job->n_i * item >= HOST_LINE &&
	       job->n_j * item >= HOST_LINE;
}

/* Divides both loops into blocks, in the order of the source. */
static void divide_blocks(struct host_job *job, int64_t block_i, int64_t block_j)
{
	const int64_t item = job->row_item_bytes;
	struct copy_loop i = { 0 }, j = { 0 };

	job->block_i = block_i < job->n_i ? block_i : job->n_i;
	job->block_j = block_j < job->n_j ? block_j : job->n_j;
	i.n = (job->n_i + job->block_i - 1) / job->block_i;
	i.src_stride_bytes = job->block_i * job->src_stride;
	i.dst_stride_bytes = job->block_i * item;
	j.n = job->n_j / job->block_j;
	j.src_stride_bytes = job->block_j * item;
	j.dst_stride_bytes = job->block_j * job->dst_stride;
	host_add_outer(job, j);
	host_add_outer(job, i);
	job->at_i = host_find_outer(job, i);
	job->at_j = host_find_outer(job, j);
	job->unit_bytes = job->block_i * job->block_j * item;
}

/*
 * Divides n into the fewest parts of at most `most`: the size of the parts, about equal, rounded up
 * to a multiple of unit.
 */
static int64_t divide_evenly(int64_t n, int64_t most, int64_t unit)
{
	return (host_even_part(n, most) + unit - 1) / unit * unit;
}

/* The part of the second-level cache that a unit may fill, while others are requested. */
static int64_t unit_size_limit(const struct host_job *job)
{
	const int64_t parts = job->row_item_bytes > 4    ? UNITS_IN_CACHE
			      : job->row_item_bytes == 1 ? BYTE_UNITS_IN_CACHE
							 : SMALL_UNITS_IN_CACHE;
	const int64_t most = SECOND_CACHE_BYTES / parts;
#ifdef _SC_LEVEL2_CACHE_SIZE
	const int64_t size = sysconf(_SC_LEVEL2_CACHE_SIZE) / parts;

	return size > 0 ? least(size, most) : most;
#else
	return most;
#endif
}

/* Divides both loops, block_j by the room that block_i leaves in a unit; sets the number of lines
 * that are requested for each tile. */
static void divide_ahead(struct host_job *job, int64_t block_i)
{
	const int64_t item = job->row_item_bytes, line = HOST_LINE / item;
	const int64_t most_j = unit_size_limit(job) / (block_i * job->chain_n * item);
	int64_t n_bytes, n_lines, n_tiles;

	divide_blocks(job, block_i,
		divide_evenly(job->n_j, within(most_j, line, LONG_BYTES / item), line));
	n_bytes = job->block_j * item;
	n_lines = n_bytes / HOST_LINE + (n_bytes % HOST_LINE != 0) +
		  (job->src_stride % HOST_LINE != 0);
	n_tiles = (job->block_i + line - 1) / line * ((job->block_j + line - 1) / line);
	job->unit_bytes *= job->chain_n;
	job->n_ahead = 1 + AHEAD_BYTES / job->unit_bytes;
	job->ahead_lines = (job->block_i * n_lines + n_tiles - 1) / n_tiles;
}

/* Whether rows of src are far apart: reading parts of many of them is slower than reading few rows
 * from end to end, unless these evict each other. */
static bool has_far_rows(const struct host_job *job)
{
	/* Between rows: at least, and not a multiple of. */
	static const struct {
		int64_t bytes, evicting;
	} far[HOST_ITEM_LOGS] = { { INT64_MAX, 1 }, { INT64_MAX, 1 }, { 2304, HOST_PAGE_BYTES },
		{ 1280, SAME_SET_BYTES }, { 2048, INT64_MAX } };
	const int64_t stride = llabs(job->src_stride);

	return stride >= far[job->item_log].bytes && stride % far[job->item_log].evicting != 0 &&
	       stride + job->dst_stride >= FAR_BYTES;
}

/* Units are faster for other rows, and where single lines that are written to rows of dst share few
 * channels of the memory. */
static bool is_slim(const struct host_job *job)
{
	const bool shares_channels = HOST_SLIM_LINES(job->item_log) == 1 &&
				     job->dst_stride / HOST_LINE % SLIM_LINES == 0;

	return job->stream_slim && has_far_rows(job) && !shares_channels;
}

/*
 * Rows of src in a block: as many as make runs in dst of the usual size, or more if rows are short,
 * since all rows then fit in the cache; and at most room.
 */
static int64_t choose_block_i(const struct host_job *job, int64_t usual_bytes, int64_t room_bytes)
{
	const int64_t item = job->row_item_bytes, line = HOST_LINE / item;
	const int64_t fitting_bytes = unit_size_limit(job) / job->n_j;
	int64_t most = fitting_bytes > usual_bytes ? fitting_bytes : usual_bytes;

	most = least(most, room_bytes) / item;
	if (job->src_stride % (SECOND_CACHE_BYTES / SECOND_CACHE_WAYS) == 0)
		most = least(most, SAME_SET_ROWS);
	else if (job->src_stride % HOST_PAGE_BYTES == 0)
		most = least(most, PAGED_ROWS);
	return divide_evenly(job->n_i, most < line ? line : most / line * line, line);
}

/*
 * Reading some neighbouring lines is faster than reading one line of each row of the unit in turn,
 * if rows are not too short. Each of the lines is written to other rows of dst: if these are whole
 * pages apart, they share few channels of the memory and wait for each other.
 */
static int64_t count_neighbours(const struct host_job *job)
{
	static const int64_t n_lines[HOST_ITEM_LOGS] = { 4, 4, 1, 4, 8 };

	if (job->row_item_bytes > 4 &&
		(job->dst_stride % HOST_PAGE_BYTES == 0 ||
			job->block_j * job->row_item_bytes < HOST_NEIGHBOURS_ROW_BYTES))
		return 1;
	return n_lines[job->item_log];
}

static void plan_streamed(struct host_job *job)
{
	static const int64_t run_bytes[HOST_ITEM_LOGS] = { 64, 256, 256, 256, 256 };
	const int64_t item = job->row_item_bytes;

	job->head_i = host_bytes_to_line(job->dst) / item;
	job->n_i -= job->head_i;
	job->src += job->head_i * job->src_stride;
	job->dst += job->head_i * item;
	job->run = host_run_streamed;
	if (!is_slim(job))
		job->stream_slim = NULL;
	if (job->stream_slim)
		divide_blocks(job, HOST_SLIM_LINES(job->item_log) * (HOST_LINE / item),
			SLIM_BLOCK_BYTES / item);
	else
		divide_ahead(job, choose_block_i(job, run_bytes[job->item_log], LONG_BYTES));
	job->n_neighbours = count_neighbours(job);
}

/*
 * Adds loops that are contiguous in dst with i to the unit as long as a row remains short, and an
 * equal part of the next one.
 */
static int64_t chain_loops(struct host_job *job, int64_t run, int64_t room)
{
	struct copy_loop loop;
	int64_t n;
	int at;

	for (;;) {
		for (at = 0; at < job->n_outer; at++)
			if (job->outer[at].dst_stride_bytes == run)
				break;
		if (at == job->n_outer || run > room / 2)
			return run;
		loop = job->outer[at];
		n = plan_divisor(loop.n, room / run);
		if (n == 1)
			return run;
		job->n_outer--;
		memmove(job->outer + at, job->outer + at + 1,
			(size_t)(job->n_outer - at) * sizeof(job->outer[0]));
		memmove(job->chain + 1, job->chain, (size_t)job->n_chain * sizeof(job->chain[0]));
		job->chain[0] = loop;
		job->chain[0].n = n;
		job->n_chain++;
		job->chain_n *= n;
		run *= n;
		if (n == loop.n)
			continue;
		loop.n /= n;
		loop.src_stride_bytes *= n;
		loop.dst_stride_bytes *= n;
		host_add_outer(job, loop);
		return run;
	}
}

/* Moves the loops of the chain out of the unit. */
static void unchain_loops(struct host_job *job)
{
	while (job->n_chain)
		host_add_outer(job, job->chain[--job->n_chain]);
	job->chain_n = 1;
}

/* Whether lines begin and end with items, and rows are long enough. */
static bool has_columns(const struct host_job *job)
{
	const int64_t item = job->row_item_bytes;

	return job->item_log >= 0 && job->stream_columns &&
	       host_is_aligned(job, (uint64_t)job->dst_stride | (uintptr_t)job->dst, item) &&
	       job->n_i * item >= COLUMNS_BYTES && job->n_j * item > HOST_LINE;
}

static void plan_columns(struct host_job *job)
{
	job->run = host_run_columns;
	divide_ahead(job, choose_block_i(job, COLUMNS_RUN_BYTES, LONG_BYTES));
}

/*
 * Whether tiles that are joined are faster than half lines, columns or a buffer. They are slim if
 * rows of src are long; those of 4 bytes not if 16 rows map to the same sets of the first-level
 * cache.
 */
static bool choose_joined(struct host_job *job)
{
	/* Of rows of either side, at least. */
	static const struct {
		int64_t src, dst, slim_src, slim_dst;
	} bytes[] = { { 100, 640, INT64_MAX, 0 }, { 320, 1280, INT64_MAX, 0 },
		{ 400, 1280, 2560, 520 }, { INT64_MAX, 0, 5120, 640 } };
	const int64_t item = job->row_item_bytes, src = job->n_j * item, dst = job->n_i * item;
	const int log = job->item_log;
	const bool swapped = job->plan.swap_bytes != 0;
	const bool is_paged = job->src_stride % HOST_PAGE_BYTES == 0;
	int64_t slim_src;

	if (log < 0 || log > 3 || !job->kernels->joined_unit ||
		!host_is_aligned(job, (uint64_t)job->dst_stride | (uintptr_t)job->dst,
			job->kernels->joined_unit))
		return false;
	slim_src = is_paged && log == 3 ? HOST_PAGE_BYTES : bytes[log].slim_src;
	if (src >= slim_src && dst >= bytes[log].slim_dst && (log == 3 || !is_paged)) {
		job->joined = job->kernels->joined_slim[log][swapped];
		job->joined_columns = HOST_JOINED_COLUMNS;
		return host_is_streamed(job, HOST_CACHED_RUN_BYTES);
	}
	job->joined = job->kernels->joined[log][swapped];
	job->joined_columns = HOST_LINE / item;
	return job->joined && src >= bytes[log].src && dst >= bytes[log].dst &&
	       host_is_streamed(job, log == 2 ? CACHED_BYTES_OF_4 : HOST_CACHED_RUN_BYTES);
}

static void plan_joined(struct host_job *job)
{
	const int64_t item = job->row_item_bytes, line = HOST_LINE / item;
	const int64_t block_i = choose_block_i(job, JOINED_BYTES, LONG_BYTES);

	job->run = host_run_joined;
	if (job->joined_columns > line) {
		divide_blocks(job, block_i, divide_evenly(job->n_j, job->joined_columns, line));
		return;
	}
	job->n_more = line;
	divide_ahead(job, block_i);
}

static void plan_plain(struct host_job *job)
{
	job->columns_ahead = job->n_bytes > SECOND_CACHE_BYTES / 2;
	job->rows_ahead = job->n_bytes > SECOND_CACHE_BYTES;
	job->run = host_run_plain;
	divide_blocks(job, 4 * (int64_t)HOST_LINE, 4096);
}

/* Whether rows of run bytes are contiguous in dst. */
static bool is_dense(const struct host_job *job, int64_t run)
{
	return job->dst_stride == run && run == job->n_i * job->chain_n * job->row_item_bytes;
}

static void plan_buffered(struct host_job *job)
{
	const int64_t item = job->row_item_bytes, line = HOST_LINE / item;
	/* For almost twice as many rows as usual, with lines that are read beyond the run. */
	const int64_t n_rows = job->separates ? job->n_j : 2 * line;
	const int64_t room = HOST_BUFFER_BYTES / n_rows - 4 * (int64_t)HOST_LINE;
	int64_t run = job->n_i * item;

	if (run <= room)
		run = chain_loops(job, run, room);
	else if (job->separates)
		run = choose_block_i(job, SEPARATED_RUN_BYTES, least(room, SEPARATED_RUN_BYTES)) *
		      item;
	else
		run = choose_block_i(job, BUFFERED_RUN_BYTES, room) * item;
	job->dense = is_dense(job, run);
	if (job->dense ? job->n_j * run < (item < 4 ? SHORT_DENSE_BYTES : WIDE_SHORT_DENSE_BYTES)
		       : !job->n_chain && (run < SHORT_RUN_BYTES || job->n_j <= COPY_SHORT)) {
		unchain_loops(job);
		plan_plain(job);
		return;
	}
	/* An odd number of lines, so that rows use different sets of the cache. */
	job->pitch = job->dense ? run
				: ((run + item + 2 * (int64_t)HOST_LINE - 1) / HOST_LINE | 1) *
					  HOST_LINE;
	job->run = host_run_buffered;
	divide_ahead(job, run / item / job->chain_n);
}

/* -1 if items do not have 1, 2, 4, 8 or 16 bytes. */
static int log_of_item(int64_t item_bytes)
{
	if ((item_bytes & (item_bytes - 1)) != 0 || item_bytes > COPY_WIDEST_BYTES)
		return -1;
	return __builtin_ctzll((uint64_t)item_bytes);
}

static void choose_tiles(struct host_job *job)
{
	const bool swapped = job->plan.swap_bytes != 0;

	job->item_log = log_of_item(job->plan.item_bytes);
	if (job->item_log < 0)
		return;
	job->tile = job->kernels->tile[job->item_log][swapped];
	job->stream_tile = job->kernels->stream_tile[job->item_log][swapped];
	job->stream_slim = job->kernels->stream_slim[job->item_log][swapped];
	job->stream_columns = host_stream_columns[job->item_log][swapped];
	job->half = job->kernels->half[job->item_log][swapped];
	job->strip = job->kernels->strip[job->item_log][swapped];
	job->small = host_small[job->item_log][swapped];
}

/*
 * Rows that begin at lines or in the middle of one: streaming both halves of a line at different
 * times is faster than assembling lines on some processors.
 */
static bool choose_halves(struct host_job *job)
{
	/* Bytes of rows of dst; others are faster through a buffer or by columns. */
	static const struct {
		int64_t least, most;
	} rows[HOST_ITEM_LOGS] = {
		[2] = { 320, INT64_MAX }, [3] = { 160, INT64_MAX }, [4] = { 256, 511 }
	};
	const struct host_kernels *halves = host_kernels_of_halves(job->kernels, job->half_lines);
	const int64_t run = job->n_i * job->row_item_bytes;

	if (!halves || !host_is_streamed(job, CACHED_BYTES_OF_HALVES) ||
		!has_whole_parts(job, HOST_HALF_LINE))
		return false;
	if (run < rows[job->item_log].least || run > rows[job->item_log].most ||
		job->n_j * job->row_item_bytes < HALVES_ROW_BYTES)
		return false;
	job->kernels = halves;
	choose_tiles(job);
	job->stream_columns = NULL; /* which begin at lines */
	return true;
}

/* Whether squares copy many rows of src that are shorter than a line, for a large result. */
static bool has_narrow_squares(const struct host_job *job, const struct copy_loop *i, int64_t n_j)
{
	const struct host_block block = { .n_j = n_j, .src_i = i->src_stride_bytes };
	const int log = job->item_log;

	return job->stream && (log == 2 || log == 3) && job->kernels->long_squares &&
	       !job->plan.swap_bytes && n_j << log < HOST_LINE && i->n << log >= NARROW_RUN_BYTES &&
	       host_has_squares(&block, log);
}

/* Neighbours of 1 or 2 bytes, less than a line, become long rows: through a buffer if the result is
 * large. */
static void plan_separated(struct host_job *job)
{
	job->squares = job->kernels->separate[job->item_log];
	job->separates = true;
	job->stream = host_is_streamed(
		job, job->n_i < SEPARATED_ITEMS ? HOST_CACHED_RUN_BYTES : CACHED_BYTES_OF_4);
	if (job->stream) {
		plan_buffered(job);
		return;
	}
	job->run = host_run_plain;
	divide_blocks(job, SEPARATED_ITEMS, job->n_j);
}

/* Whether the result consists of small matrices that are contiguous in dst. */
static bool has_small_matrices(const struct host_job *job)
{
	const int64_t run = job->n_i * job->row_item_bytes;

	return job->dst_stride == run && job->n_j * run <= MATRIX_BYTES;
}

/*
 * Small matrices are written one after the other, so that all of their lines can be streamed: by
 * squares if rows of dst begin at lines, or else through a buffer. Other rows of dst are streamed
 * only if the result is large and they begin at half lines, since lines are written faster through
 * the caches than assembled.
 */
static void plan_squares(struct host_job *job)
{
	const uint64_t ends = (uint64_t)job->dst_stride | (uintptr_t)job->dst;
	const bool is_small = has_small_matrices(job),
		   is_large = host_is_streamed(job, CACHED_BYTES_OF_4);
	host_nest *const *squares = job->kernels->long_squares[job->item_log];

	job->squares = squares[0];
	if (host_is_aligned(job, ends, HOST_LINE)) {
		job->stream = is_small || is_large;
	} else if (is_small && job->n_j * job->dst_stride >= BUFFERED_MATRIX_BYTES &&
		   (is_large || job->item_log > 2)) {
		plan_buffered(job);
		return;
	} else {
		job->stream = is_large && host_is_aligned(job, ends, HOST_HALF_LINE) &&
			      host_kernels_of_halves(job->kernels, job->half_lines);
	}
	job->squares = squares[job->stream];
	plan_plain(job);
}

bool host_is_separated_block(const struct host_job *job, const struct host_block *block)
{
	const int64_t item = job->plan.item_bytes;
	/* Tiles are as fast for rows of src of so many bytes. */
	const int64_t end = item > 1                                       ? WIDE_SEPARATED_BYTES
			    : host_is_streamed(job, HOST_CACHED_RUN_BYTES) ? LARGE_SEPARATED_BYTES
									   : HOST_LINE;

	return item <= 2 && !job->plan.swap_bytes && block->n_j > 1 && block->n_j * item < end &&
	       host_can_separate(block, job->kernels->separate_bytes / item, 16 / item);
}

bool host_is_separated(const struct host_job *job)
{
	const struct copy_plan *plan = &job->plan;
	const struct copy_loop *row = &plan->loops[plan->dst_unit];
	const struct host_block block = {
		.n_i = row->n, .n_j = plan->loops[plan->src_unit].n, .src_i = row->src_stride_bytes
	};

	return row->n >= LEAST_SEPARATED_ITEMS && host_is_separated_block(job, &block);
}

void host_set_transpose(struct host_job *job)
{
	const struct copy_plan *plan = &job->plan;
	const struct copy_loop i = plan->loops[plan->dst_unit];
	struct copy_loop j = plan->loops[plan->src_unit];

	host_choose_items(job, plan->item_bytes);
	choose_tiles(job);
	job->row_item_bytes = plan->item_bytes;
	if (j.src_stride_bytes < 0) {
		job->src += (j.n - 1) * j.src_stride_bytes;
		job->dst += (j.n - 1) * j.dst_stride_bytes;
		j.dst_stride_bytes = -j.dst_stride_bytes;
	}
	job->n_i = i.n;
	job->n_j = j.n;
	job->chain_n = 1;
	job->src_stride = job->row_src_stride = i.src_stride_bytes;
	job->one_by_one = host_row_of(job->items);
	job->nest = host_nest_items;
	job->dst_stride = j.dst_stride_bytes;
	for (int at = 0; at < plan->n_loops; at++)
		if (at != plan->dst_unit && at != plan->src_unit)
			host_add_outer(job, plan->loops[at]);
}

bool host_plan_transpose(struct host_job *job)
{
	struct copy_plan *plan = &job->plan;
	struct copy_loop i, j;
	bool is_narrow, is_separated;

	if (plan->kind != COPY_TRANSPOSE && plan->kind != COPY_INTERLEAVE)
		return false;
	i = plan->loops[plan->dst_unit];
	j = plan->loops[plan->src_unit];
	is_separated = host_is_separated(job);
	if (!is_separated && (i.n * plan->item_bytes < 16 || j.n * plan->item_bytes < 16))
		return false;
	host_choose_items(job, plan->item_bytes);
	if (i.n * j.n < HOST_LEAST_TILE_ITEMS && !host_swap_after(job))
		return false;
	job->item_log = log_of_item(plan->item_bytes);
	is_narrow = has_narrow_squares(job, &i, j.n);
	if (j.src_stride_bytes > 0 && !is_narrow && !is_separated && is_faster_as_nest(job, &i, &j))
		return false;
	if (i.n <= HOST_NEST_ITEMS && !is_narrow && job->item_log >= 0 &&
		host_is_faster_one_by_one(job, i.n, j.n) && !has_rows_that_evict(job, &i, j.n))
		return false;
	host_set_transpose(job);
	if (is_separated) {
		plan_separated(job);
		return true;
	}
	if (job->stream && has_whole_parts(job, HOST_LINE)) {
		plan_streamed(job);
		return true;
	}
	if (job->stream && choose_joined(job)) {
		plan_joined(job);
		return true;
	}
	if (job->stream && choose_halves(job)) {
		plan_streamed(job);
		return true;
	}
	if (is_narrow) {
		plan_squares(job);
		return true;
	}
	job->stream =
		job->stream && host_is_streamed(job, job->item_log == 2 ? CACHED_BYTES_OF_4
									: HOST_CACHED_RUN_BYTES);
	if (!job->stream)
		plan_plain(job);
	else if (has_columns(job))
		plan_columns(job);
	else
		plan_buffered(job);
	return true;
}
