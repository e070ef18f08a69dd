// SPDX-License-Identifier: MIT
/* Element-by-element comparison by index arithmetic only. */
#include "copy/compare.h"

#include "copy/plan.h"

#include <string.h>

enum { SQUARE = 32 }; /* elements per side */

static const unsigned char *address(const struct array *array, const int64_t *index)
{
	uint64_t at = array->pointer;

	for (int i = 0; i < array->n_dims; i++)
		at += (uint64_t)index[i] * (uint64_t)array->stride_bytes[i];
	return (const unsigned char *)(uintptr_t)at;
}

static bool equal_reversed(
	const unsigned char *a, const unsigned char *b, int64_t n_bytes, int64_t unit)
{
	for (int64_t i = 0; i < n_bytes; i++)
		if (a[i] != b[i / unit * unit + unit - 1 - i % unit])
			return false;
	return true;
}

/* A pair of elements to compare. */
struct pair {
	int64_t n_bytes, unit; /* unit: of swapped bytes; 0: both have the same byte order */
	int64_t left_row, left_column, right_row, right_column; /* strides of the last dimensions */
	int64_t n_rows, n_columns;
};

static bool equal_element(
	const struct pair *pair, const unsigned char *left, const unsigned char *right)
{
	if (pair->unit)
		return equal_reversed(left, right, pair->n_bytes, pair->unit);
	switch (pair->n_bytes) { /* a constant size lets the compiler inline memcmp */
	case 1:
		return *left == *right;
	case 2:
		return !memcmp(left, right, 2);
	case 4:
		return !memcmp(left, right, 4);
	case 8:
		return !memcmp(left, right, 8);
	default:
		return !memcmp(left, right, (size_t)pair->n_bytes);
	}
}

static bool equal_row(const struct pair *pair, const unsigned char *left,
	const unsigned char *right, int64_t n_columns)
{
	bool dense = !pair->unit && pair->left_column == pair->n_bytes &&
		     pair->right_column == pair->n_bytes;

	if (dense)
		return !memcmp(left, right, (size_t)(n_columns * pair->n_bytes));
	for (int64_t i = 0; i < n_columns; i++)
		if (!equal_element(
			    pair, left + i * pair->left_column, right + i * pair->right_column))
			return false;
	return true;
}

/*
 * The last two dimensions in squares: if one side is the transpose of the other, a cache line of
 * either side is used completely before it is evicted.
 */
static bool equal_plane(
	const struct pair *pair, const unsigned char *left, const unsigned char *right)
{
	for (int64_t row = 0; row < pair->n_rows; row += SQUARE)
		for (int64_t column = 0; column < pair->n_columns; column += SQUARE)
			for (int64_t i = row; i < pair->n_rows && i < row + SQUARE; i++)
				if (!equal_row(pair,
					    left + i * pair->left_row + column * pair->left_column,
					    right + i * pair->right_row +
						    column * pair->right_column,
					    pair->n_columns - column < SQUARE
						    ? pair->n_columns - column
						    : SQUARE))
					return false;
	return true;
}

static struct pair make_pair(const struct array *a, const struct array *b)
{
	int row = a->n_dims - 2, column = a->n_dims - 1;
	struct pair pair = { .n_bytes = dtype_itemsize(&a->dtype), .n_rows = 1, .n_columns = 1 };

	if (a->dtype.foreign_order != b->dtype.foreign_order)
		pair.unit = plan_swap_unit(&a->dtype);
	if (row >= 0) {
		pair.n_rows = a->shape[row];
		pair.left_row = a->stride_bytes[row];
		pair.right_row = b->stride_bytes[row];
	}
	if (column >= 0) {
		pair.n_columns = a->shape[column];
		pair.left_column = a->stride_bytes[column];
		pair.right_column = b->stride_bytes[column];
	}
	return pair;
}

void compare_arrays(struct comparison *comparison, const struct array *a, const struct array *b)
{
	struct pair pair = make_pair(a, b);
	int n_outer = a->n_dims > 2 ? a->n_dims - 2 : 0;
	int64_t *index = comparison->index;

	*comparison = (struct comparison){ .equal = true };
	for (int i = 0; i < a->n_dims; i++)
		if (a->shape[i] == 0)
			return;
	do
		comparison->equal = equal_plane(&pair, address(a, index), address(b, index));
	while (comparison->equal && array_next_index(a, index, n_outer));
	while (!comparison->equal && equal_element(&pair, address(a, index), address(b, index)) &&
		array_next_index(a, index, a->n_dims))
		;
}
