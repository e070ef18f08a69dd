// SPDX-License-Identifier: MIT
/* Python's warnings during a call, caught instead of printed. */
#ifndef WORKER_PYTHON_WARNINGS_H
#define WORKER_PYTHON_WARNINGS_H

#include "worker/python/python.h"

#include "base/arena.h"
#include "facts/facts.h"

/* NULLs if they cannot be caught. */
struct caught_warnings {
	PyObject *catcher, *list;
};

/* Catches all warnings until warnings_release(). Leaves no exception pending, as that does. */
struct caught_warnings warnings_catch(void);
void warnings_release(struct caught_warnings *caught);

/* "DeprecationWarning: ..." for each one so far. */
struct fact_texts warnings_texts(struct arena *arena, const struct caught_warnings *caught);

#endif
