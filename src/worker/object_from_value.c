// SPDX-License-Identifier: MIT
/* Values as new Python objects: keyword arguments and the like. */
#include "worker/worker.h"

static PyObject *sequence_from_value(const struct value *value)
{
	bool is_list = value->kind == VALUE_LIST;
	Py_ssize_t n_items = (Py_ssize_t)value->n_items;
	PyObject *sequence = is_list ? PyList_New(n_items) : PyTuple_New(n_items);

	for (Py_ssize_t i = 0; sequence && i < n_items; i++) {
		PyObject *item = object_from_value(value->items[i]);

		if (!item) {
			Py_DecRef(sequence);
			return NULL;
		}
		if (is_list)
			PyList_SetItem(sequence, i, item);
		else
			PyTuple_SetItem(sequence, i, item);
	}
	return sequence;
}

static PyObject *dictionary_from_value(const struct value *value)
{
	PyObject *dictionary = PyDict_New();

	for (size_t i = 0; dictionary && i < value->n_items; i++) {
		PyObject *item = object_from_value(value->items[i]);

		if (!item || PyDict_SetItemString(dictionary, value->keys[i], item)) {
			Py_DecRef(dictionary);
			dictionary = NULL;
		}
		Py_DecRef(item);
	}
	return dictionary;
}

PyObject *object_from_value(const struct value *value)
{
	switch (value->kind) {
	case VALUE_BOOL:
		return PyBool_FromLong(value->boolean);
	case VALUE_INT:
		return PyLong_FromLongLong(value->integer);
	case VALUE_WIDE_INT:
		return PyLong_FromString(value->bytes, NULL, 10);
	case VALUE_REAL:
		return PyFloat_FromDouble(value->real);
	case VALUE_TEXT:
		return PyUnicode_DecodeUTF8(
			value->bytes, (Py_ssize_t)value->n_bytes, "surrogatepass");
	case VALUE_BYTES:
		return PyBytes_FromStringAndSize(value->bytes, (Py_ssize_t)value->n_bytes);
	case VALUE_LIST:
	case VALUE_TUPLE:
		return sequence_from_value(value);
	case VALUE_MAP:
		return dictionary_from_value(value);
	case VALUE_NULL:
		break;
	case VALUE_OPAQUE:
		PyErr_Format(PyExc_TypeError, "%s has no plain form", value->bytes);
		return NULL;
	}
	Py_IncRef(Py_None);
	return Py_None;
}
