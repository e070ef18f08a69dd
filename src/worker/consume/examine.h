// SPDX-License-Identifier: MIT
/* What a consumer returned for a tracer: its elements, its type and whose memory it uses. */
#ifndef WORKER_CONSUME_EXAMINE_H
#define WORKER_CONSUME_EXAMINE_H

#include "worker/capture/capture.h"
#include "worker/consume/tracer.h"

/* Fills the fields of record about the result. May change the elements of the tracer. Leaves no
 * exception pending. */
void examine_result(const struct job *job, struct tracer *tracer, PyObject *result,
	struct fact_consumption *record);

/* The element of an array in memory, which need not exist; NULL: it cannot be read. */
const struct value *examine_element(
	const struct array *array, const int64_t *index, struct arena *arena);

/* Whether two elements are equal as numbers, or as values. */
bool examine_equal(const struct value *a, const struct value *b);

/* An element as Python writes it. */
const char *examine_show(struct arena *arena, const struct value *element);

#endif
