// SPDX-License-Identifier: MIT
/*
 * Whether two indices of an array reach a common byte: they do exactly if strides, each times a
 * factor below its extent, sum to less than an element and not all factors are zero. Nested strides
 * are proved at once; the others are searched from the largest stride down, pruned by bounds and
 * common divisors, up to a limit.
 */
#include "model/array.h"

#include "base/common_divisor.h"

enum { SEARCH_LIMIT = 1 << 20 }; /* sums examined; some 10 ms */

struct dim {
	int64_t stride;  /* bytes, positive */
	int64_t steps;   /* extent - 1 */
	int64_t reach;   /* bytes that this and all smaller dimensions span */
	int64_t divisor; /* of this and all smaller strides */
};

struct search {
	struct dim dims[ARRAY_MAX_DIMS]; /* smallest stride first */
	int n_dims;
	int64_t itemsize;
	int64_t n_left; /* sums that may still be examined */
};

/* Inserts by stride. */
static void add_dim(struct search *search, int64_t stride, int64_t steps)
{
	int at = search->n_dims++;

	for (; at > 0 && search->dims[at - 1].stride > stride; at--)
		search->dims[at] = search->dims[at - 1];
	search->dims[at] = (struct dim){ .stride = stride, .steps = steps };
}

/* Merges outer into inner if outer continues where inner ends. */
static bool join_dim(struct dim *inner, const struct dim *outer)
{
	int64_t extent, n_steps;

	if (__builtin_add_overflow(inner->steps, 1, &extent) || outer->stride % inner->stride ||
		outer->stride / inner->stride != extent ||
		__builtin_mul_overflow(extent, outer->steps, &n_steps) ||
		__builtin_add_overflow(n_steps, inner->steps, &n_steps))
		return false;
	inner->steps = n_steps;
	return true;
}

static void join_dims(struct search *search)
{
	int n_dims = 0;

	for (int i = 0; i < search->n_dims; i++)
		if (!n_dims || !join_dim(&search->dims[n_dims - 1], &search->dims[i]))
			search->dims[n_dims++] = search->dims[i];
	search->n_dims = n_dims;
}

/* False if twice the span of all dimensions, which the search computes with, overflows. */
static bool measure_dims(struct search *search)
{
	int64_t reach = 0, divisor = 0, own;

	for (int i = 0; i < search->n_dims; i++) {
		struct dim *dim = &search->dims[i];

		divisor = (int64_t)common_divisor(dim->stride, divisor);
		if (__builtin_mul_overflow(dim->stride, dim->steps, &own) ||
			__builtin_add_overflow(reach, own, &reach))
			return false;
		dim->reach = reach;
		dim->divisor = divisor;
	}
	return !__builtin_add_overflow(reach, search->itemsize, &reach) &&
	       !__builtin_mul_overflow(reach, 2, &reach);
}

static bool is_nested(const struct search *search)
{
	int64_t inner = 0;

	for (int i = 0; i < search->n_dims; i++) {
		if (search->dims[i].stride - inner < search->itemsize)
			return false;
		inner = search->dims[i].reach;
	}
	return true;
}

/* More bytes than the span holds. */
static bool is_crowded(const struct array *array, const struct search *search)
{
	int64_t n_bytes = array_nbytes(array);
	int64_t span = search->n_dims ? search->dims[search->n_dims - 1].reach : 0;

	return n_bytes < 0 || n_bytes > span + search->itemsize;
}

/* Whether a multiple of the divisor comes within an element of sum. */
static bool can_cancel(const struct dim *dim, int64_t sum, int64_t itemsize)
{
	int64_t rest = sum % dim->divisor;

	rest = rest < 0 ? rest + dim->divisor : rest;
	return rest < itemsize || dim->divisor - rest < itemsize;
}

static int64_t divide_up(int64_t a, int64_t b)
{
	return a / b + (a % b > 0);
}

static int64_t divide_down(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

/* Looks for steps of dims[0..i] that bring sum within an element of zero; all_zero: no larger
 * dimension took a step. */
static enum array_overlap search_from(struct search *search, int i, int64_t sum, bool all_zero)
{
	int64_t room, from, to;
	const struct dim *dim;

	if (i < 0)
		return all_zero ? OVERLAP_NO : OVERLAP_YES;
	dim = &search->dims[i];
	if (--search->n_left < 0)
		return OVERLAP_UNKNOWN;
	if (!can_cancel(dim, sum, search->itemsize))
		return OVERLAP_NO;
	/* The range that the smaller dimensions can still compensate. */
	room = (i ? search->dims[i - 1].reach : 0) + search->itemsize - 1;
	from = divide_up(-room - sum, dim->stride);
	to = divide_down(room - sum, dim->stride);
	from = from < -dim->steps ? -dim->steps : from;
	to = to > dim->steps ? dim->steps : to;
	/* By symmetry, only first steps that are not negative are tried. */
	from = all_zero && from < 0 ? 0 : from;
	for (int64_t step = from; step <= to; step++) {
		enum array_overlap found =
			search_from(search, i - 1, sum + step * dim->stride, all_zero && !step);

		if (found != OVERLAP_NO)
			return found;
	}
	return OVERLAP_NO;
}

enum array_overlap array_overlap(const struct array *array)
{
	struct search search = { .itemsize = dtype_itemsize(&array->dtype),
		.n_left = SEARCH_LIMIT };
	bool is_unknown = false;

	if (!array_elements(array) || !search.itemsize)
		return OVERLAP_NO;
	if (search.itemsize < 0)
		return OVERLAP_UNKNOWN;
	for (int i = 0; i < array->n_dims; i++) {
		int64_t stride = array->stride_bytes[i];

		if (array->shape[i] == 1)
			continue;
		if (array->shape[i] < 0 || stride == INT64_MIN) {
			is_unknown = true;
			continue;
		}
		stride = stride < 0 ? -stride : stride;
		if (stride < search.itemsize)
			return OVERLAP_YES;
		add_dim(&search, stride, array->shape[i] - 1);
	}
	join_dims(&search);
	if (is_unknown || !measure_dims(&search))
		return OVERLAP_UNKNOWN;
	if (is_nested(&search))
		return OVERLAP_NO;
	if (is_crowded(array, &search))
		return OVERLAP_YES;
	return search_from(&search, search.n_dims - 1, 0, true);
}
