// SPDX-License-Identifier: MIT
/*
 * Inside the host engine: a job is a plan cut into numbered units that any thread may take, and
 * kernels are the few loops that are written once per instruction set.
 */
#ifndef COPY_HOST_HOST_ENGINE_H
#define COPY_HOST_HOST_ENGINE_H

#include "copy/host/host_copy.h"
#include "copy/plan.h"

enum {
	HOST_LINE = 64,          /* bytes; what a streaming store writes at once */
	HOST_STAGE_BYTES = 4096, /* what is put together in the first cache before it is streamed */
	HOST_STRIDE_MAX = 8,     /* elements between neighbours that a table can pick */
	HOST_ITEM_LOGS = 5,      /* 1, 2, 4, 8 and 16 bytes */
	HOST_CACHED_BYTES = 6 << 20, /* smaller results stay in the caches */
};

/* Lines that a slim tile writes of each row of the result, for items of so many bytes' logarithm:
 * they come from 16 rows of the source, of the largest items from 8. */
#define HOST_SLIM_LINES(LOG) ((LOG) > 2 ? 2 : 1)

/*
 * Where the bytes of n_out lines come from: the bytes of line o that lie in input i are picked by
 * at[o][i], and only those are named by mask[o][i] (or, in shuffles of 16 bytes, not 0x80).
 */
struct host_table {
	int n_in, n_out, vector_bytes;
	int64_t in_stride_bytes;                  /* from one input to the next */
	int64_t in_step_bytes;                    /* to the inputs of the next lines */
	int64_t out_stride_bytes, out_step_bytes; /* the same for what is written */
	int64_t first_bytes;                      /* from the row's first item to the first input */
	int64_t step_items;
	bool reads_past; /* what lies between items is read, so the last one is not picked */
	uint64_t mask[HOST_STRIDE_MAX][HOST_STRIDE_MAX];
	_Alignas(HOST_LINE) unsigned char at[HOST_STRIDE_MAX][HOST_STRIDE_MAX][HOST_LINE];
};

/* Item j of row i becomes item i of the line at dst + j * dst_stride; where items are swapped each
 * unit of `swap` bytes is reversed. */
typedef void host_tile(
	const char *src, int64_t src_stride, char *dst, int64_t dst_stride, int64_t swap);

typedef void host_pick(const struct host_table *table, const char *src, char *dst, int64_t n_steps);

struct host_kernels {
	const char *name;
	int table_bytes; /* of a table's vectors; 0: no tables */
	/* By the logarithm of the element's bytes, and for items that are swapped: HOST_LINE bytes
	 * of rows as many as fill a line, stored plainly or streamed to whole lines; rows that fill
	 * 16 bytes. */
	host_tile *tile[HOST_ITEM_LOGS][2], *stream_tile[HOST_ITEM_LOGS][2];
	host_tile *strip[HOST_ITEM_LOGS][2];
	/* Streamed, HOST_SLIM_LINES a row; NULL for items under 4 bytes. */
	host_tile *stream_slim[HOST_ITEM_LOGS][2];
	/* Copies; whole lines of dst pass the caches by. */
	void (*stream)(char *dst, const char *src, int64_t n_bytes);
	/* Reverses each unit of so many bytes; dst may be src. */
	void (*swap)(char *dst, const char *src, int64_t n_bytes, int64_t unit);
	/* The same for units of 2, 4, 8 or 16 bytes, of which one begins every line; dst is another
	 * memory, whose whole lines pass the caches by. */
	void (*stream_swap)(char *dst, const char *src, int64_t n_bytes, int64_t unit);
	/* Writes n_steps times n_out vectors, plainly or streamed to whole lines. */
	host_pick *pick, *stream_pick;
};

/* The same, of 16 bytes both ways. */
extern host_tile *const host_small[HOST_ITEM_LOGS][2];

/* The same as swap, in any instruction set. */
void host_swap_plain(char *dst, const char *src, int64_t n_bytes, int64_t unit);

/* Where each of 16 bytes comes from when units are reversed, by the logarithm of their bytes. */
extern const unsigned char host_swap_orders[HOST_ITEM_LOGS][16];

