// SPDX-License-Identifier: MIT
/* The arrays in memory of an object of the user, of which nothing is known: those that its
 * interfaces describe or, without an interface, that NumPy makes of it. */
#ifndef WORKER_CONSUME_VIEWS_H
#define WORKER_CONSUME_VIEWS_H

#include "worker/capture/capture.h"

enum { MAX_VIEWS = 8 };

struct views {
	PyObject *object; /* borrowed */
	PyObject *array; /* NumPy's array of the object's memory, if it has no interface; or NULL */
	bool is_lazy;    /* the memory contains other numbers than the object's elements */
	bool is_unnamed; /* the elements are of a type that struct array cannot describe, such as
			    int4 of ml_dtypes, which interfaces report as raw bytes */
	int n_items;
	struct array items[MAX_VIEWS];
};

/* Objects such as those of pandas have only __array__(), which returns their memory if a copy is
 * forbidden. Release them. Leaves no exception pending. */
void views_read(struct capture_context *context, PyObject *object, struct views *views);

/* The arrays for a comparison of elements: those of the views or, if there are none, of a copy,
 * such as to_numpy() of Taichi and asnumpy() of decord return. Release them before the views. */
void views_read_values(
	struct capture_context *context, const struct views *views, struct views *values);

void views_release(struct views *views);

/* A view whose elements the host can read; NULL: none. */
const struct array *views_find_readable(const struct views *views);

/* Whether one of the result's views describes memory of one of the object's. */
enum answer views_share_memory(const struct views *object, const struct views *result);

/* The value of an expression for an object, which it names _: a new reference; NULL with an
 * exception. */
PyObject *views_evaluate(struct capture_context *context, const char *expression, PyObject *object);

#endif
