// SPDX-License-Identifier: MIT
/* A compiled module that calls functions of numpy without a frame of Python, as Cython's code does:
 * call(function, array, **keywords), and vectorcall(function, array), whose arguments are in an
 * array that looks like the stack of Python code; forward(array) passes its own arguments, which
 * are on the stack of Python code, to numpy.array; apply(function, object) calls what it receives.
 */
#include <Python.h>

static PyObject *call(PyObject *self, PyObject *arguments, PyObject *keywords)
{
	PyObject *numpy = PyImport_ImportModule("numpy");
	PyObject *function = numpy ? PyObject_GetAttr(numpy, PyTuple_GetItem(arguments, 0)) : NULL;
	PyObject *rest = function ? PyTuple_GetSlice(arguments, 1, PyTuple_Size(arguments)) : NULL;
	PyObject *result = rest ? PyObject_Call(function, rest, keywords) : NULL;

	(void)self;
	Py_XDECREF(rest);
	Py_XDECREF(function);
	Py_XDECREF(numpy);
	return result;
}

static PyObject *vectorcall(PyObject *self, PyObject *arguments)
{
	PyObject *numpy = PyImport_ImportModule("numpy");
	PyObject *function = numpy ? PyObject_GetAttr(numpy, PyTuple_GetItem(arguments, 0)) : NULL;
	PyObject *stack[] = { NULL, function, NULL, PyTuple_GetItem(arguments, 1) };
	PyObject *result = function ? PyObject_Vectorcall(function, &stack[3], 1, NULL) : NULL;

	(void)self;
	Py_XDECREF(function);
	Py_XDECREF(numpy);
	return result;
}

static PyObject *forward(PyObject *self, PyObject *const *arguments, Py_ssize_t n_arguments)
{
	PyObject *numpy = PyImport_ImportModule("numpy");
	PyObject *function = numpy ? PyObject_GetAttrString(numpy, "array") : NULL;
	PyObject *result =
		function ? PyObject_Vectorcall(function, arguments, (size_t)n_arguments, NULL)
			 : NULL;

	(void)self;
	Py_XDECREF(function);
	Py_XDECREF(numpy);
	return result;
}

static PyObject *apply(PyObject *self, PyObject *arguments)
{
	(void)self;
	return PyObject_CallOneArg(PyTuple_GetItem(arguments, 0), PyTuple_GetItem(arguments, 1));
}

static PyMethodDef methods[] = {
	{ "call", (PyCFunction)(void *)call, METH_VARARGS | METH_KEYWORDS, NULL },
	{ "vectorcall", vectorcall, METH_VARARGS, NULL },
	{ "apply", apply, METH_VARARGS, NULL },
	{ "forward", (PyCFunction)(void *)forward, METH_FASTCALL, NULL },
	{ NULL, NULL, 0, NULL },
};
static struct PyModuleDef definition = { PyModuleDef_HEAD_INIT, "solver", NULL, -1, methods, NULL,
	NULL, NULL, NULL };

PyMODINIT_FUNC PyInit_solver(void)
{
	return PyModule_Create(&definition);
}
