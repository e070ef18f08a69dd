// SPDX-License-Identifier: MIT
/* Expressions over the names of the user's module. */
#ifndef WORKER_PYTHON_EXPRESSION_H
#define WORKER_PYTHON_EXPRESSION_H

#include "worker/python/python.h"

#include "base/arena.h"
#include "facts/facts.h"

/*
 * Evaluates a Python expression in a module's dictionary (the module's __getattr__ provides names
 * that it lacks). file_name appears in tracebacks. A new reference, or NULL with the exception
 * pending. No step is announced.
 */
PyObject *expression_evaluate(PyObject *names, const char *expression, const char *file_name);

/* The two halves of expression_evaluate. */
PyObject *expression_compile(const char *expression, const char *file_name);
PyObject *expression_run(PyObject *names, PyObject *code);

/* The name that the pending NameError reports, if the expression itself uses it and not a function
 * that it calls; a new reference, or NULL. The exception stays. */
PyObject *expression_undefined_name(void);

/* The module's public names except modules, for suggestions. */
struct fact_texts module_public_names(struct arena *arena, PyObject *names);

/* A key of the module's dictionary as text in the arena; NULL for _names and keys that are not
 * text.
 */
const char *module_public_name(struct arena *arena, PyObject *key);

#endif
