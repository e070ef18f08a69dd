// SPDX-License-Identifier: MIT
/*
 * The kernels of src/copy on a CUDA stream, for tools/bench-cuda: a table of kernels that is filled
 * at run time stands in for the one of the build, so that variants can be tried.
 */
#define kernels kernels_declared
#include "copy/kernels/kernels.h"
#undef kernels
#include "base/memory.h"
#include "copy/kernels/kernel_memo.h"
#include "devices/cuda/cuda_session.h"

#include <stdio.h>
#include <string.h>

#define API __attribute__((visibility("default")))

enum { MAX_KERNELS = 128 };

extern struct kernel kernels[];
struct kernel kernels[MAX_KERNELS + 1];
const struct kernel reduce_kernels[1]; /* none */

static struct device_session *session;
static int n_kernels;
/* No code of this build: each kernel has its PTX. */
const struct kernel_form kernel_forms[] = { { 0 } };
static struct err err;

API const char *bench_error(void);
API int bench_open(int device);
API void bench_clear(void);
API int bench_add(const char *name, int shape, int item_bytes, int vector_items, int n, int cost,
	int latency, const char *ptx);
API int bench_copy(uint64_t to, uint64_t from, int n_dims, const int64_t *shape,
	const int64_t *stride_bytes, int item_bytes, void *stream, struct device_launch *launch);

const char *bench_error(void)
{
	return err.message;
}

int bench_open(int device)
{
	struct cuda_source source = { .device = device };

	if (cuda_load(&err))
		return -1;
	session = cuda_open(&source, &err);
	return session ? 0 : -1;
}

/* Modules stay loaded: those of the former table are told apart by the rows' own addresses. */
void bench_clear(void)
{
	struct cuda_session *base = (struct cuda_session *)session;

	if (!cuda_enter(base, &err)) {
		cuda_unload_kernels(base);
		cuda_leave(base);
	}
	kernel_memo_clear();
	n_kernels = 0;
	memset(kernels, 0, sizeof(kernels));
}

int bench_add(const char *name, int shape, int item_bytes, int vector_items, int n, int cost,
	int latency, const char *ptx)
{
	if (n_kernels == MAX_KERNELS)
		return -1;
	kernels[n_kernels++] = (struct kernel){ .name = strdup(name),
		.shape = (enum kernel_shape)shape,
		.item_bytes = item_bytes,
		.vector_items = vector_items,
		.n = n,
		.cost = cost,
		.latency = latency,
		.ptx = strdup(ptx) };
	return 0;
}

/* From a layout to C order; starts the kernels and does not wait. */
int bench_copy(uint64_t to, uint64_t from, int n_dims, const int64_t *shape,
	const int64_t *stride_bytes, int item_bytes, void *stream, struct device_launch *launch)
{
	struct array source = {
		.dtype = { .kind = DTYPE_VOID, .bits = 8 * (int64_t)item_bytes, .lanes = 1 },
		.n_dims = n_dims,
		.pointer = from
	};
	struct array target;
	struct copy_plan plan;
	struct cuda_session *base = (struct cuda_session *)session;
	int rc;

	memcpy(source.shape, shape, (size_t)n_dims * sizeof(*shape));
	memcpy(source.stride_bytes, stride_bytes, (size_t)n_dims * sizeof(*stride_bytes));
	target = source;
	target.pointer = to;
	array_set_compact_strides(&target, 'C');
	if (plan_make(&plan, &source, &target, &err) || cuda_enter(base, &err))
		return -1;
	rc = cuda_launch_strided(base, &plan, to, from, stream, launch, &err);
	cuda_leave(base);
	return rc;
}
