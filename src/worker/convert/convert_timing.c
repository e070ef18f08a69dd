// SPDX-License-Identifier: MIT
/* --timing: the time of the conversion, that of the copy again without the costs of the first one,
 * and that of a memcpy between the same sessions for comparison. */
#include "worker/convert/convert.h"

#include "base/debug.h"
#include "base/huge_pages.h"
#include "copy/host/host_copy.h"
#include "devices/mapping.h"
#include "model/runtimes.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Repeats the copy and a memcpy in turns, up to these limits of rounds, time and bytes. */
enum { ROUNDS = 15, HOST_BYTES = 256 << 20, DEVICE_BYTES = 1 << 30 };
enum { PIECE_BYTES = 4096 };
static const double LONG_SECONDS = 0.5;

double convert_clock_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* A block of a session, or of the host. */
struct block {
	struct device_session *session;
	struct device_pointer pointer;
	void *bytes; /* the host's; NULL: none */
	bool is_open;
};

/* Between two sessions every byte is copied twice: to the host and from it. */
struct plain_copy {
	size_t n_bytes; /* 0: nothing to compare with */
	struct block from, between, to;
};

static int open_block(struct block *block, struct device_session *session, size_t n_bytes)
{
	struct err ignored;

	block->session = session;
	if (session) {
		block->is_open = !session->runtime->allocate(
			session, session->runtime->device_kind, n_bytes, &block->pointer, &ignored);
	} else {
		block->bytes = huge_pages_allocate(n_bytes);
		block->is_open = block->bytes != NULL;
		if (block->is_open)
			memset(block->bytes, 1, n_bytes);
	}
	return block->is_open ? 0 : -1;
}

static void close_block(struct block *block)
{
	if (block->is_open && block->session)
		block->session->runtime->release(block->session, block->pointer);
	free(block->bytes);
}

/* A part of memcpy's work. */
struct piece {
	char *to;
	const char *from;
	size_t n_bytes;
};

static void *copy_piece(void *context)
{
	const struct piece *piece = context;

	memcpy(piece->to, piece->from, piece->n_bytes);
	__asm__ volatile("" : : "r"(piece->to) : "memory");
	return NULL;
}

/* In as many threads as suai's own loops use; the piece of a thread that cannot be started is
 * copied here. */
static void copy_by_threads(char *to, const char *from, size_t n_bytes)
{
	pthread_t threads[HOST_MAX_THREADS];
	struct piece pieces[HOST_MAX_THREADS];
	int n = host_copy_threads((int64_t)n_bytes), n_started = 0;
	size_t step;

	step = (n_bytes / (size_t)n + PIECE_BYTES - 1) / PIECE_BYTES * PIECE_BYTES;
	for (int i = 0; i < n; i++) {
		size_t first = step * (size_t)i < n_bytes ? step * (size_t)i : n_bytes;
		size_t left = n_bytes - first;

		pieces[i] = (struct piece){ to + first, from + first, left < step ? left : step };
	}
	while (n_started < n - 1 &&
		!pthread_create(&threads[n_started], NULL, copy_piece, &pieces[n_started]))
		n_started++;
	for (int i = n_started; i < n; i++)
		copy_piece(&pieces[i]);
	for (int i = 0; i < n_started; i++)
		pthread_join(threads[i], NULL);
}

static int copy_timed_block(const struct block *from, const struct block *to, size_t n_bytes)
{
	struct err ignored;

	if (!from->session && !to->session) {
		copy_by_threads(to->bytes, from->bytes, n_bytes);
		return 0;
	}
	if (!from->session)
		return to->session->runtime->write(
			to->session, to->pointer, from->bytes, n_bytes, &ignored);
	if (!to->session)
		return from->session->runtime->read(
			from->session, to->bytes, from->pointer, n_bytes, &ignored);
	return to->session->runtime->move(
		to->session, to->pointer, from->pointer, n_bytes, &ignored);
}

static int copy_plainly(const struct plain_copy *plain)
{
	if (!plain->between.is_open)
		return copy_timed_block(&plain->from, &plain->to, plain->n_bytes);
	if (copy_timed_block(&plain->from, &plain->between, plain->n_bytes))
		return -1;
	return copy_timed_block(&plain->between, &plain->to, plain->n_bytes);
}

/* Opens the blocks and copies once, which touches their memory. */
static void open_plain(struct plain_copy *plain, struct device_session *from,
	struct device_session *to, size_t n_bytes)
{
	size_t limit = from || to ? DEVICE_BYTES : HOST_BYTES;
	bool is_between = from && to && from != to;

