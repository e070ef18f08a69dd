// SPDX-License-Identifier: MIT
/*
 * Loading the user's module and evaluating expressions in it. A file is loaded as by `python FILE`,
 * but as a module named after the file, so that its `if __name__ == "__main__"` is not run.
 */
#include "worker/target.h"

#include "base/text.h"
#include "protocols/npy.h"
#include "worker/export/exported.h"
#include "worker/memory/npy_map.h"
#include "worker/python/import.h"
#include "worker/python/object.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- sys.path and sys.argv --- */

static void enter_directory_of(const char *file)
{
	char *real = realpath(file, NULL);

	if (real) {
		*(strrchr(real, '/') == real ? real + 1 : strrchr(real, '/')) = '\0';
		sys_path_enter(real);
	}
	free(real);
}

/* Takes text; false: out of memory. */
static bool append_argument(PyObject *arguments, PyObject *text)
{
	bool added = text && !PyList_Append(arguments, text);

	Py_DecRef(text);
	return added;
}

static void set_script_arguments(const char *name, const struct job_words *words)
{
	PyObject *arguments = PyList_New(0);
	struct arena arena = { 0 };
	bool is_whole = arguments && append_argument(arguments, PyUnicode_DecodeFSDefault(name));

	for (size_t i = 0; is_whole && i < words->n_items; i++)
		is_whole = append_argument(arguments,
			PyUnicode_DecodeFSDefault(value_text_unescape(&arena, words->items[i])));
	if (is_whole)
		PySys_SetObject("argv", arguments);
	Py_DecRef(arguments);
	PyErr_Clear();
	arena_free(&arena);
}

/* --- loading --- */

static PyObject *read_source_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct text text = { 0 };
	PyObject *bytes = NULL;
	char chunk[16384];
	ssize_t n_bytes = 0;

	while (fd >= 0 && (n_bytes = read(fd, chunk, sizeof(chunk))) > 0)
		text_add_bytes(&text, chunk, (size_t)n_bytes);
	if (fd < 0 || n_bytes < 0)
		PyErr_SetFromErrnoWithFilename(PyExc_OSError, path);
	else
		bytes = PyBytes_FromStringAndSize(text.bytes, (Py_ssize_t)text.n_bytes);
	if (fd >= 0)
		close(fd);
	text_free(&text);
	return bytes;
}

/* builtins.compile: unlike Py_CompileString it accepts source with a zero byte and reports it. */
static PyObject *compile_source(PyObject *source, PyObject *file_name)
{
	PyObject *builtins = import_for_suai("builtins");
	PyObject *code = NULL;

	if (builtins)
		code = PyObject_CallMethod(
			builtins, "compile", "OOsiO", source, file_name, "exec", 0, Py_True);
	Py_DecRef(builtins);
	return code;
}

/* As after any failed import; the exception stays. */
static void forget_module(PyObject *modules, PyObject *name)
{
	PyObject *type, *exception, *traceback;

	PyErr_Fetch(&type, &exception, &traceback);
	if (PyDict_Contains(modules, name) == 1)
		PyDict_DelItem(modules, name);
	PyErr_Clear();
	PyErr_Restore(type, exception, traceback);
}

/* Runs code as the body of a new module and gives its dictionary. The module is added to
 * sys.modules first, since dataclasses and pickle look it up there, unless the name is already
 * present. */
static PyObject *execute_module(PyObject *code, PyObject *name, PyObject *file_name)
{
	PyObject *modules = PyImport_GetModuleDict();
	PyObject *module = PyModule_NewObject(name), *names, *result;
	bool registers = module && PyDict_Contains(modules, name) == 0;

	if (!module || (registers && PyObject_SetItem(modules, name, module))) {
		Py_DecRef(module);
		return NULL;
	}
	names = PyModule_GetDict(module);
	Py_IncRef(names);
	Py_DecRef(module);
	if (file_name)
		PyDict_SetItemString(names, "__file__", file_name);
	PyDict_SetItemString(names, "__builtins__", PyEval_GetBuiltins());
	result = PyEval_EvalCode(code, names, names);
	Py_DecRef(result);
	if (result)
		return names;
	if (registers)
		forget_module(modules, name);
	Py_DecRef(names);
	return NULL;
}

