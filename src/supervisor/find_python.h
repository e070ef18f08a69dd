// SPDX-License-Identifier: MIT
/* Which interpreter runs the worker, and whether its libpython can be embedded. */
#ifndef SUPERVISOR_FIND_PYTHON_H
#define SUPERVISOR_FIND_PYTHON_H

#include "base/error.h"

struct python {
	char *executable;         /* as its user would run it, symbolic links kept; holds a slash */
	char *library;            /* the libpython to embed; NULL: the interpreter is executed */
	const char *why_executed; /* where library is NULL: "it is a script" */
};

/*
 * Takes chosen (--python: a program, a name on PATH, or an environment's directory), else
 * $SUAI_PYTHON, else the python of $VIRTUAL_ENV, of $CONDA_PREFIX, else python3 on PATH. A choice
 * that names no program is EXIT_USAGE; none found is EXIT_UNAVAILABLE. Gives out (free with
 * python_free, also after a failure).
 */
int python_find(const char *chosen, struct python *out, struct err *err);
void python_free(struct python *python);

#endif
