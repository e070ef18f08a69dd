// SPDX-License-Identifier: MIT
/* The module-level objects that expose an interface, each once, and the names of a module. */
#include "protocols/protocol.h"
#include "worker/capture/attribute.h"
#include "worker/target.h"

#include <string.h>

enum { MAX_NAMES = 1000 };

/* A public name as text in the arena; NULL for _names and keys that are not text. */
static const char *public_name(struct arena *arena, PyObject *key)
{
	struct value *text = PyUnicode_Check(key) ? object_to_value(arena, key) : NULL;

	return value_is(text, VALUE_TEXT) && text->bytes[0] != '_' ? text->bytes : NULL;
}

static bool is_module(PyObject *object)
{
	return PyObject_TypeCheck(object, &PyModule_Type);
}

struct fact_texts target_names(struct arena *arena, PyObject *names)
{
	struct fact_texts list = { .known = true };
	PyObject *items = PyDict_Items(names);

	for (Py_ssize_t i = 0; items && i < PyList_Size(items) && list.n_items < MAX_NAMES; i++) {
		PyObject *pair = PyList_GetItem(items, i);
		const char *name = public_name(arena, PyTuple_GetItem(pair, 0));

		if (name && !is_module(PyTuple_GetItem(pair, 1)))
			fact_texts_add(arena, &list, name);
	}
	Py_DecRef(items);
	PyErr_Clear();
	return list;
}

/* Looking up an attribute may run the object's code, so it is a step named after both. */
static bool exposes_protocol(
	struct arena *arena, const char *name, PyObject *object, const char *attribute)
{
	return attribute_exposes(object, attribute, arena_printf(arena, "%s.%s", name, attribute));
}

static bool exposes_any(
	struct arena *arena, const struct job *job, const char *name, PyObject *object)
{
	for (size_t i = 0; protocols[i]; i++) {
		if (!value_lists_text(job->protocols, protocols[i]->name))
			continue;
		if (protocols[i] == &buffer_protocol) {
			if (job->protocols_named && PyObject_CheckBuffer(object))
				return true;
		} else if (exposes_protocol(arena, name, object, protocols[i]->attribute)) {
			return true;
		}
	}
	/* An object with only the other half of DLPack is a target too: that is a defect. */
	return value_lists_text(job->protocols, dlpack_protocol.name) &&
	       exposes_protocol(arena, name, object, "__dlpack_device__");
}

static struct found *find_known(struct found *found, size_t n_found, PyObject *object)
{
	for (size_t i = 0; i < n_found; i++)
		if (found[i].object == object)
			return &found[i];
	return NULL;
}

struct found *target_discover(struct arena *arena, const struct job *job, PyObject *names,
	size_t *n_found, int64_t *n_buffers)
{
	PyObject *items = PyDict_Items(names);
	Py_ssize_t n_items = items ? PyList_Size(items) : 0;
	struct found *found = arena_alloc(arena, (size_t)(n_items + 1) * sizeof(*found));

	*n_found = 0;
	*n_buffers = 0;
	for (Py_ssize_t i = 0; i < n_items; i++) {
		PyObject *pair = PyList_GetItem(items, i), *object = PyTuple_GetItem(pair, 1);
		const char *name = public_name(arena, PyTuple_GetItem(pair, 0));
		struct found *known = find_known(found, *n_found, object);

		if (!name || PyType_Check(object) || is_module(object))
			continue;
		if (known) {
			fact_texts_add(arena, &known->aliases, name);
		} else if (exposes_any(arena, job, name, object)) {
			Py_IncRef(object);
			found[(*n_found)++] = (struct found){ .object = object, .name = name };
		} else if (PyObject_CheckBuffer(object)) {
			(*n_buffers)++;
		}
	}
	Py_DecRef(items);
	PyErr_Clear();
	return found;
}
