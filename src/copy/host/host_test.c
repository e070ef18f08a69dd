// SPDX-License-Identifier: MIT
/*
 * Every kind of host copy, at every width, between memory that ends at inaccessible pages on both
 * sides: nothing outside the extents is read or written. With arguments, only the tests that these
 * name, such as "nests" (`host_test help` lists them), since all take minutes in an emulator.
 */
#include "base/array_size.h"
#include "base/test.h"
#include "copy/compare.h"
#include "copy/host/host_copy.h"
#include "copy/host/room_test.h"

enum { ROOM_BYTES = 3 << 20 };

struct layout {
	const char *name;
	int n_dims;
	int64_t shape[5], src[5], dst[5]; /* strides in elements */
};

static const struct layout layouts[] = {
	{ "memcpy", 1, { 50021 }, { 1 }, { 1 } },
	{ "rows", 2, { 70, 331 }, { 400, 1 }, { 331, 1 } },
	{ "short rows", 2, { 4000, 3 }, { 5, 1 }, { 3, 1 } },
	{ "rows apart", 2, { 70, 331 }, { 331, 1 }, { 352, 1 } },
	{ "rows upside down", 2, { 70, 331 }, { -331, 1 }, { 331, 1 } },
	{ "rows crossed", 3, { 20, 30, 64 }, { 64, 1280, 1 }, { 1920, 64, 1 } },
	{ "short rows crossed", 3, { 20, 130, 17 }, { 17, 340, 1 }, { 2210, 17, 1 } },
	{ "short rows of many neighbours", 3, { 4000, 2, 3 }, { 3, 12000, 1 }, { 6, 3, 1 } },
	{ "fill", 2, { 40, 999 }, { 1, 0 }, { 999, 1 } },
	{ "fill with one", 1, { 50021 }, { 0 }, { 1 } },
	{ "same row", 2, { 50, 700 }, { 0, 1 }, { 700, 1 } },
	{ "reversed", 1, { 50021 }, { -1 }, { 1 } },
	{ "every second", 1, { 20011 }, { 2 }, { 1 } },
	{ "every second of 64", 1, { 64 }, { 2 }, { 1 } },
	{ "every third", 1, { 10007 }, { 3 }, { 1 } },
	{ "every fourth", 1, { 10007 }, { 4 }, { 1 } },
	{ "every seventh", 1, { 5003 }, { 7 }, { 1 } },
	{ "every twelfth", 1, { 5003 }, { 12 }, { 1 } },
	{ "to every third", 1, { 9001 }, { 1 }, { 3 } },
	{ "transpose", 2, { 131, 320 }, { 1, 131 }, { 320, 1 } },
	{ "transpose of odd rows", 2, { 133, 317 }, { 1, 133 }, { 317, 1 } },
	{ "transpose of large rows", 2, { 40, 1500 }, { 1, 40 }, { 1500, 1 } },
	{ "transpose, reversed", 2, { 131, 320 }, { -1, 131 }, { 320, 1 } },
	{ "transpose, upside down", 2, { 131, 320 }, { 1, -131 }, { 320, 1 } },
	{ "transpose with gaps", 2, { 131, 320 }, { 1, 140 }, { 384, 1 } },
	{ "transpose off the lines", 2, { 131, 317 }, { 1, 131 }, { 384, 1 } },
	{ "transpose by slim tiles", 2, { 541, 77 }, { 1, 541 }, { 128, 1 } },
	{ "transpose of 9", 2, { 9, 1200 }, { 1, 9 }, { 1200, 1 } },
	{ "transpose of 16", 2, { 16, 1200 }, { 1, 16 }, { 1200, 1 } },
	{ "transpose to 9", 2, { 1200, 9 }, { 1, 1200 }, { 9, 1 } },
	{ "transpose to 17", 2, { 1200, 17 }, { 1, 1200 }, { 17, 1 } },
	{ "transpose to half lines", 3, { 7, 150, 8 }, { 1200, 1, 150 }, { 1200, 8, 1 } },
	{ "transpose to 27", 2, { 400, 27 }, { 1, 400 }, { 27, 1 } },
	{ "transpose to 45, apart", 2, { 200, 45 }, { 1, 211 }, { 50, 1 } },
	{ "transpose of 64", 2, { 64, 64 }, { 1, 64 }, { 64, 1 } },
	{ "three dimensions", 3, { 65, 7, 64 }, { 1, 65, 455 }, { 448, 64, 1 } },
	{ "five dimensions", 5, { 26, 3, 4, 5, 20 }, { 1, 520, 1560, 6240, 26 },
		{ 1200, 400, 100, 20, 1 } },
	{ "squares", 3, { 19, 48, 48 }, { 2304, 1, 48 }, { 2304, 48, 1 } },
	{ "part of a loop", 3, { 40, 28, 48 }, { 1, 1920, 40 }, { 1344, 48, 1 } },
	{ "rows of 2 items", 3, { 300, 7, 2 }, { 14, 2, 4200 }, { 14, 2, 1 } },
	{ "rows of 3 items", 3, { 300, 7, 3 }, { 14, 2, 4200 }, { 21, 3, 1 } },
	{ "rows of 8 items", 3, { 100, 7, 8 }, { 14, 2, 1400 }, { 56, 8, 1 } },
	{ "rows of 21 items", 3, { 100, 7, 21 }, { 14, 2, 1400 }, { 147, 21, 1 } },
	{ "small transposes", 3, { 301, 21, 9 }, { 189, 1, 21 }, { 189, 9, 1 } },
	{ "squares of 4 or 8", 3, { 90, 12, 20 }, { 240, 1, 12 }, { 240, 20, 1 } },
	{ "squares, a row left", 3, { 20, 133, 9 }, { 1197, 1, 133 }, { 1197, 9, 1 } },
	{ "squares, apart", 4, { 11, 9, 13, 10 }, { 13, 1430, 1, 143 }, { 1200, 132, 10, 1 } },
	{ "lines of 9 rows", 2, { 9, 544 }, { 1, 9 }, { 544, 1 } },
	{ "lines of 44 rows", 3, { 3, 44, 96 }, { 4224, 1, 44 }, { 4224, 96, 1 } },
	{ "contiguous matrices of 5 rows", 3, { 3, 5, 205 }, { 1025, 1, 5 }, { 1025, 205, 1 } },
	{ "contiguous matrices of 15 rows", 3, { 3, 15, 9 }, { 135, 1, 15 }, { 135, 9, 1 } },
	{ "contiguous matrices of 16 rows", 3, { 3, 16, 12 }, { 192, 1, 16 }, { 192, 12, 1 } },
	{ "11 planes", 2, { 11, 301 }, { 1, 11 }, { 301, 1 } },
	{ "contiguous matrices of 7 rows", 3, { 3, 7, 145 }, { 1015, 1, 7 }, { 1015, 145, 1 } },
	{ "rows in few sets, not a multiple of 16", 2, { 64, 150 }, { 1, 256 }, { 150, 1 } },
	{ "squares in few sets", 2, { 64, 150 }, { 1, 64 }, { 150, 1 } },
	{ "small transposes, a row left", 3, { 20, 295, 7 }, { 2065, 1, 295 }, { 2065, 7, 1 } },
	{ "rows of distant items, a long column", 2, { 3001, 5 }, { 1, 3001 }, { 7, 1 } },
	{ "rows of distant items, many planes", 4, { 250, 7, 3, 5 }, { 3, 3750, 1, 750 },
		{ 105, 15, 5, 1 } },
	{ "rows of distant items, reversed", 4, { 250, 7, 3, 5 }, { -3, 3750, -1, 750 },
		{ 105, 15, 5, 1 } },
	{ "rows of distant items, a short run", 5, { 80, 2, 11, 3, 5 }, { 6, 1, 2400, 2, 480 },
		{ 330, 165, 15, 5, 1 } },
	{ "rows of distant items, two blocks", 5, { 34, 3, 40, 3, 6 }, { 3, 24480, 612, 1, 102 },
		{ 2160, 720, 18, 6, 1 } },
	{ "every twelfth, crossed", 3, { 3, 9, 300 }, { 1, 3600, 12 }, { 2700, 300, 1 } },
	{ "pack 2", 2, { 5003, 2 }, { 1, 5003 }, { 2, 1 } },
	{ "pack 3", 2, { 5003, 3 }, { 1, 5003 }, { 3, 1 } },
	{ "pack 4", 2, { 5003, 4 }, { 1, 5003 }, { 4, 1 } },
	{ "pack 7", 2, { 3001, 7 }, { 1, 3001 }, { 7, 1 } },
	{ "pack images", 3, { 3, 901, 3 }, { 2703, 1, 901 }, { 2703, 3, 1 } },
	{ "pack 4, short rows", 3, { 90, 45, 4 }, { 180, 1, 45 }, { 180, 4, 1 } },
	{ "pack 3, rows of 70", 3, { 60, 70, 3 }, { 210, 1, 70 }, { 210, 3, 1 } },
	{ "pack 8, rows of 200", 3, { 9, 200, 8 }, { 1600, 1, 200 }, { 1600, 8, 1 } },
	{ "unpack 4, far apart", 3, { 4, 11, 200 }, { 1, 4, 44 }, { 2200, 200, 1 } },
	{ "unpack 4, rows of 13, far apart", 5, { 4, 9, 4, 20, 13 }, { 4, 4160, 1, 16, 320 },
		{ 9360, 1040, 260, 13, 1 } },
	{ "unpack 2, reversed rows", 3, { 2, 9, 300 }, { 1, 2, -18 }, { 2700, 300, 1 } },
	{ "unpack 2", 2, { 2, 5056 }, { 1, 2 }, { 5056, 1 } },
	{ "unpack 3", 2, { 3, 5056 }, { 1, 3 }, { 5056, 1 } },
	{ "unpack 3, odd", 2, { 3, 5003 }, { 1, 3 }, { 5003, 1 } },
	{ "unpack 3 of 4", 2, { 3, 5056 }, { 1, 4 }, { 5056, 1 } },
	{ "unpack 8", 2, { 8, 2048 }, { 1, 8 }, { 2048, 1 } },
	{ "unpack 5", 2, { 5, 2056 }, { 1, 5 }, { 2056, 1 } },
	{ "unpack 6 of 7, a row left", 2, { 6, 1545 }, { 1, 7 }, { 1552, 1 } },
	{ "unpack 7, odd", 2, { 7, 1549 }, { 1, 7 }, { 1549, 1 } },
	{ "unpack 13", 2, { 13, 1040 }, { 1, 13 }, { 1040, 1 } },
	{ "unpack images, odd", 3, { 9, 5, 406 }, { 2030, 1, 5 }, { 2030, 406, 1 } },
	{ "unpack images", 3, { 3, 3, 960 }, { 2880, 1, 3 }, { 2880, 960, 1 } },
};

