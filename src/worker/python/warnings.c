// SPDX-License-Identifier: MIT
/* warnings.catch_warnings(record=True). */
#include "worker/python/warnings.h"

#include "worker/python/import.h"
#include "worker/python/object.h"

enum { MAX_WARNINGS = 16 };

static PyObject *new_catcher(PyObject *module)
{
	PyObject *class = PyObject_GetAttrString(module, "catch_warnings");
	PyObject *nothing = PyTuple_New(0);
	PyObject *keywords = Py_BuildValue("{s:O}", "record", Py_True);
	PyObject *catcher = NULL;

	if (class && nothing && keywords)
		catcher = PyObject_Call(class, nothing, keywords);
	Py_DecRef(class);
	Py_DecRef(nothing);
	Py_DecRef(keywords);
	return catcher;
}

struct caught_warnings warnings_catch(void)
{
	PyObject *module = import_for_suai("warnings");
	struct caught_warnings caught = { NULL, NULL };

	if (module)
		caught.catcher = new_catcher(module);
	if (caught.catcher)
		caught.list = PyObject_CallMethod(caught.catcher, "__enter__", NULL);
	if (caught.list)
		Py_DecRef(PyObject_CallMethod(module, "simplefilter", "s", "always"));
	Py_DecRef(module);
	PyErr_Clear();
	return caught;
}

void warnings_release(struct caught_warnings *caught)
{
	if (caught->list)
		Py_DecRef(PyObject_CallMethod(
			caught->catcher, "__exit__", "OOO", Py_None, Py_None, Py_None));
	Py_DecRef(caught->list);
	Py_DecRef(caught->catcher);
	PyErr_Clear();
}

struct fact_texts warnings_texts(struct arena *arena, const struct caught_warnings *caught)
{
	PyObject *list = caught->list;
	struct fact_texts texts = { .known = true };

	for (Py_ssize_t i = 0; list && i < PyList_Size(list) && i < MAX_WARNINGS; i++) {
		PyObject *warning = PyObject_GetAttrString(PyList_GetItem(list, i), "message");
		PyObject *text = warning ? PyObject_Str(warning) : NULL;

		if (text)
			fact_texts_add(arena, &texts,
				arena_printf(arena, "%s: %s", object_type_name(arena, warning),
					value_text_or(object_to_value(arena, text), "")));
		PyErr_Clear();
		Py_DecRef(text);
		Py_DecRef(warning);
	}
	return texts;
}
