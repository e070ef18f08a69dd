// SPDX-License-Identifier: MIT
/* Units of a job, executed by threads that exist for the duration of one copy. */
#include "copy/host/host_engine.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { GRAIN_BYTES = 1 << 20, HUGE_PAGE_BYTES = 2 << 20, JOIN_TRIES = 5000 };

struct crew {
	const struct host_job *job;
	int64_t grain;
	atomic_llong next, next_page;
	atomic_int n_begun; /* threads */
};

/* On x86-64, compilers turn the builtin into a load, which does not allocate the page. */
static void touch_byte(char *byte)
{
#ifdef __x86_64__
	__asm__ volatile("lock orb $0, %0" : "+m"(*byte));
#else
	__atomic_fetch_or(byte, 0, __ATOMIC_RELAXED);
#endif
}

/*
 * Touches the end of each huge page of the result. Linux clears a new huge page towards the first
 * byte touched, and backwards that takes three times as long as forwards. Any available thread
 * takes the next page, so that none is left to the copy if a thread starts late. The byte keeps
 * its value, even if another thread writes it.
 */
static void touch(struct crew *crew)
{
	const uintptr_t first = (uintptr_t)crew->job->dense_dst,
			end = first + (uintptr_t)crew->job->dense_bytes;
	uintptr_t page, page_end;

	for (;;) {
		page = first / HUGE_PAGE_BYTES + (uintptr_t)atomic_fetch_add(&crew->next_page, 1);
		if (page * HUGE_PAGE_BYTES >= end)
			return;
		page_end = (page + 1) * HUGE_PAGE_BYTES < end ? (page + 1) * HUGE_PAGE_BYTES : end;
		touch_byte((char *)page_end - 1);
	}
}

static void host_walk_move(struct host_walk *walk, int depth, int64_t steps)
{
	const struct copy_loop *loop = &walk->job->outer[depth];

	walk->index[depth] += steps;
	walk->src += steps * loop->src_stride_bytes;
	walk->dst += steps * loop->dst_stride_bytes;
}

void host_add_outer(struct host_job *job, struct copy_loop loop)
{
	int at = job->n_outer++;

	for (; at > 0 && llabs(job->outer[at - 1].src_stride_bytes) < llabs(loop.src_stride_bytes);
		at--)
		job->outer[at] = job->outer[at - 1];
	job->outer[at] = loop;
}

void host_order_by_src(struct host_job *job)
{
	const int n = job->n_outer;

	for (job->n_outer = 0; job->n_outer < n;)
		host_add_outer(job, job->outer[job->n_outer]);
}

int host_nearest_outer(const struct host_job *job)
{
	int near = 0;

	for (int i = 1; i < job->n_outer; i++)
		if (llabs(job->outer[i].src_stride_bytes) <
			llabs(job->outer[near].src_stride_bytes))
			near = i;
	return near;
}

bool host_extend_reach(int64_t *n_bytes, const struct copy_loop *loop)
{
	const int64_t stride = llabs(loop->src_stride_bytes);

	if (stride < *n_bytes)
		return false;
	*n_bytes += (loop->n - 1) * stride;
	return true;
}

void host_move_outer(struct host_job *job, int from, int to)
{
	struct copy_loop loop = job->outer[from];

	for (; from < to; from++)
		job->outer[from] = job->outer[from + 1];
	job->outer[to] = loop;
}

struct copy_loop host_take_outer(struct host_job *job, int at)
{
	host_move_outer(job, at, job->n_outer - 1);
	return job->outer[--job->n_outer];
}

bool host_next_in_chain(const struct host_job *job, int64_t *index, const char **src)
{
	for (int depth = job->n_chain - 1; depth >= 0; depth--) {
		*src += job->chain[depth].src_stride_bytes;
		if (++index[depth] < job->chain[depth].n)
			return true;
		index[depth] = 0;
		*src -= job->chain[depth].n * job->chain[depth].src_stride_bytes;
	}
	return false;
}

int host_find_outer(const struct host_job *job, struct copy_loop loop)
{
	int at = 0;

	while (memcmp(&job->outer[at], &loop, sizeof(loop)) != 0)
		at++;
	return at;
}

/* Adds the loop over parts of another one to outer, and returns its index. */
static int add_loop_over_parts(struct host_job *job, struct copy_loop loop, int64_t part)
{
	job->outer[job->n_outer] = (struct copy_loop){ (loop.n + part - 1) / part,
		part * loop.src_stride_bytes, part * loop.dst_stride_bytes };
	return job->n_outer++;
}

