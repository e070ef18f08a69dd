// SPDX-License-Identifier: MIT
/* What changed since an earlier document of a matrix. */
#ifndef MATRIX_MATRIX_DIFF_H
#define MATRIX_MATRIX_DIFF_H

#include "formats/format.h"
#include "matrix/matrix.h"
#include "model/value.h"

/* Prints versions that changed, and each cell with arrays whose state changed, or that only one of
 * the documents has. Cells that are not of choice (NULL: all are) are only counted. *n_changed: the
 * number of cells that were printed. */
int matrix_diff_write(const struct format_output *output, const struct matrix_choice *choice,
	const struct value *before, const struct value *after, size_t *n_changed, struct err *err);

#endif
