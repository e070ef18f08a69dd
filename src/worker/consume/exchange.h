// SPDX-License-Identifier: MIT
/* __dlpack_c_exchange_api__ of a tracer's type. */
#ifndef WORKER_CONSUME_EXCHANGE_H
#define WORKER_CONSUME_EXCHANGE_H

#include "worker/consume/tensor.h"

#include <dlpack/dlpack.h>

/* A new capsule of the table that the row asks for. NULL with an exception. */
PyObject *exchange_capsule_new(const struct consumer_case *row);

/* In tracer.c: a new export whose struct the consumer owns, not a capsule; and the fields of one
 * that nobody owns. */
DLManagedTensorVersioned *tracer_export_managed(struct tracer *tracer);
void tracer_lend_tensor(struct tracer *tracer, DLTensor *tensor);

#endif
