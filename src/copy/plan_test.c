// SPDX-License-Identifier: MIT
/*
 * Plans as loops, for 10,000 random layouts: the bytes they cover, their size, their kind. The
 * seed can be given.
 */
#include "base/array_size.h"
#include "copy/layout_test.h"

/* Executes a plan byte by byte, from the first element of both sides. */
static void run_loops(
	const struct copy_plan *plan, int depth, const unsigned char *src, unsigned char *dst)
{
	int64_t unit = plan->swap_bytes;

	if (depth < plan->n_loops) {
		const struct copy_loop *loop = &plan->loops[depth];

		for (int64_t i = 0; i < loop->n; i++)
			run_loops(plan, depth + 1, src + i * loop->src_stride_bytes,
				dst + i * loop->dst_stride_bytes);
		return;
	}
	for (int64_t byte = 0; byte < plan->item_bytes; byte++)
		dst[unit ? byte / unit * unit + unit - 1 - byte % unit : byte] = src[byte];
}

static void run_plan(const struct copy_plan *plan, const struct array *from, const struct array *to)
{
	if (plan->empty)
		return;
	run_loops(plan, 0, (const unsigned char *)(uintptr_t)from->pointer + plan->src_offset_bytes,
		(unsigned char *)(uintptr_t)to->pointer + plan->dst_offset_bytes);
}

static bool is_minimal(const struct copy_plan *plan)
{
	for (int i = 0; i < plan->n_loops; i++) {
		const struct copy_loop *outer = &plan->loops[i], *inner = outer + 1;

		if (outer->n < 2 || outer->dst_stride_bytes <= 0)
			return false;
		if (i + 1 < plan->n_loops &&
			(outer->dst_stride_bytes < inner->dst_stride_bytes ||
				(outer->src_stride_bytes == inner->n * inner->src_stride_bytes &&
					outer->dst_stride_bytes ==
						inner->n * inner->dst_stride_bytes)))
			return false;
	}
	return true;
}

static bool is_aligned(
	const struct copy_plan *plan, const struct array *from, const struct array *to)
{
	uint64_t bits = (from->pointer + (uint64_t)plan->src_offset_bytes) |
			(to->pointer + (uint64_t)plan->dst_offset_bytes);

	for (int i = 0; i < plan->n_loops; i++)
		bits |= (uint64_t)plan->loops[i].src_stride_bytes |
			(uint64_t)plan->loops[i].dst_stride_bytes;
	return plan->item_bytes <= COPY_WIDEST_BYTES && bits % (uint64_t)plan->item_bytes == 0;
}

/* Whether the plan has the properties that its kind and units imply. */
static bool is_named(const struct copy_plan *plan)
{
	const struct copy_loop *dst = &plan->loops[plan->dst_unit < 0 ? 0 : plan->dst_unit];
	const struct copy_loop *src = &plan->loops[plan->src_unit < 0 ? 0 : plan->src_unit];
	bool has_dst = plan->dst_unit >= 0 && dst->dst_stride_bytes == plan->item_bytes;
	bool has_src = plan->src_unit >= 0 && llabs(src->src_stride_bytes) == plan->item_bytes;

	switch (plan->kind) {
	case COPY_MEMCPY:
		return plan->n_loops == 0 || (plan->n_loops == 1 && has_dst && !plan->swap_bytes &&
						     dst->src_stride_bytes == plan->item_bytes);
	case COPY_FILL:
		return has_dst && dst->src_stride_bytes == 0;
	case COPY_ROWS:
		return plan->n_loops == 0 ||
		       (has_dst && src == dst && dst->src_stride_bytes == plan->item_bytes);
	case COPY_INTERLEAVE:
		return has_dst && has_src && src != dst &&
		       (src->n <= COPY_SHORT || dst->n <= COPY_SHORT);
	case COPY_TRANSPOSE:
		return has_dst && has_src && src != dst && src->n > COPY_SHORT &&
		       dst->n > COPY_SHORT;
	default:
		return !has_dst || !has_src || src == dst;
	}
}

static void check_plan(const struct copy_plan *plan, const struct array *from,
	const struct array *to, const char *what, int layout)
{
	size_t n_bytes = (size_t)last_byte(to) + 64;

	memset(result, 0xEE, n_bytes);
	run_plan(plan, from, to);
	CHECK(!memcmp(result, expected, n_bytes), "%s, layout %d", what, layout);
	CHECK(plan->empty || is_named(plan), "%s, layout %d: %s", what, layout,
		copy_kind_name(plan->kind));
}