static const int widths[] = { 1, 2, 3, 4, 5, 6, 8, 12, 15, 16, 24, 33, 40 };

/* Those of test_threads(), whose subject is what threads share: `make test-tsan`. */
static const int thread_widths[] = { 1, 4, 12 };

struct selection {
	const int *widths;
	size_t n_widths;
	const struct host_options *options; /* the first is the reference of the others */
	size_t n_options;
};

static const struct host_options option_rows[] = {
	{ 1, INT64_MAX, "sse2", 0, false },
	{ 1, 0, "sse2", 0, false },
#ifdef __x86_64__ /* other processors have one set of loops */
	{ 1, INT64_MAX, "avx2", 0, false },
	{ 1, 0, "avx2", 0, false },
	{ 1, INT64_MAX, "avx512", 0, false },
	{ 1, 0, "avx512", 0, false },
	{ 1, 0, "avx2", 0, true },
	{ 1, 0, "avx512", 0, true },
#endif
	{ 3, 0, NULL, 0, false },
};

static const struct host_options thread_rows[] = {
	{ 1, INT64_MAX, "sse2", 0, false },
	{ 3, INT64_MAX, NULL, 0, false },
	{ 8, 0, NULL, 0, false },
};

static const struct selection all_copies = { widths, ARRAY_SIZE(widths), option_rows,
	ARRAY_SIZE(option_rows) };
