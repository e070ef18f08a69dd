// SPDX-License-Identifier: MIT
/* Which kernel copies which layout, and how plans are split to fit 32 bits. */
#include "base/array_size.h"
#include "copy/kernels/kernel_code.h"
#include "copy/kernels/kernel_decode.h"
#include "copy/kernels/kernel_memo.h"

#include "base/random_test.h"
#include "base/test.h"
#include "copy/kernels/kernel_block.h"

#include <string.h>

struct layout {
	const char *kernel;
	int64_t item_bytes;
	int n_launches;
	int n_dims;
	int64_t shape[8], src_stride_bytes[8]; /* the destination is in C order */
	uint64_t src;
	int64_t swap_bits; /* positive: the elements are integers of foreign byte order */
};

static const struct layout layouts[] = {
	{ "gather16", 4, 1, 2, { 100000, 1000 }, { 4096, 4 }, 0, 0 },
	{ "flat4", 4, 1, 2, { 100000, 999 }, { 4096, 4 }, 4, 0 },
	{ "rows1", 1, 1, 2, { 100000, 999 }, { 4096, 1 }, 1, 0 },
	{ "flat8", 8, 1, 1, { 4096000 }, { 8 }, 8, 64 },
	{ "gather16", 8, 1, 1, { 4096000 }, { 8 }, 0, 64 },
	{ "fill4", 4, 1, 2, { 4096, 32768 }, { 4, 0 }, 0, 0 },
	{ "gather4", 4, 1, 2, { 100, 1000 }, { 4, 0 }, 0, 0 },
	{ "gather16", 16, 1, 3, { 2222, 435, 6 }, { 6960, 16, 0 }, 0, 0 },
	{ "gather4", 4, 1, 2, { 100, 3 }, { 4, 0 }, 0, 0 },
	{ "gather4", 4, 1, 2, { 10, 3 }, { 4, 0 }, 0, 0 },
	{ "transpose1", 1, 1, 2, { 32768, 32768 }, { 1, 32768 }, 0, 0 },
	{ "turn1", 1, 1, 2, { 10000, 3000 }, { 1, 10000 }, 0, 0 },
	{ "square4", 4, 1, 2, { 1000, 3000 }, { 4, 4000 }, 0, 0 },
	{ "transpose4", 4, 1, 2, { 1000, 3000 }, { -4, 4000 }, 3996, 0 },
	{ "transpose2", 2, 1, 4, { 160, 128, 96, 112 }, { 2, 35840, 4587520, 320 }, 0, 0 },
	{ "transpose16", 16, 1, 2, { 1000, 3000 }, { 16, 16000 }, 0, 0 },
	{ "interleave3_1", 1, 1, 3, { 2, 1 << 20, 3 }, { 3 << 20, 1, 1 << 20 }, 0, 0 },
	{ "interleave3_4", 4, 1, 3, { 64, 1 << 18, 3 }, { 3 << 20, 4, 1 << 20 }, 0, 0 },
	{ "interleave3_4", 4, 1, 2, { 1 << 20, 3 }, { 4, 4 << 20 }, 0, 0 },
	{ "deinterleave3_2", 2, 1, 2, { 3, 1 << 20 }, { 2, 6 }, 0, 0 },
	{ "gather8", 8, 1, 1, { 1000 }, { 16 }, 0, 0 },
	{ "gather8", 8, 1, 1, { 1000 }, { -8 }, 7992, 0 },
	{ "flat8", 8, 1, 1, { KERNEL_MAX_COUNT }, { 16 }, 0, 0 },
	{ "gather1", 1, 1, 1, { 1000 }, { 2 }, 0, 0 },
	{ "pack1", 1, 1, 1, { 40000000 }, { 2 }, 0, 0 },
	{ "flat1", 1, 1, 1, { 1000000 }, { 2 }, 0, 0 },
	{ "flat1", 1, 1, 2, { 2000000, 3 }, { 5, 1 }, 0, 0 },
	{ "gather1", 1, 1, 1, { 1000 }, { -1 }, 999, 0 },
	{ "reverse1", 1, 1, 1, { 10000000 }, { -1 }, 9999999, 0 },
	{ "reverse2", 2, 1, 2, { 1000, 100000 }, { 200000, -2 }, 199998, 16 },
	{ "flat2", 2, 1, 2, { 100000, 68 }, { 136, -2 }, 134, 0 },
	{ "flat4", 4, 1, 1, { 1000000 }, { 8 }, 0, 0 },
	{ "gather4", 4, 1, 1, { 3 }, { 8 }, 0, 0 },
	{ "flat2_small", 2, 1, 1, { 1000000 }, { -4 }, 3999996, 0 },
	{ "gather4", 12, 1, 2, { 10, 100 }, { 12, 120 }, 0, 0 },
	{ "block4_pairs", 12, 1, 2, { 3000, 3000 }, { 12, 36000 }, 0, 0 },
	{ "pack1", 4, 1, 1, { 1000000 }, { 8 }, 1, 32 },
	/* More loops than arguments; strides and loops that exceed 32 bits. */
	{ "gather2", 2, 1, 7, { 2, 3, 4, 5, 6, 7, 5 }, { 4, 16, 270, 4800, 99990, 599988, 16 }, 0,
		0 },
	{ "gather16", 1, 4, 2, { 4, 4096 }, { INT64_C(1) << 33, 1 }, 0, 0 },
	{ "flat4", 4, 2, 1, { 8 * KERNEL_MAX_COUNT + 5 }, { 8 }, 0, 0 },
};

struct runs {
	const struct kernel *kernel;
	int n_launches;
	int64_t src_offset_bytes;
};

