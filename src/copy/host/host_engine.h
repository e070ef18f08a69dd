// SPDX-License-Identifier: MIT
/*
 * Internals of the host engine: a job is a plan divided into numbered units that any thread may
 * execute, and kernels are the few loops that are compiled once per instruction set.
 * docs/copy-speed.md states what the choices and limits of this engine gain, and what was tried.
 */
#ifndef COPY_HOST_HOST_ENGINE_H
#define COPY_HOST_HOST_ENGINE_H

#include "copy/host/host_copy.h"
#include "copy/plan.h"

enum {
	HOST_LINE = 64, /* bytes; the size of a streaming store */
	HOST_HALF_LINE = 32,
	HOST_STAGE_BYTES = 4096,   /* assembled in the first-level cache before it is streamed */
	HOST_STRIDE_MAX = 8,       /* the largest stride of a table, in items */
	HOST_ITEM_LOGS = 5,        /* 1, 2, 4, 8 and 16 bytes */
	HOST_NEST_ITEMS = 512,     /* the longest row that a nest copies in one part */
	HOST_STREAMED_PLANES = 17, /* at most, of 16 bytes, that are streamed item by item */
	HOST_FEW = 8,              /* the longest short side that host_nest_few copies */
	HOST_OUTER_MAX = ARRAY_MAX_DIMS + 5, /* loops over units and blocks */
	HOST_BLOCK_MAX =
		HOST_OUTER_MAX + 3,  /* loops in a block of a nest, those of its units included */
	HOST_CACHED_BYTES = 8 << 20, /* smaller results are written through the caches */
	/* the same for one contiguous run, and for rows that are not aligned to lines */
	HOST_CACHED_RUN_BYTES = 10 << 20,
	/* of the smallest page; lines at this distance map to the same set of the first-level cache
	 */
	HOST_PAGE_BYTES = 4096,
};

/*
 * Lines per row of the result that a slim tile writes, by the logarithm of the item size: they
 * come from 16 rows of the source, or 8 for the largest items.
 */
#define HOST_SLIM_LINES(LOG) ((LOG) > 2 ? 2 : 1)

/*
 * The source of the bytes of n_out lines: at[o][i] selects the bytes of line o that come from
 * input i, and mask[o][i] marks the valid ones (in shuffles of 16 bytes, the others are 0x80).
 */
struct host_table {
	int n_in, n_out, vector_bytes;
	int64_t in_stride_bytes;                  /* from one input to the next */
	int64_t in_step_bytes;                    /* to the inputs of the next lines */
	int64_t out_stride_bytes, out_step_bytes; /* the same for the output */
	int64_t first_bytes; /* from the first item of the row to the first input */
	int64_t reach_bytes; /* of an item of the row in src */
	int64_t step_items;
	int64_t swap_bytes;  /* units of the items that are reversed; 0: none */
	bool reads_past;     /* gaps between items are read, also the one after the last item */
	const char *src_end; /* of all items */
	/* Of nest_by_table: the steps of a row, of which the last one may overlap the one before,
	 * its items, and the bytes of each input and output that exist. */
	int64_t n_steps, n_items;
	uint64_t in_valid[HOST_STRIDE_MAX], out_valid[HOST_STRIDE_MAX];
	uint64_t mask[HOST_STRIDE_MAX][HOST_STRIDE_MAX];
	_Alignas(HOST_LINE) unsigned char at[HOST_STRIDE_MAX][HOST_STRIDE_MAX][HOST_LINE];
};

/*
 * Item j of row i becomes item i of the line at dst + j * dst_stride; if items are swapped, each
 * unit of `swap` bytes is reversed.
 */
typedef void host_tile(
	const char *src, int64_t src_stride, char *dst, int64_t dst_stride, int64_t swap);

typedef void host_pick(const struct host_table *table, const char *src, char *dst, int64_t n_steps);

/* n_j times n_i rows of at least 16 bytes. Those at `ahead` are requested unless it is 0, those at
 * far_ahead into the second-level cache. */
struct host_rows {
	int64_t n_bytes, n_i, n_j, src_i, src_j, dst_i, dst_j, ahead, far_ahead;
};

/*
 * The same parts of n planes, of n_bytes each, whole lines. They begin at the same offsets in a
 * line in a stage as in dst.
 */
