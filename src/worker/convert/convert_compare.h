// SPDX-License-Identifier: MIT
/* The comparison of --verify. */
#ifndef WORKER_CONVERT_CONVERT_COMPARE_H
#define WORKER_CONVERT_CONVERT_COMPARE_H

#include "worker/convert/convert.h"

/*
 * Compares every element, block by block: by sums that a device computes of memory that the host
 * cannot access (with the engine `kernel`, of all memory of a session), and by elements if they
 * differ or are not available. Fills `verified` and `difference`.
 */
int convert_compare(struct conversion *conversion, const struct transfer_end *source,
	const struct transfer_end *result, struct err *err);

#endif
