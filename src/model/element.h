// SPDX-License-Identifier: MIT
/* One element of an array, decoded from its bytes. */
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

/* Less than, between elements of one kind; -0.0 is less than 0.0. False if either is NaN. */
bool element_less(const struct element *a, const struct element *b);
bool element_is_nan(const struct element *element);

/*
 * The same order as one of keys, natural numbers of the element's size, for kernels that read no
 * types: an element's bits x are NaN if x is nan_bits or the magnitude (x without the sign if
 * is_float) is over limit; otherwise its key is ~x if is_float and the sign is set, or x ^ sign.
 */
struct element_order {
	bool is_bool; /* x counts as 1 unless it is 0 */
	bool is_float;
	uint64_t sign, limit; /* sign 0: there is none */
	uint64_t nan_bits;    /* 1 << 8 and more: none */
};

/* For elements of 1, 2, 4 or 8 bytes in this machine's byte order; false for all others. */
bool element_order(struct element_order *order, const struct dtype *dtype);

/* The element of a key, which must not be NaN's. */
void element_of_key(struct element *element, const struct element_order *order,
	const struct dtype *dtype, uint64_t key);

/*
 * An element as a value: a number or bool; a complex number as (real, imaginary); a date or a
 * duration as its count; S and U as text or bytes; any other type, pointers included, as its bytes.
 * Vectors are tuples.
 */
struct value *element_to_value(struct arena *arena, const struct dtype *dtype, const void *bytes);

#endif
