// SPDX-License-Identifier: MIT
/*
 * Loads the user's module. A file is loaded as by `python FILE`, but without --main as a module
 * named after the file, so that its `if __name__ == "__main__"` is not run.
 */
#include "worker/target.h"

#include "base/text.h"
#include "protocols/npy.h"
#include "worker/export/exported.h"
#include "worker/load.h"
#include "worker/memory/npy_map.h"
#include "worker/process/fork_handlers.h"
#include "worker/python/consumer.h"
#include "worker/python/definitions.h"
#include "worker/python/expression.h"
#include "worker/python/import.h"
#include "worker/python/object.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- sys.path and sys.argv --- */

void load_enter_directory_of(const char *file)
{
	char *real = realpath(file, NULL);

	if (real) {
		*(strrchr(real, '/') == real ? real + 1 : strrchr(real, '/')) = '\0';
		sys_path_enter(real);
	}
	free(real);
}

/* Appends text, a reference that this takes. False: out of memory. */
static bool append_argument(PyObject *arguments, PyObject *text)
{
	bool added = text && !PyList_Append(arguments, text);

	Py_DecRef(text);
	return added;
}

void load_set_arguments(const char *name, const struct job_words *words)
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

/* Sets sys.argv[0]; NULL: unchanged. Clears the pending exception. */
static void set_first_argument(PyObject *text)
{
	PyObject *arguments = PySys_GetObject("argv"); /* borrowed */

	if (text && arguments && PyList_CheckExact(arguments) && PyList_Size(arguments))
		PyList_SetItem(arguments, 0, Py_NewRef(text));
	PyErr_Clear();
}

/* --- loading --- */

PyObject *load_read_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct text text = { 0 };
	PyObject *bytes = NULL;
	char chunk[16384];
	ssize_t n_bytes = 0;

	while (fd >= 0 &&
		((n_bytes = read(fd, chunk, sizeof(chunk))) > 0 || (n_bytes < 0 && errno == EINTR)))
		text_add_bytes(&text, chunk, n_bytes > 0 ? (size_t)n_bytes : 0);
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

/* Removes the module from sys.modules, as after any failed import. The exception stays pending. */
static void forget_module(PyObject *modules, PyObject *name)
{
	PyObject *type, *exception, *traceback;

	PyErr_Fetch(&type, &exception, &traceback);
	if (PyDict_Contains(modules, name) == 1)
		PyDict_DelItem(modules, name);
	PyErr_Clear();
	PyErr_Restore(type, exception, traceback);
}

bool load_is_successful_exit(void)
{
	PyObject *type, *exception, *traceback, *status;
	bool is_success;

	if (!PyErr_ExceptionMatches(PyExc_SystemExit))
		return false;
	PyErr_Fetch(&type, &exception, &traceback);
	PyErr_NormalizeException(&type, &exception, &traceback);
	status = exception ? PyObject_GetAttrString(exception, "code") : NULL;
	is_success = status == Py_None ||
		     (status && PyLong_Check(status) &&
			     PyLong_AsLongLongAndOverflow(status, &(int){ 0 }) == 0);
	Py_DecRef(status);
	PyErr_Clear();
	PyErr_Restore(type, exception, traceback);
	return is_success;
}

static void set_spec(PyObject *names, PyObject *spec)
{
	PyObject *parent = PyObject_GetAttrString(spec, "parent");
	PyObject *loader = PyObject_GetAttrString(spec, "loader");

	PyDict_SetItemString(names, "__spec__", spec);
	if (parent)
		PyDict_SetItemString(names, "__package__", parent);
	if (loader)
		PyDict_SetItemString(names, "__loader__", loader);
	Py_DecRef(parent);
	Py_DecRef(loader);
	PyErr_Clear();
}

/* import finds modules that are compiled into the interpreter before those of sys.path. */
static bool is_builtin_module(PyObject *name)
{
	PyObject *builtin_names = PySys_GetObject("builtin_module_names"); /* borrowed */
	bool is_builtin = builtin_names && PySequence_Contains(builtin_names, name) == 1;

	PyErr_Clear();
	return is_builtin;
}

