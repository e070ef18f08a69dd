// SPDX-License-Identifier: MIT
/* The document of a matrix (matrix/matrix.h) as its formats show it: as a table, and by cause. */
#ifndef MATRIX_MATRIX_VIEW_H
#define MATRIX_MATRIX_VIEW_H

#include "matrix/cell.h"
#include "model/value.h"

#include <stdbool.h>

/* Arrays of a cell with the same cause. */
struct matrix_cause_result {
	const char *id;       /* of the cell */
	struct value *arrays; /* their names */
};

/* A state and a reason, with the cells that have it, or one that differs only in numbers, element
 * types and what is in brackets. */
struct matrix_cause {
	enum cell_state state;
	const char *reason;  /* the first */
	const char *pattern; /* what they have in common */
	bool varies;
	struct matrix_cause_result *results;
	size_t n_results;
};

struct matrix_view {
	const struct value *document;
	const char **producers, **consumers;
	size_t n_producers, n_consumers;
	const struct value **cells;  /* by producer, then consumer; NULL: not examined */
	struct matrix_cause *causes; /* those with a reason, worst first */
	size_t n_causes;
};

/* Keeps document. Its cells must have the keys that matrix_to_value() writes. */
void matrix_view_open(struct matrix_view *view, struct arena *arena, const struct value *document);

/* NULL: it was not examined. */
const struct value *matrix_view_cell(
	const struct matrix_view *view, size_t producer, size_t consumer);

/* The abbreviation of a state in tables. */
char matrix_state_letter(enum cell_state state);

#endif
