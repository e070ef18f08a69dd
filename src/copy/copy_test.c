// SPDX-License-Identifier: MIT
/* Plans and host copies against a naive loop over 10,000 random layouts; the seed can be given. */
#include "base/test.h"
#include "copy/compare.h"
#include "copy/host_copy.h"
#include "copy/plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LAYOUTS = 10000, MAX_DIMS = 8, ARENA_BYTES = 1 << 17 };

static uint64_t random_state;
static unsigned char source[ARENA_BYTES], result[ARENA_BYTES], expected[ARENA_BYTES];

/* xorshift64: the same layouts on every machine. */
static int64_t pick(int64_t n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (int64_t)(random_state % (uint64_t)n);
}

static struct dtype pick_dtype(void)
{
	static const int64_t sizes[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 16, 24, 40 };
	struct dtype dtype = { .kind = DTYPE_VOID, .lanes = 1 };

	dtype.bits = 8 * sizes[pick(sizeof(sizes) / sizeof(sizes[0]))];
	if (dtype.bits == 32 || dtype.bits == 64 || dtype.bits == 16)
		dtype.kind = DTYPE_FLOAT;
	if (dtype.bits == 128)
		dtype.kind = DTYPE_COMPLEX;
	if (dtype.bits == 96)
		dtype.kind = DTYPE_UNICODE;
	return dtype;
}

/* Dense strides over the dimensions in a random order, with gaps and signs; some of 0 if allowed.
 */
static void pick_strides(struct array *array, bool zeros)
{
	int order[MAX_DIMS] = { 0 };
	int64_t stride = dtype_itemsize(&array->dtype);

	for (int i = 1; i < array->n_dims; i++) {
		int at = (int)pick(i + 1);

		order[i] = order[at];
		order[at] = i;
	}
	for (int i = 0; i < array->n_dims; i++) {
		int dim = order[i];

		if (pick(4) == 0)
			stride += pick(2) ? 1 : dtype_itemsize(&array->dtype);
		array->stride_bytes[dim] = pick(3) ? stride : -stride;
		if (array->shape[dim])
			stride *= array->shape[dim];
		if (zeros && pick(6) == 0)
			array->stride_bytes[dim] = 0;
	}
}

/* Where element 0,0,... lies so that every element is inside the memory. */
static int64_t first_byte(const struct array *array)
{
	int64_t low = 0;

	for (int i = 0; i < array->n_dims; i++)
		if (array->stride_bytes[i] < 0 && array->shape[i])
			low += (array->shape[i] - 1) * array->stride_bytes[i];
	return -low;
}

static int64_t last_byte(const struct array *array)
{
	int64_t high = first_byte(array) + dtype_itemsize(&array->dtype);

	for (int i = 0; i < array->n_dims; i++)
		if (array->stride_bytes[i] > 0 && array->shape[i])
			high += (array->shape[i] - 1) * array->stride_bytes[i];
	return high;
}

static void naive_copy(const struct array *from, const struct array *to)
{
	int64_t index[MAX_DIMS] = { 0 };
	int64_t n_elements = 1;
	int64_t unit = from->dtype.foreign_order != to->dtype.foreign_order
			       ? plan_swap_unit(&from->dtype)
			       : 0;

	for (int i = 0; i < from->n_dims; i++)
		n_elements *= from->shape[i];
	for (int64_t element = 0; element < n_elements; element++) {
		int64_t src = first_byte(from), dst = first_byte(to), rest = element;

		for (int i = from->n_dims - 1; i >= 0; i--) {
			index[i] = rest % from->shape[i];
			rest /= from->shape[i];
			src += index[i] * from->stride_bytes[i];
			dst += index[i] * to->stride_bytes[i];
		}
		for (int64_t byte = 0; byte < dtype_itemsize(&from->dtype); byte++) {
			int64_t place = unit ? byte / unit * unit + unit - 1 - byte % unit : byte;

			expected[dst + place] = source[src + byte];
		}
	}
}

static void pick_pair(struct array *from, struct array *to)
{
	do {
		*from = (struct array){ .dtype = pick_dtype(), .n_dims = (int)pick(MAX_DIMS + 1) };
		for (int i = 0; i < from->n_dims; i++)
			from->shape[i] = pick(40) == 0 ? 0 : 1 + pick(from->n_dims > 4 ? 4 : 9);
		*to = *from;
		from->dtype.foreign_order = pick(4) == 0;
		to->dtype.foreign_order = pick(8) == 0;
		pick_strides(from, true);
		pick_strides(to, false);
	} while (last_byte(from) > ARENA_BYTES || last_byte(to) > ARENA_BYTES);
	from->pointer = (uint64_t)(uintptr_t)(source + first_byte(from));
	to->pointer = (uint64_t)(uintptr_t)(result + first_byte(to));
}

static void test_random_layouts(uint64_t seed)
{
	struct array from, to;
	struct copy_plan plan;
	struct comparison comparison;
	struct err err = { 0 };

	random_state = seed;
	for (int i = 0; i < ARENA_BYTES; i++)
		source[i] = (unsigned char)pick(256);
	for (int i = 0; i < LAYOUTS; i++) {
		pick_pair(&from, &to);
		memset(result, 0xEE, (size_t)last_byte(&to));
		memset(expected, 0xEE, (size_t)last_byte(&to));
		naive_copy(&from, &to);
		if (plan_make(&plan, &from, &to, &err)) {
			CHECK(false, "layout %d of seed %" PRIu64 ": %s", i, seed, err.message);
			continue;
		}
		host_copy(&plan, (void *)(uintptr_t)from.pointer, (void *)(uintptr_t)to.pointer);
		CHECK(!memcmp(result, expected, (size_t)last_byte(&to)),
			"layout %d of seed %" PRIu64, i, seed);
		compare_arrays(&comparison, &from, &to);
		CHECK(comparison.equal, "compare of layout %d of seed %" PRIu64, i, seed);
	}
}

/* One changed byte in the destination is found at its index, whatever the layouts. */
static void test_compare_finds(void)
{
	struct array from, to;
	struct copy_plan plan;
	struct comparison comparison;
	struct err err = { 0 };
	int found = 0;

	for (int i = 0; i < 1000; i++) {
		pick_pair(&from, &to);
		if (plan_make(&plan, &from, &to, &err) || plan.empty)
			continue;
		host_copy(&plan, (void *)(uintptr_t)from.pointer, (void *)(uintptr_t)to.pointer);
		*(unsigned char *)(uintptr_t)to.pointer ^= 1;
		compare_arrays(&comparison, &from, &to);
		CHECK(!comparison.equal, "layout %d", i);
		for (int dim = 0; dim < to.n_dims; dim++)
			CHECK(comparison.index[dim] == 0, "layout %d, dimension %d", i, dim);
		found++;
	}
	CHECK(found > 500, "%d layouts tried", found);
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

int main(int argc, char **argv)
{
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 20261121;

	test_loops();
	test_refusals();
	test_random_layouts(seed);
	test_compare_finds();
	return test_end();
}
