// SPDX-License-Identifier: MIT
/* Finding and calling consumers. */
#include "worker/python/consumer.h"

#include "base/error.h"
#include "base/identifier.h"
#include "base/option.h"
#include "base/python_code.h"
#include "model/usual_names.h"
#include "os/working_directory.h"
#include "worker/python/expression.h"
#include "worker/python/import.h"
#include "worker/python/object.h"

#include <string.h>

/* A function of consumer.py, which runs without the directory of the target in sys.path. */
static PyObject *own_function(const char *name)
{
	PyObject *code = Py_CompileString(consumer_source, "<suai>", Py_file_input);
	PyObject *scope = PyDict_New(), *ran = NULL, *function = NULL;
	Py_ssize_t hidden = sys_path_hide();

	if (code && scope && !PyDict_SetItemString(scope, "__builtins__", PyEval_GetBuiltins()))
		ran = PyEval_EvalCode(code, scope, scope);
	sys_path_restore(hidden);
	if (ran)
		function = Py_NewRef(PyDict_GetItemString(scope, name));
	Py_DecRef(ran);
	Py_DecRef(code);
	Py_DecRef(scope);
	return function;
}

static PyObject *load_consumer_file(const struct job_call *call)
{
	PyObject *load = own_function("load");
	PyObject *path = PyUnicode_DecodeFSDefault(call->file), *module = NULL;

	if (load && path)
		module = PyObject_CallFunction(load, "Os", path, call->module);
	Py_DecRef(path);
	Py_DecRef(load);
	return module;
}

/* The name in the list, which it takes, that is nearest to name, in the arena; NULL: none is near.
 */
static const char *nearest_name(struct arena *arena, PyObject *list, const char *name)
{
	Py_ssize_t n_listed = list ? PyList_Size(list) : 0;
	const char **names = arena_alloc(arena, (size_t)(n_listed + 1) * sizeof(*names));
	size_t n_names = 0;

	for (Py_ssize_t i = 0; i < n_listed; i++) {
		PyObject *bytes = PyUnicode_AsUTF8String(PyList_GetItem(list, i));

		if (bytes)
			names[n_names++] = arena_copy(
				arena, PyBytes_AsString(bytes), (size_t)PyBytes_Size(bytes));
		Py_DecRef(bytes);
	}
	Py_DecRef(list);
	PyErr_Clear();
	return option_suggest(name, names, n_names);
}

/* Whether the consumer, a path or an expression, has the name. */
static bool names_attribute(const char *path, PyObject *code, PyObject *name, const char *word)
{
	PyObject *names = code ? PyObject_GetAttrString(code, "co_names") : NULL;
	bool found =
		path ? strstr(path, word) != NULL : names && PySequence_Contains(names, name) == 1;

	Py_DecRef(names);
	return found;
}

/* Extends the AttributeError of a module, whose attribute the consumer names, by a suggestion. */
static void suggest_attribute(const char *path, PyObject *code)
{
	PyObject *type, *error, *traceback, *module, *name, *bytes;
	const char *word, *nearest = NULL;
	struct arena arena = { 0 };

	if (!PyErr_ExceptionMatches(PyExc_AttributeError))
		return;
	PyErr_Fetch(&type, &error, &traceback);
	PyErr_NormalizeException(&type, &error, &traceback);
	module = PyObject_GetAttrString(error, "obj");
	name = PyObject_GetAttrString(error, "name");
	bytes = name && PyUnicode_Check(name) ? PyUnicode_AsUTF8String(name) : NULL;
	word = bytes ? PyBytes_AsString(bytes) : NULL;
	PyErr_Clear();
	if (word && module && PyModule_Check(module) && names_attribute(path, code, name, word))
		nearest = nearest_name(&arena, PyObject_Dir(module), word);
	if (nearest)
		PyErr_Format(PyExc_AttributeError, "%S" ERR_SUGGESTION, error, nearest);
	else
		PyErr_Restore(Py_XNewRef(type), Py_XNewRef(error), Py_XNewRef(traceback));
	Py_DecRef(bytes);
	Py_DecRef(name);
	Py_DecRef(module);
	Py_DecRef(type);
	Py_DecRef(error);
	Py_DecRef(traceback);
	arena_free(&arena);
}

