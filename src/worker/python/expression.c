// SPDX-License-Identifier: MIT
#include "worker/python/expression.h"

#include "facts/message.h"
#include "worker/python/object.h"

#include <string.h>

enum { MAX_LAZY_NAMES = 16 };

PyObject *expression_undefined_name(void)
{
	PyObject *type, *exception, *traceback, *next = NULL, *name = NULL;

	if (!PyErr_ExceptionMatches(PyExc_NameError))
		return NULL;
	PyErr_Fetch(&type, &exception, &traceback);
	PyErr_NormalizeException(&type, &exception, &traceback);
	if (traceback)
		next = PyObject_GetAttrString(traceback, "tb_next");
	if (next == Py_None)
		name = PyObject_GetAttrString(exception, "name");
	if (name && !PyUnicode_Check(name)) {
		Py_DecRef(name);
		name = NULL;
	}
	Py_DecRef(next);
	PyErr_Clear();
	PyErr_Restore(type, exception, traceback);
	return name;
}

/* Calls the module's own __getattr__ (PEP 562) for the undefined name; the exception stays if there
 * is none. */
static bool define_lazily(PyObject *names)
{
	PyObject *getter = PyDict_GetItemString(names, "__getattr__");
	PyObject *name = getter ? expression_undefined_name() : NULL;
	PyObject *type, *exception, *traceback, *made;
	bool defined;

	if (!name)
		return false;
	PyErr_Fetch(&type, &exception, &traceback);
	made = PyObject_CallFunctionObjArgs(getter, name, NULL);
	defined = made && !PyDict_SetItem(names, name, made);
	PyErr_Clear();
	if (!defined) {
		PyErr_Restore(type, exception, traceback);
	} else {
		Py_DecRef(type);
		Py_DecRef(exception);
		Py_DecRef(traceback);
	}
	Py_DecRef(made);
	Py_DecRef(name);
	return defined;
}

PyObject *expression_compile(const char *expression, const char *file_name)
{
	return Py_CompileString(expression + strspn(expression, " \t"), file_name, Py_eval_input);
}

PyObject *expression_run(PyObject *names, PyObject *code)
{
	PyObject *result;
	int n_lazy = 0;

	do {
		result = PyEval_EvalCode(code, names, names);
	} while (!result && n_lazy++ < MAX_LAZY_NAMES && define_lazily(names));
	return result;
}

PyObject *expression_evaluate(PyObject *names, const char *expression, const char *file_name)
{
	PyObject *code = expression_compile(expression, file_name);
	PyObject *result = code ? expression_run(names, code) : NULL;

	Py_DecRef(code);
	return result;
}

/* --- names --- */

const char *module_public_name(struct arena *arena, PyObject *key)
{
	const char *name =
		PyUnicode_Check(key) ? fact_text(arena, object_to_value(arena, key)) : NULL;

	return name && *name != '_' ? name : NULL;
}

struct fact_texts module_public_names(struct arena *arena, PyObject *names)
{
	struct fact_texts list = { .known = true };
	PyObject *items = PyDict_Items(names);

	for (Py_ssize_t i = 0; items && i < PyList_Size(items) && list.n_items < MESSAGE_MAX_NAMES;
		i++) {
		PyObject *pair = PyList_GetItem(items, i);
		const char *name = module_public_name(arena, PyTuple_GetItem(pair, 0));

		if (name && !PyModule_Check(PyTuple_GetItem(pair, 1)))
			fact_texts_add(arena, &list, name);
	}
	Py_DecRef(items);
	PyErr_Clear();
	return list;
}
