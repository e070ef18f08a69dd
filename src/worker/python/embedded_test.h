// SPDX-License-Identifier: MIT
/* An interpreter for the unit tests of the worker, which run in the test's process. */
#ifndef WORKER_PYTHON_EMBEDDED_TEST_H
#define WORKER_PYTHON_EMBEDDED_TEST_H

#include "base/array_size.h"
#include "base/test.h"
#include "worker/python/expression.h"

#include <stdlib.h>

__attribute__((visibility("default"))) const char *__asan_default_options(void);

/* Python keeps memory until the process ends. */
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

static PyObject *test_names;

/* Starts an interpreter and runs statements, whose names expressions may use. */
static void python_start(const char *statements)
{
	PyObject *code, *result;

	Py_InitializeEx(0);
	test_names = PyDict_New();
	PyDict_SetItemString(test_names, "__builtins__", PyEval_GetBuiltins());
	PyDict_SetItemString(test_names, "__name__", PyUnicode_FromString("test"));
	code = Py_CompileString(statements, "<test>", Py_file_input);
	result = code ? PyEval_EvalCode(code, test_names, test_names) : NULL;
	if (!result) {
		PyErr_Print();
		abort();
	}
	Py_DecRef(result);
	Py_DecRef(code);
}

/* The expression's value, a new reference; an exception ends the test. */
static PyObject *python_object(const char *expression)
{
	PyObject *object = expression_evaluate(test_names, expression, "<test>");

	if (!object) {
		printf("%s: ", expression);
		PyErr_Print();
		abort();
	}
	return object;
}

/* Whether the expression is true; `it` is the object, or None. */
__attribute__((unused)) static bool python_is_true(PyObject *it, const char *expression)
{
	PyObject *object;
	bool truth;

	PyDict_SetItemString(test_names, "it", it ? it : Py_None);
	object = python_object(expression);
	truth = PyObject_IsTrue(object) == 1;
	PyDict_SetItemString(test_names, "it", Py_None);
	Py_DecRef(object);
	return truth;
}

#endif
