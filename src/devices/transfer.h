// SPDX-License-Identifier: MIT
/*
 * A copy between two sessions. The host's loops where they reach both sides, as they are or mapped;
 * moves and kernels within one session; between two sessions through one dense block of host
 * memory, which the source's own device packs, so that as many bytes travel as there are elements.
 */
#ifndef DEVICES_TRANSFER_H
#define DEVICES_TRANSFER_H

#include "devices/device.h"
#include "model/array.h"

/* Where an array's memory is. */
struct memory_location {
	struct device_session *session; /* NULL: the host's own */
	uint64_t handle;   /* the runtime's, and the array's pointer an offset into it; 0: an
			      address */
	bool host_reaches; /* the host's loops may read and write it */
	bool host_owns;    /* and it may be handed to host code as it is */
};

struct transfer_end {
	const struct array *array;
	const struct memory_location *location;
};

enum transfer_engine { TRANSFER_AUTO, TRANSFER_KERNEL, TRANSFER_HOST };

/* What was done. */
struct transfer {
	enum copy_path path;
	const char *engine;          /* "host", or the runtime that copied */
	struct device_launch launch; /* of PATH_KERNEL */
	int64_t n_brought_bytes;     /* from a device to the host */
	bool is_map_refused;         /* the host would have reached an end, mapped */
	char fallback[200];          /* why the way was not gone that would have been; or empty */
	/* Told now and then how many bytes are done; NULL: nobody is. */
	void (*progress)(void *context, int64_t n_bytes);
	void *context;
};

/*
 * Fills path and engine of what transfer_run would do. EXIT_UNAVAILABLE where the engine wanted
 * cannot reach the memory.
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
