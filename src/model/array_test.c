// SPDX-License-Identifier: MIT
/* Layouts: extent, contiguity and overlap against brute force over seeded random layouts, then the
 * ends of the integers, then the map of a document. */
#include "base/array_size.h"
#include "model/array.h"

#include "base/random_test.h"
#include "base/test.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { N_LAYOUTS = 20000, POINTER = 1 << 20, SPAN = 1 << 14 };

static struct array make_array(int itemsize, int n_dims)
{
	struct array array = { .n_dims = n_dims, .pointer = POINTER, .device = { NULL, -1 } };
	struct err err;
	char typestr[16];

	snprintf(typestr, sizeof(typestr), "|V%d", itemsize);
	CHECK(!dtype_from_typestr(&array.dtype, typestr, &err), "%s", typestr);
	array.readonly = READONLY_UNKNOWN;
	return array;
}

/* Half of them compact with a few strides changed, so that near misses are common. */
static struct array random_array(void)
{
	static const int itemsizes[] = { 0, 1, 1, 2, 3, 4, 8 };
	struct array array = make_array(itemsizes[pick(7)], (int)pick(5));
	bool compact = pick(2);

	for (int i = 0; i < array.n_dims; i++)
		array.shape[i] = pick(20) ? 1 + pick(5) : 0;
	array_set_compact_strides(&array, pick(2) ? 'C' : 'F');
	for (int i = 0; i < array.n_dims; i++) {
		if (!compact)
			array.stride_bytes[i] = pick(61) - 30;
		else if (!pick(4))
			array.stride_bytes[i] += pick(5) - 2;
		if (!pick(8))
			array.stride_bytes[i] = -array.stride_bytes[i];
		if (!pick(20))
			array.stride_bytes[i] = 0;
	}
	return array;
}

struct truth {
	uint64_t low, high;
	int64_t n_elements;
	bool c_contiguous, f_contiguous, overlap;
};

/* The offset of the n-th index; the first or the last dimension varies fastest. */
static int64_t offset_of(const struct array *array, int64_t n, char order)
{
	int64_t offset = 0;

	for (int k = 0; k < array->n_dims; k++) {
		int i = order == 'F' ? k : array->n_dims - 1 - k;

		offset += n % array->shape[i] * array->stride_bytes[i];
		n /= array->shape[i];
	}
	return offset;
}

static void visit(
	const struct array *array, int64_t offset, unsigned char *seen, struct truth *truth)
{
	uint64_t at = array->pointer + (uint64_t)offset;

	for (int64_t byte = 0; byte < dtype_itemsize(&array->dtype); byte++, at++) {
		truth->overlap |= seen[at - POINTER + SPAN / 2];
		seen[at - POINTER + SPAN / 2] = 1;
		truth->low = at < truth->low ? at : truth->low;
		truth->high = at + 1 > truth->high ? at + 1 : truth->high;
	}
}

static struct truth brute_force(const struct array *array)
{
	static unsigned char seen[SPAN];
	struct truth truth = { array->pointer, array->pointer, 1, true, true, false };
	int64_t itemsize = dtype_itemsize(&array->dtype);

	memset(seen, 0, sizeof(seen));
	for (int i = 0; i < array->n_dims; i++)
		truth.n_elements *= array->shape[i];
	for (int64_t n = 0; n < truth.n_elements; n++) {
		visit(array, offset_of(array, n, 'C'), seen, &truth);
		truth.c_contiguous &= offset_of(array, n, 'C') == n * itemsize;
		truth.f_contiguous &= offset_of(array, n, 'F') == n * itemsize;
	}
	return truth;
}

static void test_random(void)
{
	int n_overlaps = 0, n_contiguous = 0;

	for (int n = 0; n < N_LAYOUTS; n++) {
		struct array array = random_array();
		struct truth truth = brute_force(&array);
		uint64_t low, high;
		struct err err;

		CHECK(array_elements(&array) == truth.n_elements, "layout %d", n);
		CHECK(array_nbytes(&array) == truth.n_elements * dtype_itemsize(&array.dtype),
			"layout %d", n);
		CHECK(!array_extent(&array, &low, &high, &err) && low == truth.low &&
				high == truth.high,
			"layout %d", n);
		CHECK(array_is_c_contiguous(&array) == truth.c_contiguous, "layout %d", n);
		CHECK(array_is_f_contiguous(&array) == truth.f_contiguous, "layout %d", n);
		CHECK(array_overlap(&array) == (truth.overlap ? OVERLAP_YES : OVERLAP_NO),
			"layout %d: %d", n, array_overlap(&array));
		n_overlaps += truth.overlap;
		n_contiguous += truth.c_contiguous;
	}
	CHECK(n_overlaps > N_LAYOUTS / 10 && n_overlaps < N_LAYOUTS * 9 / 10, "%d", n_overlaps);
	CHECK(n_contiguous > N_LAYOUTS / 10, "%d", n_contiguous);
}

