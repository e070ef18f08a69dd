// SPDX-License-Identifier: MIT
/*
 * The kernels of src/copy on a CUDA stream, for tools/bench-cuda: a table of kernels that is filled
 * at run time stands in for the one of the build, so that variants can be tried.
 */
#define kernels kernels_declared
#include "copy/kernels/kernels.h"
#undef kernels
#include "base/memory.h"
#include "copy/kernels/kernel_block.h"
#include "copy/kernels/kernel_memo.h"
#include "devices/cuda/cuda_session.h"

#include <stdio.h>
#include <stdlib.h>
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
	int latency, const char *code, long n_bytes);
API int bench_choices(uint64_t to, uint64_t from, int n_dims, const int64_t *shape,
	const int64_t *stride_bytes, int item_bytes);
API double bench_choice_ns(int number);
API int bench_choice_name(int number, char *text, int n_bytes);
API int bench_choice_start(int number, uint64_t to, uint64_t from, void *stream);
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
	int latency, const char *code, long n_bytes)
{
	char *copy;

	if (n_kernels == MAX_KERNELS)
		return -1;
	copy = mem_alloc((size_t)n_bytes + 1);
	memcpy(copy, code, (size_t)n_bytes);
	copy[n_bytes] = '\0';
	kernels[n_kernels++] = (struct kernel){ .name = strdup(name),
		.shape = (enum kernel_shape)shape,
		.item_bytes = item_bytes,
		.vector_items = vector_items,
		.n = n,
		.cost = cost,
		.latency = latency,
		.ptx = copy };
	return 0;
}

static int plan_layout(struct copy_plan *plan, uint64_t to, uint64_t from, int n_dims,
	const int64_t *shape, const int64_t *stride_bytes, int item_bytes)
{
	struct array source = {
		.dtype = { .kind = DTYPE_VOID, .bits = 8 * (int64_t)item_bytes, .lanes = 1 },
		.n_dims = n_dims,
		.pointer = from
	};
	struct array target;

	memcpy(source.shape, shape, (size_t)n_dims * sizeof(*shape));
	memcpy(source.stride_bytes, stride_bytes, (size_t)n_dims * sizeof(*stride_bytes));
	target = source;
	target.pointer = to;
	array_set_compact_strides(&target, 'C');
	return plan_make(plan, &source, &target, &err);
}

/* From a layout to C order; starts the kernels and does not wait. */
int bench_copy(uint64_t to, uint64_t from, int n_dims, const int64_t *shape,
	const int64_t *stride_bytes, int item_bytes, void *stream, struct device_launch *launch)
{
	struct copy_plan plan;
	struct cuda_session *base = (struct cuda_session *)session;
	int rc;

	if (plan_layout(&plan, to, from, n_dims, shape, stride_bytes, item_bytes) ||
		cuda_enter(base, &err))
		return -1;
	rc = cuda_launch_strided(base, &plan, to, from, stream, launch, &err);
	cuda_leave(base);
	return rc;
}

/* --- all launches that copy a layout --- */

static struct choice {
	struct kernel_launch launch;
	double ns; /* expected */
} * choices;
static int n_choices, n_choices_allocated;

static void add_choice(void *context, const struct kernel_launch *launch, double ns)
{
	(void)context;
	if (n_choices == n_choices_allocated) {
		n_choices_allocated = n_choices_allocated ? 2 * n_choices_allocated : 256;
		choices = mem_resize(choices, (size_t)n_choices_allocated * sizeof(*choices));
	}
	choices[n_choices++] = (struct choice){ *launch, ns };
}

static bool is_same_choice(const struct choice *a, const struct choice *b)
{
	return a->ns == b->ns && a->launch.kernel == b->launch.kernel &&
	       !memcmp(a->launch.arguments, b->launch.arguments,
		       (size_t)a->launch.n_arguments * sizeof(a->launch.arguments[0]));
}

static int compare_choices(const void *a, const void *b)
{
	double x = ((const struct choice *)a)->ns, y = ((const struct choice *)b)->ns;

	return x < y ? -1 : x > y;
}

/* Gives their number, sorted by the time that is expected; -1 on failure. */
int bench_choices(uint64_t to, uint64_t from, int n_dims, const int64_t *shape,
	const int64_t *stride_bytes, int item_bytes)
{
	struct copy_plan plan;
	int n = 0;

	n_choices = 0;
	if (plan_layout(&plan, to, from, n_dims, shape, stride_bytes, item_bytes))
		return -1;
	kernel_each_launch(&plan, from, to, add_choice, NULL);
	qsort(choices, (size_t)n_choices, sizeof(*choices), compare_choices);
	for (int i = 0; i < n_choices; i++)
		if (!n || !is_same_choice(&choices[n - 1], &choices[i]))
			choices[n++] = choices[i];
	return n_choices = n;
}

double bench_choice_ns(int number)
{
	return choices[number].ns;
}

/* Prints the counts of a list of the arguments of a BLOCK: the first, and those above 1. */
static int print_counts(char *text, size_t n_bytes, const int64_t *list, int width)
{
	int at = 0;

	for (int i = 0; i < BLOCK_MAX_DIMS && at < (int)n_bytes; i++)
		if (!i || (uint32_t)list[(ptrdiff_t)i * width] > 1)
			at += snprintf(text + at, n_bytes - (size_t)at, i ? "x%u" : "%u",
				(uint32_t)list[(ptrdiff_t)i * width]);
	return at;
}

/* Its kernel; for a box, also the extents of its run in the source and of its other dimensions, and
 * the same of the destination: "block4_pairs 16+8x3 24+16". */
int bench_choice_name(int number, char *text, int n_bytes)
{
	const struct kernel_launch *launch = &choices[number].launch;
	static const struct {
		const char *before;
		int argument, width;
	} lists[] = { { " ", BLOCK_X, 2 }, { "+", BLOCK_R, 2 }, { " ", BLOCK_Y, 3 },
		{ "+", BLOCK_Q, 3 } };
	int at = snprintf(text, (size_t)n_bytes, "%s", launch->kernel->name);

	if (!kernel_has_blocks(launch->kernel))
		return at;
	if (launch->arguments[BLOCK_FLAGS] & KERNEL_FLAG_SKEWED)
		at += snprintf(text + at, (size_t)(n_bytes - at), " skewed");
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		at += snprintf(text + at, (size_t)(n_bytes - at), "%s", lists[i].before);
		at += print_counts(text + at, (size_t)(n_bytes - at),
			&launch->arguments[lists[i].argument], lists[i].width);
	}
	return at;
}

int bench_choice_start(int number, uint64_t to, uint64_t from, void *stream)
{
	struct cuda_session *base = (struct cuda_session *)session;
	int rc;

	if (cuda_enter(base, &err))
		return -1;
	rc = cuda_start_launch(base, &choices[number].launch, to, from, stream, &err);
	cuda_leave(base);
	return rc;
}