static void test_random_plans(uint64_t seed)
{
	int n_of_kind[COPY_GATHER + 1] = { 0 }, n_wider = 0;
	struct copy_plan plan, other;
	struct array from, to;
	struct err err = { 0 };

	random_state = seed;
	fill_source();
	printf("seed %" PRIu64 "\n", seed);
	for (int i = 0; i < LAYOUTS; i++) {
		pick_pair(&from, &to);
		memset(expected, 0xEE, (size_t)last_byte(&to) + 64);
		naive_copy(&from, &to);
		if (plan_make(&plan, &from, &to, &err)) {
			CHECK(false, "layout %d: %s", i, err.message);
			continue;
		}
		check_plan(&plan, &from, &to, "made", i);
		CHECK(plan.empty || is_minimal(&plan), "layout %d", i);
		n_of_kind[plan.kind] += !plan.empty;
		other = plan;
		plan_widen(&other, from.pointer, to.pointer);
		check_plan(&other, &from, &to, "widened", i);
		CHECK(plan.empty || is_aligned(&other, &from, &to), "layout %d", i);
		n_wider += other.item_bytes > plan.item_bytes;
		other = plan;
		plan_absorb(&other, 1 + pick(48));
		check_plan(&other, &from, &to, "absorbed", i);
	}
	CHECK(n_wider > LAYOUTS / 200, "%d of %d were widened", n_wider, LAYOUTS);
	for (int kind = COPY_MEMCPY; kind <= COPY_GATHER; kind++)
		CHECK(n_of_kind[kind] > LAYOUTS / 400, "%d plans of kind %s", n_of_kind[kind],
			copy_kind_name(kind));
}

/* Rows of up to max_bytes become elements. */
static void test_absorb(void)
{
	struct array from = { .dtype = { .kind = DTYPE_FLOAT, .bits = 32, .lanes = 1 },
		.n_dims = 2,
		.shape = { 5, 6 },
		.stride_bytes = { 100, 4 } };
	struct array to = from;
	struct copy_plan plan, longer;
	struct err err = { 0 };

	to.stride_bytes[0] = 24;
	CHECK(!plan_make(&plan, &from, &to, &err), "%s", err.message);
	longer = plan;
	plan_absorb(&longer, 23);
	CHECK(longer.item_bytes == 4 && longer.n_loops == 2, "rows of 24 bytes, at most 23");
	plan_absorb(&plan, 24);
	CHECK(plan.item_bytes == 24 && plan.n_loops == 1, "rows of 24 bytes, at most 24");
}

static void test_loops(void)
{
	struct array from = { .dtype = { .kind = DTYPE_FLOAT, .bits = 32, .lanes = 1 },
		.n_dims = 4,
		.shape = { 2, 1, 3, 5 },
		.stride_bytes = { 60, 7, 20, 4 } };
	struct array to = from;
	struct copy_plan plan;
	struct err err = { 0 };

	CHECK(!plan_make(&plan, &from, &to, &err), "%s", err.message);
	CHECK(plan.n_loops == 1 && plan.loops[0].n == 30, "%d loops", plan.n_loops);
	to.stride_bytes[0] = -60;
	CHECK(!plan_make(&plan, &from, &to, &err), "%s", err.message);
	CHECK(plan.n_loops == 2 && plan.loops[0].src_stride_bytes == -60 &&
			plan.src_offset_bytes == 60 && plan.dst_offset_bytes == -60,
		"%d loops", plan.n_loops);
	to.shape[3] = from.shape[3] = 0;
	CHECK(!plan_make(&plan, &from, &to, &err) && plan.empty, "empty");
	/* Two loops that could be joined, but with more items than an int64_t can count. */
	from.dtype = (struct dtype){ .kind = DTYPE_UINT, .bits = 8, .lanes = 1 };
	from.n_dims = 2;
	from.shape[0] = 2;
	from.shape[1] = INT64_C(1) << 62;
	from.stride_bytes[0] = -from.shape[1];
	from.stride_bytes[1] = -1;
	to = from;
	CHECK(!plan_make(&plan, &from, &to, &err), "%s", err.message);
	CHECK(plan.n_loops == 2 && plan.loops[0].n == 2 && plan.loops[1].n == from.shape[1],
		"%d loops", plan.n_loops);
	/* An array without elements may have any other extents. */
	from.shape[0] = 0;
	from.n_dims = 3;
	from.shape[2] = INT64_C(1) << 62;
	to = from;
	plan_keep_order(&to, &from);
	CHECK(to.stride_bytes[0] == INT64_MAX, "%lld", (long long)to.stride_bytes[0]);
}

static void test_refusals(void)
{
	struct array from = { .dtype = { .kind = DTYPE_UINT, .bits = 8, .lanes = 1 },
		.n_dims = 2,
		.shape = { 3, 3 },
		.stride_bytes = { INT64_MAX, 1 } };
	struct array to = from;
	struct copy_plan plan;
	struct err err = { 0 };

	to.stride_bytes[0] = 3;
	CHECK(plan_make(&plan, &from, &to, &err) && err.code == EXIT_TARGET, "huge stride");
	from.stride_bytes[0] = INT64_MIN;
	CHECK(plan_make(&plan, &from, &to, &err) && err.code == EXIT_TARGET, "smallest stride");
	from.stride_bytes[0] = 3;
	to.stride_bytes[0] = 0;
	CHECK(plan_make(&plan, &from, &to, &err) && err.code == EXIT_BUG, "overlap");
	to.stride_bytes[0] = 3;
	to.shape[1] = 4;
	CHECK(plan_make(&plan, &from, &to, &err) && err.code == EXIT_BUG, "shapes");
}

