// SPDX-License-Identifier: MIT
/* The module-level objects that expose an interface, each once. */
#include "protocols/protocol.h"
#include "worker/capture/attribute.h"
#include "worker/python/expression.h"
#include "worker/target.h"

#include <string.h>

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
		const char *name = module_public_name(arena, PyTuple_GetItem(pair, 0));
		struct found *known = find_known(found, *n_found, object);

		if (!name || PyType_Check(object) || PyModule_Check(object))
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
