// SPDX-License-Identifier: MIT
/* Plans and host copies against a naive loop over 10,000 random layouts; the seed can be given. */
#include "base/array_size.h"
#include "base/test.h"
#include "copy/compare.h"
#include "copy/host/host_copy.h"
#include "copy/layout_test.h"

/* Every instruction set, with ordinary and streaming stores, by one thread and by three. */
static const struct host_options option_rows[] = {
	{ 1, INT64_MAX, "sse2", 0, false },
	{ 1, 0, "sse2", 0, false },
	{ 1, INT64_MAX, "avx2", 0, false },
	{ 1, 0, "avx2", 0, false },
	{ 1, INT64_MAX, "avx512", 0, false },
	{ 1, 0, "avx512", 0, false },
	{ 0, -1, NULL, 0, false },
	{ 1, 0, "avx512", 0, true },
};

static void try_all(
	const struct copy_plan *plan, const struct array *from, const struct array *to, int layout)
{
	size_t n_bytes = (size_t)last_byte(to) + 64;

	for (size_t i = 0; i < ARRAY_SIZE(option_rows); i++) {
		memset(result, 0xEE, n_bytes);
		host_copy_with(plan, (void *)(uintptr_t)from->pointer,
			(void *)(uintptr_t)to->pointer, &option_rows[i]);
		CHECK(!memcmp(result, expected, n_bytes), "layout %d, options %zu", layout, i);
	}
}

static void test_random_layouts(uint64_t seed)
{
	struct array from, to;
	struct copy_plan plan;
	struct comparison comparison;
	struct err err = { 0 };

	random_state = seed;
	fill_source();
	for (int i = 0; i < LAYOUTS; i++) {
		pick_pair(&from, &to);
		memset(expected, 0xEE, (size_t)last_byte(&to) + 64);
		naive_copy(&from, &to);
		if (plan_make(&plan, &from, &to, &err)) {
			CHECK(false, "layout %d of seed %" PRIu64 ": %s", i, seed, err.message);
			continue;
		}
		try_all(&plan, &from, &to, i);
		compare_arrays(&comparison, &from, &to);
		CHECK(comparison.equal, "compare of layout %d of seed %" PRIu64, i, seed);
	}
}

/* One changed byte in the destination is found at its index, for all layouts. */
static void test_compare_finds(void)
{
	struct array from, to;
	struct copy_plan plan;
	struct comparison comparison;
	struct err err = { 0 };
	int64_t index[ARRAY_MAX_DIMS];
	uint64_t at;
	int found = 0;

	for (int i = 0; i < 1000; i++) {
		pick_pair(&from, &to);
		if (plan_make(&plan, &from, &to, &err) || plan.empty)
			continue;
		host_copy(&plan, (void *)(uintptr_t)from.pointer, (void *)(uintptr_t)to.pointer);
		at = to.pointer;
		for (int dim = 0; dim < to.n_dims; dim++) {
			index[dim] = pick(to.shape[dim]);
			at += (uint64_t)(index[dim] * to.stride_bytes[dim]);
		}
		*(unsigned char *)(uintptr_t)at ^= 1;
		compare_arrays(&comparison, &from, &to);
		CHECK(!comparison.equal, "layout %d", i);
		for (int dim = 0; dim < to.n_dims; dim++)
			CHECK(comparison.index[dim] == index[dim], "layout %d, dimension %d", i,
				dim);
		found++;
	}
	CHECK(found > 500, "%d layouts tried", found);
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 20261121;

	test_random_layouts(seed);
	test_compare_finds();
	return test_end();
}
