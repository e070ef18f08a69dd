// SPDX-License-Identifier: MIT
/* Chooses how to execute a plan on this processor, and the number of threads. */
#include "base/cpus.h"
#include "copy/host/host_engine.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/*
 * A contiguous run of more bytes is copied as a row, not as one item. Results that are streamed
 * have the lower limit, since short rows are streamed faster than large items.
 */
enum {
	ABSORB_BYTES = 64,
	ABSORB_STREAMED_BYTES = 16,
	TOUCH_BYTES = 1 << 20,
	LEAST_THREADED_BYTES = 6 << 20,
	THREAD_BYTES = 2 << 20,
};

const struct host_kernels *host_kernels_choose(const char *wanted)
{
#ifdef __aarch64__
	(void)wanted;
	return &host_kernels_neon;
#else
	__builtin_cpu_init();
	if ((!wanted || !strcmp(wanted, "avx512")) && __builtin_cpu_supports("avx512vbmi") &&
		__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
		__builtin_cpu_supports("avx512dq"))
		return &host_kernels_avx512;
	if ((!wanted || strcmp(wanted, "sse2") != 0) && __builtin_cpu_supports("avx2"))
		return &host_kernels_avx2;
	return &host_kernels_sse2;
#endif
}

const struct host_kernels *host_kernels_of_halves(const struct host_kernels *kernels, bool any)
{
#ifdef __aarch64__
	(void)kernels;
	(void)any;
	return NULL;
#else
	/* Measured on Zen 5, where they take 0.9 of the time, and on Zen 4, where they take 2 to 3
	 * times as long. */
	bool is_fast = __builtin_cpu_is("amd") && !__builtin_cpu_is("amdfam17h") &&
		       !__builtin_cpu_is("amdfam19h");

	if (kernels == &host_kernels_sse2 || (!any && !is_fast))
		return NULL;
	return &host_kernels_avx2;
#endif
}

bool host_splits_slowly(void)
{
#ifdef __aarch64__
	return false;
#else
	return __builtin_cpu_is("intel");
#endif
}

static int choose_threads(const struct host_options *options, int64_t n_bytes)
{
	int64_t n = options->n_threads;

	if (n <= 0 && n_bytes < LEAST_THREADED_BYTES)
		return 1;
	if (n <= 0) {
		n = options->max_threads > 0 ? options->max_threads : cpus_count_usable();
		n = n < n_bytes / THREAD_BYTES ? n : n_bytes / THREAD_BYTES;
	}
	return (int)(n < HOST_MAX_THREADS ? n : HOST_MAX_THREADS);
}

bool host_is_streamed(const struct host_job *job, int64_t cached_bytes)
{
	if (job->stream_bytes >= 0)
		return job->n_bytes >= job->stream_bytes;
	return job->n_bytes >= cached_bytes && job->n_bytes + job->n_src_bytes >= 2 * cached_bytes;
}

/*
 * Turns a large item, or a row of them, into an innermost loop over its bytes, or over its units if
 * these are swapped.
 */
static void split_item(struct copy_plan *plan)
{
	const int64_t unit = plan->swap_bytes ? plan->swap_bytes : 1;
	int64_t n = plan->item_bytes / unit;

	if ((plan->kind == COPY_ROWS || plan->kind == COPY_MEMCPY) && plan->n_loops)
		n *= plan->loops[--plan->n_loops].n;
	plan->loops[plan->n_loops++] = (struct copy_loop){ n, unit, unit };
	plan->item_bytes = unit;
	plan_name(plan);
}

static int64_t count_bytes(const struct copy_plan *plan)
{
	int64_t n_bytes = plan->item_bytes;

	for (int i = 0; i < plan->n_loops; i++)
		n_bytes *= plan->loops[i].n;
	return n_bytes;
}

/* The bytes of src from the first to the last, but no more than are copied. */
static int64_t count_src_bytes(const struct copy_plan *plan, int64_t n_bytes)
{
	int64_t reach = plan->item_bytes;

	for (int i = 0; i < plan->n_loops && reach < n_bytes; i++)
		reach += (plan->loops[i].n - 1) * llabs(plan->loops[i].src_stride_bytes);
	return reach < n_bytes ? reach : n_bytes;
}

