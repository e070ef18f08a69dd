// SPDX-License-Identifier: MIT
/* Finds the interpreter that runs the worker, and whether its libpython can be embedded. */
#ifndef SUPERVISOR_FIND_PYTHON_H
#define SUPERVISOR_FIND_PYTHON_H

#include "base/error.h"

struct python {
	char *executable; /* as its user would run it, symbolic links kept; contains a slash */
	char *library;    /* the libpython to embed; NULL: the interpreter is executed */
	const char *why_executed; /* if library is NULL: "it is a script" */
};

/*
 * Finds the first of: chosen (--python: a program, a name in PATH, or an environment's directory),
 * $SUAI_PYTHON, the python of $VIRTUAL_ENV, that of the virtual environment that suai is installed
 * in (after the next one if only suai is), that of $CONDA_PREFIX, python3 in PATH. EXIT_USAGE if a
 * choice is not a program; EXIT_UNAVAILABLE if there is none. Gives out (free with python_free,
 * also after a failure).
 */
int python_find(const char *chosen, struct python *out, struct err *err);
void python_free(struct python *python);

#endif
