// SPDX-License-Identifier: MIT
/* The arrays that `suai matrix` passes from library to library: cases of consumers/cases.h that
 * NumPy can express, each at one or two placements. */
#ifndef MATRIX_BATTERY_H
#define MATRIX_BATTERY_H

#include "consumers/cases.h"

enum { BATTERY_OFFSET_BYTES = 4 };

struct battery_row {
	const char *id;     /* of the case */
	const char *python; /* such an array, in NumPy; needs numpy, and ml_dtypes for bfloat16 */
};

/* Ends with a NULL id. */
extern const struct battery_row battery[];

/* Where the memory of an array begins. */
enum placement { PLACEMENT_ALIGNED = 1 << 0, PLACEMENT_OFFSET = 1 << 1 };

/* A row at a placement. */
struct battery_array {
	const struct battery_row *row;
	enum placement placement;
	const char *name; /* "float32"; 4 bytes off: "float32+4" */
};

#endif