void consumer_raise_no_attribute(PyObject *names, PyObject *name)
{
	PyObject *module = PyDict_GetItemString(names, "__name__");
	PyObject *bytes = PyUnicode_AsUTF8String(name);
	struct arena arena = { 0 };
	const char *nearest = NULL;

	if (bytes)
		nearest = nearest_name(&arena, PyDict_Keys(names), PyBytes_AsString(bytes));
	PyErr_Clear();
	if (nearest)
		PyErr_Format(PyExc_AttributeError,
			"module '%S' has no attribute '%S'" ERR_SUGGESTION,
			module ? module : Py_None, name, nearest);
	else
		PyErr_Format(PyExc_AttributeError, "module '%S' has no attribute '%S'",
			module ? module : Py_None, name);
	Py_DecRef(bytes);
	arena_free(&arena);
}

/* The object at a dotted path from `at`, which it takes, and which may be NULL. */
static PyObject *find_dotted_attribute(struct arena *arena, PyObject *at, const char *dotted)
{
	char *path = arena_copy(arena, dotted, strlen(dotted));
	PyObject *next;
	char *rest;

	for (char *name = strtok_r(path, ".", &rest); at && name;
		name = strtok_r(NULL, ".", &rest)) {
		next = PyObject_GetAttrString(at, name);
		Py_DecRef(at);
		at = next;
	}
	return at;
}

void consumer_suggest_class(const char *dotted, const char *function)
{
	PyObject *type, *error, *traceback, *module = NULL, *found = NULL;
	struct arena arena = { 0 };
	char *name = arena_copy(&arena, dotted, strlen(dotted)), *dot;
	const char *path = NULL;

	if (PyErr_ExceptionMatches(PyExc_ModuleNotFoundError)) {
		PyErr_Fetch(&type, &error, &traceback);
		while (!module && (dot = strrchr(name, '.'))) {
			*dot = '\0';
			path = arena_printf(&arena, "%s.%s", dotted + (dot - name) + 1, function);
			module = PyDict_GetItemString(PyImport_GetModuleDict(), name);
		}
		if (module)
			found = find_dotted_attribute(&arena, Py_NewRef(module), path);
		PyErr_Clear();
		if (found)
			PyErr_Format(PyExc_ModuleNotFoundError, "%S" ERR_SUGGESTION, error,
				arena_printf(&arena, "%s:%s", name, path));
		else
			PyErr_Restore(Py_XNewRef(type), Py_XNewRef(error), Py_XNewRef(traceback));
		Py_DecRef(found);
		Py_DecRef(type);
		Py_DecRef(error);
		Py_DecRef(traceback);
	}
	arena_free(&arena);
}

static PyObject *find_function(
	struct arena *arena, const struct job_call *call, struct consumer *consumer)
{
	PyObject *module = call->file ? load_consumer_file(call) : import_named(call->module);
	PyObject *function;

	consumer->module = call->file ? Py_XNewRef(module) : NULL;
	if (!module && !call->file)
		consumer_suggest_class(call->module, call->function);
	function = find_dotted_attribute(arena, module, call->function);
	if (!function)
		suggest_attribute(call->function, NULL);
	return function;
}

static PyObject *make_usual(void)
{
	PyObject *usual = PyDict_New();

	for (const struct usual_name *row = usual_names; usual && row->name; row++) {
		PyObject *module = PyUnicode_FromString(row->module);

		if (module)
			PyDict_SetItemString(usual, row->name, module);
		Py_DecRef(module);
	}
	return usual;
}

/* The modules of names that text uses and neither `names` nor builtins define: a new dictionary. */
static PyObject *import_names(const char *text, PyObject *names, bool is_required)
{
	PyObject *imported = own_function("imported");
	PyObject *usual = make_usual(), *found = NULL;

	if (imported && usual)
		found = PyObject_CallFunction(imported, "sOOi", text, names, usual, is_required);
	Py_DecRef(usual);
	Py_DecRef(imported);
	return found;
}

