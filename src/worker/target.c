// SPDX-License-Identifier: MIT
/*
 * Loading the user's module and evaluating expressions in it. A file is loaded as by `python FILE`,
 * but as a module named after the file, so that its `if __name__ == "__main__"` is not run.
 */
#include "worker/target.h"

#include "base/text.h"
#include "worker/memory/npy_map.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_LAZY_NAMES = 16 };

/* --- sys.path and sys.argv --- */

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

/* Puts directory, "" for the working directory, in front of sys.path, as Python does for a script,
 * -c and -m. The bootstrap has already removed its own entry. */
static void enter_directory(const char *directory)
{
	PyObject *path = PySys_GetObject("path");

	if (path && PyList_Check(path) && !path_is_safe())
		entered = PyUnicode_DecodeFSDefault(directory);
	if (entered)
		PyList_Insert(path, 0, entered);
	PyErr_Clear();
}

static void enter_directory_of(const char *file)
{
	char *real = realpath(file, NULL);

	if (real) {
		*(strrchr(real, '/') == real ? real + 1 : strrchr(real, '/')) = '\0';
		enter_directory(real);
	}
	free(real);
}

Py_ssize_t target_hide_directory(void)
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

void target_restore_directory(Py_ssize_t position)
{
	PyObject *type, *exception, *traceback, *path = PySys_GetObject("path");

	PyErr_Fetch(&type, &exception, &traceback);
	if (entered && position >= 0 && path && PyList_Check(path))
		PyList_Insert(path, position, entered);
	PyErr_Clear();
	PyErr_Restore(type, exception, traceback);
}

/* Without the script's own __import__. */
PyObject *import_for_suai(const char *name)
{
	Py_ssize_t position = target_hide_directory();
	PyObject *module = PyImport_ImportModuleLevel(name, NULL, NULL, NULL, 0);

	target_restore_directory(position);
	return module;
}

static void set_script_arguments(const char *name)
{
	PyObject *text = PyUnicode_DecodeFSDefault(name);
	PyObject *arguments = text ? Py_BuildValue("[O]", text) : NULL;

	if (arguments)
		PySys_SetObject("argv", arguments);
	Py_DecRef(arguments);
	Py_DecRef(text);
	PyErr_Clear();
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

static PyObject *load_file(const char *path, bool *missing)
{
	PyObject *source = read_source_file(path);
	PyObject *name = NULL, *file_name = NULL, *code = NULL, *names = NULL;
	char *real;

	*missing = !source;
	if (!source)
		return NULL;
	set_script_arguments(path);
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
static PyObject *load_code(const char *text)
{
	PyObject *modules = PyImport_GetModuleDict();
	PyObject *source = PyUnicode_DecodeFSDefault(text);
	PyObject *name = PyUnicode_FromString("__main__");
	PyObject *file_name = PyUnicode_FromString("<-c>");
	PyObject *code = NULL, *names = NULL;

	set_script_arguments("-c");
	enter_directory("");
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

static PyObject *load_dotted(const char *name, bool *missing)
{
	PyObject *module, *names;

	set_script_arguments(name);
	enter_directory("");
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

int target_load(const struct job_module *module, PyObject **names, bool *missing)
{
	struct arena arena = { 0 };
	const char *path = value_text_unescape(&arena, module->name);

	*missing = false;
	if (module->kind == JOB_MODULE_FILE)
		*names = load_file(path, missing);
	else if (module->kind == JOB_MODULE_CODE)
		*names = load_code(module->name);
	else if (module->kind == JOB_MODULE_NPY)
		*names = npy_load(path, missing);
	else
		*names = load_dotted(module->name, missing);
	arena_free(&arena);
	return *names ? 0 : -1;
}

/* --- expressions --- */

PyObject *target_undefined_name(void)
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
	PyObject *name = getter ? target_undefined_name() : NULL;
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

PyObject *target_compile(const char *expression, const char *file_name)
{
	return Py_CompileString(expression + strspn(expression, " \t"), file_name, Py_eval_input);
}

PyObject *target_run(PyObject *names, PyObject *code)
{
	PyObject *result;
	int n_lazy = 0;

	do {
		result = PyEval_EvalCode(code, names, names);
	} while (!result && n_lazy++ < MAX_LAZY_NAMES && define_lazily(names));
	return result;
}

PyObject *target_evaluate(PyObject *names, const char *expression, const char *file_name)
{
	PyObject *code = target_compile(expression, file_name);
	PyObject *result = code ? target_run(names, code) : NULL;

	Py_DecRef(code);
	return result;
}
