// SPDX-License-Identifier: MIT
/*
 * Recognises which of the six forms a syclobj has. A bare capsule is read, never consumed: dpctl
 * renames a capsule that it consumes.
 */
#include "base/array_size.h"
#include "worker/capture/sycl.h"

#include "worker/python/c_values.h"

#include <string.h>

/* Whether object is an instance of dpctl's class name; *subclass: of a class derived from it. An
 * instance needs dpctl to be imported already. */
static bool is_dpctl_class(PyObject *object, const char *name, bool *subclass)
{
	PyObject *module_name = PyUnicode_FromString("dpctl");
	PyObject *module = module_name ? PyImport_GetModule(module_name) : NULL;
	PyObject *class = module ? PyObject_GetAttrString(module, name) : NULL;
	bool is = class && PyType_Check(class) &&
		  PyType_IsSubtype(Py_TYPE(object), (PyTypeObject *)class);

	*subclass = is && (PyObject *)Py_TYPE(object) != class;
	Py_DecRef(class);
	Py_DecRef(module);
	Py_DecRef(module_name);
	object_drop_error();
	return is;
}

static struct value *syclobj_new_facts(struct arena *arena, const struct syclobj *syclobj)
{
	static const char *const keys[] = { "capsule", "has_get_capsule", "subclass", "returned",
		"error", "selects", "resolved", "resolve_error", "default_context", "root_device",
		"in_order", "same_device", "device", "elsewhere" };
	struct value *facts = value_map(arena);

	value_set(arena, facts, "form", value_null(arena));
	value_set(
		arena, facts, "type", value_text(arena, object_type_name(arena, syclobj->object)));
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		value_set(arena, facts, keys[i], value_null(arena));
	return facts;
}

/* Records a capsule's name; returns whether it can be resolved. */
static bool take_capsule(struct arena *arena, struct syclobj *syclobj, PyObject *capsule)
{
	const char *name = capsule_name(arena, capsule);

	value_set(arena, syclobj->facts, "capsule",
		name ? value_text_escaped(arena, name) : value_null(arena));
	if (!name || (strcmp(name, QUEUE_CAPSULE) != 0 && strcmp(name, CONTEXT_CAPSULE) != 0))
		return false;
	Py_IncRef(capsule);
	syclobj->handle = capsule;
	return true;
}

static void read_bare_capsule(struct arena *arena, struct syclobj *syclobj)
{
	if (take_capsule(arena, syclobj, syclobj->object))
		syclobj->form = PyCapsule_IsValid(syclobj->object, QUEUE_CAPSULE)
					? "queue-capsule"
					: "context-capsule";
}

/* Calls _get_capsule() as consumers do, without an argument. */
static void call_get_capsule(struct arena *arena, struct syclobj *syclobj, PyObject *method)
{
	PyObject *result;

	if (!worker_step("_get_capsule()"))
		return;
	result = PyObject_CallNoArgs(method);
	worker_step_done();
	if (!result) {
		value_set(arena, syclobj->facts, "error", object_take_error_value(arena));
		return;
	}
	value_set(arena, syclobj->facts, "returned",
		value_text(arena, object_type_name(arena, result)));
	if (PyCapsule_CheckExact(result))
		take_capsule(arena, syclobj, result);
	object_close_coroutine(result);
	Py_DecRef(result);
}

static void read_object(struct arena *arena, struct syclobj *syclobj)
{
	PyObject *method = NULL;
	bool subclass;
	int found = 0;

	if (is_dpctl_class(syclobj->object, "SyclQueue", &subclass))
		syclobj->form = "queue";
	else if (is_dpctl_class(syclobj->object, "SyclContext", &subclass))
		syclobj->form = "context";
	if (worker_step("_get_capsule")) {
		found = object_attribute(syclobj->object, "_get_capsule", &method);
		worker_step_done();
	}
	if (found < 0)
		value_set(arena, syclobj->facts, "error", object_take_error_value(arena));
	if (found > 0 && !syclobj->form)
		syclobj->form = "get-capsule";
	value_set(arena, syclobj->facts, "has_get_capsule", value_bool(arena, found > 0));
	value_set(arena, syclobj->facts, "subclass", value_bool(arena, subclass));
	if (method)
		call_get_capsule(arena, syclobj, method);
	Py_DecRef(method);
}

void syclobj_read(struct arena *arena, struct syclobj *syclobj)
{
	syclobj->facts = syclobj_new_facts(arena, syclobj);
	if (PyUnicode_Check(syclobj->object)) {
		syclobj->form = "filter";
		syclobj->handle = syclobj->object;
		Py_IncRef(syclobj->handle);
	} else if (PyCapsule_CheckExact(syclobj->object)) {
		read_bare_capsule(arena, syclobj);
	} else {
		read_object(arena, syclobj);
	}
	value_set(arena, syclobj->facts, "form", value_text(arena, syclobj->form));
}