	plain->n_bytes = n_bytes < limit ? n_bytes : limit;
	if (open_block(&plain->from, from, plain->n_bytes) ||
		(is_between && open_block(&plain->between, NULL, plain->n_bytes)) ||
		open_block(&plain->to, to, plain->n_bytes) || copy_plainly(plain))
		plain->n_bytes = 0;
}

static void close_plain(struct plain_copy *plain)
{
	close_block(&plain->from);
	close_block(&plain->between);
	close_block(&plain->to);
}

/* The session in which the copy accessed a location's memory; NULL: the host, directly or through a
 * mapping. */
static struct device_session *working_session(
	const struct conversion *conversion, const struct memory_location *location)
{
	bool is_kernel = conversion->facts.path == PATH_KERNEL;
	bool on_host = conversion->timing.is_map_refused ? location->host_reaches
							 : mapping_reaches(location);

	return on_host && !is_kernel ? NULL : location->session;
}

static const char *name_session(const struct device_session *session)
{
	return session ? session->runtime->name : RUNTIME_HOST;
}

static void open_like(struct plain_copy *plain, const struct conversion *conversion, size_t n_bytes)
{
	const struct memory_location from = convert_source_location(conversion);
	struct device_session *from_session = working_session(conversion, &from);
	struct device_session *to_session =
		working_session(conversion, &conversion->result.location);

	DEBUG_LOG("timing", "a plain copy from %s to %s", name_session(from_session),
		name_session(to_session));
	open_plain(plain, from_session, to_session, n_bytes);
}

static int convert_timing_compare(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return left < right ? -1 : left > right;
}

static double median(double *values, int n)
{
	qsort(values, (size_t)n, sizeof(*values), convert_timing_compare);
	return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

void convert_begin_timing(struct conversion *conversion)
{
	struct timing *timing = &conversion->timing;

	*timing = (struct timing){ 0 };
	timing->begun_seconds = timing->last_seconds = convert_clock_seconds();
}

void convert_end_part(struct conversion *conversion, enum convert_part part)
{
	struct timing *timing = &conversion->timing;
	double now = convert_clock_seconds();

	timing->part_seconds[part] += now - timing->last_seconds;
	timing->last_seconds = now;
}

void convert_fill_timing(struct conversion *conversion)
{
	const struct timing *timing = &conversion->timing;
	int64_t n_bytes = array_nbytes(&conversion->source.elements.array);
	double copy_seconds = timing->part_seconds[PART_COPY];
	struct fact_conversion *facts = &conversion->facts;
	struct fact_real *const parts[N_PARTS] = { &facts->read_seconds, &facts->allocate_seconds,
		&facts->copy_seconds, &facts->describe_seconds };

	if (!conversion->options->timing)
		return;
	facts->seconds = fact_real(timing->last_seconds - timing->begun_seconds);
	for (size_t i = 0; i < N_PARTS; i++)
		if (timing->part_seconds[i] > 0)
			*parts[i] = fact_real(timing->part_seconds[i]);
	if (copy_seconds > 0 && n_bytes)
		facts->gb_per_s = fact_real((double)n_bytes / copy_seconds * 1e-9);
}

static int convert_timing_measure(struct conversion *conversion, const struct plain_copy *plain,
	double *again, double *plainly, struct err *err)
{
	double begun = convert_clock_seconds(), start, middle;
	int n = 0;

	do {
		struct transfer transfer = { 0 };

		start = convert_clock_seconds();
		if (convert_transfer(conversion, &transfer, err))
			return -1;
		middle = convert_clock_seconds();
		if (plain->n_bytes)
			WITHOUT_GIL(copy_plainly(plain));
		again[n] = middle - start;
		plainly[n++] = convert_clock_seconds() - middle;
	} while (n < ROUNDS && convert_clock_seconds() - begun < LONG_SECONDS);
	return n;
}

int convert_fill_steady(struct conversion *conversion, struct err *err)
{
	size_t n_bytes = (size_t)array_nbytes(&conversion->result.array);
	struct fact_conversion *facts = &conversion->facts;
	double again[ROUNDS], plainly[ROUNDS], rate;
	struct plain_copy plain = { 0 };
	int n;

	if (!n_bytes)
		return 0;
	WITHOUT_GIL(open_like(&plain, conversion, n_bytes));
	n = convert_timing_measure(conversion, &plain, again, plainly, err);
	if (n > 0) {
		rate = (double)n_bytes / median(again, n);
		facts->steady_seconds = fact_real(median(again, n));
		facts->steady_gb_per_s = fact_real(rate * 1e-9);
		if (plain.n_bytes)
			facts->share_of_memcpy =
				fact_real(rate * median(plainly, n) / (double)plain.n_bytes);
	}
	WITHOUT_GIL(close_plain(&plain));
	return n > 0 ? 0 : -1;
}