static const struct selection thread_copies = { thread_widths, ARRAY_SIZE(thread_widths),
	thread_rows, ARRAY_SIZE(thread_rows) };
static const struct selection *selected = &all_copies;

static void make_pair(
	const struct layout *layout, int width, bool swapped, struct array *from, struct array *to)
{
	*from = (struct array){
		.dtype = { .kind = swapped ? DTYPE_FLOAT : DTYPE_VOID, .lanes = 1 },
		.n_dims = layout->n_dims,
	};
	from->dtype.bits = 8 * (int64_t)width;
	memcpy(from->shape, layout->shape, sizeof(layout->shape));
	*to = *from;
	from->dtype.foreign_order = swapped;
	for (int i = 0; i < layout->n_dims; i++) {
		from->stride_bytes[i] = layout->src[i] * width;
		to->stride_bytes[i] = layout->dst[i] * width;
	}
}

/* The elements of the first copy are checked; all others must equal it byte by byte. */
static void try_pair(
	struct array *from, struct array *to, const struct room rooms[3], const char *what)
{
	struct copy_plan plan;
	struct comparison comparison;
	struct err err;

	if (plan_make(&plan, from, to, &err)) {
		CHECK(false, "%s: %s", what, err.message);
		return;
	}
	for (size_t i = 0; i < selected->n_options; i++) {
		memset(rooms[1].first, UNTOUCHED, ROOM_BYTES);
		host_copy_with(&plan, (void *)(uintptr_t)from->pointer,
			(void *)(uintptr_t)to->pointer, &selected->options[i]);
		if (i == 0) {
			compare_arrays(&comparison, from, to);
			CHECK(comparison.equal, "%s", what);
			memcpy(rooms[2].first, rooms[1].first, ROOM_BYTES);
			CHECK(count_touched(rooms[1].first, rooms[1].end) == array_nbytes(to), "%s",
				what);
		}
		CHECK(!memcmp(rooms[1].first, rooms[2].first, ROOM_BYTES), "%s, options %zu", what,
			i);
	}
}

