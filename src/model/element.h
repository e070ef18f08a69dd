// SPDX-License-Identifier: MIT
/* One element of an array, from its bytes to what it says. */
#ifndef MODEL_ELEMENT_H
#define MODEL_ELEMENT_H

#include "model/dtype.h"
#include "model/value.h"

#include <stdbool.h>

enum element_kind { ELEMENT_SIGNED, ELEMENT_UNSIGNED, ELEMENT_REAL };

/* A number in the widest type of its kind. */
struct element {
	enum element_kind kind;
	union {
		int64_t integer;
		uint64_t natural;
		double real;
	};
};

/* Reads one lane of a boolean, integer or real type; false for every other type. Booleans are
 * natural: any byte but 0 is 1. */
bool element_read(struct element *element, const struct dtype *dtype, const void *bytes);

/* Less than, between elements of one kind; false where either is NaN. */
bool element_less(const struct element *a, const struct element *b);
bool element_is_nan(const struct element *element);

/*
 * An element as a value: a number or bool; a complex number as (real, imaginary); a date or a span
 * as its count; S and U as text or bytes; all else, pointers too, as its bytes. Vectors are tuples.
 */
struct value *element_to_value(struct arena *arena, const struct dtype *dtype, const void *bytes);

#endif