/* Whether the loops cover every byte between the first and the last of dst. */
static bool is_dense_plan(const struct copy_plan *plan)
{
	int64_t n_bytes = plan->item_bytes;

	for (int i = plan->n_loops - 1; i >= 0; i--) {
		if (plan->loops[i].dst_stride_bytes != n_bytes)
			return false;
		n_bytes *= plan->loops[i].n;
	}
	return true;
}

/*
 * Items whose bytes are reversed are those for which there are loops: a run of 2 to 16 bytes, or
 * else a unit.
 */
static void choose_item(struct host_job *job)
{
	struct copy_plan *plan = &job->plan;
	const int64_t absorb = job->stream ? ABSORB_STREAMED_BYTES : ABSORB_BYTES;
	const int64_t swap = plan->swap_bytes;
	int64_t run = plan->item_bytes;

	if (!swap || !host_items_of(swap, swap)) {
		plan_absorb(plan, absorb);
		if (plan->item_bytes > absorb)
			split_item(plan);
		return;
	}
	if (plan->kind == COPY_ROWS && plan->n_loops)
		run *= plan->loops[plan->n_loops - 1].n;
	if (host_items_of(run, swap))
		plan_absorb(plan, run);
	else if (plan->kind != COPY_ROWS && !host_items_of(plan->item_bytes, swap))
		split_item(plan);
}

void host_plan_job(struct host_job *job)
{
	choose_item(job);
	if (!host_plan_rows(job) && !host_plan_matrices(job) && !host_plan_planes(job) &&
		!host_plan_interleave(job) && !host_plan_transpose(job))
		host_plan_gather(job);
}

static void count_units(struct host_job *job)
{
	job->n_units = job->n_parts ? job->n_parts : 1;
	for (int i = 0; i < job->n_outer; i++)
		job->n_units *= job->outer[i].n;
}

static void start_job(struct host_job *job, const struct copy_plan *plan, int64_t stream_bytes)
{
	memset(job, 0, offsetof(struct host_job, plan));
	job->plan = *plan;
	job->n_bytes = job->n_all_bytes = count_bytes(plan);
	job->n_src_bytes = count_src_bytes(plan, job->n_bytes);
	job->stream_bytes = stream_bytes;
	job->stream = host_is_streamed(job, HOST_CACHED_BYTES);
}

void host_plan_part(const struct host_job *job, struct host_job *part, const struct copy_plan *plan)
{
	start_job(part, plan, INT64_MAX);
	part->n_all_bytes = job->n_bytes;
	part->kernels = job->kernels;
	part->table = job->table + (part - job->parts);
	part->src = job->src;
	part->dst = job->dst;
	host_plan_job(part);
	count_units(part);
}

void host_copy_with(const struct copy_plan *plan, const void *src, void *dst,
	const struct host_options *options)
{
	struct host_table tables[2];
	struct host_job job, parts[2];

	if (plan->empty)
		return;
	start_job(&job, plan, options->stream_bytes);
	job.table = tables;
	job.parts = parts;
	job.kernels = host_kernels_choose(options->isa);
	job.half_lines = options->half_lines;
	job.src = (const char *)src + plan->src_offset_bytes;
	job.dst = (char *)dst + plan->dst_offset_bytes;
	if (job.n_bytes >= TOUCH_BYTES && is_dense_plan(plan)) {
		job.dense_dst = job.dst;
		job.dense_bytes = job.n_bytes;
	}
	if (!host_plan_blocks(&job))
		host_plan_job(&job);
	count_units(&job);
	host_run(&job, choose_threads(options, job.n_bytes));
}

static struct host_options usual_options(void)
{
	const char *threads = getenv("SUAI_THREADS");

	return (struct host_options){
		.stream_bytes = -1,
		.max_threads = threads ? atoi(threads) : 0,
		.isa = getenv("SUAI_ISA"),
	};
}

int host_copy_threads(int64_t n_bytes)
{
	const struct host_options options = usual_options();

	return choose_threads(&options, n_bytes);
}

void host_copy(const struct copy_plan *plan, const void *src, void *dst)
{
	const struct host_options options = usual_options();

	host_copy_with(plan, src, dst, &options);
}
