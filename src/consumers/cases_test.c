// SPDX-License-Identifier: MIT
/* The table of cases: distinct ids, enough of each kind, and layouts by a computation of its own.
 */
#include "consumers/cases.h"

#include "base/test.h"

#include <string.h>

enum { LEAST_LEGAL = 60, LEAST_ILLEGAL = 30 };

static int64_t item_bytes_of(const struct consumer_case *row)
{
	if (!row->code && !row->bits && !row->lanes)
		return 4;
	return (int64_t)row->bits * row->lanes / 8;
}

/* The bytes that the elements occupy, index by index, relative to the first element. False: there
 * are none. */
static bool walk_elements(const struct consumer_case *row, int64_t *low, int64_t *high)
{
	int64_t item_bytes = item_bytes_of(row), index[CASE_MAX_DIMS] = { 0 };
	int i;

	*low = *high = 0;
	for (i = 0; i < row->n_dims; i++)
		if (!row->shape[i])
			return false;
	do {
		int64_t at = 0, position = 0;

		for (i = 0; i < row->n_dims; i++) {
			position = position * row->shape[i] + index[i];
			at += row->has_strides ? index[i] * row->strides[i] : 0;
		}
		at = (row->has_strides ? at : position) * item_bytes;
		*low = at < *low ? at : *low;
		*high = at + item_bytes > *high ? at + item_bytes : *high;
		for (i = row->n_dims - 1; i >= 0 && ++index[i] >= row->shape[i]; i--)
			index[i] = 0;
	} while (i >= 0);
	return true;
}

static void check_ids(void)
{
	struct arena arena = { 0 };

	for (const struct consumer_case *row = consumer_cases; row->id; row++) {
		for (const struct consumer_case *other = row + 1; other->id; other++)
			CHECK(strcmp(row->id, other->id) != 0, "two cases have the id %s", row->id);
		CHECK(consumer_case_find(&arena, row->id) == row, "%s is found", row->id);
		CHECK(row->about && *row->about, "%s is described", row->id);
	}
	CHECK(!consumer_case_find(&arena, "no such case"), "an unknown id is not found");
	arena_free(&arena);
}

static void check_numbers(void)
{
	int n_legal = 0, n_illegal = 0;

	for (const struct consumer_case *row = consumer_cases; row->id; row++) {
		n_legal += consumer_case_is_legal(row);
		n_illegal += !consumer_case_is_legal(row);
	}
	CHECK(n_legal >= LEAST_LEGAL, "%d legal cases", n_legal);
	CHECK(n_illegal >= LEAST_ILLEGAL, "%d illegal cases", n_illegal);
}

static void check_layout(const struct consumer_case *row)
{
	struct array array;
	int64_t low, high, n_bytes, item_bytes = item_bytes_of(row);

	CHECK(consumer_case_describe(row, &array, &n_bytes), "%s has a layout", row->id);
	CHECK(array.n_dims == row->n_unit_dims + row->n_dims, "%s: %d dimensions", row->id,
		array.n_dims);
	CHECK(dtype_itemsize(&array.dtype) == item_bytes, "%s: element of %lld bytes", row->id,
		(long long)dtype_itemsize(&array.dtype));
	CHECK((array.readonly == READONLY_YES) == !!(row->flags & CASE_READONLY),
		"%s: read-only or not", row->id);
	for (int i = 0; i < array.n_dims; i++)
		CHECK(array.shape[i] ==
				(i < row->n_unit_dims ? 1 : row->shape[i - row->n_unit_dims]),
			"%s: extent of dimension %d", row->id, i);
	for (int i = 0; row->has_strides && i < row->n_dims; i++)
		CHECK(array.stride_bytes[i + row->n_unit_dims] == row->strides[i] * item_bytes,
			"%s: stride of dimension %d", row->id, i);
	if (!walk_elements(row, &low, &high))
		return;
	CHECK((int64_t)array.pointer == row->byte_offset - low,
		"%s: first element at %lld, not %lld", row->id, (long long)array.pointer,
		(long long)(row->byte_offset - low));
	CHECK(n_bytes == row->byte_offset + high - low, "%s: %lld bytes, not %lld", row->id,
		(long long)n_bytes, (long long)(row->byte_offset + high - low));
}

static bool fits_any(const struct consumer_case *row)
{
	for (const struct tensor_interface *interface = tensor_interfaces; interface->protocol;
		interface++)
		if (consumer_case_fits(row, interface))
			return true;
	return false;
}

/* Each protocol has legal cases; DLPack has those of both its structs, __array_interface__ invalid
 * ones. */
static void check_protocols(void)
{
	int64_t shape[ARRAY_MAX_DIMS], stride_bytes[ARRAY_MAX_DIMS], n_bytes;
	struct array array;

	for (const struct tensor_interface *interface = tensor_interfaces; interface->protocol;
		interface++) {
		int n_legal = 0, n_illegal = 0;

		for (const struct consumer_case *row = consumer_cases; row->id; row++) {
			if (interface->has_structs || !consumer_case_fits(row, interface))
				continue;
			n_legal += consumer_case_is_legal(row);
			n_illegal += !consumer_case_is_legal(row);
			CHECK((row->byte_offset == 0 || interface->has_offset) &&
					!row->capsule_name,
				"%s is not DLPack's only", row->id);
			if (!consumer_case_describe(row, &array, &n_bytes))
				continue;
			CHECK(consumer_case_extents(row, shape, stride_bytes) == array.n_dims,
				"%s: dimensions", row->id);
			for (int k = 0; k < array.n_dims; k++)
				CHECK(shape[k] == array.shape[k] &&
						stride_bytes[k] == array.stride_bytes[k],
					"%s: dimension %d", row->id, k);
		}
		CHECK(interface->has_structs || n_legal >= 50, "%s: %d legal cases",
			interface->protocol->name, n_legal);
		CHECK((n_illegal >= 15) == interface->has_items, "%s: %d illegal cases",
			interface->protocol->name, n_illegal);
	}
	for (const struct consumer_case *row = consumer_cases; row->id; row++)
		CHECK(fits_any(row), "%s has a protocol", row->id);
}

int main(void)
{
	check_ids();
	check_protocols();
	check_numbers();
	for (const struct consumer_case *row = consumer_cases; row->id; row++)
		if (row->expectation == EXPECT_ELEMENTS)
			check_layout(row);
	return test_end();
}
