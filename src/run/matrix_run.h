// SPDX-License-Identifier: MIT
/* Runs the pairs of a matrix in workers. */
#ifndef RUN_MATRIX_RUN_H
#define RUN_MATRIX_RUN_H

#include "matrix/matrix.h"
#include "run/run.h"

/*
 * Fills the versions of the libraries and, of those that can be imported, the outcomes of the
 * cells. EXIT_UNAVAILABLE without NumPy, which makes the arrays.
 */
int matrix_run(struct run *run, struct matrix *matrix, const struct matrix_choice *choice,
	struct err *err);

#endif
