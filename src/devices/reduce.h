// SPDX-License-Identifier: MIT
/*
 * Reductions where the memory is: dense memory as it lies, all else packed by the copy engine into
 * one bounded block of the device's memory; what comes back is the result, and of each block the
 * bytes behind its last whole vector.
 */
#ifndef DEVICES_REDUCE_H
#define DEVICES_REDUCE_H

#include "copy/kernels/reduce.h"
#include "devices/transfer.h"

/* What is kept between two arrays of one session. Zeroed but for session at first. */
struct reducer {
	struct device_session *session;
	struct device_pointer packed, scratch;
	int64_t packed_bytes, scratch_bytes;
	int n_launches;          /* of all kernels, those that pack among them */
	int64_t n_brought_bytes; /* to the host */
	/* Told now and then how many bytes are done; NULL: nobody is. */
	void (*progress)(void *context, int64_t n_bytes);
	void *context;
};

/*
 * Adds the elements of an array of the session, in C order; SUM and STATS take them in this
 * machine's byte order, and SUM no more than reducer_block_bytes of them in all. EXIT_UNAVAILABLE
 * where a kernel cannot be had; what was added then is not known. Call without the GIL.
 */
int reducer_add(struct reducer *reducer, struct reduced *reduced, const struct reduction *reduction,
	const struct transfer_end *from, struct err *err);

/* How much is packed at a time; tests make it small. */
extern int64_t reducer_block_bytes;

/* Frees the device's memory; without the GIL. */
void reducer_free(struct reducer *reducer);

#endif
