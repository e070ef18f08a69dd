// SPDX-License-Identifier: MIT
/* The comparison of --verify. */
#ifndef WORKER_CONVERT_COMPARE_H
#define WORKER_CONVERT_COMPARE_H

#include "worker/convert.h"

/*
 * Compares every element, block by block, on the host: what it does not reach is brought there by
 * the runtime that has it. Fills `verified` and `difference`.
 */
int convert_compare(struct conversion *conversion, const struct transfer_end *source,
	const struct transfer_end *result, struct err *err);

#endif
