// SPDX-License-Identifier: MIT
/* The array's own elements, read only when the job asks for them. */
#ifndef WORKER_READ_READ_DATA_H
#define WORKER_READ_READ_DATA_H

#include "worker/worker.h"

/* The map `data` (docs/facts.md) of job.read; NULL where nothing is asked for or none of the
 * object's interfaces leads to memory that the host or a device may read. */
struct value *read_data(
	struct capture_context *context, PyObject *object, const struct value *interfaces);

#endif
