// SPDX-License-Identifier: MIT
/* Finds the interface whose elements can be read, by the host or a device. Used by read_data.c. */
#ifndef WORKER_READ_MEMORY_LOCATION_H
#define WORKER_READ_MEMORY_LOCATION_H

#include "devices/transfer.h"
#include "worker/capture/capture.h"

struct elements {
	struct array array;
	struct memory_location location; /* the session of the device that reads them, closed by
					    read_location_close; NULL: the host's loops */
};

/*
 * Fills elements from the first interface whose whole extent is known to be readable, after its
 * producer's work; if there is none, -1 with err set to the reasons. SUAI_READ=host or kernel, for
 * tests, chooses if both can read.
 */
int read_location_find(struct capture_context *context, PyObject *object,
	const struct fact_interface_list *interfaces, struct elements *elements, struct err *err);

void read_location_close(struct elements *elements);

#endif