static void test_layout(
	const struct layout *layout, int width, bool swapped, const struct room rooms[3])
{
	struct array from, to;
	char what[96];

	make_pair(layout, width, swapped, &from, &to);
	for (int at_end = 0; at_end < 2; at_end++) {
		place(&from, &rooms[0], at_end, 0);
		place(&to, &rooms[1], at_end, 0);
		(void)snprintf(what, sizeof(what), "%s of %d bytes%s%s", layout->name, width,
			swapped ? ", swapped" : "", at_end ? ", at the end" : "");
		try_pair(&from, &to, rooms, what);
	}
}

/* Both sides of small transposes, of which the parts overlap unless they are powers of 2; a gap
 * after each row of the result. */
static void test_small_transposes(const struct room rooms[3])
{
	static const int64_t sides[] = { 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 300 };
	struct layout layout = { .n_dims = 3 };
	char name[64];

	layout.name = name;
	for (size_t i = 0; i < ARRAY_SIZE(sides); i++)
		for (size_t j = 0; j < ARRAY_SIZE(sides); j++) {
			const int64_t n_i = sides[i], n_j = sides[j];

			(void)snprintf(name, sizeof(name), "transposes of %d to rows of %d",
				(int)n_j, (int)n_i);
			layout.shape[0] = 3;
			layout.shape[1] = layout.src[2] = n_j;
			layout.shape[2] = n_i;
			layout.src[0] = n_i * n_j;
			layout.src[1] = layout.dst[2] = 1;
			layout.dst[0] = (n_i + 1) * n_j;
			layout.dst[1] = n_i + 1;
			for (int width = 1; width <= 8; width *= 2)
				test_layout(&layout, width, false, rooms);
		}
}

/* Rows of items that are apart: every number of items and of rows that has loops of its own, and
 * some more. */
static void test_nests(const struct room rooms[3])
{
	static const int item_widths[] = { 1, 2, 3, 4, 6, 8, 12, 16, 24, 40 };
	struct layout layout = { .n_dims = 3 };
	char name[64];

	layout.name = name;
	for (int64_t n_i = 2; n_i <= 13; n_i++)
		for (int64_t n_j = 2; n_j <= 6; n_j++) {
			const int64_t n_planes = n_i % 2 ? 3 : 9, run = 2 * n_j + 1;

			(void)snprintf(name, sizeof(name), "%d planes of %d rows of %d",
				(int)n_planes, (int)n_j, (int)n_i);
			layout.shape[0] = n_planes;
			layout.shape[1] = n_j;
			layout.shape[2] = n_i;
			layout.src[0] = run;
			layout.src[1] = 2;
			layout.src[2] = n_planes * run;
			layout.dst[0] = n_j * (n_i + 1);
			layout.dst[1] = n_i + 1;
			layout.dst[2] = 1;
			for (size_t k = 0; k < ARRAY_SIZE(item_widths); k++)
				test_layout(&layout, item_widths[k], false, rooms);
		}
}

/* Rows of one repeated item, of every number of bytes up to more than a line, contiguous in the
 * result or apart. */
static void test_repeats(const struct room rooms[3])
{
	static const int item_widths[] = { 1, 2, 4, 8, 12, 16 };
	struct layout layout = { .n_dims = 3 };
	char name[64];

	layout.name = name;
	layout.shape[0] = 3;
	layout.shape[1] = 23;
	layout.src[1] = 2;
	layout.src[0] = 2 * layout.shape[1] + 1;
	layout.dst[2] = 1;
	for (int64_t n = 2; n <= 70; n++)
		for (int64_t gap = 0; gap < 2; gap++) {
			(void)snprintf(name, sizeof(name), "%d times%s", (int)n,
				gap ? ", rows apart" : "");
			layout.shape[2] = n;
			layout.dst[1] = n + gap;
			layout.dst[0] = layout.shape[1] * layout.dst[1];
			for (size_t k = 0; k < ARRAY_SIZE(item_widths); k++)
				test_layout(&layout, item_widths[k], false, rooms);
			test_layout(&layout, 4, true, rooms);
		}
}