extern const struct host_kernels host_kernels_sse2, host_kernels_avx2, host_kernels_avx512;

/* The best that this processor runs, or the one named by SUAI_ISA where it runs. */
const struct host_kernels *host_kernels_choose(const char *wanted);

struct host_job;

/* Writes n items of the row at src to out, one after the other. */
typedef void host_row(const struct host_job *job, const char *src, char *out, int64_t n);

struct host_job {
	const struct host_kernels *kernels;
	bool stream;
	const char *src; /* the first elements copied */
	char *dst;
	int64_t n_bytes; /* of all items */
	/* All of the result, where it is one run of bytes and may be new huge pages. */
	char *dense_dst;
	int64_t dense_bytes;
	/* What is walked over for each unit, in this order. */
	int n_outer;
	int64_t n_units, unit_bytes;
	void (*run)(const struct host_job *job, int64_t first, int64_t last);
	/* Rows: so many items of so many bytes one after the other in dst, cut into parts. */
	host_row *row;
	int64_t row_items, row_item_bytes, part_items, n_parts;
	int64_t row_src_stride;
	/* Several rows of one source, cut alike. */
	struct copy_loop planes;
	struct host_table *table;
	host_row *gather;     /* of one plane */
	host_row *one_by_one; /* for items that fill no vector */
	bool staged;          /* rows are put together before they are written */
	bool lined;           /* rows stream their whole lines themselves */
	/* Transposes: n_i rows of n_j items, src_stride and dst_stride apart. */
	int item_log; /* -1: the items are not of 1, 2, 4, 8 or 16 bytes */
	int64_t n_i, n_j, src_stride, dst_stride;
	host_tile *tile, *stream_tile, *stream_slim, *strip, *small;
	bool columns_ahead;       /* fetched to the second cache, where not all is there */
	int64_t head_i;           /* rows before the first whole line */
	int64_t pitch;            /* bytes from one row of the buffer to the next */
	int64_t block_i, block_j; /* items a unit takes at most */
	int at_i, at_j;           /* which of outer walks over blocks */
	int n_chain;              /* loops beside i that are dense in dst with it, inside a unit */
	/* All above is cleared first, these are not: that takes longer than to copy 16 x 16 items.
	 */
	struct copy_plan plan;
	struct copy_loop outer[ARRAY_MAX_DIMS + 2], chain[ARRAY_MAX_DIMS];
};

/* Each sets up a job of its kind, or says that it is not its kind. */
bool host_plan_rows(struct host_job *job);
bool host_plan_interleave(struct host_job *job);
bool host_plan_transpose(struct host_job *job);
void host_plan_gather(struct host_job *job);

/* Copies items one by one, row_src_stride apart. */
host_row *host_gather_of(int64_t item_bytes);

/* Whole vectors by the table, the rest one by one: nothing past the last item is read. */
void host_row_pick(const struct host_job *job, const char *src, char *out, int64_t n);

/* Lets the row stream its lines itself where some item of every row begins one. */
void host_choose_lined(struct host_job *job);

/* The items before the first that begins a line, at most n. */
int64_t host_items_to_line(const struct host_job *job, const char *out, int64_t n);

/* Sets row for the items' size and stride. */
void host_choose_row(struct host_job *job);

/* Cuts rows into parts, once all but row is set; the job is then run by rows. */
void host_cut_rows(struct host_job *job);

/* Says whether tables can serve; clears the table. */
bool host_table_start(struct host_job *job, int64_t item_bytes);
/* Byte `out`, counted through the lines, is byte `in`, counted through the inputs. */
void host_table_set(struct host_table *table, int64_t out, int64_t in);

/* A place in the outer loops. */
struct host_walk {
	const struct host_job *job;
	int64_t index[ARRAY_MAX_DIMS + 2];
	const char *src;
	char *dst;
};

void host_walk_start(struct host_walk *walk, const struct host_job *job, int64_t unit);
void host_walk_next(struct host_walk *walk);

/* Adds a loop to outer, which walks over the source's larger strides first. */
void host_add_outer(struct host_job *job, struct copy_loop loop);

/* Carries the job out by so many threads. */
void host_run(const struct host_job *job, int n_threads);

#endif
