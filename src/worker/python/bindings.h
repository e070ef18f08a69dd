// SPDX-License-Identifier: MIT
/* The lines that bind the names of the target's module, by the instructions and line tables of the
 * code that ran. No code of the user runs, and nothing raises. */
#ifndef WORKER_PYTHON_BINDINGS_H
#define WORKER_PYTHON_BINDINGS_H

#include "worker/python/python.h"

#include <stdbool.h>
#include <stddef.h>

/* Adds what the code of a unit (definitions.c) binds, and its functions declare global; of a name
 * that several lines bind, the last one counts. */
void bindings_scan(PyObject *code, size_t unit);

struct binding {
	size_t unit;
	long line;
};

/* Where the name is bound: by the module, otherwise by a function that declares it global, or by
 * `from x import *`, if x has the name. names: the module's dictionary. False: unknown. Requires
 * bindings_scan(). */
bool bindings_find(PyObject *names, PyObject *name, struct binding *out);

#endif
