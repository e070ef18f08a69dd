// SPDX-License-Identifier: MIT
/*
 * The pending Python exception as a fact: its type, message and traceback. Of an exception whose
 * own methods raise, only the type is recorded.
 */

#include "base/text.h"
#include "worker/python/import.h"
#include "worker/python/object.h"
#include <string.h>

enum { TEXT_MAX_BYTES = 256 << 10 };

/* Takes text; returns its content, truncated to TEXT_MAX_BYTES; NULL for NULL. */
static const char *take_text(struct arena *arena, PyObject *text)
{
	PyObject *bytes = NULL;
	const char *content = NULL;
	struct text kept = { 0 };
	Py_ssize_t n_bytes;
	char *start;

	text_add(&kept, "");
	if (text && PyUnicode_Check(text))
		bytes = PyUnicode_AsEncodedString(text, "utf-8", "backslashreplace");
	if (bytes && !PyBytes_AsStringAndSize(bytes, &start, &n_bytes)) {
		text_add_truncated(&kept, start, (size_t)n_bytes, TEXT_MAX_BYTES);
		content = fact_text(arena, value_text_n(arena, kept.bytes, kept.n_bytes));
	}
	text_free(&kept);
	Py_DecRef(bytes);
	Py_DecRef(text);
	PyErr_Clear();
	return content;
}

static const char *exit_message(struct arena *arena, PyObject *exception)
{
	PyObject *code = PyObject_GetAttrString(exception, "code");
	const char *message, *text;

	if (!code) {
		PyErr_Clear();
		return "exit status unknown";
	}
	if (code == Py_None) {
		message = "exit status 0";
	} else if (PyLong_Check(code)) {
		message = arena_printf(
			arena, "exit status %lld", PyLong_AsLongLongAndOverflow(code, &(int){ 0 }));
	} else {
		text = take_text(arena, PyObject_Str(code));
		message = arena_printf(arena, "exit status 1: %s", text ? text : "");
	}
	Py_DecRef(code);
	PyErr_Clear();
	return message;
}

static const char *message_of(struct arena *arena, PyObject *exception)
{
	const char *message;

	if (PyObject_IsInstance(exception, PyExc_SystemExit) == 1)
		return exit_message(arena, exception);
	message = take_text(arena, PyObject_Str(exception));
	return message ? message : "<no message: its __str__ raised>";
}

/* The text of traceback.format_exception; NULL if that fails. A NULL traceback has no frames. */
static PyObject *format_traceback(PyObject *type, PyObject *exception, PyObject *traceback)
{
	Py_ssize_t hidden = sys_path_hide(); /* formatting imports modules */
	PyObject *module = import_for_suai("traceback");
	PyObject *lines = NULL, *empty = NULL, *text = NULL;

	if (!module)
		goto out;
	lines = PyObject_CallMethod(module, "format_exception", "OOO", type, exception,
		traceback ? traceback : Py_None);
	empty = PyUnicode_FromString("");
	if (lines && empty)
		text = PyUnicode_Join(empty, lines);
out:
	PyErr_Clear();
	sys_path_restore(hidden);
	Py_DecRef(empty);
	Py_DecRef(lines);
	Py_DecRef(module);
	return text;
}

/* The name of the first built-in class of __mro__; NULL if there is none. */
static const char *find_builtin(struct arena *arena, PyObject *type)
{
	PyObject *mro = PyObject_GetAttrString(type, "__mro__");
	const char *name = NULL;

	for (Py_ssize_t i = 0; mro && !name && PyTuple_Check(mro) && i < PyTuple_Size(mro); i++) {
		PyObject *class = PyTuple_GetItem(mro, i);
		PyObject *module = PyObject_GetAttrString(class, "__module__");
		PyObject *text = module ? PyObject_GetAttrString(class, "__name__") : NULL;

		if (text && value_is_text(object_to_value(arena, module), "builtins"))
			name = value_text_or(object_to_value(arena, text), NULL);
		PyErr_Clear();
		Py_DecRef(text);
		Py_DecRef(module);
	}
	PyErr_Clear();
	Py_DecRef(mro);
	return name;
}

const char *object_builtin_exception(struct arena *arena)
{
	PyObject *type, *exception, *traceback;
	const char *name;

	PyErr_Fetch(&type, &exception, &traceback);
	name = type ? find_builtin(arena, type) : NULL;
	PyErr_Restore(type, exception, traceback);
	return name;
}

/* The attribute `name` of a NameError or ImportError; NULL if it is not a str. */
static const char *name_of_exception(struct arena *arena, PyObject *exception)
{
	PyObject *name = PyObject_GetAttrString(exception, "name");
	const char *text = name ? value_text_or(object_to_value(arena, name), NULL) : NULL;

	PyErr_Clear();
	Py_DecRef(name);
	return text;
}

bool object_is_missing_module(const char *wanted)
{
	struct arena arena = { 0 };
	PyObject *type, *exception, *traceback;
	const char *name;
	bool is_missing;

	if (!PyErr_ExceptionMatches(PyExc_ModuleNotFoundError))
		return false;
	PyErr_Fetch(&type, &exception, &traceback);
	PyErr_NormalizeException(&type, &exception, &traceback);
	name = name_of_exception(&arena, exception);
	PyErr_Restore(type, exception, traceback);
	is_missing = name && !strncmp(wanted, name, strlen(name)) &&
		     (wanted[strlen(name)] == '\0' || wanted[strlen(name)] == '.');
	arena_free(&arena);
	return is_missing;
}

static bool was_interrupted;
static int n_interruptible; /* captures under way that end at KeyboardInterrupt */

void object_begin_interruptible(void)
{
	n_interruptible++;
	was_interrupted = false;
}

bool object_is_interrupted(void)
{
	return n_interruptible && was_interrupted;
}

bool object_end_interruptible(void)
{
	bool was = was_interrupted;

	n_interruptible--;
	was_interrupted = false;
	return was;
}

void object_drop_error(void)
{
	was_interrupted |= PyErr_ExceptionMatches(PyExc_KeyboardInterrupt);
	PyErr_Clear();
}

struct fact_error object_take_error(struct arena *arena)
{
	PyObject *type, *exception, *traceback;
	struct fact_error error = { .present = true };

	PyErr_Fetch(&type, &exception, &traceback);
	PyErr_NormalizeException(&type, &exception, &traceback);
	was_interrupted |= type && PyErr_GivenExceptionMatches(type, PyExc_KeyboardInterrupt);
	if (exception) {
		error.type = object_type_name(arena, exception);
		error.message = message_of(arena, exception);
		if (PyErr_GivenExceptionMatches(type, PyExc_NameError))
			error.name = name_of_exception(arena, exception);
	}
	if (traceback || (exception && PyErr_GivenExceptionMatches(type, PyExc_SyntaxError)))
		error.traceback = take_text(arena, format_traceback(type, exception, traceback));
	PyErr_Clear();
	Py_DecRef(type);
	Py_DecRef(exception);
	Py_DecRef(traceback);
	return error;
}

struct value *object_take_error_value(struct arena *arena)
{
	const struct fact_error error = object_take_error(arena);

	return fact_write(&fact_error_record, arena, &error, FACT_WIRE, NULL);
}