/* Rows that are copied in the order of the source if the result is large. */
static void test_long_runs_of_rows(const struct room rooms[3])
{
	static const struct layout layout = { "long runs of rows crossed", 3, { 61, 58, 360 },
		{ 360, 21960, 1 }, { 20880, 360, 1 } };

	test_layout(&layout, 1, false, rooms);
	test_layout(&layout, 2, false, rooms);
}

/* Rows of every number of bytes modulo 128, at every offset in 32 bytes. */
static void test_rows(const struct room rooms[3])
{
	enum { LEAST = 1020, MOST = LEAST + 132, N_ROWS = 32 };
	struct layout layout = { .n_dims = 2 };
	char name[64];

	layout.name = name;
	layout.shape[0] = N_ROWS;
	layout.src[1] = layout.dst[1] = 1;
	for (int64_t n = LEAST; n <= MOST; n++) {
		(void)snprintf(name, sizeof(name), "%d rows of %d", N_ROWS, (int)n);
		layout.shape[1] = n;
		layout.src[0] = n + 3;
		layout.dst[0] = n | 1;
		layout.dst[0] += layout.dst[0] == n ? 2 : 0;
		test_layout(&layout, 1, false, rooms);
	}
}

/* Rows that begin in the middle of a line: long ones of the source, and short ones in blocks. */
static void test_half_lines(const struct room rooms[3])
{
	for (int width = 4; width <= 16; width *= 2) {
		const int64_t half = 32 / width, run = 37 * half, short_run = 13 * half;
		const struct layout slim = { "transpose to half lines", 2, { 541, run - 3 },
			{ 1, 541 }, { run, 1 } };
		const struct layout blocks = { "transposes to half lines", 3,
			{ 3, 90, short_run - 1 }, { 90 * short_run, 1, 90 },
			{ 90 * short_run, short_run, 1 } };

		test_layout(&slim, width, false, rooms);
		test_layout(&slim, width, true, rooms);
		test_layout(&blocks, width, false, rooms);
		test_layout(&blocks, width, true, rooms);
	}
}

/*
 * Runs of short rows in the result, from two loops, some of which end with a small part before the
 * next run, and of which neighbours in the source are far apart or follow each other.
 */
static void test_runs(const struct room rooms[3])
{
	static const int64_t row_bytes[] = { 16, 31, 45, 64, 100, 501 };
	static const int64_t run_bytes[] = { 520, 980, 4100 };
	static const struct host_options options[] = {
		{ 1, INT64_MAX, "sse2", 0, false },
		{ 1, 0, "sse2", 0, false },
		{ 1, 0, "avx2", 0, false },
		{ 3, 0, "avx512", 0, false },
	};
	static const struct selection runs = { NULL, 0, options, ARRAY_SIZE(options) };
	struct layout layout = { .n_dims = 5 };
	char name[64];

	layout.name = name;
	selected = &runs;
	for (size_t k = 0; k < 2 * ARRAY_SIZE(row_bytes) * ARRAY_SIZE(run_bytes); k++) {
		const int64_t row = row_bytes[k / 2 % ARRAY_SIZE(row_bytes)];
		const int64_t n = run_bytes[k / 2 / ARRAY_SIZE(row_bytes)] / row + 1;
		const int64_t n_planes = k % 4 ? 2 + (int64_t)k % 7 : 13, near = 1 + (int64_t)k % 5,
			      gap = k % 2;
		const int64_t shape[] = { 2, near, n_planes, n, row };
		const int64_t step = 2 * (near * row + 3);
		const int64_t src[] = { step / 2, row, n * step, step, 1 };

		(void)snprintf(name, sizeof(name), "runs of %d rows of %d", (int)n, (int)row);
		memcpy(layout.src, src, sizeof(src));
		memcpy(layout.shape, shape, sizeof(shape));
		layout.dst[4] = 1;
		layout.dst[3] = row;
		layout.dst[2] = n * row;
		layout.dst[1] = n_planes * layout.dst[2] + gap * 7;
		layout.dst[0] = near * layout.dst[1];
		test_layout(&layout, 1, false, rooms);
		test_layout(&layout, 2, k % 3 == 0, rooms);
	}
	selected = &all_copies;
}

/*
 * Patches of images: few neighbours in the source become rows, forwards and backwards, and rows
 * become neighbours; of every number of items up to more than two vectors.
 */