struct host_plane_rows {
	int64_t n, n_bytes, stride, dst_stride;
	char *bytes, *dst;
	/* Requested with each plane: n_ahead times ahead_bytes, which moves `ahead`. */
	int64_t n_ahead, ahead_bytes, ahead_stride;
	const char *ahead;
};

/* The bytes from p to the next line, less than HOST_LINE. */
static inline int64_t host_bytes_to_line(const char *p)
{
	return (int64_t)(-(uintptr_t)p & (HOST_LINE - 1));
}

struct host_job;
struct host_block;

typedef void host_nest(
	const struct host_job *job, const char *src, char *dst, const struct host_block *block);

/*
 * A tile for rows of dst that begin at any offset in a line: streams the line of each row that
 * begins in the HOST_LINE bytes before dst, of which `before` has those of each row, and then puts
 * the tile itself there.
 */
typedef void host_joined(const char *src, int64_t src_stride, char *dst, int64_t dst_stride,
	char *before, int64_t swap);

struct host_kernels {
	const char *name;
	bool has_line_vectors; /* one store writes a line */
	int table_bytes;       /* size of the vectors of a table; 0: no tables */
	/*
	 * By the logarithm of the item size, and for swapped items, which have more than one byte:
	 * tiles of HOST_LINE bytes per row and as many rows as fill a line, with ordinary or
	 * streaming stores of whole lines; and tiles whose rows fill half a line (may be NULL), or
	 * 16 bytes.
	 */
	host_tile *tile[HOST_ITEM_LOGS][2], *stream_tile[HOST_ITEM_LOGS][2];
	host_tile *half[HOST_ITEM_LOGS][2], *strip[HOST_ITEM_LOGS][2];
	/*
	 * Tiles, and slim ones; NULL for items that have none. All rows of dst begin at multiples
	 * of joined_unit bytes; 0: there are no such tiles.
	 */
	host_joined *joined[HOST_ITEM_LOGS][2], *joined_slim[HOST_ITEM_LOGS][2];
	int joined_unit;
	host_nest *const *separate;          /* host_separate_16 or host_separate_32 */
	int separate_bytes;                  /* the size of its vectors */
	host_nest *const *nest_squares;      /* host_nest_squares, or NULL */
	host_nest *const (*long_squares)[2]; /* host_long_squares, or NULL */
	/* Streaming, HOST_SLIM_LINES per row; NULL for items smaller than 4 bytes. */
	host_tile *stream_slim[HOST_ITEM_LOGS][2];
	/* memcpy(), also fast where the C library's is not. */
	void (*copy)(char *dst, const char *src, int64_t n_bytes);
	/* Copies; whole lines of dst bypass the caches. */
	void (*stream)(char *dst, const char *src, int64_t n_bytes);
	void (*copy_rows)(const struct host_rows *rows, const char *src, char *dst);
	/* The same, and reverses units of 2, 4, 8 or 16 bytes. */
	void (*swap_rows)(const struct host_rows *rows, const char *src, char *dst, int64_t unit);
	/* Copies n rows of whole lines past the caches; requests those at ahead in addition. */
	void (*stream_rows)(char *dst, int64_t dst_stride, const char *src, int64_t src_stride,
		const char *ahead, int64_t n_bytes, int64_t n);
	/*
	 * Streams the lines that begin with those in which the planes begin, and copies what is
	 * left of each plane in its last line to its first one.
	 */
	void (*stream_parts)(struct host_plane_rows *rows);
	/*
	 * Writes n rows of n_bytes, contiguous in dst, each with one item of 1, 2, 4, 8 or 16
	 * bytes; the items are src_stride apart.
	 */
	void (*repeat)(char *dst, const char *src, int64_t src_stride, int64_t item_bytes,
		int64_t n_bytes, int64_t n);
	/* Reverses each unit of unit bytes; dst may be src. */
	void (*swap)(char *dst, const char *src, int64_t n_bytes, int64_t unit);
	/*
	 * Reverses units of 2, 4, 8 or 16 bytes that are aligned to lines of dst; dst and src do
	 * not overlap, and whole lines bypass the caches.
	 */
	void (*stream_swap)(char *dst, const char *src, int64_t n_bytes, int64_t unit);
	/* Writes n_steps times n_out vectors, with ordinary or streaming stores of whole lines. */
	host_pick *pick, *stream_pick;
	/* Copies the planes of blocks by the table of the job; NULL: there is none. */
	host_nest *nest_by_table;
};

