// SPDX-License-Identifier: MIT
/*
 * exporter.Exporter(buf, len, itemsize, readonly, ndim, format, shape, strides, suboffsets): an object
 * that replies to every request for its buffer with exactly these fields, addresses as integers, for
 * claims.py. exporter.Raiser(exception) refuses each request with the exception.
 */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

struct exporter {
	PyObject ob_base;
	Py_buffer view;
	PyObject *exception;
};

static int init(PyObject *self, PyObject *arguments, PyObject *keywords)
{
	Py_buffer *view = &((struct exporter *)self)->view;
	unsigned long long buf, format, shape, strides, suboffsets;

	(void)keywords;
	if (PyTuple_Size(arguments) == 1)
		return !PyArg_ParseTuple(
			arguments, "O", &((struct exporter *)self)->exception);
	if (!PyArg_ParseTuple(arguments, "KnniiKKKK", &buf, &view->len, &view->itemsize,
		    &view->readonly, &view->ndim, &format, &shape, &strides, &suboffsets))
		return -1;
	view->buf = (void *)buf;
	view->format = (char *)format;
	view->shape = (Py_ssize_t *)shape;
	view->strides = (Py_ssize_t *)strides;
	view->suboffsets = (Py_ssize_t *)suboffsets;
	return 0;
}

static int get_buffer(PyObject *self, Py_buffer *view, int flags)
{
	struct exporter *exporter = (struct exporter *)self;

	(void)flags;
	if (exporter->exception) {
		view->obj = NULL;
		PyErr_SetString(exporter->exception, "no buffer");
		return -1;
	}
	*view = exporter->view;
	view->obj = self;
	Py_IncRef(self);
	return 0;
}

static PyType_Slot slots[] = {
	{ Py_tp_init, init },
	{ Py_bf_getbuffer, get_buffer },
	{ 0, NULL },
};

static PyType_Spec spec = { .name = "exporter.Exporter",
	.basicsize = sizeof(struct exporter),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
	.slots = slots };

static PyModuleDef module = { PyModuleDef_HEAD_INIT, .m_name = "exporter", .m_size = -1 };

PyMODINIT_FUNC PyInit_exporter(void)
{
	PyObject *made = PyModule_Create(&module);

	PyModule_AddObjectRef(made, "Exporter", PyType_FromSpec(&spec));
	return made;
}
