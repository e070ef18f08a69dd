// SPDX-License-Identifier: MIT
#include "worker/python/definition_items.h"

#include "worker/python/import.h"

/* A borrowed function of definition_items.py; NULL: it could not be run. */
static PyObject *source_function(const char *name)
{
	static PyObject *scope;
	PyObject *code, *ran = NULL;
	Py_ssize_t hidden;

	if (!scope) {
		scope = PyDict_New();
		code = Py_CompileString(definition_items_source, "<suai>", Py_file_input);
		hidden = sys_path_hide();
		if (code && scope &&
			!PyDict_SetItemString(scope, "__builtins__", PyEval_GetBuiltins()))
			ran = PyEval_EvalCode(code, scope, scope);
		sys_path_restore(hidden);
		Py_DecRef(ran);
		Py_DecRef(code);
	}
	return scope ? PyDict_GetItemString(scope, name) : NULL;
}

PyObject *definition_items_parse(PyObject *text)
{
	PyObject *parse = source_function("parse");
	PyObject *tree = parse ? PyObject_CallFunctionObjArgs(parse, text, NULL) : NULL;

	PyErr_Clear();
	return tree;
}

long definition_items_statement(PyObject *tree, PyObject *name, long line, const char *expression)
{
	PyObject *statement = source_function("statement");
	PyObject *found =
		statement ? PyObject_CallFunction(statement, "OOls", tree, name, line, expression)
			  : NULL;
	long number = found ? PyLong_AsLong(found) : -1;

	PyErr_Clear();
	Py_DecRef(found);
	return number > 0 ? number : line;
}

PyObject *definition_items_find(
	PyObject *tree, PyObject *name, long line, const char *expression, PyObject *lines)
{
	PyObject *find = source_function("find");
	PyObject *found =
		find ? PyObject_CallFunction(find, "OOlsO", tree, name, line, expression, lines)
		     : NULL;

	PyErr_Clear();
	if (found && (!PyTuple_Check(found) || PyTuple_Size(found) != 2)) {
		Py_DecRef(found);
		found = NULL;
	}
	return found;
}