static const struct overlap_row {
	int itemsize, n_dims;
	int64_t shape[4], stride_bytes[4];
	enum array_overlap overlap;
} overlap_rows[] = {
	{ 8, 2, { 1000000, 1000000 }, { 8000000, 8 }, OVERLAP_NO },
	{ 8, 2, { 1000000, 3 }, { 8, 8 }, OVERLAP_YES },    /* sliding windows */
	{ 4, 2, { 1000, 1000 }, { 4004, -4 }, OVERLAP_NO }, /* padded rows, reversed */
	{ 4, 2, { 1000, 1000 }, { -3996, 4 }, OVERLAP_YES },
	{ 8, 1, { INT64_C(1) << 60 }, { 0 }, OVERLAP_YES }, /* a broadcast */
	{ 8, 1, { 1 }, { INT64_MIN }, OVERLAP_NO }, { 8, 1, { 2 }, { INT64_MIN }, OVERLAP_UNKNOWN },
	{ 8, 1, { 3 }, { INT64_MAX }, OVERLAP_UNKNOWN }, { 8, 1, { -1 }, { 8 }, OVERLAP_UNKNOWN },
	{ 8, 2, { 2, 0 }, { INT64_MIN, 0 }, OVERLAP_NO },
	{ 1, 2, { 1000004, 999984 }, { 999983, 1000003 }, OVERLAP_YES },
	{ 1, 2, { 999983, 1000003 }, { 1000003, 999983 }, OVERLAP_NO }, /* coprime, one short */
	{ 2, 3, { 50, 60, 70 }, { 600000, 7000, 66 }, OVERLAP_NO },
	{ 8, 3, { 1 << 20, 1 << 20, 1 << 20 }, { 8, INT64_C(8) << 20, INT64_C(8) << 40 },
		OVERLAP_UNKNOWN }, /* twice its 2^63 bytes cannot be counted */
};

static void test_overlap_rows(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(overlap_rows); i++) {
		const struct overlap_row *row = &overlap_rows[i];
		struct array array = make_array(row->itemsize, row->n_dims);

		memcpy(array.shape, row->shape, sizeof(row->shape));
		memcpy(array.stride_bytes, row->stride_bytes, sizeof(row->stride_bytes));
		CHECK(array_overlap(&array) == row->overlap, "row %zu: %d", i,
			array_overlap(&array));
	}
}

/* Many unrelated strides make a subset sum problem; the search has to give up, not hang. */
static void test_overlap_limit(void)
{
	struct array array = make_array(1, 40);

	for (int i = 0; i < array.n_dims; i++) {
		array.shape[i] = 2;
		array.stride_bytes[i] = (INT64_C(1) << 44) + pick(INT64_C(1) << 44);
	}
	CHECK(array_overlap(&array) == OVERLAP_UNKNOWN, "%d", array_overlap(&array));
}

static void test_ends(void)
{
	struct array array = make_array(8, 2);
	uint64_t low, high;
	struct err err = { .code = EXIT_DONE };

	array.shape[0] = array.shape[1] = INT64_C(1) << 32;
	array_set_compact_strides(&array, 'C');
	CHECK(array_elements(&array) == -1 && array_nbytes(&array) == -1, "2^64 elements");
	CHECK(array_extent(&array, &low, &high, &err) == -1 && err.code == EXIT_FINDINGS, "2^64");
	array.shape[1] = 0;
	CHECK(!array_elements(&array) && !array_nbytes(&array), "an empty dimension ends it");
	CHECK(!array_extent(&array, &low, &high, &err) && low == POINTER && high == POINTER,
		"an empty extent");
	array.shape[0] = -1;
	array.shape[1] = 3;
	CHECK(array_elements(&array) == -1, "a negative extent");
	array.shape[0] = INT64_C(1) << 30;
	array.shape[1] = INT64_C(1) << 31;
	CHECK(array_elements(&array) == INT64_C(1) << 61 && array_nbytes(&array) == -1,
		"2^64 bytes");
	array = make_array(8, 1);
	array.shape[0] = 2;
	array.stride_bytes[0] = -POINTER - 1;
	CHECK(array_extent(&array, &low, &high, &err) == -1, "below address 0");
	array.stride_bytes[0] = -POINTER;
	CHECK(!array_extent(&array, &low, &high, &err) && !low && high == POINTER + 8, "from 0");
	array.pointer = UINT64_MAX - 8;
	array.stride_bytes[0] = -16;
	CHECK(!array_extent(&array, &low, &high, &err) && high == UINT64_MAX, "up to the end");
	array.stride_bytes[0] = 1;
	CHECK(array_extent(&array, &low, &high, &err) == -1, "beyond the end");
	array.stride_bytes[0] = INT64_MIN;
	CHECK(array_extent(&array, &low, &high, &err) == 0 && high == UINT64_MAX, "2^63 back");
	array.shape[0] = 3;
	CHECK(array_extent(&array, &low, &high, &err) == -1, "2^64 back");
}

static void test_compact_strides(void)
{
	struct array array = make_array(4, 3);

	memcpy(array.shape, (int64_t[]){ 2, 3, 4 }, 3 * sizeof(int64_t));
	array_set_compact_strides(&array, 'C');
	CHECK(array.stride_bytes[0] == 48 && array.stride_bytes[1] == 16 &&
			array.stride_bytes[2] == 4,
		"C");
	CHECK(array_is_c_contiguous(&array) && !array_is_f_contiguous(&array), "C");
	array_set_compact_strides(&array, 'F');
	CHECK(array.stride_bytes[0] == 4 && array.stride_bytes[1] == 8 &&
			array.stride_bytes[2] == 24,
		"Fortran");
	CHECK(!array_is_c_contiguous(&array) && array_is_f_contiguous(&array), "Fortran");
	array.shape[1] = 0;
	array_set_compact_strides(&array, 'C');
	CHECK(array.stride_bytes[0] == 16 && array.stride_bytes[1] == 16, "empty, as in NumPy");
	array.shape[2] = INT64_MAX;
	array_set_compact_strides(&array, 'C');
	CHECK(array.stride_bytes[0] == INT64_MAX, "overflow");
}

int main(void)
{
	random_state = 42;
	test_random();
	test_overlap_rows();
	test_overlap_limit();
	test_ends();
	test_compact_strides();
	return test_end();
}