/* Tiles of 16 bytes in both directions, indexed like the tiles of struct host_kernels. */
extern host_tile *const host_small[HOST_ITEM_LOGS][2];

/*
 * Streams one line of each of n rows of dst, the first one at or after dst: item j of the rows of
 * src becomes the items of row j. By the logarithm of the item size; NULL for items smaller than 8
 * bytes.
 */
typedef void host_columns(const char *src, int64_t src_stride, char *dst, int64_t dst_stride,
	int64_t n, int64_t swap);
extern host_columns *const host_stream_columns[HOST_ITEM_LOGS][2];

/*
 * Interleaves n items of 16 bytes of each of n_planes rows of src, past the caches: item after
 * item, so that lines of dst are written as a whole. Items of dst are aligned.
 */
void host_stream_planes(
	const char *src, int64_t src_stride, char *dst, int64_t n_planes, int64_t n);

/* struct host_kernels.stream_parts by vectors of 16 and 32 bytes. */
void host_stream_parts_16(struct host_plane_rows *rows);
void host_stream_parts_32(struct host_plane_rows *rows);

/* struct host_kernels.swap for any instruction set. */
void host_swap_plain(char *dst, const char *src, int64_t n_bytes, int64_t unit);

/* Whether vectors reverse units of this size: 2, 4, 8 or 16 bytes; or there are none (0). */
static inline bool host_has_swap_order(int64_t unit)
{
	return unit <= 16 && (unit & (unit - 1)) == 0;
}

/* The source of each of 16 bytes when units are reversed, by the logarithm of their size. */
extern const unsigned char host_swap_orders[HOST_ITEM_LOGS][16];

extern const struct host_kernels host_kernels_sse2, host_kernels_avx2, host_kernels_avx512,
	host_kernels_neon;

/*
 * Returns the kernels for the best instruction set that this processor supports, at most the one
 * named by wanted unless that is NULL.
 */
const struct host_kernels *host_kernels_choose(const char *wanted);

/*
 * Returns the kernels to use for streaming stores of half lines instead of these, or NULL if there
 * are none. Unless any is set, also NULL on processors where such stores are not known to be fast.
 */
const struct host_kernels *host_kernels_of_halves(const struct host_kernels *kernels, bool any);

/* Whether accesses of vectors that cross the end of a line take much longer than others. Measured
 * on an Intel Xeon. */
bool host_splits_slowly(void);

/* Writes n items of the row at src to out consecutively. */
typedef void host_row(const struct host_job *job, const char *src, char *out, int64_t n);

/*
 * Lines of one side that a block of a nest uses: runs of n_bytes, at the positions of the loops.
 * The first run begins `offset` bytes from the first item.
 */
struct host_runs {
	int64_t n_bytes, offset;
	int64_t step_lines; /* requested at a time; 0: none are requested */
	int n_loops;
	struct {
		int64_t n, stride_bytes;
	} loops[HOST_BLOCK_MAX];
};

/*
 * Planes of n_j rows of n_i items. The items of a row are src_i apart in src and contiguous in dst.
 */
struct host_block {
	int64_t n_i, n_j, src_i, src_j, dst_j;
	struct copy_loop planes;
	int64_t n_before; /* items before each row that may be read */
};

/*
 * Copy blocks whose rows are neighbours in src (src_j is the item size), by tiles of 4 to 16 bytes
 * in either direction. By the logarithm of the item size; NULL for items of 8 and 16 bytes.
 */
extern host_nest *const host_nest_tiles[HOST_ITEM_LOGS];

/*
 * The same for items of 4 bytes where n_i or n_j is at most HOST_FEW: by tiles of 4, 2 and 1 items,
 * most of which do not overlap.
 */
host_nest host_nest_few;

/*
 * The same by squares of HOST_HALF_LINE bytes in both directions, with AVX2. By the logarithm of
 * the item size; NULL for items of 1, 2 and 16 bytes.
 */
extern host_nest *const host_nest_squares[HOST_ITEM_LOGS];

/*
 * The same for one plane whose rows in dst are long, also with streaming stores to rows that begin
 * at multiples of HOST_HALF_LINE. src has squares.
 */
extern host_nest *const host_long_squares[HOST_ITEM_LOGS][2];

/* Whether host_long_squares can copy rows of src: if they are shorter than a square, it also reads
 * up to half a square before each of them but the first ones. */