static PyObject *stem_of(const char *path)
{
	const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	const char *dot = strrchr(base, '.');
	size_t n_chars = dot && dot > base ? (size_t)(dot - base) : strlen(base);

	return PyUnicode_DecodeFSDefaultAndSize(base, (Py_ssize_t)n_chars);
}

static PyObject *load_file(const char *path, const struct job_words *arguments, bool *missing)
{
	PyObject *source = read_source_file(path);
	PyObject *name = NULL, *file_name = NULL, *code = NULL, *names = NULL;
	char *real;

	*missing = !source;
	if (!source)
		return NULL;
	set_script_arguments(path, arguments);
	enter_directory_of(path);
	real = realpath(path, NULL);
	name = stem_of(path);
	file_name = PyUnicode_DecodeFSDefault(real ? real : path);
	if (name && file_name)
		code = compile_source(source, file_name);
	if (code)
		names = execute_module(code, name, file_name);
	free(real);
	Py_DecRef(source);
	Py_DecRef(name);
	Py_DecRef(file_name);
	Py_DecRef(code);
	return names;
}

/* The code replaces suai's bootstrap as __main__. */
static PyObject *load_code(const char *text, const struct job_words *arguments)
{
	PyObject *modules = PyImport_GetModuleDict();
	PyObject *source = PyUnicode_DecodeFSDefault(text);
	PyObject *name = PyUnicode_FromString("__main__");
	PyObject *file_name = PyUnicode_FromString("<-c>");
	PyObject *code = NULL, *names = NULL;

	set_script_arguments("-c", arguments);
	sys_path_enter("");
	if (source && name && file_name)
		code = compile_source(source, file_name);
	if (code && PyDict_Contains(modules, name) == 1)
		PyDict_DelItem(modules, name);
	if (code)
		names = execute_module(code, name, NULL);
	Py_DecRef(source);
	Py_DecRef(name);
	Py_DecRef(file_name);
	Py_DecRef(code);
	return names;
}

static PyObject *load_dotted(const char *name, const struct job_words *arguments, bool *missing)
{
	PyObject *module, *names;

	set_script_arguments(name, arguments);
	sys_path_enter("");
	module = PyImport_ImportModule(name);
	if (!module) {
		*missing = object_is_missing_module(name);
		return NULL;
	}
	names = PyObject_GetAttrString(module, "__dict__");
	if (names && !PyDict_Check(names)) {
		PyErr_Format(PyExc_TypeError, "module '%s' has no dictionary", name);
		Py_DecRef(names);
		names = NULL;
	}
	return names;
}

/* A dictionary with one object, array, which exposes the file by __array_interface__. */
static PyObject *load_npy(const char *path, bool *missing)
{
	struct arena arena = { 0 };
	struct element_array elements;
	PyObject *owner, *object = NULL, *names = NULL;
	struct err err = { 0 };

	if (npy_map(&arena, path, &elements, &owner, &err)) {
		*missing = err.code == EXIT_USAGE;
		PyErr_SetString(*missing ? PyExc_OSError : PyExc_ValueError, err.message);
	} else {
		object = exported_new(&numpy_exporter, &elements, npy_protocol.name, -1, owner);
		Py_DecRef(owner);
	}
	if (object)
		names = PyDict_New();
	if (names && PyDict_SetItemString(names, "array", object)) {
		Py_DecRef(names);
		names = NULL;
	}
	Py_DecRef(object);
	arena_free(&arena);
	return names;
}

int target_load(const struct job *job, PyObject **names, bool *missing)
{
	const struct job_module *module = &job->module;
	struct arena arena = { 0 };
	const char *path = value_text_unescape(&arena, module->name);

	*missing = false;
	if (module->kind == JOB_MODULE_FILE)
		*names = load_file(path, &job->arguments, missing);
	else if (module->kind == JOB_MODULE_CODE)
		*names = load_code(module->name, &job->arguments);
	else if (module->kind == JOB_MODULE_NPY)
		*names = load_npy(path, missing);
	else
		*names = load_dotted(module->name, &job->arguments, missing);
	arena_free(&arena);
	return *names ? 0 : -1;
}
