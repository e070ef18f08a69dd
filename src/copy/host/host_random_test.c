// SPDX-License-Identifier: MIT
/*
 * Host copies of random layouts, most of them with short sides, or sides that are about a multiple
 * of the blocks into which the engine divides loops: permuted, reversed, padded, with steps, at any
 * alignment, with swapped bytes, by every instruction set and up to three threads, between memory
 * that ends at inaccessible pages. Nothing but the elements of the result is written, and nothing
 * outside the source is read.
 *
 * Usage: host_random_test [SECONDS [SEED]]: the layouts of a seed for so long; by default, a fixed
 * number of those of one seed.
 */
#include "base/array_size.h"
#include "base/random_test.h"
#include "base/test.h"
#include "copy/compare.h"
#include "copy/host/host_copy.h"
#include "copy/host/room_test.h"

#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/uio.h>
#include <time.h>

enum {
	DIMS = 6,
	N_LAYOUTS = 5000,
	MOST_FAILURES = 20,
	ROOM_BYTES = 9 << 20, /* of which the result without gaps takes an eighth */
	RESULT_BYTES = 1 << 20,
	MARGIN = 4096,      /* bytes that are checked on either side of the result */
	BLOCK_ITEMS = 1024, /* in about so many items, or bytes of neighbours, loops are divided */
	BLOCK_RUN_BYTES = 256,
};

static char description[512]; /* of the layout that is copied, for the handler of a fault */
static size_t n_described;

static __attribute__((format(printf, 1, 2))) void describe_more(const char *format, ...)
{
	va_list arguments;
	int n;

	va_start(arguments, format);
	n = vsnprintf(
		description + n_described, sizeof(description) - n_described, format, arguments);
	va_end(arguments);
	if (n > 0 && n_described + (size_t)n < sizeof(description))
		n_described += (size_t)n;
}

static void report_fault(int signal)
{
	char message[] = "access outside the arrays: ", newline[] = "\n";
	const struct iovec parts[] = { { message, sizeof(message) - 1 },
		{ description, n_described }, { newline, 1 } };

	_exit(writev(STDOUT_FILENO, parts, ARRAY_SIZE(parts)) < 0 ? 1 : 128 + signal);
}

/* About a multiple of n. */
static int64_t pick_near(int64_t n)
{
	const int64_t near = n * (1 + pick(4)) + pick(5) - 2;

	return near > 0 ? near : 1;
}

/* About a multiple of the items of neighbours that are copied together in rows of n. */
static int64_t pick_neighbours(int64_t width, int64_t n)
{
	const int64_t block = BLOCK_ITEMS / n, run = BLOCK_RUN_BYTES / width;

	return pick_near((block > run ? block : run) + 1);
}

/* An extent beside one of `other` items. */
static int64_t pick_extent(int64_t width, int64_t other)
{
	switch (pick(8)) {
	case 0:
		return pick_near((int64_t)16 << pick(6));
	case 1:
		return pick_neighbours(width, other);
	case 2:
		return pick_near(64 / width ? 64 / width : 1);
	case 3:
		return 1 + pick(80);
	default:
		return 1 + pick(17);
	}
}

/* Extents of a result of at most n_bytes. */
static void pick_shape(struct array *array, int64_t width, int64_t n_bytes)
{
	int64_t room = n_bytes / width, other = 1 + pick(17);

	for (int i = array->n_dims - 1; i >= 0; i--) {
		int64_t n = pick_extent(width, other);

		if (n > room)
			n = 1 + pick(room);
		array->shape[i] = n;
		room /= n;
		other = n;
	}
	for (int i = array->n_dims - 1; i > 0; i--) {
		const int at = (int)pick(i + 1);
		const int64_t n = array->shape[i];

		array->shape[i] = array->shape[at];
		array->shape[at] = n;
	}
}

/* Strides of the dimensions in a random order, the innermost last. */
static void pick_order(int *order, int n_dims)
{
	for (int i = 0; i < n_dims; i++) {
		const int at = (int)pick(i + 1);

		order[i] = order[at];
		order[at] = i;
	}
}

/* Steps, gaps after some dimensions, reversed and repeated ones. */
static void pick_source_strides(struct array *array, int64_t width)
{
	const bool is_plain = pick(2) == 0;
	int64_t stride = width;
	int order[DIMS] = { 0 };

	pick_order(order, array->n_dims);
	for (int i = array->n_dims - 1; i >= 0; i--) {
		const int dim = order[i];
		const int64_t step = !is_plain && pick(6) == 0 ? 2 + pick(3) : 1;

		array->stride_bytes[dim] = stride * step;
		stride *= array->shape[dim] * step;
		if (is_plain)
			continue;
		if (pick(6) == 0)
			array->stride_bytes[dim] = -array->stride_bytes[dim];
		if (pick(24) == 0)
			array->stride_bytes[dim] = 0;
		if (pick(5) == 0)
			stride += (1 + pick(9)) * (pick(4) ? width : 1);
	}
}

