// SPDX-License-Identifier: MIT
/*
 * Loading the user's module and evaluating expressions in it. A file is loaded as by `python FILE`,
 * but without --main as a module named after the file, so that its `if __name__ == "__main__"` is
 * not run.
 */
#include "worker/target.h"

#include "base/environment.h"
#include "base/memory.h"
#include "base/text.h"
#include "protocols/npy.h"
#include "worker/export/exported.h"
#include "worker/memory/npy_map.h"
#include "worker/notebook.h"
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

/* NULL: stays as it is. Clears the pending exception. */
static void set_first_argument(PyObject *text)
{
	PyObject *arguments = PySys_GetObject("argv"); /* borrowed */

	if (text && arguments && PyList_CheckExact(arguments) && PyList_Size(arguments))
		PyList_SetItem(arguments, 0, Py_NewRef(text));
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

/* What a module begins with. */
struct module_body {
	PyObject *code, *name;
	PyObject *file_name; /* NULL: it has none */
	PyObject *spec;      /* NULL: None */
	bool is_main;        /* replaces suai's bootstrap as __main__ */
	bool may_exit;       /* exit status 0 is success */
};

/* Whether the pending exception is sys.exit() with None or an int that is 0, which ends a program
 * successfully; as Python does, False and subclasses count. */
static bool is_successful_exit(void)
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

/* The dictionary of a new module. It is added to sys.modules, since dataclasses and pickle look it
 * up there, unless another module has the name: *registers. */
static PyObject *new_module(const struct module_body *body, bool *registers)
{
	PyObject *modules = PyImport_GetModuleDict();
	PyObject *module = PyModule_NewObject(body->name), *names;

	*registers = module && (body->is_main || PyDict_Contains(modules, body->name) == 0);
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
	PyObject *names = new_module(body, &registers), *result;

	if (!names)
		return NULL;
	result = PyEval_EvalCode(body->code, names, names);
	Py_DecRef(result);
	if (result)
		return names;
	if (body->may_exit && is_successful_exit()) {
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
	PyObject *source = read_source_file(path), *names = NULL;
	struct module_body body = { .is_main = job->as_main, .may_exit = job->as_main };
	char *real;

	*missing = !source;
	if (!source)
		return NULL;
	set_script_arguments(path, &job->arguments);
	enter_directory_of(path);
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

/* Adds a builtin function of IPython, the value of an expression over names; none that exists. */
static void add_builtin(
	PyObject *builtins, PyObject *names, const char *name, const char *expression)
{
	PyObject *function = expression_evaluate(names, expression, "<notebook>");

	if (function && !PyObject_HasAttrString(builtins, name))
		PyObject_SetAttrString(builtins, name, function);
	Py_DecRef(function);
	PyErr_Clear();
}

/* display() shows nothing. get_ipython() returns an object whose methods do nothing except that
 * they add themselves to the list skipped, as nbconvert writes them for lines that are skipped. */
static void add_ipython(PyObject *skipped)
{
	static const char shell[] =
		"(lambda shell: lambda: shell)(type('InteractiveShell', (), {name: (lambda name:"
		" lambda self, *words, **options: skipped.append(f'get_ipython().{name}('"
		" f'{repr(words[0])[:60] if words and type(words[0]) is str else str()})'))(name)"
		" for name in ('run_line_magic', 'run_cell_magic', 'magic', 'system', 'getoutput',"
		" 'enable_matplotlib', 'enable_gui', 'set_next_input')})())";
	PyObject *builtins = import_for_suai("builtins"), *names = PyDict_New();

	if (builtins && names && !PyDict_SetItemString(names, "skipped", skipped)) {
		add_builtin(builtins, names, "display", "lambda *objects, **options: None");
		add_builtin(builtins, names, "get_ipython", shell);
	}
	Py_DecRef(names);
	Py_DecRef(builtins);
	PyErr_Clear();
}

/* As Jupyter does, in the directory of the notebook. */
static void enter_notebook_directory(const char *real)
{
	char *directory = mem_copy_text(real);

	*(strrchr(directory, '/') == directory ? directory + 1 : strrchr(directory, '/')) = '\0';
	environment_make_absolute("OCL_ICD_VENDORS");
	if (chdir(directory))
		errno = 0; /* the code reports files that it does not find */
	free(directory);
}

enum { MAX_SKIPPED_CALLS = 20 };

/* Moves the calls that a cell skipped to the notices; a pending exception stays. */
static void add_skipped_calls(
	struct arena *arena, struct notebook *notebook, size_t cell, PyObject *skipped)
{
	PyObject *type, *exception, *traceback;

	PyErr_Fetch(&type, &exception, &traceback);
	for (Py_ssize_t i = 0; i < PyList_Size(skipped) && i < MAX_SKIPPED_CALLS; i++) {
		const char *call =
			fact_text(arena, object_to_value(arena, PyList_GetItem(skipped, i)));

		fact_texts_add(arena, &notebook->notices,
			arena_printf(arena, "cell %zu: skipped %s", cell, call ? call : "a call"));
	}
	PyList_SetSlice(skipped, 0, PyList_Size(skipped), NULL);
	PyErr_Clear();
	PyErr_Restore(type, exception, traceback);
}

/* Runs the cells in the dictionary of a new __main__. If one raises, gives the dictionary with the
 * exception pending. */
static PyObject *run_cells(
	struct arena *arena, struct notebook *notebook, const char *file, PyObject *skipped)
{
	const struct module_body body = { .name = PyUnicode_FromString("__main__"),
		.is_main = true };
	bool registers;
	PyObject *names = body.name ? new_module(&body, &registers) : NULL;

	for (size_t i = 0; names && i < notebook->n_cells; i++) {
		struct notebook_cell cell;
		int status = notebook_compile_cell(notebook, i, &cell);

		if (!status && cell.code) {
			definitions_add(cell.code, cell.text, file, (int)i + 1);
			status = notebook_run_cell(notebook, i, cell.code, names);
			add_skipped_calls(arena, notebook, i + 1, skipped);
		}
		Py_DecRef(cell.code);
		Py_DecRef(cell.text);
		if (!status)
			continue;
		if (is_successful_exit()) {
			PyErr_Clear();
			notebook->failed_step = NULL;
		} else if (i + 1 < notebook->n_cells) {
			notebook->not_run = arena_printf(arena,
				i + 2 < notebook->n_cells ? "cells %zu to %zu did not run"
							  : "cell %zu did not run",
				i + 2, notebook->n_cells);
		}
		break;
	}
	Py_DecRef(body.name);
	return names;
}

/* Whether the objects of a notebook are of use if a later cell failed. */
static bool takes_partial_notebook(const struct job *job)
{
	return !job->convert && (job->module.all_objects || job->module.trials);
}

static PyObject *load_notebook(
	struct arena *arena, const char *path, const struct job *job, struct loaded *loaded)
{
	PyObject *contents = read_source_file(path), *names = NULL, *skipped = PyList_New(0);
	struct notebook notebook = { 0 };
	char *real = realpath(path, NULL);

	loaded->missing = !contents;
	if (contents && skipped && !notebook_open(arena, contents, real ? real : path, &notebook)) {
		set_script_arguments(path, &job->arguments);
		enter_directory_of(path);
		if (real)
			enter_notebook_directory(real);
		add_ipython(skipped);
		names = run_cells(arena, &notebook, job->module.name, skipped);
	}
	if (names && notebook.failed_step && !takes_partial_notebook(job)) {
		Py_DecRef(names);
		names = NULL;
	}
	loaded->failed_step = notebook.failed_step;
	loaded->notices = notebook.notices;
	if (notebook.n_skipped > NOTEBOOK_MAX_NOTICES)
		fact_texts_add(arena, &loaded->notices,
			arena_printf(arena, "skipped lines or cells: %d more",
				notebook.n_skipped - NOTEBOOK_MAX_NOTICES));
	if (names && notebook.not_run)
		fact_texts_add(arena, &loaded->notices, notebook.not_run);
	notebook_free(&notebook);
	free(real);
	Py_DecRef(skipped);
	Py_DecRef(contents);
	return names;
}

static PyObject *load_code(const char *text, const struct job *job)
{
	PyObject *source = PyUnicode_DecodeFSDefault(text);
	PyObject *file_name = PyUnicode_FromString("<-c>"), *names = NULL;
	struct module_body body = {
		.name = PyUnicode_FromString("__main__"), .is_main = true, .may_exit = job->as_main
	};

	set_script_arguments("-c", &job->arguments);
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

/* As `python -m`: a package runs its __main__. */
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

	set_script_arguments(name, &job->arguments);
	sys_path_enter("");
	if (job->as_main)
		return load_dotted_main(name, missing);
	module = PyImport_ImportModule(name);
	if (!module) {
		*missing = object_is_missing_module(name);
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

/* os.register_at_fork, which adds the files of its callers to the list callers. */
static void wrap_register_at_fork(PyObject *os, PyObject *callers)
{
	static const char wrapper[] =
		"(lambda sys, register: lambda **handlers: (callers.append("
		"sys._getframe(1).f_code.co_filename), register(**handlers))[1])"
		"(sys, os.register_at_fork)";
	PyObject *sys = import_for_suai("sys"), *names = PyDict_New(), *wrapped = NULL;

	if (sys && names && !PyDict_SetItemString(names, "callers", callers) &&
		!PyDict_SetItemString(names, "sys", sys) && !PyDict_SetItemString(names, "os", os))
		wrapped = expression_evaluate(names, wrapper, "<suai>");
	if (wrapped)
		PyObject_SetAttrString(os, "register_at_fork", wrapped);
	Py_DecRef(wrapped);
	Py_DecRef(names);
	Py_DecRef(sys);
	PyErr_Clear();
}

/* Whether a file is neither of the standard library, whose directory that is, nor installed. */
static bool is_users_file(const char *file, const char *library)
{
	size_t n_chars = library ? strlen(library) : 0;

	return strncmp(file, "<frozen ", strlen("<frozen ")) != 0 &&
	       !strstr(file, "/site-packages/") && !strstr(file, "/dist-packages/") &&
	       (!n_chars || strncmp(file, library, n_chars) != 0 || file[n_chars] != '/');
}

static bool has_users_file(struct arena *arena, PyObject *os, PyObject *callers)
{
	PyObject *os_file = PyObject_GetAttrString(os, "__file__");
	const char *library = os_file ? fact_text(arena, object_to_value(arena, os_file)) : NULL;
	bool has = false;

	Py_DecRef(os_file);
	PyErr_Clear();
	if (library && strrchr(library, '/'))
		library = arena_copy(arena, library, (size_t)(strrchr(library, '/') - library));
	for (Py_ssize_t i = 0; i < PyList_Size(callers); i++) {
		PyObject *item = PyList_GetItem(callers, i);
		const char *file = fact_text(arena, object_to_value(arena, item));

		has |= file && is_users_file(file, library);
	}
	return has;
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
	PyObject *os = job->module.trials ? import_for_suai("os") : NULL;
	PyObject *callers = os ? PyList_New(0) : NULL;
	PyObject *original = callers ? PyObject_GetAttrString(os, "register_at_fork") : NULL;
	PyObject *type, *exception, *traceback;

	PyErr_Clear();
	if (original)
		wrap_register_at_fork(os, callers);
	load_module(arena, job, loaded);
	PyErr_Fetch(&type, &exception, &traceback);
	if (original) {
		PyObject_SetAttrString(os, "register_at_fork", original);
		loaded->handles_forks = has_users_file(arena, os, callers);
	}
	PyErr_Clear();
	PyErr_Restore(type, exception, traceback);
	Py_DecRef(original);
	Py_DecRef(callers);
	Py_DecRef(os);
	return loaded->names ? 0 : -1;
}
