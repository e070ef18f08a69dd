// SPDX-License-Identifier: MIT
/* One array's layout: counts, extent and contiguity, and its map in a document. Overlap is in
 * array_overlap.c. */
#include "model/array.h"

#include <string.h>

int64_t array_elements(const struct array *array)
{
	int64_t n_elements = 1;

	for (int i = 0; i < array->n_dims; i++)
		if (!array->shape[i])
			return 0;
	for (int i = 0; i < array->n_dims; i++)
		if (array->shape[i] < 0 ||
			__builtin_mul_overflow(n_elements, array->shape[i], &n_elements))
			return -1;
	return n_elements;
}

int64_t array_nbytes(const struct array *array)
{
	int64_t n_elements = array_elements(array), itemsize = dtype_itemsize(&array->dtype);
	int64_t n_bytes;

	if (n_elements < 0 || itemsize < 0 ||
		__builtin_mul_overflow(n_elements, itemsize, &n_bytes))
		return -1;
	return n_bytes;
}

/* Offsets from the pointer of the first byte and one past the last; false on overflow. */
static bool extent_offsets(const struct array *array, int64_t *low, int64_t *high)
{
	int64_t reach;

	*low = 0;
	*high = dtype_itemsize(&array->dtype);
	for (int i = 0; i < array->n_dims; i++) {
		int64_t *end = array->stride_bytes[i] < 0 ? low : high;

		if (__builtin_mul_overflow(array->shape[i] - 1, array->stride_bytes[i], &reach) ||
			__builtin_add_overflow(*end, reach, end))
			return false;
	}
	return true;
}

int array_extent(const struct array *array, uint64_t *low, uint64_t *high, struct err *err)
{
	int64_t first, end;

	*low = *high = array->pointer;
	/* No element, or elements of no bytes. */
	if (!array_elements(array) || !dtype_itemsize(&array->dtype))
		return 0;
	if (array_elements(array) < 0 || dtype_itemsize(&array->dtype) < 0)
		return err_set(err, EXIT_FINDINGS,
			"the number or the size of the elements is out of range");
	if (!extent_offsets(array, &first, &end) ||
		__builtin_add_overflow(array->pointer, first, low) ||
		__builtin_add_overflow(array->pointer, end, high))
		return err_set(err, EXIT_FINDINGS, "some elements are outside the address space");
	return 0;
}

/* Whether dimensions from `from`, by `step`, innermost first, are compact. */
static bool is_contiguous(const struct array *array, int from, int step)
{
	int64_t expected = dtype_itemsize(&array->dtype);

	if (!array_elements(array))
		return true;
	for (int i = from; i >= 0 && i < array->n_dims; i += step) {
		if (array->shape[i] == 1)
			continue;
		if (array->stride_bytes[i] != expected ||
			__builtin_mul_overflow(expected, array->shape[i], &expected))
			return false;
	}
	return true;
}

bool array_same_extent(const struct array *a, const struct array *b)
{
	uint64_t a_low, a_high, b_low, b_high;
	struct err ignored;

	return a->device.type && b->device.type && !strcmp(a->device.type, b->device.type) &&
	       a->device.id == b->device.id && !array_extent(a, &a_low, &a_high, &ignored) &&
	       !array_extent(b, &b_low, &b_high, &ignored) && a_low == b_low && a_high == b_high;
}

bool array_is_c_contiguous(const struct array *array)
{
	return is_contiguous(array, array->n_dims - 1, -1);
}

bool array_is_f_contiguous(const struct array *array)
{
	return is_contiguous(array, 0, 1);
}

void array_set_compact_strides(struct array *array, char order)
{
	int64_t stride = dtype_itemsize(&array->dtype);

	for (int n = 0; n < array->n_dims; n++) {
		int i = order == 'F' ? n : array->n_dims - 1 - n;

		array->stride_bytes[i] = stride;
		/* As NumPy does, an empty dimension counts as one element. */
		if (array->shape[i] > 0 && __builtin_mul_overflow(stride, array->shape[i], &stride))
			stride = INT64_MAX;
	}
}

bool array_same_shape(const struct array *a, const struct array *b)
{
	return a->n_dims == b->n_dims &&
	       !memcmp(a->shape, b->shape, (size_t)a->n_dims * sizeof(*a->shape));
}

bool array_next_index(const struct array *array, int64_t *index, int n_dims)
{
	for (int i = n_dims - 1; i >= 0; i--) {
		if (++index[i] < array->shape[i])
			return true;
		index[i] = 0;
	}
	return false;
}
