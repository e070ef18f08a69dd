// SPDX-License-Identifier: MIT
/* sys.path, and what suai itself imports. */
#ifndef WORKER_PYTHON_IMPORT_H
#define WORKER_PYTHON_IMPORT_H

#include "worker/python/python.h"

/* Puts directory, "" for the working directory, in front of sys.path, as Python does for a script,
 * -c and -m: the entry of the current target. */
void sys_path_enter(const char *directory);

/*
 * Removes that entry, and restores it: suai's own imports must not come from there. No exception
 * may be pending.
 */
Py_ssize_t sys_path_hide(void);
void sys_path_restore(Py_ssize_t position);

/* A module of the standard library or of a package, for suai's own use: a new reference, or NULL
 * with the exception pending. */
PyObject *import_for_suai(const char *name);

/* Imports a module that the user named, as the statement import does: a new reference, or NULL with
 * the exception pending. Surrogates in the name stand for bytes that are not UTF-8. */
PyObject *import_named(const char *name);

/* Calls module.name(), or module.name(number) with the format "i"; an exception is dropped. */
void import_and_call(const char *module, const char *name, const char *format, int number);

#endif
