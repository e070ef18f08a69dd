// SPDX-License-Identifier: MIT
/* A module whose convert(function, object) converts an array by a function of NumPy's C API, or
 * another object by the first two. */
#define PY_SSIZE_T_CLEAN
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <Python.h>

#include <numpy/arrayobject.h>

static PyObject *convert(PyObject *module, PyObject *args)
{
	const char *function;
	PyArrayObject *array;
	PyObject *object, *target = NULL;
	int (*copy)(PyArrayObject *, PyArrayObject *);

	(void)module;
	if (!PyArg_ParseTuple(args, "sO", &function, &object))
		return NULL;
	if (!strcmp(function, "from_any"))
		return PyArray_FromAny(object, NULL, 0, 0, 0, NULL);
	if (!strcmp(function, "check_from_any"))
		return PyArray_CheckFromAny(
			object, PyArray_DescrFromType(NPY_FLOAT), 0, 0, NPY_ARRAY_FORCECAST, NULL);
	if (!PyArray_Check(object))
		return PyErr_Format(PyExc_TypeError, "expected an array");
	array = (PyArrayObject *)object;
	if (!strcmp(function, "from_array"))
		return PyArray_FromArray(array, NULL, NPY_ARRAY_F_CONTIGUOUS);
	if (!strcmp(function, "cast"))
		return PyArray_Cast(array, NPY_FLOAT);
	if (!strcmp(function, "new_copy"))
		return PyArray_NewCopy(array, NPY_CORDER);
	if (!strcmp(function, "both")) { /* as pybind11 does for Eigen */
		object = PyArray_FromAny(object, NULL, 0, 0, NPY_ARRAY_ENSUREARRAY, NULL);
		if (!object)
			return NULL;
		Py_DECREF(object);
	}
	target = PyArray_EMPTY(PyArray_NDIM(array), PyArray_DIMS(array), NPY_DOUBLE, 0);
	copy = strcmp(function, "copy_into") ? PyArray_CopyAnyInto : PyArray_CopyInto;
	if (target && copy((PyArrayObject *)target, array)) {
		Py_DECREF(target);
		return NULL;
	}
	return target;
}

/* A copy of memory of the module, which pybind11 makes in the same way. */
static PyObject *export_copy(PyObject *module, PyObject *unused)
{
	static double values[100];
	npy_intp n_values = sizeof(values) / sizeof(values[0]);
	PyObject *view = PyArray_SimpleNewFromData(1, &n_values, NPY_DOUBLE, values), *copy;

	(void)module;
	(void)unused;
	copy = view ? PyArray_NewCopy((PyArrayObject *)view, NPY_ANYORDER) : NULL;
	Py_XDECREF(view);
	return copy;
}

/* An array of memory that no object has. */
static PyObject *export_view(PyObject *module, PyObject *unused)
{
	static double values[100];
	npy_intp n_values = sizeof(values) / sizeof(values[0]);

	(void)module;
	(void)unused;
	return PyArray_SimpleNewFromData(1, &n_values, NPY_DOUBLE, values);
}

static PyMethodDef methods[] = { { "convert", convert, METH_VARARGS, NULL },
	{ "export_copy", export_copy, METH_NOARGS, NULL },
	{ "export_view", export_view, METH_NOARGS, NULL }, { NULL } };

static struct PyModuleDef definition = { PyModuleDef_HEAD_INIT, "numpy_converter", NULL, -1,
	methods, NULL, NULL, NULL, NULL };

PyMODINIT_FUNC PyInit_numpy_converter(void)
{
	import_array();
	return PyModule_Create(&definition);
}
