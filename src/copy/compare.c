// SPDX-License-Identifier: MIT
/* Element-by-element comparison by index arithmetic alone. */
#include "copy/compare.h"

#include "copy/plan.h"

#include <string.h>

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

static bool next_index(const struct array *array, int64_t *index)
{
	for (int i = array->n_dims - 1; i >= 0; i--) {
		if (++index[i] < array->shape[i])
			return true;
		index[i] = 0;
	}
	return false;
}

void compare_arrays(struct comparison *comparison, const struct array *a, const struct array *b)
{
	int64_t n_bytes = dtype_itemsize(&a->dtype);
	int64_t unit =
		a->dtype.foreign_order != b->dtype.foreign_order ? plan_swap_unit(&a->dtype) : 0;
	const unsigned char *left, *right;

	*comparison = (struct comparison){ .equal = true };
	for (int i = 0; i < a->n_dims; i++)
		if (a->shape[i] == 0)
			return;
	do {
		left = address(a, comparison->index);
		right = address(b, comparison->index);
		comparison->equal = unit ? equal_reversed(left, right, n_bytes, unit)
					 : !memcmp(left, right, (size_t)n_bytes);
	} while (comparison->equal && next_index(a, comparison->index));
}
