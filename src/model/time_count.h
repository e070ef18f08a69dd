// SPDX-License-Identifier: MIT
/* Dates and durations: counts of the unit that their element type names. */
#ifndef MODEL_TIME_COUNT_H
#define MODEL_TIME_COUNT_H

#include "model/dtype.h"

#include <stdbool.h>
#include <stdint.h>

/* Whether the elements of the type are dates or durations. */
bool dtype_is_time(const struct dtype *dtype);

/* Whether both types are dates, or both durations, of different units. */
bool dtype_differs_in_unit(const struct dtype *a, const struct dtype *b);

/* Whether two counts, of types that are both dates or both durations, are the same date or
 * duration: 1 of datetime64[s] is 1000 of datetime64[ms]. Types without a unit are compared by
 * their counts; durations of months are equal to none of days. */
bool time_counts_equal(
	const struct dtype *a, int64_t a_count, const struct dtype *b, int64_t b_count);

#endif