static int note(void *context, const struct kernel_launch *launch, struct err *err)
{
	struct runs *runs = context;

	(void)err;
	if (!runs->n_launches++)
		runs->kernel = launch->kernel;
	runs->src_offset_bytes = launch->arguments[ARG_SRC_OFFSET];
	CHECK(launch->n_groups > 0, "%s", launch->kernel->name);
	return 0;
}

static void make_pair(const struct layout *layout, struct array *from, struct array *to)
{
	*from = (struct array){
		.dtype = { .kind = layout->swap_bits ? DTYPE_UINT : DTYPE_VOID,
			.bits = layout->item_bytes * 8,
			.lanes = 1,
			.foreign_order = layout->swap_bits > 0 },
		.n_dims = layout->n_dims,
	};
	memcpy(from->shape, layout->shape, sizeof(layout->shape));
	memcpy(from->stride_bytes, layout->src_stride_bytes, sizeof(layout->shape));
	*to = *from;
	to->dtype.foreign_order = false;
	array_set_compact_strides(to, 'C');
}

static void test_choice(void)
{
	struct array from, to;
	struct copy_plan plan;
	struct err err = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		const struct layout *layout = &layouts[i];
		struct runs runs = { 0 };

		make_pair(layout, &from, &to);
		CHECK(!plan_make(&plan, &from, &to, &err), "%s", err.message);
		CHECK(!kernel_launches(
			      &plan, layout->src, 0, KERNEL_MAX_ARGUMENTS, note, &runs, &err),
			"layout %zu: %s", i, err.message);
		CHECK(runs.kernel && !strcmp(runs.kernel->name, layout->kernel),
			"layout %zu: %s, not %s", i, runs.kernel ? runs.kernel->name : "none",
			layout->kernel);
		CHECK(runs.n_launches == layout->n_launches, "layout %zu: %d launches", i,
			runs.n_launches);
	}
}

/* A vector of a FLAT may have items of two positions of the outer loops, not of more. */
static void test_flat(void)
{
	static const struct layout windows = { "flat1_small", 1, 1, 3, { 1000, 2, 3 }, { 50, 1, 7 },
		0, 0 };
	struct kernel_launch launch;
	struct array from, to;
	struct copy_plan plan;
	struct err err = { 0 };

	make_pair(&windows, &from, &to);
	CHECK(!plan_make(&plan, &from, &to, &err), "%s", err.message);
	CHECK(!kernel_launch_with(&launch, kernel_find("flat1"), &plan, 0, 0, KERNEL_MAX_ARGUMENTS),
		"8 items of rows of 6");
	CHECK(kernel_launch_with(
		      &launch, kernel_find("flat1_small"), &plan, 0, 0, KERNEL_MAX_ARGUMENTS),
		"4 items of rows of 6");
	CHECK(launch.arguments[ARG_TOTAL] == 1500, "%lld vectors",
		(long long)launch.arguments[ARG_TOTAL]);
	to.stride_bytes[0]++;
	CHECK(!plan_make(&plan, &from, &to, &err), "%s", err.message);
	CHECK(!kernel_launch_with(
		      &launch, kernel_find("flat1_small"), &plan, 0, 0, KERNEL_MAX_ARGUMENTS),
		"a destination with gaps");
}

/* A SQUARE writes whole vectors; of items of one and two bytes, it reads words and parts of
 * squares. */
static void test_square(void)
{
	static const struct {
		const char *kernel;
		struct layout layout;
		bool fits;
	} cases[] = {
		{ "square4", { "", 4, 1, 2, { 1000, 3000 }, { 4, 4000 }, 0, 0 }, true },
		{ "square4", { "", 4, 1, 2, { 1000, 3001 }, { 4, 4000 }, 0, 0 }, false },
		{ "square4", { "", 4, 1, 2, { 999, 3000 }, { 4, 3996 }, 0, 0 }, false },
		{ "square4", { "", 4, 1, 2, { 1000, 3000 }, { 4, 4000 }, 4, 0 }, false },
		{ "square4", { "", 4, 1, 2, { 1000, 3000 }, { 8, 8000 }, 0, 0 }, false },
		{ "square2", { "", 2, 1, 2, { 999, 3000 }, { 2, 1998 }, 2, 0 }, true },
		{ "square2", { "", 2, 1, 2, { 999, 3002 }, { 2, 1998 }, 0, 0 }, false },
		{ "square1", { "", 1, 1, 2, { 7, 3000 }, { 1, 7 }, 3, 0 }, true },
	};
	struct kernel_launch launch;
	struct array from, to;
	struct copy_plan plan;
	struct err err = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		make_pair(&cases[i].layout, &from, &to);
		CHECK(!plan_make(&plan, &from, &to, &err), "%s", err.message);
		CHECK(kernel_launch_with(&launch, kernel_find(cases[i].kernel), &plan,
			      cases[i].layout.src, 0, KERNEL_MAX_ARGUMENTS) == cases[i].fits,
			"case %zu", i);
	}
}

/* The bytes that a plan reads, from its source offset on. */
struct source_bytes {
	int64_t begin, end;
	int n_checked;
};

static void check_source_bytes(void *context, const struct kernel_launch *launch, double ns)
{
	struct source_bytes *bytes = context;

	(void)ns;
	if (kernel_has_blocks(launch->kernel))
		return;
	bytes->n_checked++;
	CHECK(launch->arguments[ARG_SRC_BEGIN] == bytes->begin &&
			launch->arguments[ARG_SRC_END] == bytes->end,
		"%s: %lld to %lld, not %lld to %lld", launch->kernel->name,
		(long long)launch->arguments[ARG_SRC_BEGIN],
		(long long)launch->arguments[ARG_SRC_END], (long long)bytes->begin,
		(long long)bytes->end);
}

