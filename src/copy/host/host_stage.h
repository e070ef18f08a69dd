// SPDX-License-Identifier: MIT
/*
 * Bytes that are assembled in the first-level cache, at the same offsets in a line as in the
 * destination, until their whole lines are streamed.
 */
#ifndef COPY_HOST_HOST_STAGE_H
#define COPY_HOST_HOST_STAGE_H

#include "copy/host/host_engine.h"

#include <string.h>

struct host_stage {
	char *dst;          /* of the first byte, at a line */
	int64_t begin, end; /* of the bytes that are not written yet */
	/* Within one page: across two, or twice as large, it takes up to twice as long. */
	_Alignas(HOST_STAGE_BYTES) char bytes[HOST_STAGE_BYTES];
};

static inline void host_stage_begin(struct host_stage *stage, char *dst)
{
	stage->begin = stage->end = (int64_t)((uintptr_t)dst & (HOST_LINE - 1));
	stage->dst = dst - stage->begin;
}

/* Writes the bytes before n_bytes; those after it, less than a line, remain. */
static inline void host_stage_write(
	struct host_stage *stage, const struct host_kernels *kernels, int64_t n_bytes)
{
	kernels->stream(
		stage->dst + stage->begin, stage->bytes + stage->begin, n_bytes - stage->begin);
	if (n_bytes < stage->end)
		memcpy(stage->bytes, stage->bytes + n_bytes, HOST_LINE);
	stage->dst += n_bytes;
	stage->end -= n_bytes;
	stage->begin = 0;
}

static inline void host_stage_write_lines(
	struct host_stage *stage, const struct host_kernels *kernels)
{
	host_stage_write(stage, kernels, stage->end / HOST_LINE * HOST_LINE);
}

/*
 * Returns the place of n_bytes for dst, after the bytes before dst; other bytes are written first.
 * n_bytes is at most HOST_STAGE_BYTES - 2 * HOST_LINE.
 */
static inline char *host_stage_place(
	struct host_stage *stage, const struct host_kernels *kernels, char *dst, int64_t n_bytes)
{
	if (dst != stage->dst + stage->end) {
		host_stage_write(stage, kernels, stage->end);
		host_stage_begin(stage, dst);
	} else if (stage->end + n_bytes > HOST_STAGE_BYTES) {
		host_stage_write_lines(stage, kernels);
	}
	return stage->bytes + stage->end;
}

#endif
