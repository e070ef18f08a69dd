// SPDX-License-Identifier: MIT
/* A block has as many inner dimensions as fit completely, and a part of the next one. */
#include "copy/blocks.h"

/* The array with its dimensions in the order of the file; a scalar is one row. */
static struct array in_file_order(const struct array *array, char order)
{
	struct array result = *array;

	for (int i = 0; order == 'F' && i < array->n_dims; i++) {
		result.shape[i] = array->shape[array->n_dims - 1 - i];
		result.stride_bytes[i] = array->stride_bytes[array->n_dims - 1 - i];
	}
	if (!array->n_dims) {
		result.n_dims = 1;
		result.shape[0] = 1;
		result.stride_bytes[0] = dtype_itemsize(&array->dtype);
	}
	return result;
}

/* The first of the dimensions that fit into a block completely; *n_bytes is their size. */
static int find_split(const struct array *array, int64_t max_bytes, int64_t *n_bytes)
{
	int first = array->n_dims;

	*n_bytes = dtype_itemsize(&array->dtype);
	while (first > 0 && array->shape[first - 1] <= max_bytes / *n_bytes)
		*n_bytes *= array->shape[--first];
	return first;
}

/* n_rows of dimension `piece`, from index on, with all inner dimensions. */
static struct array block_at(
	const struct array *array, int piece, const int64_t *index, int64_t n_rows)
{
	struct array block = *array;

	block.n_dims = array->n_dims - piece;
	for (int i = 0; i < block.n_dims; i++) {
		block.shape[i] = array->shape[piece + i];
		block.stride_bytes[i] = array->stride_bytes[piece + i];
	}
	for (int i = 0; i <= piece; i++)
		block.pointer += (uint64_t)index[i] * (uint64_t)array->stride_bytes[i];
	block.shape[0] = n_rows;
	return block;
}

int blocks_visit(const struct array *array, char order, int64_t max_bytes,
	int (*visit)(void *context, const struct array *block, struct err *err), void *context,
	struct err *err)
{
	const struct array whole = in_file_order(array, order);
	int64_t index[ARRAY_MAX_DIMS] = { 0 }, n_bytes, n_rows, left;
	struct array block;
	int split, piece;

	if (array_nbytes(array) <= 0)
		return 0;
	split = find_split(&whole, max_bytes, &n_bytes);
	piece = split ? split - 1 : 0;
	n_rows = split ? max_bytes / n_bytes : whole.shape[0];
	n_rows = n_rows ? n_rows : 1;
	do {
		for (index[piece] = 0; index[piece] < whole.shape[piece]; index[piece] += n_rows) {
			left = whole.shape[piece] - index[piece];
			block = block_at(&whole, piece, index, left < n_rows ? left : n_rows);
			if (visit(context, &block, err))
				return -1;
		}
	} while (array_next_index(&whole, index, piece));
	return 0;
}

struct array blocks_same(const struct array *array, const struct array *block, int64_t n_before)
{
	const struct array whole = in_file_order(array, 'C');
	struct array same = whole;
	int first = whole.n_dims - block->n_dims;

	for (int i = whole.n_dims - 1; i >= 0; i--) {
		same.pointer +=
			(uint64_t)(n_before % whole.shape[i]) * (uint64_t)whole.stride_bytes[i];
		n_before /= whole.shape[i];
	}
	same.n_dims = block->n_dims;
	for (int i = 0; i < block->n_dims; i++) {
		same.shape[i] = block->shape[i];
		same.stride_bytes[i] = whole.stride_bytes[first + i];
	}
	return same;
}