/* The bytes that a kernel may read are all bytes of the source, and no others. */
static void test_source_bytes(void)
{
	int n_checked = 0;

	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		struct source_bytes bytes = { 0 };
		struct array from, to;
		struct copy_plan plan, widened;
		struct err err = { 0 };

		make_pair(&layouts[i], &from, &to);
		CHECK(!plan_make(&plan, &from, &to, &err), "%s", err.message);
		widened = plan;
		plan_widen(&widened, layouts[i].src, 0);
		bytes.end = widened.item_bytes;
		for (int k = 0; k < widened.n_loops; k++) {
			const struct copy_loop *loop = &widened.loops[k];

			*(loop->src_stride_bytes < 0 ? &bytes.begin : &bytes.end) +=
				(loop->n - 1) * loop->src_stride_bytes;
		}
		kernel_each_launch(&plan, layouts[i].src, 0, check_source_bytes, &bytes);
		n_checked += bytes.n_checked;
	}
	CHECK(n_checked > (int)ARRAY_SIZE(layouts), "%d launches", n_checked);
}

/* The last launch of a long loop is its remainder. */
static void test_pieces(void)
{
	const struct layout *layout = &layouts[ARRAY_SIZE(layouts) - 1];
	struct array from, to;
	struct copy_plan plan;
	struct runs runs = { 0 };
	struct err err = { 0 };

	make_pair(layout, &from, &to);
	CHECK(!plan_make(&plan, &from, &to, &err) &&
			!kernel_launches(&plan, 0, 0, KERNEL_MAX_ARGUMENTS, note, &runs, &err),
		"%s", err.message);
	CHECK(runs.src_offset_bytes == INT64_C(8) * 8 * KERNEL_MAX_COUNT, "offset %lld",
		(long long)runs.src_offset_bytes);
}

static int keep_last(void *context, const struct kernel_launch *launch, struct err *err)
{
	struct kernel_launch *last = context;

	(void)err;
	*last = *launch;
	return 0;
}

static bool is_same_launch(const struct kernel_launch *a, const struct kernel_launch *b)
{
	return a->kernel == b->kernel && a->n_groups == b->n_groups &&
	       a->n_arguments == b->n_arguments &&
	       !memcmp(a->arguments, b->arguments,
		       (size_t)a->n_arguments * sizeof(a->arguments[0]));
}

/* A launch that was kept for other addresses and offsets equals one that is planned anew. */
static void check_kept(const struct layout *layout, int64_t src_shift, int64_t dst_shift)
{
	struct array from, to;
	struct copy_plan plan, shifted;
	struct kernel_launch first, planned, kept;
	struct err err = { 0 };

	make_pair(layout, &from, &to);
	CHECK(!plan_make(&plan, &from, &to, &err), "%s", err.message);
	shifted = plan;
	shifted.src_offset_bytes += src_shift;
	shifted.dst_offset_bytes += dst_shift;
	kernel_memo_clear();
	(void)kernel_launches(
		&shifted, layout->src, 0, KERNEL_MAX_ARGUMENTS, keep_last, &planned, &err);
	kernel_memo_clear();
	(void)kernel_launches(&plan, layout->src, 0, KERNEL_MAX_ARGUMENTS, keep_last, &first, &err);
	(void)kernel_launches(
		&shifted, layout->src + 4096, 8192, KERNEL_MAX_ARGUMENTS, keep_last, &kept, &err);
	CHECK(is_same_launch(&planned, &kept), "%s: shifted by %lld and %lld bytes", layout->kernel,
		(long long)src_shift, (long long)dst_shift);
}

static void test_kept(void)
{
	static const int64_t shifts[] = { 0, 1, 4, 16, 60, 64, 4096, -64, -2 };

	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++)
		for (size_t k = 0; k < ARRAY_SIZE(shifts); k++)
			check_kept(&layouts[i], shifts[k], shifts[ARRAY_SIZE(shifts) - 1 - k]);
}

/* The launches of other limits and byte orders, and of evicted plans, are planned anew. */
static void test_not_kept(void)
{
	struct array from, to;
	struct copy_plan plan;
	struct kernel_launch launch, again;
	struct err err = { 0 };

	kernel_memo_clear();
	for (int round = 0; round < 2; round++)
		for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
			struct kernel_memo_key key = { &plan, layouts[i].src, 0,
				KERNEL_FEW_ARGUMENTS };

			make_pair(&layouts[i], &from, &to);
			CHECK(!plan_make(&plan, &from, &to, &err), "%s", err.message);
			CHECK(!kernel_launches(&plan, layouts[i].src, 0, KERNEL_MAX_ARGUMENTS,
				      keep_last, &launch, &err),
				"%s", err.message);
			plan_widen(&plan, layouts[i].src, 0);
			CHECK(!kernel_memo_find(&again, &key), "%s with fewer arguments",
				layouts[i].kernel);
			key.max_arguments = KERNEL_MAX_ARGUMENTS;
			plan.swap_bytes ^= 2;
			CHECK(!kernel_memo_find(&again, &key), "%s with another byte order",
				layouts[i].kernel);
			plan.swap_bytes ^= 2;
			CHECK(kernel_memo_find(&again, &key) == (layouts[i].n_launches == 1),
				"%s is kept", layouts[i].kernel);
		}
}

/* --- boxes, as cl/block.cl interprets their arguments --- */

enum { DRAWN = 1500, MAX_BOX_ITEMS = 1 << 15, SAMPLED_GROUPS = 4 };

