// SPDX-License-Identifier: MIT
/* --call: hands the new object to a consumer, module:function or an expression with `_`. */
#include "worker/convert.h"

#include "model/usual_names.h"
#include "worker/target.h"

#include <string.h>

/* Names that an expression uses and nothing defines are imported, np as numpy. */
static const char prepare_source[] =
	"import ast as _ast, builtins as _builtins, importlib as _importlib\n"
	"def prepare(text, names, usual):\n"
	"    try:\n"
	"        tree = _ast.parse(text, mode='eval')\n"
	"    except SyntaxError:\n"
	"        return\n"
	"    for node in _ast.walk(tree):\n"
	"        name = getattr(node, 'id', None)\n"
	"        if name and name not in names and not hasattr(_builtins, name):\n"
	"            try:\n"
	"                names[name] = _importlib.import_module(usual.get(name, name))\n"
	"            except ImportError:\n"
	"                pass\n";

static bool is_dotted_name(const char *text, size_t n_chars)
{
	for (size_t i = 0; i < n_chars; i++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.",
			    text[i]))
			return false;
	return n_chars > 0;
}

/* The colon of module:function; NULL: text is an expression. */
static const char *find_colon(const char *text)
{
	const char *colon = strchr(text, ':');

	return colon && is_dotted_name(text, (size_t)(colon - text)) &&
			       is_dotted_name(colon + 1, strlen(colon + 1))
		       ? colon
		       : NULL;
}

static PyObject *call_function(
	struct arena *arena, const char *text, const char *colon, PyObject *object)
{
	PyObject *at = PyImport_ImportModule(arena_copy(arena, text, (size_t)(colon - text)));
	char *path = arena_copy(arena, colon + 1, strlen(colon + 1));
	PyObject *result = NULL, *next;
	char *rest;

	for (char *name = strtok_r(path, ".", &rest); at && name;
		name = strtok_r(NULL, ".", &rest)) {
		next = PyObject_GetAttrString(at, name);
		Py_DecRef(at);
		at = next;
	}
	if (at)
		result = PyObject_CallFunctionObjArgs(at, object, NULL);
	Py_DecRef(at);
	return result;
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

/* Imports into names what text uses and they lack. What is no expression fails where it is run. */
static int prepare(const char *text, PyObject *names)
{
	PyObject *code = Py_CompileString(prepare_source, "<suai>", Py_file_input);
	PyObject *scope = PyDict_New(), *usual = make_usual(), *done = NULL, *ran = NULL;

	if (code && scope && usual &&
		!PyDict_SetItemString(scope, "__builtins__", PyEval_GetBuiltins()))
		ran = PyEval_EvalCode(code, scope, scope);
	if (ran)
		done = PyObject_CallFunction(
			PyDict_GetItemString(scope, "prepare"), "sOO", text, names, usual);
	Py_DecRef(usual);
	Py_DecRef(ran);
	Py_DecRef(code);
	Py_DecRef(scope);
	Py_DecRef(done);
	return done ? 0 : -1;
}

static PyObject *call_expression(
	const struct capture_context *context, const char *text, PyObject *object)
{
	PyObject *names = context->names ? PyDict_Copy(context->names) : PyDict_New();
	PyObject *result = NULL;

	if (names && !PyDict_SetItemString(names, "__builtins__", PyEval_GetBuiltins()) &&
		!PyDict_SetItemString(names, "_", object) && !prepare(text, names))
		result = target_evaluate(names, text, "<--call>");
	Py_DecRef(names);
	return result;
}

static struct value *tell_result(struct capture_context *context, PyObject *result)
{
	struct arena *arena = context->arena;
	struct value *facts = value_map(arena);

	context->own = value_map(arena);
	context->calls = value_list(arena);
	value_set(arena, facts, "type", value_text(arena, object_type_name(arena, result)));
	value_set(arena, facts, "interfaces", capture_interfaces(context, result));
	own_read(arena, result, context->own);
	value_set(arena, facts, "own", context->own);
	return facts;
}

int convert_call(struct conversion *conversion)
{
	const char *text = value_text_or(value_get(conversion->settings, "call"), "");
	const char *colon = find_colon(text);
	struct capture_context context = *conversion->context;
	PyObject *result;

	if (colon)
		result = call_function(context.arena, text, colon, conversion->object);
	else
		result = call_expression(&context, text, conversion->object);
	if (!result)
		return -1;
	worker_step_done();
	value_set(context.arena, conversion->facts, "result", tell_result(&context, result));
	if (worker_step("release of the result"))
		Py_DecRef(result);
	PyErr_Clear();
	worker_step_done();
	return 0;
}
