// SPDX-License-Identifier: MIT
/*
 * Where the names of the target's module are bound, and the comments `# suai: ignore[RULE]` there.
 * Lines come from the line tables of the code that ran, so a file that changed since does not
 * mislead; comments come from Python's tokenizer. No code of the user runs, and nothing raises.
 */
#ifndef WORKER_PYTHON_DEFINITIONS_H
#define WORKER_PYTHON_DEFINITIONS_H

#include "worker/python/python.h"

#include "base/arena.h"
#include "facts/facts.h"

/*
 * Adds code that was compiled from file: the module, or one cell of a notebook (from 1; otherwise
 * 0). text: the bytes that it was compiled from, or a str; NULL: unknown, without comments. Of a
 * name that several of them bind, the last one counts. Takes new references; keeps file.
 */
void definitions_add(PyObject *code, PyObject *text, const char *file, int cell);

/* Adds the code of an imported module, if that is a source file. */
void definitions_add_module(PyObject *names);

/* Where the object of an expression is defined: where the first of its names is bound that is not a
 * module, or the line of its item there. names: the module's dictionary. */
struct fact_source definitions_find(PyObject *names, const char *expression);

/* Adds the comments on the lines of the statement that belong to the object of the expression, and
 * that the list lacks. */
void definitions_add_ignores(struct arena *arena, PyObject *names, const char *expression,
	struct fact_ignore_list *list);

/* The file of the module, without a line, and all of its comments. */
struct fact_source definitions_file(void);
struct fact_ignore_list definitions_all_ignores(struct arena *arena);

#endif
