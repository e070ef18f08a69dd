// SPDX-License-Identifier: MIT
/* A module whose Forwarder(object) exports the buffer of another object, which it requests for the
 * struct of its caller, as TensorFlow's tensors do. */
#include <Python.h>

struct forwarder {
	PyObject head;
	PyObject *object;
};

static int get_buffer(PyObject *self, Py_buffer *view, int flags)
{
	return PyObject_GetBuffer(((struct forwarder *)self)->object, view, flags);
}

static PyObject *new_forwarder(PyTypeObject *type, PyObject *arguments, PyObject *names)
{
	PyObject *object, *self;

	(void)names;
	if (!PyArg_ParseTuple(arguments, "O", &object))
		return NULL;
	self = PyType_GenericNew(type, arguments, NULL);
	if (self)
		((struct forwarder *)self)->object = Py_NewRef(object);
	return self;
}

static void free_forwarder(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);

	Py_XDECREF(((struct forwarder *)self)->object);
	PyObject_Free(self);
	Py_DECREF(type);
}

PyMODINIT_FUNC PyInit_forwarder(void)
{
	static PyType_Slot slots[] = { { Py_tp_new, new_forwarder },
		{ Py_tp_dealloc, free_forwarder }, { Py_bf_getbuffer, get_buffer }, { 0, NULL } };
	static PyType_Spec spec = { "forwarder.Forwarder", sizeof(struct forwarder), 0,
		Py_TPFLAGS_DEFAULT, slots };
	static struct PyModuleDef definition = { PyModuleDef_HEAD_INIT, .m_name = "forwarder" };
	PyObject *module = PyModule_Create(&definition), *type = PyType_FromSpec(&spec);

	if (!module || !type || PyModule_AddObjectRef(module, "Forwarder", type))
		return NULL;
	Py_DECREF(type);
	return module;
}
