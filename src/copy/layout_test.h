// SPDX-License-Identifier: MIT
/*
 * Random pairs of layouts of the same shape, and the copy between them by the definition of
 * strides.
 */
#ifndef COPY_LAYOUT_TEST_H
#define COPY_LAYOUT_TEST_H

#include "base/array_size.h"
#include "base/random_test.h"
#include "base/test.h"
#include "copy/plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LAYOUTS = 10000, MAX_DIMS = 8, ARENA_BYTES = 1 << 17 };

static _Alignas(64) unsigned char source[ARENA_BYTES], result[ARENA_BYTES], expected[ARENA_BYTES];

static struct dtype pick_dtype(void)
{
	static const int64_t sizes[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 16, 24, 40 };
	struct dtype dtype = { .kind = DTYPE_VOID, .lanes = 1 };

	dtype.bits = 8 * sizes[pick(ARRAY_SIZE(sizes))];
	if (dtype.bits == 32 || dtype.bits == 64 || dtype.bits == 16)
		dtype.kind = DTYPE_FLOAT;
	if (dtype.bits == 128)
		dtype.kind = DTYPE_COMPLEX;
	if (dtype.bits == 96)
		dtype.kind = DTYPE_UNICODE;
	return dtype;
}

/*
 * Contiguous strides over the dimensions in a random order, with gaps and signs; some overlap if
 * permitted.
 */
static void pick_strides(struct array *array, bool overlaps)
{
	int order[MAX_DIMS] = { 0 };
	int64_t stride = dtype_itemsize(&array->dtype);
	bool shuffle = pick(2);

	for (int i = 1; i < array->n_dims; i++) {
		int at = shuffle ? (int)pick(i + 1) : i;

		order[i] = order[at];
		order[at] = i;
	}
	for (int i = 0; i < array->n_dims; i++) {
		int dim = order[i];

		if (pick(6) == 0)
			stride += pick(2) ? 1 : dtype_itemsize(&array->dtype);
		array->stride_bytes[dim] = pick(5) ? stride : -stride;
		if (array->shape[dim])
			stride *= array->shape[dim];
		if (overlaps && pick(6) == 0)
			array->stride_bytes[dim] = 0;
		if (overlaps && pick(12) == 0)
			array->stride_bytes[dim] = pick(64) - 32;
	}
}

/* The offset of element 0,0,... at which every element is inside the memory. */
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

/* Copies into expected what a copy into result would write. */
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
		int64_t src = (int64_t)(from->pointer - (uintptr_t)source);
		int64_t dst = (int64_t)(to->pointer - (uintptr_t)result), rest = element;

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

/* Aligned like its kind of memory, or to one element, or unaligned. */
static uint64_t pick_address(const unsigned char *memory, const struct array *array)
{
	int64_t shift = pick(3) ? 0 : pick(2) ? dtype_itemsize(&array->dtype) : pick(64);

	return (uint64_t)(uintptr_t)memory + (uint64_t)(first_byte(array) + shift);
}

/* A pair whose memory is within source and result. */
static void pick_pair(struct array *from, struct array *to)
{
	do {
		*from = (struct array){ .dtype = pick_dtype(), .n_dims = (int)pick(MAX_DIMS + 1) };
		for (int i = 0; i < from->n_dims; i++)
			from->shape[i] = pick(40) == 0 ? 0
						       : 1 + pick(from->n_dims > 4      ? 4
								     : from->n_dims > 2 ? 9
											: 60);
		*to = *from;
		from->dtype.foreign_order = pick(4) == 0;
		to->dtype.foreign_order = pick(8) == 0;
		pick_strides(from, true);
		pick_strides(to, false);
	} while (last_byte(from) > ARENA_BYTES - 64 || last_byte(to) > ARENA_BYTES - 64);
	from->pointer = pick_address(source, from);
	to->pointer = pick_address(result, to);
}

static void fill_source(void)
{
	for (int i = 0; i < ARENA_BYTES; i++)
		source[i] = (unsigned char)pick(256);
}

#endif
