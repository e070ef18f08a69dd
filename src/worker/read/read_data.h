// SPDX-License-Identifier: MIT
/* The array's own elements, read only when the job asks for them. */
#ifndef WORKER_READ_READ_DATA_H
#define WORKER_READ_READ_DATA_H

#include "worker/capture/capture.h"

/* Fills data of context->target as job.read requests, if it requests anything. */
void read_data(struct capture_context *context, PyObject *object,
	const struct fact_interface_list *interfaces);

#endif