PyObject *load_new_module(const struct module_body *body, bool *registers)
{
	PyObject *modules = PyImport_GetModuleDict();
	PyObject *module = PyModule_NewObject(body->name), *names;

	*registers = module && (body->is_main || (PyDict_Contains(modules, body->name) == 0 &&
							 !is_builtin_module(body->name)));
	if (!module || (*registers && PyObject_SetItem(modules, body->name, module))) {
		Py_DecRef(module);
		return NULL;
	}
	names = PyModule_GetDict(module);
	Py_IncRef(names);
	Py_DecRef(module);
	if (body->file_name)
		PyDict_SetItemString(names, "__file__", body->file_name);
	if (body->spec)
		set_spec(names, body->spec);
	PyDict_SetItemString(names, "__builtins__", PyEval_GetBuiltins());
	return names;
}

/* Runs code as the body of a new module and gives its dictionary. */
static PyObject *execute_module(const struct module_body *body)
{
	bool registers;
	PyObject *names = load_new_module(body, &registers), *result;

	if (!names)
		return NULL;
	result = PyEval_EvalCode(body->code, names, names);
	Py_DecRef(result);
	if (result)
		return names;
	if (body->may_exit && load_is_successful_exit()) {
		PyErr_Clear();
		return names;
	}
	if (registers)
		forget_module(PyImport_GetModuleDict(), body->name);
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

static PyObject *load_file(const char *path, const struct job *job, bool *missing)
{
	PyObject *source = load_read_file(path), *names = NULL;
	struct module_body body = { .is_main = job->as_main, .may_exit = job->as_main };
	char *real;

	*missing = !source;
	if (!source)
		return NULL;
	load_set_arguments(path, &job->arguments);
	load_enter_directory_of(path);
	real = realpath(path, NULL);
	body.name = job->as_main ? PyUnicode_FromString("__main__") : stem_of(path);
	body.file_name = PyUnicode_DecodeFSDefault(real ? real : path);
	if (body.name && body.file_name)
		body.code = compile_source(source, body.file_name);
	if (body.code) {
		definitions_add(body.code, source, job->module.name, 0);
		names = execute_module(&body);
	}
	free(real);
	Py_DecRef(source);
	Py_DecRef(body.name);
	Py_DecRef(body.file_name);
	Py_DecRef(body.code);
	return names;
}

static PyObject *load_code(const char *text, const struct job *job)
{
	PyObject *source = PyUnicode_DecodeFSDefault(text);
	PyObject *file_name = PyUnicode_FromString("<-c>"), *names = NULL;
	struct module_body body = {
		.name = PyUnicode_FromString("__main__"), .is_main = true, .may_exit = job->as_main
	};

	load_set_arguments("-c", &job->arguments);
	sys_path_enter("");
	if (source && body.name && file_name)
		body.code = compile_source(source, file_name);
	if (body.code)
		names = execute_module(&body);
	Py_DecRef(source);
	Py_DecRef(body.name);
	Py_DecRef(file_name);
	Py_DecRef(body.code);
	return names;
}

/* importlib's spec of a module, whose packages are imported, or NULL with the exception pending. */
static PyObject *find_spec(const char *name)
{
	PyObject *importlib = import_for_suai("importlib.util");
	PyObject *util = importlib ? PyObject_GetAttrString(importlib, "util") : NULL;
	PyObject *spec = util ? PyObject_CallMethod(util, "find_spec", "s", name) : NULL;

	if (spec == Py_None) {
		PyObject *text = PyUnicode_FromString(name);
		PyObject *message = PyUnicode_FromFormat("No module named '%s'", name);

		if (text && message)
			PyErr_SetImportErrorSubclass(
				PyExc_ModuleNotFoundError, message, text, NULL);
		Py_DecRef(text);
		Py_DecRef(message);
		Py_DecRef(spec);
		spec = NULL;
	}
	Py_DecRef(util);
	Py_DecRef(importlib);
	return spec;
}

static bool is_package(PyObject *spec)
{
	PyObject *locations = PyObject_GetAttrString(spec, "submodule_search_locations");
	bool is = locations && locations != Py_None;

	Py_DecRef(locations);
	PyErr_Clear();
	return is;
}

/* The compiled source of a module; NULL with the exception pending, for one in C too. */
static PyObject *get_module_code(PyObject *spec, const char *name)
{
	PyObject *loader = PyObject_GetAttrString(spec, "loader");
	PyObject *code = loader ? PyObject_CallMethod(loader, "get_code", "s", name) : NULL;
	PyObject *model = Py_CompileString("", "", Py_file_input);

	if (code && model && Py_TYPE(code) != Py_TYPE(model)) {
		PyErr_Format(PyExc_ImportError, "module '%s' has no Python code to run", name);
		Py_DecRef(code);
		code = NULL;
	}
	Py_DecRef(model);
	Py_DecRef(loader);
	return code;
}

/* Loads a module as `python -m` does: a package runs its __main__. */
static PyObject *load_dotted_main(const char *name, bool *missing)
{
	struct module_body body = { .is_main = true, .may_exit = true };
	struct arena arena = { 0 };
	PyObject *names = NULL;

	body.spec = find_spec(name);
	*missing = !body.spec && object_is_missing_module(name);
	if (body.spec && is_package(body.spec)) {
		Py_DecRef(body.spec);
		name = arena_printf(&arena, "%s.__main__", name);
		body.spec = find_spec(name);
	}
	if (body.spec)
		body.code = get_module_code(body.spec, name);
	if (body.code) {
		body.file_name = PyObject_GetAttrString(body.spec, "origin");
		set_first_argument(body.file_name);
		body.name = PyUnicode_FromString("__main__");
	}
	if (body.name)
		names = execute_module(&body);
	if (names)
		definitions_add_module(names);
	Py_DecRef(body.spec);
	Py_DecRef(body.code);
	Py_DecRef(body.file_name);
	Py_DecRef(body.name);
	arena_free(&arena);
	return names;
}

static PyObject *load_dotted(const char *name, const struct job *job, bool *missing)
{
	PyObject *module, *names;

	load_set_arguments(name, &job->arguments);
	sys_path_enter("");
	if (job->as_main)
		return load_dotted_main(name, missing);
	module = import_named(name);
	if (!module) {
		*missing = object_is_missing_module(name);
		if (job->consumer.function)
			consumer_suggest_class(name, job->consumer.function);
		else if (job->module.expressions.n_items)
			consumer_suggest_class(name, job->module.expressions.items[0]);
		return NULL;
	}
	names = PyObject_GetAttrString(module, "__dict__");
	if (names && !PyDict_Check(names)) {
		PyErr_Format(PyExc_TypeError, "__dict__ of module '%s' is not a dict", name);
		Py_DecRef(names);
		names = NULL;
	}
	if (names)
		definitions_add_module(names);
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

static void load_module(struct arena *arena, const struct job *job, struct loaded *loaded)
{
	const struct job_module *module = &job->module;
	const char *path = value_text_unescape(arena, module->name);

	*loaded = (struct loaded){ 0 };
	if (module->kind == JOB_MODULE_FILE)
		loaded->names = load_file(path, job, &loaded->missing);
	else if (module->kind == JOB_MODULE_NOTEBOOK)
		loaded->names = load_notebook(arena, path, job, loaded);
	else if (module->kind == JOB_MODULE_CODE)
		loaded->names = load_code(module->name, job);
	else if (module->kind == JOB_MODULE_NPY)
		loaded->names = load_npy(path, &loaded->missing);
	else
		loaded->names = load_dotted(module->name, job, &loaded->missing);
}

int target_load(struct arena *arena, const struct job *job, struct loaded *loaded)
{
	struct fork_handlers handlers = { 0 };

	if (job->module.trials)
		handlers = fork_handlers_watch();
	load_module(arena, job, loaded);
	loaded->handles_forks = fork_handlers_found(&handlers);
	return loaded->names ? 0 : -1;
}
