// SPDX-License-Identifier: MIT
/* The table of cases: ids, how many there are of each kind, and the layout of each row, index by
 * index. */
#include "base/test.h"
#include "consumers/cases.h"

#include <string.h>

enum { MIN_LEGAL = 60, MIN_INVALID = 30 };

/* The lowest and the end of the highest byte of the elements, relative to the first one. */
static void walk_row(const struct array *layout, int64_t *low, int64_t *high)
{
	int64_t index[ARRAY_MAX_DIMS] = { 0 }, item_bytes = dtype_itemsize(&layout->dtype);
	int i;

	*low = *high = 0;
	do {
		int64_t at = 0;

		for (i = 0; i < layout->n_dims; i++)
			at += index[i] * layout->stride_bytes[i];
		*low = at < *low ? at : *low;
		*high = at + item_bytes > *high ? at + item_bytes : *high;
		for (i = layout->n_dims - 1; i >= 0 && ++index[i] >= layout->shape[i]; i--)
			index[i] = 0;
	} while (i >= 0);
}

static void check_layout(const struct consumer_case *row)
{
	int64_t low, high, n_bytes;
	struct array layout;

	if (!consumer_case_describe(row, &layout, &n_bytes)) {
		CHECK(!consumer_case_is_legal(row), "%s has no layout", row->id);
		return;
	}
	CHECK(layout.n_dims == row->n_unit_dims + row->n_dims, "%s: %d", row->id, layout.n_dims);
	for (int i = 0; i < row->n_dims; i++)
		CHECK(layout.shape[row->n_unit_dims + i] == row->shape[i], "%s: shape", row->id);
	for (int i = 0; row->has_strides && i < row->n_dims; i++)
		CHECK(layout.stride_bytes[row->n_unit_dims + i] ==
				row->strides[i] * dtype_itemsize(&layout.dtype),
			"%s: strides", row->id);
	if (!array_elements(&layout))
		return;
	walk_row(&layout, &low, &high);
	CHECK((int64_t)layout.pointer == row->byte_offset - low, "%s: the first element is at %lld",
		row->id, (long long)layout.pointer);
	CHECK(n_bytes == high - low + row->byte_offset, "%s: %lld bytes", row->id,
		(long long)n_bytes);
}

int main(void)
{
	int n_legal = 0, n_invalid = 0;

	for (const struct consumer_case *row = consumer_cases; row->id; row++) {
		n_legal += consumer_case_is_legal(row);
		n_invalid += !consumer_case_is_legal(row);
		CHECK(row->about && *row->about, "%s says nothing", row->id);
		for (const struct consumer_case *other = consumer_cases; other < row; other++)
			CHECK(strcmp(other->id, row->id) != 0, "two rows are %s", row->id);
		check_layout(row);
	}
	CHECK(n_legal >= MIN_LEGAL, "%d legal rows", n_legal);
	CHECK(n_invalid >= MIN_INVALID, "%d invalid rows", n_invalid);
	return test_end();
}
