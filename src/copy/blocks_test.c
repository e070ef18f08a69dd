// SPDX-License-Identifier: MIT
/* Consecutive blocks of any size add up to the array, in C and in Fortran order. */
#include "base/array_size.h"
#include "base/test.h"
#include "copy/blocks.h"
#include "copy/host/host_copy.h"

#include <string.h>

static unsigned char memory[4096], file[4096];
static size_t n_written;
static int n_blocks;
static int64_t largest;

/* The block contains the elements of the array itself. */
static void check_same(const struct array *whole, const struct array *block, int64_t n_before)
{
	struct array same = blocks_same(whole, block, n_before);

	CHECK(same.pointer == block->pointer && same.n_dims == block->n_dims &&
			!memcmp(same.shape, block->shape,
				(size_t)block->n_dims * sizeof(int64_t)) &&
			!memcmp(same.stride_bytes, block->stride_bytes,
				(size_t)block->n_dims * sizeof(int64_t)),
		"after %lld elements", (long long)n_before);
}

static int append(void *context, const struct array *block, struct err *err)
{
	struct array dense = *block;
	const struct array *whole = context; /* NULL: not in order 'C' */
	struct copy_plan plan;

	if (whole)
		check_same(whole, block, (int64_t)n_written / dtype_itemsize(&block->dtype));
	array_set_compact_strides(&dense, 'C');
	if (plan_make(&plan, block, &dense, err))
		return -1;
	host_copy(&plan, (const void *)(uintptr_t)block->pointer, file + n_written);
	n_written += (size_t)array_nbytes(block);
	largest = array_nbytes(block) > largest ? array_nbytes(block) : largest;
	n_blocks++;
	return 0;
}

static struct array sample(int n_dims, const int64_t *shape, const int64_t *stride_bytes,
	int64_t item_bytes, int64_t offset)
{
	struct array array = { .n_dims = n_dims,
		.dtype = { .kind = DTYPE_VOID, .bits = 8 * item_bytes, .lanes = 1 },
		.pointer = (uint64_t)(uintptr_t)(memory + offset) };

	for (int i = 0; i < n_dims; i++) {
		array.shape[i] = shape[i];
		array.stride_bytes[i] = stride_bytes[i];
	}
	return array;
}

/* The blocks must add up to a copy of the whole array in the same order. */
static void check(const struct array *array, char order, int64_t max_bytes)
{
	unsigned char expected[sizeof(file)];
	struct array dense = *array;
	struct copy_plan plan;
	struct err err = { 0 };

	n_written = 0;
	n_blocks = 0;
	largest = 0;
	array_set_compact_strides(&dense, order);
	CHECK(!plan_make(&plan, array, &dense, &err), "%s", err.message);
	host_copy(&plan, (const void *)(uintptr_t)array->pointer, expected);
	CHECK(!blocks_visit(
		      array, order, max_bytes, append, order == 'C' ? (void *)array : NULL, &err),
		"%s", err.message);
	CHECK((int64_t)n_written == array_nbytes(array), "%zu bytes, order %c, blocks of %lld",
		n_written, order, (long long)max_bytes);
	CHECK(!memcmp(file, expected, n_written), "order %c, blocks of %lld", order,
		(long long)max_bytes);
	CHECK(largest <= max_bytes || largest == dtype_itemsize(&array->dtype),
		"a block of %lld of %lld bytes", (long long)largest, (long long)max_bytes);
}

int main(void)
{
	const struct array arrays[] = {
		sample(0, NULL, NULL, 8, 16),
		sample(1, (int64_t[]){ 37 }, (int64_t[]){ 3 }, 3, 0),
		sample(3, (int64_t[]){ 4, 5, 6 }, (int64_t[]){ 240, 48, 8 }, 8, 0),
		sample(3, (int64_t[]){ 6, 5, 4 }, (int64_t[]){ 8, 48, 240 }, 8, 0),
		sample(3, (int64_t[]){ 4, 1, 6 }, (int64_t[]){ -48, 7, 8 }, 4, 144),
		sample(2, (int64_t[]){ 7, 3 }, (int64_t[]){ 0, 16 }, 16, 0),
		sample(2, (int64_t[]){ 0, 3 }, (int64_t[]){ 24, 8 }, 8, 0),
	};
	const int64_t sizes[] = { 1, 8, 9, 24, 50, 100, 481, 100000 };

	for (size_t i = 0; i < sizeof(memory); i++)
		memory[i] = (unsigned char)(i * 37 + i / 256);
	for (size_t i = 0; i < ARRAY_SIZE(arrays); i++)
		for (size_t k = 0; k < ARRAY_SIZE(sizes); k++) {
			check(&arrays[i], 'C', sizes[k]);
			check(&arrays[i], 'F', sizes[k]);
		}
	check(&arrays[2], 'C', 100000);
	CHECK(n_blocks == 1, "%d blocks", n_blocks);
	return test_end();
}