static void test_patches(const struct room rooms[3])
{
	enum { MOST = 140, N_ROWS = 14, N_PATCHES = 3 };
	static const struct host_options options[] = { { 1, 0, "avx512", 0, false },
		{ 1, INT64_MAX, "avx512", 0, false } };
	static const struct selection patches = { NULL, 0, options, ARRAY_SIZE(options) };
	struct layout layout = { .n_dims = 4 };
	char name[64];

	layout.name = name;
	selected = &patches;
	for (int64_t n = 8; n < MOST; n++) {
		/* Fields of records of an odd size, each of two bytes. */
		const struct layout fields = { "patches of fields", 5,
			{ N_PATCHES, 3, N_ROWS, n, 2 }, { N_ROWS * n * 7, 2, n * 7, 7, 1 },
			{ N_ROWS * n * 6, N_ROWS * n * 2, n * 2, 2, 1 } };

		test_layout(&fields, 1, false, rooms);
	}
	for (int64_t n = 5; n < MOST; n++)
		for (int64_t n_near = 2; n_near <= 4; n_near++) {
			const int64_t plane = N_ROWS * n, patch = n * n_near, gap = n % 3;
			const int64_t shape[] = { N_PATCHES, n_near, N_ROWS, n };
			const int64_t near[] = { patch + gap, 1, N_PATCHES * (patch + gap),
				n_near };
			const int64_t planes[] = { n_near * plane, plane, n, 1 };
			const int64_t packed[] = { N_ROWS * patch, 1, patch, n_near };
			const bool is_swapped = n % 4 == 1;

			(void)snprintf(
				name, sizeof(name), "patches of %d times %d", (int)n, (int)n_near);
			memcpy(layout.shape, shape, sizeof(shape));
			memcpy(layout.src, near, sizeof(near));
			memcpy(layout.dst, planes, sizeof(planes));
			test_layout(&layout, 1, false, rooms);
			layout.src[1] = -1;
			test_layout(&layout, 2, is_swapped, rooms);
			memcpy(layout.src, planes, sizeof(planes));
			memcpy(layout.dst, packed, sizeof(packed));
			test_layout(&layout, 1, false, rooms);
			test_layout(&layout, 2, is_swapped, rooms);
		}
	selected = &all_copies;
}

/*
 * Rows of the result that begin at different offsets in a line, of every number of items after the
 * last whole line, from two units; and those of one unit.
 */
static void test_joined(const struct room rooms[3])
{
	enum { UNIT_BYTES = 2048 };
	static const struct host_options options[] = {
		{ 1, INT64_MAX, "sse2", 0, false },
		{ 1, 0, "avx512", 0, false },
		{ 3, 0, "avx512", 0, false },
		{ 1, 0, "avx2", 0, false },
	};
	static const struct selection joined = { NULL, 0, options, ARRAY_SIZE(options) };
	static const struct {
		int width;
		int64_t n_j;
	} rows[] = { { 1, 131 }, { 2, 163 }, { 4, 103 }, { 4, 641 }, { 8, 651 }, { 8, 512 } };
	struct layout layout = { .n_dims = 2 };
	char name[64];

	layout.name = name;
	layout.src[0] = layout.dst[1] = 1;
	selected = &joined;
	for (size_t k = 0; k < ARRAY_SIZE(rows); k++)
		for (int64_t n = 0, line = 64 / rows[k].width; n < line; n++) {
			const int64_t unit = UNIT_BYTES / rows[k].width;

			layout.shape[0] = layout.src[1] = rows[k].n_j;
			layout.shape[1] = n % 2 ? unit / 2 + n : unit + 2 * n;
			layout.dst[0] = layout.shape[1] + 1 + n % 3;
			(void)snprintf(name, sizeof(name), "%d rows of %d", (int)rows[k].n_j,
				(int)layout.shape[1]);
			test_layout(&layout, rows[k].width, rows[k].width > 1 && n % 4 > 1, rooms);
		}
	selected = &all_copies;
}

/* Copies with one row of the options from either end of a room; only the result is compared, and
 * what is behind it. */
static void try_from(const struct layout *layout, int width, const struct host_options *options,
	bool at_end, const struct room rooms[3])
{
	enum { BEHIND = 64 };
	struct comparison comparison;
	struct copy_plan plan;
	struct array from, to;
	struct err err;
	int n_behind = 0;
	char *end = rooms[1].first + width;

	make_pair(layout, width, false, &from, &to);
	place(&from, &rooms[0], at_end, 0);
	place(&to, &rooms[1], false, 0);
	for (int i = 0; i < to.n_dims; i++)
		end += (to.shape[i] - 1) * to.stride_bytes[i];
	memset(rooms[1].first, UNTOUCHED, (size_t)(end - rooms[1].first) + BEHIND);
	CHECK(!plan_make(&plan, &from, &to, &err), "%s", err.message);
	host_copy_with(
		&plan, (void *)(uintptr_t)from.pointer, (void *)(uintptr_t)to.pointer, options);
	compare_arrays(&comparison, &from, &to);
	for (int i = 0; i < BEHIND; i++)
		n_behind += (unsigned char)end[i] != UNTOUCHED;
	CHECK(comparison.equal && !n_behind, "%s of %d bytes, %s", layout->name, width,
		options->isa ? options->isa : "any");
}

