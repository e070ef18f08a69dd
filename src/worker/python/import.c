// SPDX-License-Identifier: MIT
#include "worker/python/import.h"

#include <stdbool.h>
#include <string.h>

/* sys.flags.safe_path: -P, -I or PYTHONSAFEPATH. */
static bool path_is_safe(void)
{
	PyObject *flags = PySys_GetObject("flags");
	PyObject *safe = flags ? PyObject_GetAttrString(flags, "safe_path") : NULL;
	bool is_safe = safe && PyObject_IsTrue(safe) == 1;

	Py_DecRef(safe);
	PyErr_Clear();
	return is_safe;
}

static PyObject *entered; /* the entry that the target added to sys.path; kept */

/* The bootstrap has already removed its own entry. */
void sys_path_enter(const char *directory)
{
	PyObject *path = PySys_GetObject("path");

	if (path && PyList_Check(path) && !path_is_safe())
		entered = PyUnicode_DecodeFSDefault(directory);
	if (entered)
		PyList_Insert(path, 0, entered);
	PyErr_Clear();
}

Py_ssize_t sys_path_hide(void)
{
	PyObject *path = PySys_GetObject("path");
	Py_ssize_t position = -1;

	if (entered && path && PyList_Check(path))
		position = PySequence_Index(path, entered);
	if (position >= 0)
		PySequence_DelItem(path, position);
	PyErr_Clear();
	return position;
}

void sys_path_restore(Py_ssize_t position)
{
	PyObject *type, *exception, *traceback, *path = PySys_GetObject("path");

	PyErr_Fetch(&type, &exception, &traceback);
	if (entered && position >= 0 && path && PyList_Check(path))
		PyList_Insert(path, position, entered);
	PyErr_Clear();
	PyErr_Restore(type, exception, traceback);
}

/* Imports without an __import__ that the script may have replaced. */
PyObject *import_for_suai(const char *name)
{
	Py_ssize_t position = sys_path_hide();
	PyObject *module = PyImport_ImportModuleLevel(name, NULL, NULL, NULL, 0);

	sys_path_restore(position);
	return module;
}

PyObject *import_named(const char *name)
{
	PyObject *text = PyUnicode_DecodeUTF8(name, (Py_ssize_t)strlen(name), "surrogatepass");
	PyObject *module = text ? PyImport_Import(text) : NULL;

	Py_DecRef(text);
	return module;
}

void import_and_call(const char *module_name, const char *name, const char *format, int number)
{
	PyObject *module = import_for_suai(module_name);
	PyObject *result = NULL;

	if (module)
		result = PyObject_CallMethod(module, name, format, number);
	if (!result)
		PyErr_Clear();
	Py_XDECREF(result);
	Py_XDECREF(module);
}
