// SPDX-License-Identifier: MIT
/*
 * Reductions in the memory's own device: contiguous memory in place, other memory packed by the
 * copy engine into one bounded block of device memory. Only the result, and the bytes behind the
 * last whole vector of each block, are transferred to the host.
 */
#ifndef DEVICES_REDUCE_H
#define DEVICES_REDUCE_H

#include "copy/kernels/reduce.h"
#include "devices/transfer_end.h"

/* State shared by the arrays of one session. Initially zero except for session. */
struct reducer {
	struct device_session *session;
	struct device_pointer packed, scratch;
	int64_t packed_bytes, scratch_bytes;
	int n_launches;          /* of all kernels, including those that pack */
	int64_t n_brought_bytes; /* to the host */
	/* Called from time to time with the number of processed bytes; may be NULL. */
	void (*progress)(void *context, int64_t n_bytes);
	void *context;
};

/*
 * Adds the elements of an array of the session, in C order. SUM and STATS require the byte order
 * of this machine, and SUM at most reducer_block_bytes in total. EXIT_UNAVAILABLE if a kernel is
 * not available; reduced is then unspecified. Call without the GIL.
 */
int reducer_add(struct reducer *reducer, struct reduced *reduced, const struct reduction *reduction,
	const struct transfer_end *from, struct err *err);

/* The size of the packed block; tests reduce it. */
extern int64_t reducer_block_bytes;

/* Frees the device memory; call without the GIL. */
void reducer_free(struct reducer *reducer);

#endif
