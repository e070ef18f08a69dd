// SPDX-License-Identifier: MIT
/* What changed since an earlier document of a matrix. */
#ifndef MATRIX_MATRIX_DIFF_H
#define MATRIX_MATRIX_DIFF_H

#include "formats/format.h"
#include "model/value.h"

/* Prints versions that changed, and each cell with arrays whose state changed, or that only one of
 * the documents has. *n_changed: the number of those cells. */
int matrix_diff_write(const struct format_output *output, const struct value *before,
	const struct value *after, size_t *n_changed, struct err *err);

#endif
