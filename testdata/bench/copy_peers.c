// SPDX-License-Identifier: MIT
/* Functions for testdata/bench/copies.py, called through ctypes: suai's host engine, memcpy by
 * threads, and loops over the slices that two-dimensional libraries can transpose. */
#include "base/huge_pages.h"
#include "copy/host/host_copy.h"
#include "copy/plan.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

/* One copy, passed as one struct, since ctypes takes 0.3 us for each argument. The libraries' calls
 * are passed in the same way. */
struct layouts {
	int64_t n_dims, shape[8], src_strides[8], dst_strides[8]; /* bytes */
	int64_t item_bytes, swap_bytes, n_bytes, max_threads;
};

EXPORTED int bench_suai(const struct layouts *layouts, const char *src, char *dst);
EXPORTED int bench_suai_new(const struct layouts *layouts, const char *src);
EXPORTED void bench_memcpy(char *dst, const char *src, int64_t n_bytes, int n_threads);

/* Loops that are walked over around calls of two dimensions. */
struct slices {
	int64_t n_outer, n[8], src_stride[8], dst_stride[8];
	int64_t rows, cols, lda, ldb; /* elements */
	int is_mkl, transposed;
	char letter; /* s, d or z */
};

EXPORTED void bench_slices(void *function, const struct slices *slices, const char *src, char *dst);

/* Plans and copies, as suai does; elements or their halves, those of complex numbers, are swapped.
 */
int bench_suai(const struct layouts *layouts, const char *src, char *dst)
{
	const size_t n_bytes = (size_t)layouts->n_dims * sizeof(layouts->shape[0]);
	struct array from = { .n_dims = (int)layouts->n_dims,
		.dtype = { .kind = !layouts->swap_bytes                         ? DTYPE_VOID
				   : layouts->swap_bytes == layouts->item_bytes ? DTYPE_FLOAT
										: DTYPE_COMPLEX,
			.lanes = 1,
			.bits = 8 * layouts->item_bytes } };
	const struct host_options options = { .max_threads = (int)layouts->max_threads,
		.stream_bytes = -1,
		.isa = getenv("SUAI_ISA") };
	struct array to;
	struct copy_plan plan;
	struct err err;

	memcpy(from.shape, layouts->shape, n_bytes);
	to = from;
	from.dtype.foreign_order = layouts->swap_bytes != 0;
	memcpy(from.stride_bytes, layouts->src_strides, n_bytes);
	memcpy(to.stride_bytes, layouts->dst_strides, n_bytes);
	if (plan_make(&plan, &from, &to, &err))
		return -1;
	host_copy_with(&plan, src, dst, &options);
	return 0;
}

/* The same into new memory, as suai's worker allocates it, with its first touch. */
int bench_suai_new(const struct layouts *layouts, const char *src)
{
	char *dst = huge_pages_allocate((size_t)layouts->n_bytes);
	int rc;

	if (!dst)
		return -1;
	rc = bench_suai(layouts, src, dst);
	free(dst);
	return rc;
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

typedef void mkl_s(char, char, size_t, size_t, float, const void *, size_t, void *, size_t);
typedef void mkl_d(char, char, size_t, size_t, double, const void *, size_t, void *, size_t);
typedef void mkl_z(
	char, char, size_t, size_t, double, double, const void *, size_t, void *, size_t);
typedef void blas_s(int, int, int, int, float, const void *, int, void *, int);
typedef void blas_d(int, int, int, int, double, const void *, int, void *, int);
typedef void blas_z(int, int, int, int, const double *, const void *, int, void *, int);

static void call_mkl(void *function, const struct slices *s, const char *src, char *dst)
{
	const char how = s->transposed ? 'T' : 'N';
	const size_t rows = (size_t)s->rows, cols = (size_t)s->cols;
	const size_t lda = (size_t)s->lda, ldb = (size_t)s->ldb;

	if (s->letter == 's')
		((mkl_s *)function)('R', how, rows, cols, 1, src, lda, dst, ldb);
	else if (s->letter == 'd')
		((mkl_d *)function)('R', how, rows, cols, 1, src, lda, dst, ldb);
	else
		((mkl_z *)function)('R', how, rows, cols, 1, 0, src, lda, dst, ldb);
}

static void call_blas(void *function, const struct slices *s, const char *src, char *dst)
{
	const double one[2] = { 1, 0 };
	const int row_major = 101, how = s->transposed ? 112 : 111;
	const int rows = (int)s->rows, cols = (int)s->cols, lda = (int)s->lda, ldb = (int)s->ldb;

	if (s->letter == 's')
		((blas_s *)function)(row_major, how, rows, cols, 1, src, lda, dst, ldb);
	else if (s->letter == 'd')
		((blas_d *)function)(row_major, how, rows, cols, 1, src, lda, dst, ldb);
	else
		((blas_z *)function)(row_major, how, rows, cols, one, src, lda, dst, ldb);
}

void bench_slices(void *function, const struct slices *s, const char *src, char *dst)
{
	int64_t index[8] = { 0 };
	int64_t depth;

	do {
		if (s->is_mkl)
			call_mkl(function, s, src, dst);
		else
			call_blas(function, s, src, dst);
		for (depth = s->n_outer - 1; depth >= 0; depth--) {
			src += s->src_stride[depth];
			dst += s->dst_stride[depth];
			if (++index[depth] < s->n[depth])
				break;
			index[depth] = 0;
			src -= s->n[depth] * s->src_stride[depth];
			dst -= s->n[depth] * s->dst_stride[depth];
		}
	} while (depth >= 0);
}
