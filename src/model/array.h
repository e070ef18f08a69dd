// SPDX-License-Identifier: MIT
/*
 * One array as any protocol describes it. Strides and offsets are in bytes: protocols that count
 * elements are converted when described.
 */
#ifndef MODEL_ARRAY_H
#define MODEL_ARRAY_H

#include "base/error.h"
#include "model/device.h"
#include "model/dtype.h"

#include <stdbool.h>
#include <stdint.h>

enum { ARRAY_MAX_DIMS = 64 };

enum array_readonly { READONLY_UNKNOWN = -1, READONLY_NO = 0, READONLY_YES = 1 };

struct array {
	struct dtype dtype;
	int n_dims;
	int64_t shape[ARRAY_MAX_DIMS];        /* elements */
	int64_t stride_bytes[ARRAY_MAX_DIMS]; /* compact C order if none were given */
	bool strides_given;                   /* false: the protocol omitted them */
	uint64_t pointer; /* address of the element at index 0,0,...; 0 if there is none */
	enum array_readonly readonly;
	struct device device;
};

/* The number of elements; -1 if the product overflows int64_t. 0 if an extent is 0. */
int64_t array_elements(const struct array *array);

/* elements x itemsize in bytes; -1 on overflow. */
int64_t array_nbytes(const struct array *array);

/*
 * Addresses of the first byte and one past the last byte that any index reaches.
 * A zero-size array has low == high == pointer. -1 with err set on overflow.
 */
int array_extent(const struct array *array, uint64_t *low, uint64_t *high, struct err *err);

/* Whether both are on one device and reach the same bytes. */
bool array_same_extent(const struct array *a, const struct array *b);

/* Whether both have the same extents. */
bool array_same_shape(const struct array *a, const struct array *b);

/* Advances the index of the first n_dims dimensions in C order; false: that was the last one, and
 * the index is 0 again. */
bool array_next_index(const struct array *array, int64_t *index, int n_dims);

/* NumPy's rules: extents of 1 are skipped, a zero-size array is both. */
bool array_is_c_contiguous(const struct array *array);
bool array_is_f_contiguous(const struct array *array);

enum array_overlap { OVERLAP_NO, OVERLAP_YES, OVERLAP_UNKNOWN };

/* Whether two indices reach a common byte; exact up to a work limit, then UNKNOWN. */
enum array_overlap array_overlap(const struct array *array);

/* Fills stride_bytes with compact C or Fortran order ('C' or 'F'); a stride that overflows is
 * INT64_MAX. */
void array_set_compact_strides(struct array *array, char order);

#endif
