// SPDX-License-Identifier: MIT
/* The parts of DLPack's exporter: worker/export_dlpack*.c. */
#ifndef WORKER_CONVERT_EXPORT_DLPACK_H
#define WORKER_CONVERT_EXPORT_DLPACK_H

#include "worker/convert/exported.h"

/* What a consumer asked for. */
struct dlpack_request {
	bool versioned;
	uint32_t minor;
	bool copied; /* the consumer alone owns what it gets */
};

/*
 * Takes owner: gives a capsule of the elements, whose array.device is DLPack's name of where they
 * are. NULL with an exception.
 */
PyObject *dlpack_capsule_new(const struct element_array *elements,
	const struct dlpack_request *request, PyObject *owner);

#endif