/* Mostly C order without gaps. */
static void pick_result_strides(struct array *array, int64_t width)
{
	const bool is_plain = pick(4) != 0, is_ordered = is_plain || pick(2) == 0;
	int64_t stride = width;
	int order[DIMS] = { 0 };

	pick_order(order, array->n_dims);
	for (int i = array->n_dims - 1; i >= 0; i--) {
		const int dim = is_ordered ? i : order[i];

		array->stride_bytes[dim] = stride;
		stride *= array->shape[dim];
		if (!is_plain && pick(4) == 0)
			stride += pick(2) ? (1 + pick(9)) * width : 1 + pick(64);
	}
}

static bool fits(const struct array *array)
{
	struct array placed = *array;
	uint64_t low, high;
	struct err err;

	placed.pointer = 1ULL << 40;
	return !array_extent(&placed, &low, &high, &err) && high - low < ROOM_BYTES - 2 * MARGIN;
}

static int64_t pick_shift(int64_t width)
{
	switch (pick(4)) {
	case 0:
		return pick(64);
	case 1:
		return width * pick(9);
	default:
		return 0;
	}
}

/* Short rows of the result, of neighbours in the source, with a dimension outside them. */
static void pick_small_transposes(struct array *from, struct array *to, int64_t width)
{
	const int64_t n_i = 1 + pick(17), n_j = pick_neighbours(width, n_i), n = 1 + pick(20);

	from->n_dims = 3;
	from->shape[0] = n;
	from->shape[1] = n_j;
	from->shape[2] = n_i;
	from->stride_bytes[0] = width * n_j * (n_i + (pick(4) ? 0 : pick(3)));
	from->stride_bytes[1] = width;
	from->stride_bytes[2] = width * (n_j + (pick(4) ? 0 : pick(9)));
	if (from->stride_bytes[0] < from->stride_bytes[2] * n_i)
		from->stride_bytes[0] = from->stride_bytes[2] * n_i;
	memcpy(to->shape, from->shape, sizeof(to->shape));
	to->n_dims = from->n_dims;
	pick_result_strides(to, width);
}

static int64_t at_most(int64_t n, int64_t most)
{
	return n < most ? n : most;
}

/* Matrices whose sides have hundreds of bytes or some KiB. */
static void pick_large_transposes(struct array *from, struct array *to, int64_t width)
{
	const int64_t n_j = 1 + (64 + pick(6000)) / width;
	const int64_t most = RESULT_BYTES / width / n_j,
		      n_i = 1 + pick(at_most(most, 6000 / width));

	from->n_dims = 3;
	from->shape[0] = 1 + pick(at_most(most / n_i, 3));
	from->shape[1] = n_j;
	from->shape[2] = n_i;
	from->stride_bytes[1] = width;
	from->stride_bytes[2] = width * (n_j + (pick(4) ? 0 : pick(9)));
	from->stride_bytes[0] = from->stride_bytes[2] * n_i;
	memcpy(to->shape, from->shape, sizeof(to->shape));
	to->n_dims = from->n_dims;
	pick_result_strides(to, width);
}

static void pick_layout(struct array *from, struct array *to, const struct room rooms[3])
{
	static const int64_t widths[] = { 1, 1, 2, 2, 4, 4, 4, 8, 8, 16, 16, 3, 5, 6, 12, 15, 24,
		33, 40 };
	const int64_t width = widths[pick(ARRAY_SIZE(widths))];
	/* The units that are reversed: whole items, their halves, and parts of 4 bytes. */
	static const enum dtype_kind swapped_kinds[] = { DTYPE_FLOAT, DTYPE_COMPLEX,
		DTYPE_UNICODE };
	const bool is_swapped = width > 1 && pick(4) == 0;
	const enum dtype_kind kind =
		is_swapped ? swapped_kinds[pick(ARRAY_SIZE(swapped_kinds))] : DTYPE_VOID;

	do {
		*from = (struct array){
			.dtype = { .kind = kind, .lanes = 1 },
			.n_dims = 1 + (int)pick(DIMS),
		};
		from->dtype.bits = 8 * width;
		*to = *from;
		from->dtype.foreign_order = is_swapped;
		if (pick(4) == 0) {
			pick_small_transposes(from, to, width);
			continue;
		}
		if (pick(16) == 0) {
			pick_large_transposes(from, to, width);
			continue;
		}
		pick_shape(from, width, RESULT_BYTES >> pick(8));
		memcpy(to->shape, from->shape, sizeof(to->shape));
		pick_source_strides(from, width);
		pick_result_strides(to, width);
	} while (!fits(from) || !fits(to));
	place(from, &rooms[0], pick(2) == 0, pick_shift(width));
	place(to, &rooms[1], pick(2) == 0, pick_shift(width));
}