static inline bool host_has_squares(const struct host_block *block, int log)
{
	const int64_t n = HOST_HALF_LINE >> log;

	return block->n_j >= n || (block->n_j > n / 2 && block->src_i >= block->n_j << log &&
					  block->src_i <= HOST_LINE);
}

/*
 * Copy blocks of items of 1 and 2 bytes whose rows are neighbours in src by vectors of 16 or 32
 * bytes of each row of dst. By the logarithm of the item size; NULL for larger items.
 */
extern host_nest *const host_separate_16[HOST_ITEM_LOGS], *const host_separate_32[HOST_ITEM_LOGS];

/*
 * Whether these can copy a block, by n items of a row of dst and n_wide of a row of src at a time.
 * Shorter rows of src are read together with parts of their neighbours.
 */
static inline bool host_can_separate(const struct host_block *block, int64_t n, int64_t n_wide)
{
	if (block->n_j >= n_wide || block->n_before >= n_wide)
		return block->n_i >= n;
	return block->src_i >= 2 && block->src_i <= HOST_LINE && block->n_i >= n + 8;
}

/* The size of the parts into which host_nest_tiles divides rows of n_bytes. */
static inline int64_t host_part_bytes(int64_t n_bytes)
{
	return n_bytes >= 16 ? 16 : n_bytes >= 8 ? 8 : 4;
}

struct host_job {
	const struct host_kernels *kernels;
	bool stream;
	int64_t stream_bytes; /* as in host_options */
	bool half_lines;
	const char *src; /* the first elements copied */
	char *dst;
	int64_t n_bytes;     /* of all items */
	int64_t n_src_bytes; /* read, at most n_bytes */
	int64_t n_all_bytes; /* of the copy that the job is a part of */
	/* The result, if it is one run of bytes and may be in new huge pages. */
	char *dense_dst;
	int64_t dense_bytes;
	/* The loops over units, outermost first. */
	int n_outer;
	int64_t n_units, unit_bytes;
	void (*run)(const struct host_job *job, int64_t first, int64_t last);
	/*
	 * Rows: row_items items of row_item_bytes, contiguous in dst, divided into n_parts parts.
	 */
	host_row *row;
	int64_t row_items, row_item_bytes, part_items, n_parts;
	int64_t row_src_stride;
	/* Rows that are interleaved or separated together, or that are in one unit of a nest. */
	struct copy_loop planes;
	struct copy_loop near; /* of short rows: the loop over neighbours in src */
	bool in_src_order;     /* the order in which short rows are copied; otherwise that of dst */
	struct host_table *table; /* of a job of blocks, an array of two for its parts */
	host_row *gather;         /* for one plane */
	host_row *one_by_one;     /* for items that do not fill a vector */
	host_nest *nest;          /* for short rows */
	host_nest *squares;       /* for rows of src that are shorter than a line */
	bool separates; /* squares are vectors of rows, for which no lines are requested */
	const struct host_items *items; /* of host_nest_items, and of one_by_one */
	bool swaps_items;               /* whether these loops reverse units */
	bool staged;                    /* rows are assembled before they are written */
	bool lined;                     /* rows stream their whole lines themselves */
	/* Transposes: n_i rows of n_j items, at distances src_stride and dst_stride. */
	int item_log; /* -1: the items do not have 1, 2, 4, 8 or 16 bytes */
	int64_t n_i, n_j, src_stride, dst_stride;
	host_tile *tile, *stream_tile, *stream_slim, *half, *strip, *small;
	host_joined *joined;          /* of kernels->joined or joined_slim */
	int64_t joined_columns;       /* whose lines are kept while the rows of a unit are read */
	host_columns *stream_columns; /* if the rows of dst begin at different offsets in a line */
	int64_t n_ahead;      /* how many units ahead of the copied one lines are requested */
	int64_t ahead_lines;  /* requested with each tile */
	int64_t n_neighbours; /* how many lines of one row of src are read before the next row */
	/* Requested into the second-level cache: of src, and rows of dst of the next tiles. */
	bool columns_ahead, rows_ahead;
	int64_t n_more;           /* rows of the next unit that are requested with those of each */
	int64_t head_i;           /* rows before the first whole line */
	int64_t pitch;            /* bytes between rows of the buffer */
	bool dense;               /* its rows are contiguous in dst */
	int64_t block_i, block_j; /* the maximum number of items in a unit */
	int at_i, at_j;           /* the loops in outer that iterate over blocks */
	int n_chain;     /* loops inside a unit that are contiguous in dst together with i */
	int64_t chain_n; /* positions in them */
	/* Blocks: the jobs that copy a part, and the last part of each row; the bytes that are read
	 * before a part, or before the first one of a row, begin read_offset from its first item.
	 */
	struct host_job *parts;
	int64_t read_offset, read_bytes;
	/* Nests: the loops of outer that are inside a block. */
	int n_inner, at_row; /* at_row: the loop over parts of rows of n_i items */
	bool is_requested;   /* lines of blocks are requested in advance: src_runs, dst_runs */
	int64_t block_units;
	int64_t request_planes; /* of a unit, that are copied between requests */
	/*
	 * Only the members above are zeroed: zeroing those below would take longer than copying 16
	 * x 16 items.
	 */
	struct copy_plan plan;
	struct copy_loop outer[HOST_OUTER_MAX], chain[HOST_OUTER_MAX];
	struct host_runs src_runs, dst_runs;
};

