// SPDX-License-Identifier: MIT
/* The Python object of a tracer: what its interfaces share. Its type has only one of them. */
#ifndef WORKER_CONSUME_TENSOR_H
#define WORKER_CONSUME_TENSOR_H

#include "worker/consume/tracer.h"

struct tensor_object {
	PyObject_HEAD struct tracer
		*tracer; /* NULL: closed, but the consumer has kept the object */
	/* The layout that __array_interface__, __array_struct__ or the buffer protocol returned
	 * last. */
	int64_t shape[ARRAY_MAX_DIMS], stride_bytes[ARRAY_MAX_DIMS];
	char format[DTYPE_TEXT_BYTES];
};

/* The tracer of the object; NULL with a RuntimeError: it was closed. */
struct tracer *tensor_open_tracer(PyObject *object);

/* "__dlpack__(max_version=(1, 3))"; args may be NULL. */
void tensor_record_call(
	struct tracer *tracer, const char *method, PyObject *args, PyObject *kwargs);

/* A new tuple of ints; NULL with an exception. */
PyObject *tensor_integers(const int64_t *items, int n_items);

/* The slots of a type that exports the protocol; NULL for DLPack and protocols that tracers cannot
 * export. */
const PyType_Slot *tensor_slots(const struct protocol *protocol);

#endif