static void describe_side(const char *side, const struct array *array)
{
	describe_more(", %s at %d", side, (int)(array->pointer % 64));
	for (int i = 0; i < array->n_dims; i++)
		describe_more(" %" PRId64, array->stride_bytes[i]);
}

static void describe_layout(
	const struct array *from, const struct array *to, uint64_t seed, int64_t number)
{
	n_described = 0;
	describe_more("layout %" PRId64 " of seed %" PRIu64
		      ": items of %d bytes, %d swapped, shape",
		number, seed, (int)(from->dtype.bits / 8),
		from->dtype.foreign_order ? (int)plan_swap_unit(&from->dtype) : 0);
	for (int i = 0; i < from->n_dims; i++)
		describe_more(" %" PRId64, from->shape[i]);
	describe_side("source", from);
	describe_side("result", to);
}

static void describe_options(const struct host_options *options)
{
	describe_more("; %s, %d threads, streamed from %" PRId64 "%s", options->isa,
		options->n_threads, options->stream_bytes,
		options->half_lines ? ", half lines" : "");
}

static struct host_options pick_options(const char *isa)
{
	static const int64_t stream_bytes[] = { 0, INT64_MAX, -1 };

	return (struct host_options){
		.n_threads = 1 + (int)(pick(2) ? 0 : pick(3)),
		.stream_bytes = stream_bytes[pick(ARRAY_SIZE(stream_bytes))],
		.isa = isa,
		.half_lines = pick(2),
	};
}

/* The elements of the first copy are compared; the others must equal it byte by byte. */
static void test_random_copy(const struct array *from, const struct array *to,
	const struct copy_plan *plan, const struct room rooms[3])
{
	static const char *const isas[] = { "sse2", "avx2", "avx512" };
	const size_t n_layout = n_described;
	const uint64_t page = MARGIN;
	struct comparison comparison;
	uint64_t low = 0, high = 0;
	struct err err;
	char *first, *end;
	size_t n_bytes;

	CHECK(!array_extent(to, &low, &high, &err), "%s", description);
	first = rooms[1].first + (low - (uint64_t)(uintptr_t)rooms[1].first) / page * page;
	first -= first > rooms[1].first ? page : 0;
	end = rooms[1].end - ((uint64_t)(uintptr_t)rooms[1].end - high) / page * page;
	end += end < rooms[1].end ? page : 0;
	n_bytes = (size_t)(end - first);
	for (size_t i = 0; i < ARRAY_SIZE(isas); i++) {
		const struct host_options options = pick_options(isas[i]);

		n_described = n_layout;
		describe_options(&options);
		memset(first, UNTOUCHED, n_bytes);
		host_copy_with(plan, (void *)(uintptr_t)from->pointer,
			(void *)(uintptr_t)to->pointer, &options);
		if (i > 0) {
			CHECK(!memcmp(first, rooms[2].first, n_bytes), "%s", description);
			continue;
		}
		compare_arrays(&comparison, from, to);
		CHECK(comparison.equal, "%s", description);
		CHECK(count_touched(first, end) == array_nbytes(to), "%s", description);
		memcpy(rooms[2].first, first, n_bytes);
	}
}

/* For some seconds, or N_LAYOUTS. */
static void test_random_copies(int64_t seconds, uint64_t seed, const struct room rooms[3])
{
	const time_t end = time(NULL) + seconds;
	struct array from, to;
	struct copy_plan plan;
	struct err err;

	for (int64_t number = 0;
		(seconds ? time(NULL) < end : number < N_LAYOUTS) && test_failures < MOST_FAILURES;
		number++) {
		/* A layout depends only on the seed and its number. */
		random_state = seed * 0x9E3779B97F4A7C15U + (uint64_t)number + 1;
		random_state += !random_state;
		pick(2);
		pick_layout(&from, &to, rooms);
		describe_layout(&from, &to, seed, number);
		if (plan_make(&plan, &from, &to, &err)) {
			CHECK(false, "%s: %s", description, err.message);
			continue;
		}
		test_random_copy(&from, &to, &plan, rooms);
	}
}

int main(int argc, char **argv)
{
	const struct sigaction handler = { .sa_handler = report_fault };
	const int64_t seconds = argc > 1 ? strtoll(argv[1], NULL, 10) : 0;
	uint64_t seed = 20261128;
	struct room rooms[3];

	if (argc > 2)
		seed = strtoull(argv[2], NULL, 10);
	else if (argc > 1)
		seed = (uint64_t)time(NULL);
	for (int i = 0; i < 3; i++)
		make_room(&rooms[i], ROOM_BYTES);
	random_state = seed + !seed;
	for (char *byte = rooms[0].first; byte < rooms[0].end; byte++)
		*byte = (char)pick(UNTOUCHED);
	sigaction(SIGSEGV, &handler, NULL);
	sigaction(SIGBUS, &handler, NULL);
	test_random_copies(seconds, seed, rooms);
	return test_end();
}