/*
 * Whether the result is streamed: from cached_bytes on, if both sides have twice as many, or from
 * what the options state.
 */
bool host_is_streamed(const struct host_job *job, int64_t cached_bytes);

/* Whether lines of n rows at this distance stay in the first-level cache, of which rows at
 * multiples of a power of 2 use few sets. */
bool host_fits_in_sets(int64_t n, int64_t stride_bytes);

/* Whether a transpose is faster item by item than by tiles, because the latter would be written
 * across the ends of lines. The strides are those between rows of n_i items. */
bool host_avoids_splits(
	const struct host_job *job, int64_t n_i, int64_t src_stride, int64_t dst_stride);

/* Sets up a job whose plan, kernels, sizes, addresses and table are set. */
void host_plan_job(struct host_job *job);

/* Sets up a job for a part of another one, of which it has its own plan and addresses; its result
 * stays in the caches. */
void host_plan_part(
	const struct host_job *job, struct host_job *part, const struct copy_plan *plan);

/* Each sets up a job of its kind, or returns false if the plan is of another kind. */
bool host_plan_blocks(struct host_job *job);
bool host_plan_rows(struct host_job *job);
bool host_plan_matrices(struct host_job *job);
bool host_plan_interleave(struct host_job *job);
bool host_plan_planes(struct host_job *job);
bool host_plan_transpose(struct host_job *job);
bool host_plan_nest(struct host_job *job);
void host_plan_gather(struct host_job *job);

/*
 * Set up a job for rows of 16 bytes and more, which host_plan_rows() has set, with loops in outer:
 * by any of the loops for short rows, which stream only whole lines of dst if the job is streamed;
 * or assembled in lines of a large result, if enough rows follow each other in dst, since the ends
 * of each run of rows are lines that are written in two parts.
 */
void host_plan_short_rows(struct host_job *job);
bool host_plan_assembled(struct host_job *job);

/* Whether rows are read from the last one to the first, without gaps, so that the processor
 * prefetches them. */
static inline bool host_is_backwards(int64_t src_stride, int64_t n_bytes)
{
	return src_stride == -n_bytes;
}

/* Sets the sizes, strides, loops and outer loops of a transpose. */
void host_set_transpose(struct host_job *job);

/* Copies a block of the items of a transpose, whose swapped items are reversed. */
void host_transpose_block(
	const struct host_job *job, const char *src, char *dst, const struct host_block *block);

/* Whether host_separate is the fastest way to copy a block whose rows are neighbours in src. */
bool host_is_separated_block(const struct host_job *job, const struct host_block *block);

/* The same for a transpose, whose rows are long enough for a job of its own. */
bool host_is_separated(const struct host_job *job);

/*
 * The loops for items of 1 to 64 bytes, and the nest that uses those of the job. Loops that reverse
 * units of swap_bytes exist for items of 2, 4, 8 and 16 bytes, and units of up to 8; NULL for
 * others.
 */
const struct host_items *host_items_of(int64_t item_bytes, int64_t swap_bytes);
host_nest host_nest_items;

/* Sets items, and swaps_items if their loops reverse the bytes that the plan swaps. */
void host_choose_items(struct host_job *job, int64_t item_bytes);