static int n_word_groups, n_cut_both, n_long, n_skewed;

/* What column of a list of up to four dimensions, each of width arguments, adds up to. */
static int64_t list_sum(const int64_t *list, int width, int column, int64_t index)
{
	int64_t sum = 0;

	for (int i = 0; i < BLOCK_MAX_DIMS; i++, list += width) {
		int64_t n = (uint32_t)list[0], at = i < BLOCK_MAX_DIMS - 1 ? index % n : index;

		sum += at * list[column];
		index /= n;
	}
	return sum;
}

static int64_t cut(const int64_t *arguments, int64_t tile, int unit)
{
	int64_t left = arguments[0] - tile * arguments[1];

	return (left < arguments[1] ? left : arguments[1]) * arguments[unit];
}

/* The offset in the source of the element at an offset in a destination in C order; -1: none. */
static int64_t source_of(const struct copy_plan *plan, int64_t dst)
{
	int64_t src = plan->src_offset_bytes, rest = dst - plan->dst_offset_bytes;

	for (int i = 0; i < plan->n_loops; i++) {
		int64_t at = rest / plan->loops[i].dst_stride_bytes;

		if (rest < 0 || at >= plan->loops[i].n)
			return INT64_MIN;
		src += at * plan->loops[i].src_stride_bytes;
		rest -= at * plan->loops[i].dst_stride_bytes;
	}
	return rest ? INT64_MIN : src;
}

/*
 * Checks that the words of memory that a group reads are in the source, if it reads words. src: low
 * bits of the address of element 0,0,...
 */
static void check_words(const struct kernel_launch *launch, const struct copy_plan *plan,
	uint64_t src, int64_t from, int64_t n_x, int64_t n_rows)
{
	const int64_t *arguments = launch->arguments;
	int64_t base = (int64_t)src, begin = base + plan->src_offset_bytes, end = begin;
	int64_t first = INT64_MAX, last = INT64_MIN, vector = launch->kernel->vector_items;

	if ((uint64_t)(from - arguments[BLOCK_SRC_OFFSET] - arguments[BLOCK_INSIDE]) >=
		(uint64_t)arguments[BLOCK_N_INSIDE])
		return;
	n_word_groups++;
	for (int i = 0; i < plan->n_loops; i++) {
		int64_t reach = (plan->loops[i].n - 1) * plan->loops[i].src_stride_bytes;

		*(reach < 0 ? &begin : &end) += reach;
	}
	for (int64_t i = 0; i < n_rows; i++) {
		int64_t row = base + from + list_sum(&arguments[BLOCK_R], 2, 1, i);

		first = row < first ? row : first;
		last = row > last ? row : last;
	}
	last += list_sum(&arguments[BLOCK_X], 2, 1, (n_x - 1) / vector * vector);
	last = (last & ~INT64_C(3)) + vector * plan->item_bytes + 4; /* load_words() */
	end += plan->item_bytes;
	CHECK((first & ~INT64_C(3)) >= begin && last <= end,
		"%s: words of %lld to %lld, source from %lld to %lld", launch->kernel->name,
		(long long)first, (long long)last, (long long)begin, (long long)end);
}

/* 1 if a list has several dimensions, whose offsets are in a table in local memory; otherwise 0. */
static int64_t has_table(const int64_t *list, int width)
{
	return (uint32_t)list[width] > 1;
}

/* Where a group begins. */
struct group_place {
	int64_t tile0, tile1, from, to;
};

static bool find_group(
	struct group_place *origin, const struct kernel_launch *launch, int64_t group)
{
	const int64_t *arguments = launch->arguments, *tiles = &arguments[BLOCK_TILES];
	bool y_first = arguments[BLOCK_FLAGS] & KERNEL_FLAG_CUT_Y_FIRST;
	int64_t n0 = (uint32_t)tiles[0], n1 = (uint32_t)tiles[3];

	origin->tile0 = y_first ? group / n1 % n0 : group % n0;
	origin->tile1 = y_first ? group % n1 : group / n0 % n1;
	origin->from =
		arguments[BLOCK_SRC_OFFSET] + origin->tile0 * tiles[1] + origin->tile1 * tiles[4];
	origin->to =
		arguments[BLOCK_DST_OFFSET] + origin->tile0 * tiles[2] + origin->tile1 * tiles[5];
	group /= n0 * n1;
	for (int i = BLOCK_TILES + 6; i + 2 < launch->n_arguments; i += 3) {
		origin->from += group % (uint32_t)arguments[i] * arguments[i + 1];
		origin->to += group % (uint32_t)arguments[i] * arguments[i + 2];
		group /= (uint32_t)arguments[i];
	}
	CHECK(!group, "%s: group beyond the tiles", launch->kernel->name);
	return !group;
}