/* "module:Class(3).method(_)" as an expression, with a dot; NULL: it is not of this form. */
static const char *find_dotted_form(struct arena *arena, const char *expression)
{
	size_t n_chars = 0;
	const char *rest;

	while (is_identifier_byte(expression[n_chars]) || expression[n_chars] == '.')
		n_chars++;
	rest = expression + n_chars + 1;
	if (!n_chars || expression[n_chars] != ':' || !is_identifier_byte(*rest) ||
		!expression_count_name(rest, "_") || (n_chars > 3 && !memcmp(rest - 4, ".py", 3)))
		return NULL;
	return arena_printf(arena, "%.*s.%s", (int)n_chars, expression, rest);
}

int consumer_compile(struct arena *arena, const struct job_call *call, const char *option,
	struct consumer *consumer, struct err *err)
{
	const char *message;

	if (!call->expression)
		return 0;
	consumer->code = expression_compile(call->expression, arena_printf(arena, "<%s>", option));
	if (consumer->code)
		return 0;
	message = object_take_error(arena).message;
	err_set(err, EXIT_USAGE, "%s '%s': %s", option, call->expression,
		message ? message : "invalid expression");
	return err_suggest(err, find_dotted_form(arena, call->expression),
		"; use module:function, or an expression with _ such as 'np.from_dlpack(_)'");
}

void consumer_find(struct arena *arena, const struct job_call *call, PyObject *names,
	bool is_required, struct consumer *consumer)
{
	if (call->function)
		consumer->function = find_function(arena, call, consumer);
	else
		consumer->imported = import_names(call->expression, names, is_required);
	if (!consumer->function && !consumer->imported && !PyErr_Occurred())
		PyErr_NoMemory();
	PyErr_Fetch(&consumer->error[0], &consumer->error[1], &consumer->error[2]);
}

bool consumer_is_missing(const struct consumer *consumer)
{
	return consumer->error[0];
}

void consumer_open(struct arena *arena, const struct job_call *call, const char *option,
	PyObject *names, bool is_required, struct consumer *consumer)
{
	struct err err = { 0 };

	if (!consumer_compile(arena, call, option, consumer, &err)) {
		consumer_find(arena, call, names, is_required, consumer);
		return;
	}
	PyErr_SetString(PyExc_SyntaxError, err.message);
	PyErr_Fetch(&consumer->error[0], &consumer->error[1], &consumer->error[2]);
}

void consumer_drop(struct consumer *consumer)
{
	Py_DecRef(consumer->function);
	Py_DecRef(consumer->module);
	Py_DecRef(consumer->code);
	Py_DecRef(consumer->imported);
	for (size_t i = 0; i < 3; i++)
		Py_DecRef(consumer->error[i]);
	*consumer = (struct consumer){ 0 };
}

/* For a name that the expression itself uses: its module is missing, or it is mistyped. */
static void raise_missing_module(void)
{
	PyObject *name = expression_undefined_name();
	PyObject *text = name ? PyUnicode_AsUTF8String(name) : NULL;
	const char *word = text ? PyBytes_AsString(text) : NULL;
	const char *module = word ? usual_module(word) : NULL;

	if (word)
		PyErr_Format(PyExc_ModuleNotFoundError,
			"name '%s' is not defined, and there is no module '%s'", word,
			module ? module : word);
	Py_DecRef(text);
	Py_DecRef(name);
}

static PyObject *call_expression(
	const struct consumer *consumer, PyObject *module_names, PyObject *object)
{
	PyObject *names = PyDict_Copy(module_names), *result = NULL;

	if (names && !PyDict_Merge(names, consumer->imported, 0) &&
		!PyDict_SetItemString(names, "__builtins__", PyEval_GetBuiltins()) &&
		!PyDict_SetItemString(names, "_", object))
		result = expression_run(names, consumer->code);
	if (!result) {
		suggest_attribute(NULL, consumer->code);
		raise_missing_module();
	}
	Py_DecRef(names);
	return result;
}

PyObject *consumer_call(struct consumer *consumer, PyObject *names, PyObject *object)
{
	bool was_left;
	PyObject *result;

	if (consumer->error[0]) {
		for (size_t i = 0; i < 3; i++)
			Py_IncRef(consumer->error[i]);
		PyErr_Restore(consumer->error[0], consumer->error[1], consumer->error[2]);
		return NULL;
	}
	was_left = directory_return();
	result = consumer->function ? PyObject_CallFunctionObjArgs(consumer->function, object, NULL)
				    : call_expression(consumer, names, object);
	if (was_left)
		directory_leave();
	return result;
}