/* The size of the units that are reversed after rows are copied; 0: none are. */
static inline int64_t host_swap_after(const struct host_job *job)
{
	return job->swaps_items ? 0 : job->plan.swap_bytes;
}

/* Copies items of a row, row_src_stride apart, one by one. */
host_row *host_row_of(const struct host_items *items);

/*
 * Copies whole vectors by the table and the remaining items one by one, so that nothing after the
 * last item is read.
 */
void host_row_pick(const struct host_job *job, const char *src, char *out, int64_t n);

/* Sets lined, if in every row some item begins at a line. */
void host_choose_lined(struct host_job *job);

/* The number of items before the first that begins a line, at most n. */
int64_t host_items_to_line(const struct host_job *job, const char *out, int64_t n);

/* Sets row according to the size and stride of the items. */
void host_choose_row(struct host_job *job);

/* Divides rows into parts, after everything except row is set; the job then runs by rows. */
void host_cut_rows(struct host_job *job);

/* Whether tables can be used; clears the table, of n_in inputs and n_out lines. */
bool host_table_start(struct host_job *job, int64_t item_bytes, int64_t n_in, int64_t n_out);
/*
 * Output byte `out`, counted across the lines, comes from input byte `in`, counted across the
 * inputs.
 */
void host_table_set(struct host_table *table, int64_t item_bytes, int64_t out, int64_t in);

/* A position in the outer loops. */
struct host_walk {
	const struct host_job *job;
	int64_t index[HOST_OUTER_MAX];
	const char *src;
	char *dst;
};

void host_walk_start(struct host_walk *walk, const struct host_job *job, int64_t unit);
void host_walk_next(struct host_walk *walk);

/* The part of n that the unit copies, if the loop `at` of outer divides it into blocks; at -1: n.
 */
int64_t host_walk_block(const struct host_walk *walk, int at, int64_t n, int64_t block);

/* The innermost loop over units, with one unit if there is none. */
const struct copy_loop *host_walk_loop(const struct host_walk *walk);

/* The number of units that remain in the innermost loop, including this one. */
int64_t host_walk_left(const struct host_walk *walk);

/* Like n calls of host_walk_next; n is at least 1 and at most host_walk_left(). */
void host_walk_skip(struct host_walk *walk, int64_t n);

/* Adds a loop to outer, which is ordered by descending source strides. */
void host_add_outer(struct host_job *job, struct copy_loop loop);

/* Sorts outer by descending source strides. */
void host_order_by_src(struct host_job *job);

/* The loop of outer with the smallest stride in src. */
int host_nearest_outer(const struct host_job *job);

/* Adds those of a loop to the bytes of src that the loops in it reach, from the first to the last.
 * False if its steps overlap. */
bool host_extend_reach(int64_t *n_bytes, const struct copy_loop *loop);

/* Returns the index of a loop in outer, which contains it. */
int host_find_outer(const struct host_job *job, struct copy_loop loop);

/* Moves a loop of outer to a deeper level. */
void host_move_outer(struct host_job *job, int from, int to);

/* Removes a loop from outer. */
struct copy_loop host_take_outer(struct host_job *job, int at);

/* Moves src to the next position of the chain; after the last one to the first, and returns false.
 */
bool host_next_in_chain(const struct host_job *job, int64_t *index, const char **src);

/* Adds the loop over blocks of at most `most` steps of a loop as the innermost one, if it has more
 * than twice as many: returns its index in outer, or -1, and sets the size of a block. */
int host_divide_loop(struct host_job *job, struct copy_loop loop, int64_t most, int64_t *block);

/* The size of the parts, about equal, of n steps if a part has at most `most`. */
static inline int64_t host_even_part(int64_t n, int64_t most)
{
	const int64_t n_parts = (n + most - 1) / most;

	return (n + n_parts - 1) / n_parts;
}

/* host_divide_loop() into about equal parts of at most `most` steps. */
int host_divide_evenly(struct host_job *job, struct copy_loop loop, int64_t most, int64_t *block);

/* Whether the strides of the outer loops in dst, and an address or another stride, are multiples
 * of n_bytes, a power of 2. */
bool host_is_aligned(const struct host_job *job, uint64_t address, int64_t n_bytes);

/* Executes the job with n_threads threads, at most HOST_MAX_THREADS. */
void host_run(const struct host_job *job, int n_threads);

#endif
