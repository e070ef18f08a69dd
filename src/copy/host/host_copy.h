// SPDX-License-Identifier: MIT
/* The host engine: executes a plan on memory that the processor can access. */
#ifndef COPY_HOST_HOST_COPY_H
#define COPY_HOST_HOST_COPY_H

#include "copy/plan.h"

/* The most threads of one copy. Fewer reach the rate of the memory. */
enum { HOST_MAX_THREADS = 64 };

/*
 * Copies according to the plan. src and dst are the addresses of element 0,0,... on both sides;
 * the caller guarantees that every address in the plan is readable or writable, and that the two
 * sides do not overlap. SUAI_THREADS=n limits the threads, SUAI_ISA=sse2|avx2|avx512 the
 * instructions.
 */
void host_copy(const struct copy_plan *plan, const void *src, void *dst);

/* The number of threads, 1 to HOST_MAX_THREADS, that host_copy uses for n_bytes. */
int host_copy_threads(int64_t n_bytes);

/* For tests and measurements. */
struct host_options {
	int n_threads;        /* at most HOST_MAX_THREADS; 0: depends on the size of the copy */
	int64_t stream_bytes; /* results of at least this size bypass the caches; -1: the default */
	const char *isa; /* "sse2", "avx2" or "avx512": the best one up to it; NULL: the best */
	int max_threads; /* the maximum if n_threads is 0; 0: the usable processors */
	bool half_lines; /* streams half lines even if that is not known to be fast */
};

void host_copy_with(const struct copy_plan *plan, const void *src, void *dst,
	const struct host_options *options);

#endif