/* Of a TURN, whose tiles begin anywhere in a run if they are skewed. */
static int64_t check_turn(const struct kernel_launch *launch, const struct copy_plan *plan,
	uint64_t src, const struct group_place *origin)
{
	const int64_t *arguments = launch->arguments;
	const struct kernel *kernel = launch->kernel;
	bool skewed = arguments[BLOCK_FLAGS] & KERNEL_FLAG_SKEWED;
	int64_t v = kernel->vector_items, before = skewed ? 32 / kernel->item_bytes : 0;
	int64_t n_x = cut(&arguments[BLOCK_CUT_X], origin->tile0, 2);
	int64_t n_y = cut(&arguments[BLOCK_CUT_Y], origin->tile1, 2), n_wrong = 0;
	int64_t first =
		skewed ? origin->tile1 * arguments[BLOCK_CUT_Y + 1] * arguments[BLOCK_CUT_Y + 2]
		       : 0;
	int64_t lanes_x = (uint32_t)arguments[BLOCK_X_LANES];
	int64_t lanes_y = (uint32_t)arguments[BLOCK_Y_LANES], read = lanes_y - (skewed ? 0 : 1);
	int64_t pitch = arguments[BLOCK_PITCH] & UINT32_MAX, turn = arguments[BLOCK_PITCH] >> 32;
	int64_t rows = lanes_x * v;

	CHECK(n_x <= rows && n_y + before <= read * v && rows <= 256 && read * v <= 1024 &&
			lanes_y <= KERNEL_GROUP_ITEMS &&
			lanes_x * read <= (int64_t)KERNEL_GROUP_ITEMS * kernel->n &&
			pitch >= lanes_y &&
			rows * pitch + rows / 16 * turn + 10 <=
				KERNEL_GROUP_ITEMS * (int64_t)kernel->n * v * 9 / 8,
		"%s: %lld by %lld, pitch %lld", kernel->name, (long long)n_x, (long long)n_y,
		(long long)pitch);
	for (int64_t y = 0; y < n_y; y++)
		check_words(launch, plan, src,
			origin->from + list_sum(&arguments[BLOCK_R], 2, 1, first + y), n_x, 1);
	for (int64_t i = 0; i < n_x * n_y; i++)
		n_wrong +=
			source_of(plan, origin->to + list_sum(&arguments[BLOCK_Q], 3, 1, i % n_x) +
						i / n_x * kernel->item_bytes) !=
			origin->from + list_sum(&arguments[BLOCK_X], 2, 1, i % n_x) +
				list_sum(&arguments[BLOCK_R], 2, 1, first + i / n_x);
	CHECK(!n_wrong, "%s: %lld of %lld", kernel->name, (long long)n_wrong,
		(long long)(n_x * n_y));
	n_skewed += skewed;
	return n_x * n_y;
}

/* Checks that a group writes elements where they belong; gives their number. */
static int64_t check_group(const struct kernel_launch *launch, const struct copy_plan *plan,
	uint64_t src, int64_t group)
{
	static int64_t local[MAX_BOX_ITEMS];
	const int64_t *arguments = launch->arguments;
	const struct kernel *kernel = launch->kernel;
	struct group_place origin;
	bool is_block = kernel->shape == KERNEL_BLOCK;
	bool cut_both;
	bool long_x = arguments[BLOCK_FLAGS] & KERNEL_FLAG_LONG_X;
	bool long_y = arguments[BLOCK_FLAGS] & KERNEL_FLAG_LONG_Y;
	int64_t lanes_x = (uint32_t)arguments[BLOCK_X_LANES], row_x, row_y, n_items, has_x_table;
	int64_t lanes_y = (uint32_t)arguments[BLOCK_Y_LANES];
	int64_t tile0, tile1, n_x, n_y, r, q, from, to;
	int64_t capacity = KERNEL_GROUP_ITEMS * (int64_t)kernel->n * kernel->vector_items * 9 / 8;
	int64_t side = (int64_t)kernel->n * kernel->vector_items, n_wrong = 0;

	if (!find_group(&origin, launch, group))
		return 0;
	if (kernel->shape == KERNEL_TURN)
		return check_turn(launch, plan, src, &origin);
	tile0 = origin.tile0;
	tile1 = origin.tile1;
	from = origin.from;
	to = origin.to;
	cut_both = arguments[BLOCK_FLAGS] & KERNEL_FLAG_CUT_BOTH;
	n_cut_both += cut_both;
	n_x = cut(&arguments[BLOCK_CUT_X], tile0, 2);
	n_y = cut(&arguments[BLOCK_CUT_Y], cut_both ? tile0 : tile1, 2);
	row_x = long_x ? lanes_x * kernel->vector_items : n_x;
	row_y = long_y ? lanes_y * kernel->vector_items : n_y;
	n_long += long_x + long_y;
	q = long_y     ? (n_y + row_y - 1) / row_y
	    : cut_both ? arguments[BLOCK_CUT_X + 3]
		       : cut(&arguments[BLOCK_CUT_X], tile0, 3);
	r = long_x     ? (n_x + row_x - 1) / row_x
	    : cut_both ? arguments[BLOCK_CUT_Y + 3]
		       : cut(&arguments[BLOCK_CUT_Y], tile1, 3);
	n_items = long_x ? n_x : n_x * r;
	CHECK(is_block ? r <= BLOCK_MAX_ROWS && q <= BLOCK_MAX_ROWS &&
				 n_items == (long_y ? n_y : n_y * q)
		       : n_x <= side && n_y <= side,
		"%s: %lld by %lld, %lld by %lld", kernel->name, (long long)n_x, (long long)r,
		(long long)n_y, (long long)q);
	if (!is_block) {
		check_words(launch, plan, src, from, n_x, n_y);
		for (int64_t i = 0; i < n_x * n_y; i++)
			n_wrong += source_of(plan,
					   to + list_sum(&arguments[BLOCK_Q], 3, 1, i % n_x) +
						   list_sum(&arguments[BLOCK_Y], 3, 1, i / n_x)) !=
				   from + list_sum(&arguments[BLOCK_X], 2, 1, i % n_x) +
					   list_sum(&arguments[BLOCK_R], 2, 1, i / n_x);
		CHECK(!n_wrong, "%s: %lld of %lld", kernel->name, (long long)n_wrong,
			(long long)(n_x * n_y));
		return n_x * n_y;
	}
	has_x_table = has_table(&arguments[BLOCK_X], 2);
	if (arguments[BLOCK_FLAGS] & KERNEL_FLAG_SRC_WORDS) {
		has_x_table = 0;
		check_words(launch, plan, src, from, row_x, r);
	}
	CHECK(4 * (has_x_table * n_x +
			  has_table(&arguments[BLOCK_Y], 3) * 2 * (row_y < n_y ? row_y : n_y)) <=
			capacity * kernel->item_bytes,
		"%s: tables of %lld and %lld", kernel->name, (long long)n_x, (long long)n_y);
	memset(local, 0, sizeof(local));
	for (int64_t i = 0; i < n_items; i++) {
		int64_t place = i / row_x * arguments[BLOCK_PITCH] + i % row_x;

		n_wrong += place >= capacity || local[place];
		local[place] = from + list_sum(&arguments[BLOCK_X], 2, 1, i % row_x) +
			       list_sum(&arguments[BLOCK_R], 2, 1, i / row_x);
		local[place] = local[place] * 2 + 1; /* not 0 */
	}
	for (int64_t i = 0; i < n_items; i++) {
		const int64_t *y = &arguments[BLOCK_Y], *rows = &arguments[BLOCK_Q];
		int64_t place = list_sum(y, 3, 2, i % row_y) + list_sum(rows, 3, 2, i / row_y);
		int64_t dst = list_sum(y, 3, 1, i % row_y) + list_sum(rows, 3, 1, i / row_y);

		n_wrong += local[place] != source_of(plan, to + dst) * 2 + 1;
		local[place] = 0;
	}
	CHECK(!n_wrong, "%s: %lld of %lld", kernel->name, (long long)n_wrong, (long long)n_items);
	return n_items;
}

