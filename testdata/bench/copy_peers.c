// SPDX-License-Identifier: MIT
/* What testdata/bench/copy.py calls through ctypes: suai's host engine, memcpy by threads, and
 * loops over the slices that libraries of two dimensions can transpose. */
#include "copy/host_copy.h"
#include "copy/plan.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

EXPORTED int bench_suai(int n_dims, const int64_t *shape, const char *src,
	const int64_t *src_strides, char *dst, const int64_t *dst_strides, int item_bytes, int swap,
	int n_threads);
EXPORTED void bench_memcpy(char *dst, const char *src, int64_t n_bytes, int n_threads);

/* Plans and copies, as suai does; the bytes of an element are swapped whole. */
int bench_suai(int n_dims, const int64_t *shape, const char *src, const int64_t *src_strides,
	char *dst, const int64_t *dst_strides, int item_bytes, int swap, int n_threads)
{
	struct array from = { .n_dims = n_dims,
		.dtype = { .kind = swap ? DTYPE_FLOAT : DTYPE_VOID,
			.lanes = 1,
			.bits = 8 * (int64_t)item_bytes } };
	const struct host_options options = {
		.n_threads = n_threads, .stream_bytes = -1, .isa = getenv("SUAI_ISA")
	};
	struct array to;
	struct copy_plan plan;
	struct err err;

	memcpy(from.shape, shape, (size_t)n_dims * sizeof(shape[0]));
	to = from;
	from.dtype.foreign_order = swap;
	memcpy(from.stride_bytes, src_strides, (size_t)n_dims * sizeof(shape[0]));
	memcpy(to.stride_bytes, dst_strides, (size_t)n_dims * sizeof(shape[0]));
	if (plan_make(&plan, &from, &to, &err))
		return -1;
	host_copy_with(&plan, src, dst, &options);
	return 0;
}

struct part {
	char *dst;
	const char *src;
	size_t n_bytes;
};

static void *copy_part(void *context)
{
	struct part *part = context;

	memcpy(part->dst, part->src, part->n_bytes);
	return NULL;
}

void bench_memcpy(char *dst, const char *src, int64_t n_bytes, int n_threads)
{
	size_t half = (size_t)n_bytes / 2 & ~(size_t)63;
	struct part first = { dst, src, half },
		    second = { dst + half, src + half, (size_t)n_bytes - half };
	pthread_t thread;

	if (n_threads < 2 || pthread_create(&thread, NULL, copy_part, &first)) {
		memcpy(dst, src, (size_t)n_bytes);
		return;
	}
	copy_part(&second);
	pthread_join(thread, NULL);
}
