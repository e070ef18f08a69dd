// SPDX-License-Identifier: MIT
/* What the notations of element types share: creating and naming a dtype. */
#ifndef MODEL_DTYPE_MAKE_H
#define MODEL_DTYPE_MAKE_H

#include "model/dtype.h"

/*
 * Fills dtype, of count units of unit_bits each, one lane, native order, and names it. The names of
 * BYTES, UNICODE and VOID contain their length (bytes, characters, bytes). -1 with err set if count
 * is negative or too large.
 */
int dtype_make(struct dtype *dtype, enum dtype_kind kind, int64_t count, int64_t unit_bits,
	struct err *err);

/* '<', '>' for types that have an order, '|' for those that have none. */
char dtype_order_char(const struct dtype *dtype);

/* Whether an order char ('<', '>', '!'; all others are native) is not this machine's. */
bool dtype_order_is_foreign(char order);

#endif
