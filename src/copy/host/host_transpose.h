// SPDX-License-Identifier: MIT
/* The loops over units of a transpose, between which host_transpose_plan.c chooses. */
#ifndef COPY_HOST_HOST_TRANSPOSE_H
#define COPY_HOST_HOST_TRANSPOSE_H

#include "copy/host/host_engine.h"

enum {
	HOST_NEIGHBOURS_ROW_BYTES =
		384,                /* at least, of a row of src in a unit, of 8 and 16 bytes */
	HOST_JOINED_COLUMNS = 1024, /* whose lines are kept while slim tiles are joined */
	HOST_BUFFER_BYTES = 96 << 10,
	HOST_ODD_ROWS = 16,
	HOST_LEAST_TILE_ITEMS = 64, /* fewer are copied faster one by one */
};

static inline int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static inline int64_t within(int64_t n, int64_t fewest, int64_t most)
{
	return n < fewest ? fewest : least(n, most);
}

/* Whether tiles would take longer for n_i by n_j items: those of 16 bytes, which tiles do not
 * combine, those that host_avoids_splits() names once the strides are set, and rows of either side
 * of few items of 8 bytes, of which they combine two. Larger results than the caches are written in
 * parts of lines only if rows of both sides are short. */
bool host_is_faster_one_by_one(const struct host_job *job, int64_t n_i, int64_t n_j);

/* host_job.run: units of a result that stays in the caches, and of one that is streamed: by tiles
 * whose rows are whole lines, by tiles that are joined to lines, by lines that are loaded item by
 * item, or through a buffer. */
void host_run_plain(const struct host_job *job, int64_t first, int64_t last);
void host_run_streamed(const struct host_job *job, int64_t first, int64_t last);
void host_run_joined(const struct host_job *job, int64_t first, int64_t last);
void host_run_columns(const struct host_job *job, int64_t first, int64_t last);
void host_run_buffered(const struct host_job *job, int64_t first, int64_t last);

#endif
