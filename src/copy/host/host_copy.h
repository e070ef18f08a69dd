// SPDX-License-Identifier: MIT
/* The host engine: a plan carried out by the processor over memory that it can reach. */
#ifndef COPY_HOST_HOST_COPY_H
#define COPY_HOST_HOST_COPY_H

#include "copy/plan.h"

/*
 * Copies by the plan. src and dst are the addresses of element 0,0,... of both sides; the caller
 * knows that every address the plan reaches is readable or writable, and that both do not overlap.
 * SUAI_THREADS=n limits the threads, SUAI_ISA=sse2|avx2|avx512 the instructions.
 */
void host_copy(const struct copy_plan *plan, const void *src, void *dst);

/* The threads, 1 at least, that host_copy takes for so many bytes. */
int host_copy_threads(int64_t n_bytes);

/* For tests and measurements. */
struct host_options {
	int n_threads;        /* 0: as many as the copy is worth */
	int64_t stream_bytes; /* results of so many bytes are written past the caches; -1: usual */
	const char *isa;      /* "sse2", "avx2", "avx512", the best not over it; NULL: the best */
	int max_threads;      /* of the threads that it is worth; 0: the usable processors */
};

void host_copy_with(const struct copy_plan *plan, const void *src, void *dst,
	const struct host_options *options);

#endif
