// SPDX-License-Identifier: MIT
/* Which interface leads to elements that can be read, and who reads them: parts of read_data.c. */
#ifndef WORKER_READ_MEMORY_LOCATION_H
#define WORKER_READ_MEMORY_LOCATION_H

#include "devices/transfer.h"
#include "worker/worker.h"

struct elements {
	struct array array;
	struct memory_location location; /* a session where a device reads them, which
					  * read_location_close closes; else the host's loops do */
};

/*
 * Fills elements from the first interface whose whole extent is known to be readable, after its
 * producer's work; where there is none, -1 with err set to why of each. SUAI_READ=host or kernel,
 * for tests, chooses where both can read.
 */
int read_location_find(struct capture_context *context, PyObject *object,
	const struct fact_interface_list *interfaces, struct elements *elements, struct err *err);

void read_location_close(struct elements *elements);

#endif
