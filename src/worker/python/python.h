// SPDX-License-Identifier: MIT
/* Python.h with the stable ABI of 3.11, which free-threaded interpreters lack, and WITHOUT_GIL for
 * calls of drivers. */
#ifndef WORKER_PYTHON_PYTHON_H
#define WORKER_PYTHON_PYTHON_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#if !defined(Py_LIMITED_API) && !defined(Py_GIL_DISABLED)
#error "compile with -DPy_LIMITED_API=0x030B0000"
#endif

/* Runs one statement without the GIL; a driver that waits while holding it deadlocks with its own
 * callbacks. */
#define WITHOUT_GIL(statement)                                          \
	do {                                                            \
		PyThreadState *without_gil_state = PyEval_SaveThread(); \
		statement;                                              \
		PyEval_RestoreThread(without_gil_state);                \
	} while (0)

#endif
