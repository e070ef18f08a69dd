// SPDX-License-Identifier: MIT
/*
 * The matrix: which pairs of libraries are examined with which arrays, and the outcomes. It is
 * planned from the adapters, filled by run/matrix_run.h, and written as a document, from which the
 * other formats are made.
 */
#ifndef MATRIX_MATRIX_H
#define MATRIX_MATRIX_H

#include "base/error.h"
#include "matrix/adapters.h"
#include "matrix/battery.h"
#include "matrix/cell.h"
#include "model/value.h"

#include <stdbool.h>

enum { MATRIX_FORMAT = 1 }; /* the value of the key suai of documents */

#define LIBRARY_NOT_INSTALLED "not installed"

struct matrix_library {
	const struct adapter *adapter;
	const char *version;     /* of its distribution; NULL: unknown */
	const char *device;      /* NULL: its arrays are in the memory of the host */
	const char *unavailable; /* why it cannot be used; NULL: it can */
	bool has_cells;
};

struct matrix_cell {
	const char *id; /* "jax>numpy.asarray" */
	const struct matrix_library *producer, *library;
	const struct adapter_consumer *consumer; /* of library */
	struct cell_outcome *outcomes;           /* of each array */
	bool lost_import;                        /* of its libraries, in a process */
	bool consumer_first; /* library is imported before the producer's, not after it */
};

struct matrix {
	struct arena *arena;
	struct matrix_library *libraries;
	struct matrix_cell *cells; /* by producer, then consumer, each in the order of libraries */
	struct battery_array *arrays;
	size_t n_libraries, n_cells, n_arrays;
	const char *python; /* the version of the interpreter; NULL: unknown */
	const char *cpu;    /* its model; NULL: unknown */
	const char *placement;
};

/* What of the table is examined. */
struct matrix_choice {
	const char *const *libraries; /* names; none: all */
	size_t n_libraries;
	const char *const *pairs; /* PRODUCER:CONSUMER; none: all */
	size_t n_pairs;
	const char *placement;       /* of one of the placements, or all */
	const struct adapter *added; /* those of the user, which replace rows of the same library;
					ends with a NULL library; or NULL */
};

/* Fills matrix, whose arena is set: each outcome is absent. EXIT_USAGE if a name is unknown. */
int matrix_plan(struct matrix *matrix, const struct matrix_choice *choice, struct err *err);

/* Whether a run with that choice examines the cell of an earlier document. */
bool matrix_is_chosen(
	const struct matrix_choice *choice, const char *producer, const char *consumer);

/* Removes the cells of built-in libraries that cannot be used, unless they were chosen by name;
 * those that remain have the reason. */
void matrix_drop_unavailable(struct matrix *matrix, const struct matrix_choice *choice);

/* Whether the array is passed in that cell. */
bool matrix_has_array(const struct matrix_cell *cell, const struct battery_array *array);

/* The worst outcome of a cell's arrays, those that are absent aside. */
enum cell_state matrix_cell_state(const struct matrix *matrix, const struct matrix_cell *cell);

/* The document of schema/suai-matrix.schema.json. */
struct value *matrix_to_value(const struct matrix *matrix);

#endif