int host_divide_loop(struct host_job *job, struct copy_loop loop, int64_t most, int64_t *block)
{
	*block = loop.n;
	if (loop.n <= 2 * most)
		return -1;
	*block = most;
	return add_loop_over_parts(job, loop, most);
}

int host_divide_evenly(struct host_job *job, struct copy_loop loop, int64_t most, int64_t *block)
{
	*block = host_even_part(loop.n, most);
	return *block == loop.n ? -1 : add_loop_over_parts(job, loop, *block);
}

bool host_is_aligned(const struct host_job *job, uint64_t address, int64_t n_bytes)
{
	for (int i = 0; i < job->n_outer; i++)
		address |= (uint64_t)job->outer[i].dst_stride_bytes;
	return address % (uint64_t)n_bytes == 0;
}

void host_walk_start(struct host_walk *walk, const struct host_job *job, int64_t unit)
{
	walk->job = job;
	walk->src = job->src;
	walk->dst = job->dst;
	for (int depth = job->n_outer - 1; depth >= 0; depth--) {
		walk->index[depth] = 0;
		host_walk_move(walk, depth, unit % job->outer[depth].n);
		unit /= job->outer[depth].n;
	}
}

void host_walk_next(struct host_walk *walk)
{
	for (int depth = walk->job->n_outer - 1; depth >= 0; depth--) {
		if (walk->index[depth] + 1 < walk->job->outer[depth].n) {
			host_walk_move(walk, depth, 1);
			return;
		}
		host_walk_move(walk, depth, -walk->index[depth]);
	}
}

int64_t host_walk_block(const struct host_walk *walk, int at, int64_t n, int64_t block)
{
	const int64_t first = at < 0 ? 0 : walk->index[at] * block;

	return n - first < block ? n - first : block;
}

const struct copy_loop *host_walk_loop(const struct host_walk *walk)
{
	static const struct copy_loop none = { .n = 1 };

	return walk->job->n_outer ? &walk->job->outer[walk->job->n_outer - 1] : &none;
}

int64_t host_walk_left(const struct host_walk *walk)
{
	return walk->job->n_outer ? host_walk_loop(walk)->n - walk->index[walk->job->n_outer - 1]
				  : 1;
}

void host_walk_skip(struct host_walk *walk, int64_t n)
{
	if (walk->job->n_outer)
		host_walk_move(walk, walk->job->n_outer - 1, n - 1);
	host_walk_next(walk);
}

static void *work(void *context)
{
	struct crew *crew = context;
	const struct host_job *job = crew->job;
	int64_t first, last;

	atomic_fetch_add(&crew->n_begun, 1);
	if (job->dense_bytes)
		touch(crew);
	while ((first = atomic_fetch_add(&crew->next, crew->grain)) < job->n_units) {
		last = first + crew->grain < job->n_units ? first + crew->grain : job->n_units;
		job->run(job, first, last);
	}
#ifdef __x86_64__
	if (job->stream)
		__builtin_ia32_sfence();
#endif
	return NULL;
}

/*
 * Tries for some 100 us first: a processor that sleeps until the thread ends takes 20 to 60 us to
 * continue. A thread that has not begun may be waiting for this processor.
 */
static void await_thread(struct crew *crew, pthread_t thread, int n_threads)
{
	for (int n = 0; n < JOIN_TRIES && atomic_load(&crew->n_begun) == n_threads; n++) {
		if (pthread_tryjoin_np(thread, NULL) != EBUSY)
			return;
#ifdef __x86_64__
		__builtin_ia32_pause();
#endif
	}
	pthread_join(thread, NULL);
}

/* If a thread cannot be started, the others execute its units. */
void host_run(const struct host_job *job, int n_threads)
{
	struct crew crew = { .job = job };
	pthread_t threads[HOST_MAX_THREADS];
	int n_started = 0;

	crew.grain = job->n_units / n_threads / 4;
	if (crew.grain > GRAIN_BYTES / job->unit_bytes)
		crew.grain = GRAIN_BYTES / job->unit_bytes;
	if (n_threads == 1)
		crew.grain = job->n_units;
	if (crew.grain < 1)
		crew.grain = 1;
	while (n_started < n_threads - 1 && !pthread_create(&threads[n_started], NULL, work, &crew))
		n_started++;
	work(&crew);
	for (int i = 0; i < n_started; i++)
		await_thread(&crew, threads[i], n_started + 1);
}
