// SPDX-License-Identifier: MIT
/* A module that checks whether objects have an interface before it reads it, as compiled Cython
 * does with hasattr(): all checks are in one function, so that they have the same return address.
 * load(object) checks and reads twice, for the kind of the memory and for its address; add(a, b)
 * reads the interface of each by one function, and add_checked(a, b) checks both as well. */
#include <Python.h>

static const char attribute[] = "__array_interface__";

static __attribute__((noinline)) int has_interface(PyObject *object)
{
	PyObject *interface = PyObject_GetAttrString(object, attribute);

	if (!interface)
		PyErr_Clear();
	Py_XDECREF(interface);
	return interface != NULL;
}

/* Whether the interface has a key; -1: an error. */
static int has_key(PyObject *interface, const char *key)
{
	int has = interface ? PyMapping_HasKeyString(interface, key) : -1;

	Py_XDECREF(interface);
	return has;
}

static __attribute__((noinline)) int find_kind(PyObject *object)
{
	return has_interface(object) ? has_key(PyObject_GetAttrString(object, attribute), "typestr")
				     : 0;
}

static __attribute__((noinline)) int find_address(PyObject *object)
{
	return has_interface(object) ? has_key(PyObject_GetAttrString(object, attribute), "data")
				     : 0;
}

static __attribute__((noinline)) int read_interface(PyObject *object)
{
	return has_key(PyObject_GetAttrString(object, attribute), "shape");
}

static PyObject *count(int first, int second)
{
	return first < 0 || second < 0 ? NULL : PyLong_FromLong(first + second);
}

static PyObject *load(PyObject *self, PyObject *object)
{
	int first = find_kind(object);

	(void)self;
	return count(first, find_address(object));
}

static PyObject *add_by(PyObject *arguments, int (*find)(PyObject *object))
{
	PyObject *a, *b;
	int first;

	if (!PyArg_ParseTuple(arguments, "OO", &a, &b))
		return NULL;
	first = find(a);
	return count(first, find(b));
}

static PyObject *add(PyObject *self, PyObject *arguments)
{
	(void)self;
	return add_by(arguments, read_interface);
}

static PyObject *add_checked(PyObject *self, PyObject *arguments)
{
	(void)self;
	return add_by(arguments, find_address);
}

static PyMethodDef methods[] = {
	{ "load", load, METH_O, NULL },
	{ "add", add, METH_VARARGS, NULL },
	{ "add_checked", add_checked, METH_VARARGS, NULL },
	{ NULL, NULL, 0, NULL },
};
static struct PyModuleDef definition = { PyModuleDef_HEAD_INIT, "checker", NULL, -1, methods, NULL,
	NULL, NULL, NULL };

PyMODINIT_FUNC PyInit_checker(void)
{
	return PyModule_Create(&definition);
}
