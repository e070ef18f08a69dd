// SPDX-License-Identifier: MIT
#include "worker/process/fork_handlers.h"

#include "base/arena.h"
#include "facts/facts.h"
#include "worker/python/expression.h"
#include "worker/python/import.h"
#include "worker/python/object.h"

#include <string.h>

/* os.register_at_fork, which adds the files of its callers to the list callers. */
static void wrap_register_at_fork(const struct fork_handlers *handlers)
{
	static const char wrapper[] =
		"(lambda sys, register: lambda **handlers: (callers.append("
		"sys._getframe(1).f_code.co_filename), register(**handlers))[1])"
		"(sys, os.register_at_fork)";
	PyObject *sys = import_for_suai("sys"), *names = PyDict_New(), *wrapped = NULL;

	if (sys && names && !PyDict_SetItemString(names, "callers", handlers->callers) &&
		!PyDict_SetItemString(names, "sys", sys) &&
		!PyDict_SetItemString(names, "os", handlers->os))
		wrapped = expression_evaluate(names, wrapper, "<suai>");
	if (wrapped)
		PyObject_SetAttrString(handlers->os, "register_at_fork", wrapped);
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

struct fork_handlers fork_handlers_watch(void)
{
	struct fork_handlers handlers = { .os = import_for_suai("os") };

	if (handlers.os)
		handlers.callers = PyList_New(0);
	if (handlers.callers)
		handlers.original = PyObject_GetAttrString(handlers.os, "register_at_fork");
	PyErr_Clear();
	if (handlers.original)
		wrap_register_at_fork(&handlers);
	return handlers;
}

bool fork_handlers_found(struct fork_handlers *handlers)
{
	struct arena arena = { 0 };
	PyObject *type, *exception, *traceback;
	bool found = false;

	PyErr_Fetch(&type, &exception, &traceback);
	if (handlers->original) {
		PyObject_SetAttrString(handlers->os, "register_at_fork", handlers->original);
		found = has_users_file(&arena, handlers->os, handlers->callers);
	}
	PyErr_Clear();
	PyErr_Restore(type, exception, traceback);
	Py_DecRef(handlers->original);
	Py_DecRef(handlers->callers);
	Py_DecRef(handlers->os);
	*handlers = (struct fork_handlers){ 0 };
	arena_free(&arena);
	return found;
}