static void try_once(const struct layout *layout, int width, const struct host_options *options,
	const struct room rooms[3])
{
	try_from(layout, width, options, false, rooms);
}

/* Neighbours of 1 and 2 bytes that become rows, from rows of the source that follow each other or
 * have gaps of few bytes between them. */
static void test_separated(const struct room rooms[3])
{
	enum { N_PLANES = 2, MOST_NEIGHBOURS = 64 };
	static const int64_t rows[] = { 24, 40, 41, 48, 127, 128, 200, 2200 }, gaps[] = { 0, 1, 9 };
	struct layout layout = { .n_dims = 3 };
	char name[64];
	size_t n = 0;

	layout.name = name;
	for (int64_t n_j = 2; n_j <= MOST_NEIGHBOURS; n_j++)
		for (size_t i = 0; i < ARRAY_SIZE(rows) * ARRAY_SIZE(gaps); i++) {
			const int64_t n_i = rows[i % ARRAY_SIZE(rows)];
			const int64_t gap = gaps[i / ARRAY_SIZE(rows)];

			(void)snprintf(name, sizeof(name), "%d neighbours in rows of %d, gap of %d",
				(int)n_j, (int)n_i, (int)gap);
			layout.shape[0] = N_PLANES;
			layout.shape[1] = n_j;
			layout.shape[2] = layout.dst[1] = n_i;
			layout.src[2] = n_j + gap;
			layout.src[0] = n_i * layout.src[2];
			layout.dst[0] = n_i * n_j;
			layout.src[1] = layout.dst[2] = 1;
			for (int width = 1; width <= 2; width++)
				for (int at_end = 0; at_end < 2; at_end++)
					try_from(&layout, width,
						&option_rows[n++ % ARRAY_SIZE(option_rows)], at_end,
						rooms);
		}
}

/* Many small matrices, from both ends of a room, with and without gaps between those of the source.
 */
static void test_matrices(const struct room rooms[3])
{
	enum { MOST_SIDE = 17, RESULT_BYTES = 17000, GAP = 3 };
	struct layout layout = { .n_dims = 3 };
	char name[64];
	size_t n = 0;

	layout.name = name;
	for (int64_t n_i = 2; n_i <= MOST_SIDE; n_i++)
		for (int64_t n_j = 2; n_j <= MOST_SIDE; n_j++) {
			(void)snprintf(
				name, sizeof(name), "matrices of %d by %d", (int)n_j, (int)n_i);
			layout.shape[1] = layout.src[2] = n_j;
			layout.shape[2] = layout.dst[1] = n_i;
			layout.dst[0] = n_i * n_j;
			layout.src[0] = n_i * n_j + (n_i + n_j) % 2 * GAP;
			layout.src[1] = layout.dst[2] = 1;
			for (int width = 1; width <= 8; width++) {
				layout.shape[0] = RESULT_BYTES / width / (n_i * n_j) + n % 5;
				try_from(&layout, width, &option_rows[n % ARRAY_SIZE(option_rows)],
					n / ARRAY_SIZE(option_rows) % 2, rooms);
				n++;
			}
		}
}

/* Neighbours that become long rows, of every number that is copied so and one more: contiguous
 * rows of the source, with gaps, large gaps and lines of dst, and reversed ones or neighbours. */
static void test_planes(const struct room rooms[3])
{
	enum { PLANE_BYTES = 16400, MOST_PLANES = 64, N_KINDS = 5 };
	static const int64_t gaps[N_KINDS] = { 0, 3, 90, 0, 1 };
	static const char *const kinds[N_KINDS] = { "", ", gaps", ", lines", ", reversed rows",
		", reversed" };
	struct layout layout = { .n_dims = 2 };
	char name[64];
	size_t n = 0;

	layout.name = name;
	layout.dst[1] = 1;
	for (int64_t n_j = 2; n_j <= MOST_PLANES; n_j++)
		for (int kind = 0; kind < N_KINDS; kind++) {
			(void)snprintf(name, sizeof(name), "%d planes%s", (int)n_j, kinds[kind]);
			layout.shape[0] = n_j;
			layout.src[0] = kind == 4 ? -1 : 1;
			layout.src[1] = (n_j + gaps[kind]) * (kind == 3 ? -1 : 1);
			for (int width = 1; width <= 16; width *= 2) {
				layout.shape[1] = PLANE_BYTES / width + 9;
				layout.dst[0] = layout.shape[1] + kind;
				if (kind == 2)
					layout.dst[0] += 64 - layout.dst[0] % 64;
				for (int at_end = 0; at_end < 2; at_end++)
					try_from(&layout, width,
						&option_rows[n++ % ARRAY_SIZE(option_rows)], at_end,
						rooms);
				if ((n_j == 3 || n_j == 4 || n_j % 9 == 5) && width > 1)
					test_layout(&layout, width, true, rooms);
			}
		}
}

