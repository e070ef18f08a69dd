// SPDX-License-Identifier: MIT
/* Loads a notebook: runs its cells in a new __main__, as Jupyter does, without IPython. */
#include "worker/load.h"

#include "base/environment.h"
#include "base/memory.h"
#include "worker/notebook.h"
#include "worker/python/definitions.h"
#include "worker/python/expression.h"
#include "worker/python/import.h"
#include "worker/python/object.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* Changes to the directory of the notebook, as Jupyter does. */
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
	PyObject *names = body.name ? load_new_module(&body, &registers) : NULL;

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
		if (load_is_successful_exit()) {
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

PyObject *load_notebook(
	struct arena *arena, const char *path, const struct job *job, struct loaded *loaded)
{
	PyObject *contents = load_read_file(path), *names = NULL, *skipped = PyList_New(0);
	struct notebook notebook = { 0 };
	char *real = realpath(path, NULL);

	loaded->missing = !contents;
	if (contents && skipped && !notebook_open(arena, contents, real ? real : path, &notebook)) {
		load_set_arguments(path, &job->arguments);
		load_enter_directory_of(path);
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
