// SPDX-License-Identifier: MIT
/* The parts of DLPack's exporter: worker/export/dlpack*.c. */
#ifndef WORKER_EXPORT_DLPACK_H
#define WORKER_EXPORT_DLPACK_H

#include "worker/export/exported.h"

/* What a consumer requested. */
struct dlpack_request {
	bool versioned;
	uint32_t minor;
	bool copied; /* the consumer is the only owner */
};

/*
 * Takes owner: returns a capsule of the elements, whose array.device is their DLPack device. NULL
 * with an exception.
 */
PyObject *dlpack_capsule_new(const struct element_array *elements,
	const struct dlpack_request *request, PyObject *owner);

#endif
