// SPDX-License-Identifier: MIT
/* --call: passes the new object to a consumer, module:function or an expression with `_`. */
#include "worker/capture/self_reported.h"
#include "worker/convert/convert.h"
#include "worker/process/process.h"
#include "worker/python/expression.h"
#include "worker/python/import.h"
#include "worker/read/interfaces.h"

#include "model/usual_names.h"

#include <string.h>

/* Imports the modules of names that an expression uses but nothing defines, np as numpy. */
static const char import_source[] =
	"import ast as _ast, builtins as _builtins, importlib as _importlib\n"
	"def imported(text, names, usual):\n"
	"    found = {}\n"
	"    for node in _ast.walk(_ast.parse(text.lstrip(' \\t'), mode='eval')):\n"
	"        name = getattr(node, 'id', None)\n"
	"        if name and name != '_' and name not in names and not hasattr(_builtins, name):\n"
	"            try:\n"
	"                found[name] = _importlib.import_module(usual.get(name, name))\n"
	"            except ModuleNotFoundError as error:\n"
	"                if not (usual.get(name, name) + '.').startswith(str(error.name) + '.'):\n"
	"                    raise\n"
	"    return found\n";

static PyObject *find_function(struct arena *arena, const struct job_call *call)
{
	PyObject *at = PyImport_ImportModule(call->module);
	char *path = arena_copy(arena, call->function, strlen(call->function));
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
static PyObject *import_names(const char *text, PyObject *names)
{
	PyObject *code = Py_CompileString(import_source, "<suai>", Py_file_input);
	PyObject *scope = PyDict_New(), *usual = make_usual(), *found = NULL, *ran = NULL;

	Py_ssize_t hidden = sys_path_hide();

	if (code && scope && usual &&
		!PyDict_SetItemString(scope, "__builtins__", PyEval_GetBuiltins()))
		ran = PyEval_EvalCode(code, scope, scope);
	sys_path_restore(hidden);
	if (ran)
		found = PyObject_CallFunction(
			PyDict_GetItemString(scope, "imported"), "sOO", text, names, usual);
	Py_DecRef(usual);
	Py_DecRef(ran);
	Py_DecRef(code);
	Py_DecRef(scope);
	return found;
}

int convert_compile_consumer(struct conversion *conversion, struct err *err)
{
	const char *expression = conversion->options->call.expression;
	const char *message;

	if (!expression)
		return 0;
	conversion->consumer.code = expression_compile(expression, "<--call>");
	if (conversion->consumer.code)
		return 0;
	message = object_take_error(conversion->context->arena).message;
	return err_set(err, EXIT_USAGE,
		"--call '%s': %s; use module:function, or an expression with _ such as 'np.from_dlpack(_)'",
		expression, message ? message : "invalid expression");
}

void convert_find_consumer(struct conversion *conversion)
{
	struct consumer *consumer = &conversion->consumer;
	struct capture_context *context = conversion->context;
	const struct job_call *call = &conversion->options->call;

	if (call->function)
		consumer->function = find_function(context->arena, call);
	else
		consumer->imported = import_names(call->expression, context->names);
	PyErr_Fetch(&consumer->error[0], &consumer->error[1], &consumer->error[2]);
}

void convert_drop_consumer(struct consumer *consumer)
{
	Py_DecRef(consumer->function);
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
	const struct capture_context *context, const struct consumer *consumer, PyObject *object)
{
	PyObject *names = PyDict_Copy(context->names), *result = NULL;

	if (names && !PyDict_Merge(names, consumer->imported, 0) &&
		!PyDict_SetItemString(names, "__builtins__", PyEval_GetBuiltins()) &&
		!PyDict_SetItemString(names, "_", object))
		result = expression_run(names, consumer->code);
	if (!result)
		raise_missing_module();
	Py_DecRef(names);
	return result;
}

/* The consumer's result; NULL with the exception pending. */
static PyObject *hand_over(struct conversion *conversion)
{
	struct consumer *consumer = &conversion->consumer;
	PyObject *result;
	bool was_left;

	if (consumer->error[0]) {
		PyErr_Restore(consumer->error[0], consumer->error[1], consumer->error[2]);
		memset(consumer->error, 0, sizeof(consumer->error));
		return NULL;
	}
	was_left = directory_return(); /* it may name files */
	if (consumer->function)
		result = PyObject_CallFunctionObjArgs(consumer->function, conversion->object, NULL);
	else
		result = call_expression(conversion->context, consumer, conversion->object);
	if (was_left)
		directory_leave();
	return result;
}

int convert_call(struct conversion *conversion)
{
	struct fact_target captured = { .present = true };
	struct capture_context context = *conversion->context;
	PyObject *result = hand_over(conversion);

	if (!result)
		return -1;
	worker_step_done();
	context.target = &captured;
	conversion->facts.result = (struct fact_result){ .present = true,
		.type = object_type_name(context.arena, result) };
	read_interfaces(&context, result);
	conversion->facts.result.interfaces = captured.interfaces;
	conversion->facts.result.own = self_reported_read(context.arena, result);
	if (worker_step("release of the result"))
		Py_DecRef(result);
	PyErr_Clear();
	worker_step_done();
	return 0;
}
