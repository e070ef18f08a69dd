// SPDX-License-Identifier: MIT
/* The Python object of a tracer: what its interfaces share. Its type has only one of them. */
#ifndef WORKER_CONSUME_TENSOR_H
#define WORKER_CONSUME_TENSOR_H

#include "worker/consume/tracer.h"

struct tensor_object {
	PyObject_HEAD struct tracer
		*tracer; /* NULL: closed, but the consumer has kept the object */
	/* Of __array_interface__, __array_struct__ and the buffer protocol, once it was read. */
	int64_t shape[ARRAY_MAX_DIMS], stride_bytes[ARRAY_MAX_DIMS];
	char format[40];
};

/* With a RuntimeError: the tracer was closed. */
struct tracer *tensor_open_tracer(PyObject *object);

/* "__dlpack__(max_version=(1, 3))"; args may be NULL. */
void tensor_record_call(
	struct tracer *tracer, const char *method, PyObject *args, PyObject *kwargs);

/* Those that are not DLPack's: the slots of a type; NULL: the protocol is not one of them. */
const PyType_Slot *tensor_slots(const struct protocol *protocol);

#endif
