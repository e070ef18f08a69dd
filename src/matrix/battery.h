// SPDX-License-Identifier: MIT
/* The arrays that `suai matrix` passes from library to library: cases of consumers/cases.h that
 * NumPy can express, each at one or two placements. */
#ifndef MATRIX_BATTERY_H
#define MATRIX_BATTERY_H

#include "consumers/cases.h"

struct battery_row {
	const char *id;     /* of the case */
	const char *python; /* such an array, in NumPy; needs numpy, and ml_dtypes for bfloat16 */
};

/* Ends with a NULL id. */
extern const struct battery_row battery[];

/* Where the memory of an array begins, and whether the queue of its producer was waited for. */
struct placement {
	const char *name; /* of --placement */
	const char *meaning;
	const char *suffix;   /* of the names of arrays */
	const char *comment;  /* in reproductions; NULL: none */
	int64_t offset_bytes; /* from a multiple of 64 */
	bool is_pending; /* work that writes the elements is pending: only arrays that have a queue
			  */
};

enum { N_PLACEMENTS = 3 };

/* Ends with a NULL name. */
extern const struct placement placements[N_PLACEMENTS + 1];

/* A row at a placement. */
struct battery_array {
	const struct battery_row *row;
	const struct placement *placement;
	const char *name; /* "float32"; 4 bytes off: "float32+4" */
};

#endif
