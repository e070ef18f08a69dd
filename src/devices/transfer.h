// SPDX-License-Identifier: MIT
/*
 * A copy between two sessions: on the host if it can access both sides, directly or mapped; by
 * moves and kernels within one session; between two sessions through a block of host memory that
 * the source's device packs, so that only the elements are transferred.
 */
#ifndef DEVICES_TRANSFER_H
#define DEVICES_TRANSFER_H

#include "devices/transfer_end.h"

/* The outcome of a copy. */
struct transfer {
	enum copy_path path;
	const char *engine;          /* "host", or the runtime that copied */
	struct device_launch launch; /* of PATH_KERNEL */
	int64_t n_brought_bytes;     /* from a device to the host */
	bool is_map_refused;         /* an end could not be mapped for the host */
	char fallback[200];          /* why the preferred strategy was not used; or empty */
	/* Called from time to time with the number of copied bytes; may be NULL. */
	void (*progress)(void *context, int64_t n_bytes);
	void *context;
};

/* The size of the blocks that pass through host memory; tests reduce it. */
extern int64_t transfer_block_bytes;

/*
 * Fills path and engine as transfer_run would. EXIT_UNAVAILABLE if the wanted engine cannot
 * access the memory.
 */
int transfer_predict(struct transfer *transfer, const struct transfer_end *from,
	const struct transfer_end *to, enum transfer_engine wanted, struct err *err);

/*
 * Copies every element to the same index of to, whose strides are compact in some order of its
 * dimensions. Shapes and item sizes are equal. Call without the GIL.
 */
int transfer_run(struct transfer *transfer, const struct transfer_end *from,
	const struct transfer_end *to, enum transfer_engine wanted, struct err *err);

#endif