/* Small transposes of every number of columns, with and without streaming stores. */
static void test_remainders(const struct room rooms[3])
{
	enum { N_PLANES = 20, MOST_COLUMNS = 300 };
	static const int64_t rows[] = { 3, 7, 8, 15, 16 };
	static const struct host_options cached[] = {
		{ 1, INT64_MAX, "sse2", 0, false },
		{ 1, INT64_MAX, "avx2", 0, false },
		{ 1, INT64_MAX, "avx512", 0, false },
	};
	struct layout layout = { .n_dims = 3 };
	char name[64];
	size_t n = 0;

	layout.name = name;
	for (int64_t n_i = 1; n_i <= MOST_COLUMNS; n_i++)
		for (size_t j = 0; j < ARRAY_SIZE(rows); j++) {
			(void)snprintf(name, sizeof(name), "%d of %d by %d", N_PLANES, (int)n_i,
				(int)rows[j]);
			layout.shape[0] = N_PLANES;
			layout.shape[1] = layout.src[2] = n_i;
			layout.shape[2] = layout.dst[1] = rows[j];
			layout.src[0] = layout.dst[0] = n_i * rows[j];
			layout.src[1] = layout.dst[2] = 1;
			for (int width = 1; width <= 16; width *= 2) {
				n++;
				try_once(&layout, width, &cached[n % ARRAY_SIZE(cached)], rooms);
				try_once(&layout, width, &option_rows[n % ARRAY_SIZE(option_rows)],
					rooms);
			}
		}
}

static void test_layouts(const struct room rooms[3])
{
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++)
		for (size_t k = 0; k < selected->n_widths; k++) {
			test_layout(&layouts[i], selected->widths[k], false, rooms);
			if (selected->widths[k] > 1)
				test_layout(&layouts[i], selected->widths[k], true, rooms);
		}
}

/* The layouts and widths whose copies share the most among threads. */
static void test_threads(const struct room rooms[3])
{
	selected = &thread_copies;
	test_layouts(rooms);
	selected = &all_copies;
}

static void test_most_threads(const struct room rooms[3])
{
	(void)rooms;
	CHECK(!setenv("SUAI_THREADS", "1000", 1), "setenv");
	CHECK(host_copy_threads(INT64_C(1) << 40) == HOST_MAX_THREADS, "%d",
		host_copy_threads(INT64_C(1) << 40));
	CHECK(host_copy_threads(1) == 1, "%d", host_copy_threads(1));
	unsetenv("SUAI_THREADS");
}

static const struct {
	const char *name;
	void (*run)(const struct room rooms[3]);
} tests[] = {
	{ "layouts", test_layouts }, { "small_transposes", test_small_transposes },
	{ "nests", test_nests }, { "repeats", test_repeats },
	{ "long_runs_of_rows", test_long_runs_of_rows }, { "rows", test_rows },
	{ "runs", test_runs }, { "patches", test_patches }, { "half_lines", test_half_lines },
	{ "joined", test_joined }, { "separated", test_separated }, { "planes", test_planes },
	{ "matrices", test_matrices }, { "remainders", test_remainders },
	{ "most_threads", test_most_threads },
	{ "threads", test_threads }, /* the last, only by name: the others cover it */
};

static bool is_named(const char *name, char **words)
{
	while (*words && strcmp(*words, name) != 0)
		words++;
	return *words;
}

int main(int argc, char **argv)
{
	struct room rooms[3];

	if (argc > 1 && !strcmp(argv[1], "help")) {
		for (size_t i = 0; i < ARRAY_SIZE(tests); i++)
			puts(tests[i].name);
		return 0;
	}
	for (int i = 0; i < 3; i++)
		make_room(&rooms[i], ROOM_BYTES);
	for (int64_t i = 0; i < ROOM_BYTES; i++)
		rooms[0].first[i] = (char)((uint64_t)i * 2654435761U % UNTOUCHED);
	for (size_t i = 0; i < ARRAY_SIZE(tests); i++)
		if (argc > 1 ? is_named(tests[i].name, argv + 1) : tests[i].run != test_threads)
			tests[i].run(rooms);
	return test_end();
}
