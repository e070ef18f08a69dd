// SPDX-License-Identifier: MIT
/* Which lines of a statement define an object: those of its item in a list, tuple, dictionary or
 * call that the statement contains, as Python's parser reads it. No code of the user runs. */
#ifndef WORKER_PYTHON_DEFINITION_ITEMS_H
#define WORKER_PYTHON_DEFINITION_ITEMS_H

#include "worker/python/python.h"

/* definition_items.py, embedded by tools/embed-text. */
extern const char definition_items_source[];

/* The tree of a module or cell, a new reference; NULL: it cannot be parsed. */
PyObject *definition_items_parse(PyObject *text);

/* The line of the statement of the module that puts the expression's object into the container
 * `name`, which is bound at `line`: `name += [...]`, `name.append(...)`, `name["key"] = ...`;
 * otherwise `line`. */
long definition_items_statement(PyObject *tree, PyObject *name, long line, const char *expression);

/*
 * The definition of an expression's object by the statement that binds `name` at `line`: a new
 * tuple of the object's first line, and those of `lines` (a list of line numbers of the statement)
 * that do not belong to its other objects only. The line of a comment without code is negative: it
 * belongs to the item around it, if any. NULL: unknown.
 */
PyObject *definition_items_find(
	PyObject *tree, PyObject *name, long line, const char *expression, PyObject *lines);

#endif