struct named_layout {
	const char *kind;
	int bytes, n_dims;
	int64_t shape[3], src_stride[3], dst_stride[3];
	int item_bytes, n_loops; /* after plan_widen, for addresses aligned to 64 */
};

static const struct named_layout named_layouts[] = {
	{ "memcpy", 4, 2, { 8, 16 }, { 64, 4 }, { 64, 4 }, 16, 1 },
	{ "memcpy", 4, 0, { 0 }, { 0 }, { 0 }, 4, 0 },
	{ "rows", 4, 2, { 8, 12 }, { 64, 4 }, { 48, 4 }, 16, 2 },
	{ "rows", 4, 2, { 8, 13 }, { 64, 4 }, { 52, 4 }, 4, 2 },
	{ "rows", 12, 1, { 9 }, { 36 }, { 12 }, 4, 2 },
	{ "transpose", 4, 2, { 16, 16 }, { 4, 64 }, { 64, 4 }, 4, 2 },
	{ "transpose", 8, 3, { 16, 16, 2 }, { 16, 256, 8 }, { 256, 16, 8 }, 16, 2 },
	{ "interleave", 1, 2, { 100, 3 }, { 1, 100 }, { 3, 1 }, 1, 2 },
	{ "interleave", 1, 2, { 3, 100 }, { 1, 3 }, { 100, 1 }, 1, 2 },
	{ "gather", 8, 1, { 100 }, { 16 }, { 8 }, 8, 1 },
	{ "gather", 8, 1, { 100 }, { -8 }, { 8 }, 8, 1 },
	{ "gather", 8, 1, { 100 }, { 8 }, { 24 }, 8, 1 },
	{ "fill", 4, 2, { 100, 100 }, { 4, 0 }, { 400, 4 }, 4, 2 },
	{ "fill", 4, 2, { 100, 100 }, { 0, 0 }, { 400, 4 }, 4, 1 },
	{ "rows", 4, 2, { 100, 100 }, { 0, 4 }, { 400, 4 }, 16, 2 },
};

static void test_names(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(named_layouts); i++) {
		const struct named_layout *layout = &named_layouts[i];
		struct array from = { .dtype = { .kind = DTYPE_VOID, .lanes = 1 } };
		struct copy_plan plan;
		struct array to;
		struct err err;

		from.dtype.bits = 8 * (int64_t)layout->bytes;
		from.n_dims = layout->n_dims;
		memcpy(from.shape, layout->shape, sizeof(layout->shape));
		to = from;
		memcpy(from.stride_bytes, layout->src_stride, sizeof(layout->src_stride));
		memcpy(to.stride_bytes, layout->dst_stride, sizeof(layout->dst_stride));
		CHECK(!plan_make(&plan, &from, &to, &err), "layout %zu", i);
		plan_widen(&plan, 64, 128);
		CHECK(!strcmp(copy_kind_name(plan.kind), layout->kind), "layout %zu: %s", i,
			copy_kind_name(plan.kind));
		CHECK(plan.item_bytes == layout->item_bytes && plan.n_loops == layout->n_loops,
			"layout %zu: %d bytes, %d loops", i, (int)plan.item_bytes, plan.n_loops);
	}
}

/* Swapped elements are widened as a whole, or read backwards if they are not aligned. */
static void test_swaps(void)
{
	struct array from = {
		.dtype = { .kind = DTYPE_FLOAT, .bits = 64, .lanes = 1, .foreign_order = true },
		.n_dims = 1,
		.shape = { 32 },
		.stride_bytes = { 8 }
	};
	struct array to = from;
	struct copy_plan plan;
	struct err err;

	to.dtype.foreign_order = false;
	CHECK(!plan_make(&plan, &from, &to, &err) && plan.kind == COPY_ROWS, "swapped row");
	plan_widen(&plan, 16, 32);
	CHECK(plan.item_bytes == 16 && plan.swap_bytes == 8, "%d", (int)plan.item_bytes);
	CHECK(!plan_make(&plan, &from, &to, &err), "%s", err.message);
	plan_widen(&plan, 20, 32);
	CHECK(plan.item_bytes == 1 && plan.swap_bytes == 0 && plan.n_loops == 2 &&
			plan.loops[1].src_stride_bytes == -1 && plan.src_offset_bytes == 7,
		"%d bytes, %d loops", (int)plan.item_bytes, plan.n_loops);
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 20261121;

	test_loops();
	test_absorb();
	test_refusals();
	test_names();
	test_swaps();
	test_random_plans(seed);
	return test_end();
}