static void check_boxes(const struct kernel *kernel, const struct copy_plan *plan, uint64_t src)
{
	struct copy_plan wide = *plan;
	struct kernel_launch launch;
	int64_t n_items = 1, n_seen = 0;

	if (!kernel_has_blocks(kernel) ||
		!kernel_launch_with(&launch, kernel, plan, src, 0, KERNEL_MAX_ARGUMENTS))
		return;
	plan_widen(&wide, src, 0);
	for (int i = 0; i < wide.n_loops; i++)
		n_items *= wide.loops[i].n;
	if (launch.n_groups <= 2 * SAMPLED_GROUPS) {
		for (uint32_t i = 0; i < launch.n_groups; i++)
			n_seen += check_group(&launch, &wide, src, i);
		CHECK(n_seen == n_items, "%s: %lld of %lld", kernel->name, (long long)n_seen,
			(long long)n_items);
		return;
	}
	for (int i = 0; i < SAMPLED_GROUPS; i++)
		(void)check_group(&launch, &wide, src,
			i ? pick(launch.n_groups) : (int64_t)launch.n_groups - 1);
}

/* Groups that follow each other read neighbouring pieces of 96 bytes of the source, and write
 * neighbouring rows, where both can be: 6 of 300 positions along the destination, then 5 of 75
 * along the source. */
static void test_patches(void)
{
	const struct layout short_pieces = { .item_bytes = 1,
		.n_dims = 4,
		.shape = { 96, 75, 300, 96 },
		.src_stride_bytes = { 1, 96, 7200, 2160000 } };
	const struct layout whole_lines = { .item_bytes = 1,
		.n_dims = 4,
		.shape = { 128, 75, 300, 96 },
		.src_stride_bytes = { 1, 128, 9600, 2880000 } };
	const struct {
		const struct layout *layout;
		int64_t group, from, to;
	} places[] = {
		{ &short_pieces, 1, 7200, 96 },
		{ &short_pieces, 6, 96, 28800 },
		{ &short_pieces, 30, INT64_C(6) * 7200, INT64_C(6) * 96 },
		{ &short_pieces, INT64_C(30) * 50, INT64_C(5) * 96, INT64_C(5) * 28800 },
		{ &whole_lines, 1, 9600, 96 },
		{ &whole_lines, 6, INT64_C(6) * 9600, INT64_C(6) * 96 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		struct kernel_launch launch;
		struct group_place place;
		struct copy_plan plan;
		struct array from, to;
		struct err err;

		make_pair(places[i].layout, &from, &to);
		CHECK(!plan_make(&plan, &from, &to, &err), "%s", err.message);
		CHECK(kernel_launch_with(&launch, kernel_find("transpose1"), &plan, 0, 0,
			      KERNEL_MAX_ARGUMENTS),
			"transpose1 %zu", i);
		CHECK(find_group(&place, &launch, places[i].group), "place %zu", i);
		CHECK(place.from == places[i].from && place.to == places[i].to,
			"group %lld: %lld to %lld", (long long)places[i].group,
			(long long)place.from, (long long)place.to);
	}
}

/* Layouts of up to 2^36 elements with every kernel that copies them in boxes. */
/* The transpose of a matrix. */
static struct layout transposed(int64_t item_bytes, int64_t n_rows, int64_t n_columns)
{
	return (struct layout){ .item_bytes = item_bytes,
		.n_dims = 2,
		.shape = { n_columns, n_rows },
		.src_stride_bytes = { item_bytes, n_columns * item_bytes } };
}

/*
 * The second group writes next to the first, unless the pieces of rows that a group reads are not
 * what memory delivers at a time, and the next ones would be read much later: then it reads next to
 * the first.
 */
static void test_order(void)
{
	const struct {
		const char *kernel;
		int64_t item_bytes, n_rows, n_columns;
		bool writes_next;
	} matrices[] = {
		{ "transpose4", 4, 7264, 7264, true },
		{ "transpose8", 8, 676, 169478, true },
		{ "turn1", 1, 2384, 155189, true },
		{ "turn1", 1, 361055, 166, false },
		{ "turn1", 1, 1334833, 779, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(matrices); i++) {
		const struct layout layout = transposed(
			matrices[i].item_bytes, matrices[i].n_rows, matrices[i].n_columns);
		int64_t row_bytes = matrices[i].n_rows * matrices[i].item_bytes;
		struct kernel_launch launch;
		struct group_place place;
		struct copy_plan plan;
		struct array from, to;
		struct err err;

		make_pair(&layout, &from, &to);
		CHECK(!plan_make(&plan, &from, &to, &err), "%s", err.message);
		CHECK(kernel_launch_with(&launch, kernel_find(matrices[i].kernel), &plan, 0, 0,
			      KERNEL_MAX_ARGUMENTS),
			"%s %zu", matrices[i].kernel, i);
		CHECK(find_group(&place, &launch, 1), "place %zu", i);
		CHECK((place.to < row_bytes) == matrices[i].writes_next,
			"%s %zu: the second group writes at %lld", matrices[i].kernel, i,
			(long long)place.to);
	}
}

static void test_boxes(void)
{
	static const int64_t sizes[] = { 1, 2, 4, 8, 16, 3, 12 };
	struct copy_plan plan;
	struct err err;

	for (int64_t i = 2; i <= 16;
		i++) { /* rows of a few items, which leave room for long columns */
		const int64_t n = i / 2, item_bytes = 1 + i % 2;
		struct layout narrow = { .item_bytes = item_bytes,
			.n_dims = 2,
			.shape = { n, 131072 },
			.src_stride_bytes = { item_bytes, n * item_bytes } };
		struct array from, to;

		make_pair(&narrow, &from, &to);
		CHECK(!plan_make(&plan, &from, &to, &err), "%s", err.message);
		for (const struct kernel *kernel = kernels; kernel->name; kernel++)
			check_boxes(kernel, &plan, 0);
	}
	for (int i = 0; i < DRAWN; i++) {
		struct layout layout = { .item_bytes = sizes[pick(ARRAY_SIZE(sizes))],
			.n_dims = 2 + (int)pick(7) };
		int64_t most = (pick(2) ? 36 : 18) / layout.n_dims, stride = layout.item_bytes;
		struct array from, to;
		int order[8] = { 0 };

		for (int j = 0; j < layout.n_dims; j++) {
			int at = (int)pick(j + 1);

			layout.shape[j] = 2 + pick(INT64_C(1) << (1 + pick(most)));
			order[j] = order[at];
			order[at] = j;
		}
		for (int j = 0; j < layout.n_dims; j++) {
			layout.src_stride_bytes[order[j]] = pick(6) ? stride : 2 * stride;
			stride = layout.src_stride_bytes[order[j]] * layout.shape[order[j]];
		}
		for (int j = 0; j < layout.n_dims; j++)
			if (!pick(8))
				layout.src_stride_bytes[j] *= -1;
		make_pair(&layout, &from, &to);
		if (plan_make(&plan, &from, &to, &err))
			continue;
		for (const struct kernel *kernel = kernels; kernel->name; kernel++)
			check_boxes(kernel, &plan, pick(4) ? 0 : (uint64_t)layout.item_bytes);
	}
	CHECK(n_word_groups > 20, "%d groups read words", n_word_groups);
	CHECK(n_long > 10, "%d long rows", n_long);
	CHECK(n_skewed > 10, "%d groups write whole sectors", n_skewed);
	CHECK(n_cut_both > 20, "%d groups have a part of a loop of both runs", n_cut_both);
}

/* divide() of cl/divide.cl. */
static uint32_t divide(uint32_t value, int64_t count)
{
	uint32_t n = (uint32_t)count;
	int zeros = n == 1 ? 32 : __builtin_clz(n - 1);

	return (uint32_t)(((uint64_t)value * (uint32_t)(count >> 32)) >> (63 - zeros));
}

static void test_count(void)
{
	static const uint32_t values[] = { 0, 1, 2, 3, 5, 7, 255, 256, 257, 65535, 65536, 1000003,
		0x3fffffff, 0x40000000, 0x7ffffffe, 0x7fffffff };
	enum { N = ARRAY_SIZE(values) };

	for (int i = 0; i < N; i++) {
		for (int j = 1; j < N; j++) {
			uint64_t multiple = (uint64_t)values[i] * values[j];
			int64_t count = kernel_count(values[j]);

			CHECK(divide(values[i], count) == values[i] / values[j], "%u / %u",
				values[i], values[j]);
			if (!multiple || multiple > INT32_MAX)
				continue;
			CHECK(divide((uint32_t)multiple - 1, count) == values[i] - 1, "%llu / %u",
				(unsigned long long)multiple - 1, values[j]);
		}
	}
}

/* STEP() of cl/loops.cl: the quotient by the count, and the strides. */
static void test_loop_arguments(void)
{
	static const int64_t counts[] = { 1, 2, 3, 4, 5, 7, 8, 9, 255, 256, 257, 1000003,
		KERNEL_MAX_COUNT - 1, KERNEL_MAX_COUNT };
	static const int64_t strides[] = { 0, 1, -1, 12, INT32_MAX, INT32_MIN };
	static const uint32_t values[] = { 0, 1, 6, 255, 256, 1000002, KERNEL_MAX_COUNT,
		INT32_MAX };

	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		for (size_t j = 0; j < ARRAY_SIZE(strides); j++) {
			int64_t arguments[3];

			kernel_set_loop(arguments, &(struct copy_loop){ counts[i], strides[j], 8 });
			CHECK((int32_t)arguments[1] == strides[j] && arguments[2] == 8,
				"%lld: %lld", (long long)strides[j], (long long)arguments[1]);
			for (size_t l = 0; l < ARRAY_SIZE(values); l++)
				CHECK((uint32_t)(((uint64_t)values[l] *
							 (uint32_t)(arguments[0] >> 32)) >>
						 (arguments[1] >> 32)) == values[l] / counts[i],
					"%u / %lld", values[l], (long long)counts[i]);
		}
	}
}

/* The code of a kernel begins as its form prescribes. */
static void check_code(const struct kernel *kernel, const struct kernel_form *form)
{
	struct err err;
	size_t n_bytes;
	const char *code = kernel_code(kernel, form, &n_bytes, &err);

	CHECK(code && n_bytes > 100 && !code[n_bytes], "%s, %s", kernel->name, form->name);
	if (!code)
		return;
	if (!strcmp(form->name, "spv"))
		CHECK(!memcmp(code, "\x03\x02\x23\x07", 4), "%s", kernel->name);
	else if (!strcmp(form->name, "ptx"))
		CHECK(strlen(code) == n_bytes && strstr(code, kernel->name) &&
				strstr(code, ".version 6.0") && strstr(code, ".target sm_52"),
			"%s", kernel->name);
	else
		CHECK(form->sm >= 80 && !memcmp(code, "\177ELF", 4), "%s, %s", kernel->name,
			form->name);
}

/* Registers and labels are numbered as they occur, in each kernel anew. */
static void test_ptx(void)
{
	static const char encoded[] = "%r<9> %tid.x %r0,%rd0,%r0,%r2 LBB0_0 %r1;LBB0_1\0%r0\0";
	static const char text[] = "%r<9> %tid.x %r1,%rd1,%r2,%r1 LBB0_1 %r2;LBB0_1\0%r1\0";
	char decoded[sizeof(text)];

	CHECK(kernel_decode_ptx(encoded, sizeof(encoded), decoded, sizeof(text)), "not decoded");
	CHECK(!memcmp(decoded, text, sizeof(text)), "%s", decoded);
	CHECK(!kernel_decode_ptx(encoded, sizeof(encoded) - 1, decoded, sizeof(text)), "short");
	CHECK(!kernel_decode_ptx(encoded, sizeof(encoded), decoded, sizeof(text) - 1), "long");
	CHECK(!kernel_decode_ptx("%r0,", 4, decoded, 3), "a number at the end of the room");
}

/* Operands are differences from the last instruction with the same opcode, in each kernel anew. */
static void test_spirv(void)
{
	enum { TWO = 2 << 16, THREE = 3 << 16, MAGIC = 0x07230203 };
	static const uint32_t encoded[] = { MAGIC, 1, 2, 3, 4, TWO | 7, 5, THREE | 8, 5, 6, TWO | 7,
		1, TWO | 7, (uint32_t)-2, 0, MAGIC, 1, 2, 3, 4, TWO | 7, 5 };
	static const uint32_t words[] = { MAGIC, 1, 2, 3, 4, TWO | 7, 5, THREE | 8, 5, 6, TWO | 7,
		6, TWO | 7, 4, 0, MAGIC, 1, 2, 3, 4, TWO | 7, 5 };
	uint32_t code[ARRAY_SIZE(encoded)];

	memcpy(code, encoded, sizeof(code));
	CHECK(kernel_decode_spirv(code, sizeof(code)), "not decoded");
	CHECK(!memcmp(code, words, sizeof(words)), "words");
	memcpy(code, encoded, sizeof(code));
	CHECK(!kernel_decode_spirv(code, sizeof(code) - 4), "an instruction without its last word");
	code[5] = 7;
	CHECK(!kernel_decode_spirv(code, sizeof(code)), "an instruction without words");
}

/* A cubin runs on devices of its major version, from its minor version on. */
static void test_native(void)
{
	for (const struct kernel_form *form = kernel_forms; form->name; form++) {
		int major = form->sm / 10, minor = form->sm % 10;

		CHECK(kernel_form_find(form->name) == form, "%s", form->name);
		if (!form->sm)
			continue;
		CHECK(kernel_form_native(major, minor) == form, "%s", form->name);
		CHECK(kernel_form_native(major, 9)->sm / 10 == major, "%s", form->name);
		CHECK(minor == 0 || kernel_form_native(major, minor - 1) != form, "%s", form->name);
	}
	CHECK(!kernel_form_native(5, 2), "native code for capability 5.2");
	CHECK(!kernel_form_find("none"), "none");
}

/* Every row of the list has the parameters of its shape, and can be found. */
static void test_list(void)
{
	int n = 0;

	for (const struct kernel *kernel = kernels; kernel->name; kernel++, n++) {
		CHECK(kernel_find(kernel->name) == kernel, "%s", kernel->name);
		CHECK(strstr(kernel->options, kernel->name), "%s", kernel->name);
		CHECK(strstr(kernel->source, "KERNEL"), "%s", kernel->name);
		for (const struct kernel_form *form = kernel_forms; form->name; form++)
			check_code(kernel, form);
	}
	CHECK(n > 30, "%d kernels", n);
	CHECK(!kernel_find("none"), "none");
}

int main(void)
{
	random_state = 20261126;
	test_count();
	test_loop_arguments();
	test_list();
	test_native();
	test_ptx();
	test_spirv();
	test_choice();
	test_flat();
	test_square();
	test_pieces();
	test_source_bytes();
	test_patches();
	test_order();
	test_boxes();
	test_kept();
	test_not_kept();
	return test_end();
}
