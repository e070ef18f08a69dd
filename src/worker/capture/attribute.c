// SPDX-License-Identifier: MIT
#include "worker/capture/attribute.h"

#include "base/array_size.h"
#include "worker/capture/keepalive.h"
#include "worker/capture/self_reported.h"

#include <string.h>

bool attribute_exposes(PyObject *object, const char *attribute, const char *step)
{
	if (object_type_has(object, attribute))
		return true;
	/* A class has its instances' attribute as a descriptor, which is not an interface of the
	 * class. */
	return !PyType_Check(object) && attribute_is_there(object, attribute, step);
}

bool attribute_is_there(PyObject *object, const char *attribute, const char *step)
{
	PyObject *found = NULL;
	int there = 1;

	if (worker_step(step)) {
		there = object_attribute(object, attribute, &found);
		object_drop_error();
		Py_DecRef(found);
		worker_step_done();
	}
	return there != 0;
}

/* PyTorch's tensors raise RuntimeError if autograd records operations on them, to protect it from
 * writes it cannot see. The pending exception stays. */
static bool refuses_for_gradients(PyObject *object)
{
	PyObject *type, *exception, *traceback;
	bool refuses;

	if (!PyErr_ExceptionMatches(PyExc_RuntimeError))
		return false;
	PyErr_Fetch(&type, &exception, &traceback);
	refuses = object_requires_grad(object) == 1;
	PyErr_Restore(type, exception, traceback);
	return refuses;
}

struct fact_interface *attribute_read(struct capture_context *context, PyObject *object,
	const struct protocol *protocol, PyObject **out)
{
	const char *attribute = protocol->attribute;
	struct fact_interface *interface = NULL;
	int there;

	*out = NULL;
	if (!worker_step(attribute))
		return NULL;
	there = object_attribute(object, attribute, out);
	if (there)
		interface = interface_new(context->arena, protocol);
	if (there > 0)
		keepalive_add(context, *out);
	worker_step_done();
	if (there < 0) {
		bool refuses = refuses_for_gradients(object);

		interface_set_error(context->arena, interface);
		if (refuses)
			interface->status = INTERFACE_REFUSED;
	}
	return interface;
}

PyObject *again_read(
	struct capture_context *context, PyObject *object, struct fact_interface *interface)
{
	const char *attribute = protocol_of_interface(interface)->attribute;
	struct arena *arena = context->arena;
	const char *step = arena_printf(arena, "%s again", attribute);
	PyObject *found = NULL;

	if (interface->status != INTERFACE_OK || !worker_step(step))
		return NULL;
	interface->again = (struct fact_again){ .present = true, .step = step };
	found = PyObject_GetAttrString(object, attribute);
	if (!found)
		interface->again.error = object_take_error(arena);
	worker_step_done();
	return found;
}

void again_compare_keys(struct arena *arena, struct fact_interface *interface,
	const struct value *second, const char *const *keys)
{
	const struct value *first = interface->declared;

	for (; value_is(first, VALUE_MAP) && value_is(second, VALUE_MAP) && *keys; keys++) {
		const struct value *a = value_get(first, *keys), *b = value_get(second, *keys);

		/* Opaques are shown by type or address, so they may differ. */
		if (value_is(a, VALUE_OPAQUE) || value_is(b, VALUE_OPAQUE))
			continue;
		if (!a != !b || (a && !value_equal(a, b)))
			fact_texts_add(arena, &interface->again.differs, *keys);
	}
}

void again_compare_dictionary(
	struct arena *arena, struct fact_interface *interface, PyObject *second)
{
	static const char *const keys[] = { "shape", "typestr", "descr", "data", "strides",
		"offset", "version", NULL };

	if (PyDict_Check(second))
		again_compare_keys(arena, interface, object_to_value(arena, second), keys);
	else if (value_is(interface->declared, VALUE_MAP))
		interface->again.returned = object_type_name(arena, second);
}

void again_read_dictionary(
	struct capture_context *context, PyObject *object, struct fact_interface *interface)
{
	PyObject *found = again_read(context, object, interface);

	if (found)
		again_compare_dictionary(context->arena, interface, found);
	Py_DecRef(found);
}

void attribute_read_mask(struct arena *arena, struct value *declared, PyObject *dictionary,
	const char *attribute, const char *other)
{
	PyObject *mask = PyDict_GetItemString(dictionary, "mask"), *found = NULL;
	const struct value *plain = value_get(declared, "mask");
	struct value *fact;
	int there;

	if (!mask || value_is_null(plain) ||
		!worker_step(arena_printf(arena, "mask.%s", attribute)))
		return;
	Py_IncRef(mask);
	there = object_attribute(mask, attribute, &found);
	if (!there && other)
		there = attribute_is_there(mask, other, arena_printf(arena, "mask.%s", other));
	object_drop_error();
	/* Other values are recorded as they are, except a map, which would look like this one. */
	if (there || value_is(plain, VALUE_OPAQUE) || value_is(plain, VALUE_MAP)) {
		fact = value_map(arena);
		fact->type_name = object_type_name(arena, mask);
		value_set(arena, fact, "exposes", value_bool(arena, there != 0));
		value_set(arena, fact, "declared",
			found ? object_to_value(arena, found) : value_null(arena));
		value_set(arena, declared, "mask", fact);
	}
	Py_DecRef(found);
	Py_DecRef(mask);
	worker_step_done();
}

static void set_truth(struct arena *arena, struct value *fact, PyObject *flag)
{
	int truth;

	value_set(arena, fact, "readonly", value_null(arena));
	value_set(arena, fact, "readonly_error", value_null(arena));
	if (PyBool_Check(flag) || PyLong_Check(flag) || PyUnicode_Check(flag) || flag == Py_None ||
		!worker_step("bool(data[1])"))
		return;
	truth = PyObject_IsTrue(flag);
	if (truth < 0)
		value_set(arena, fact, "readonly_error",
			value_text(arena, object_take_error(arena).type));
	else
		value_set(arena, fact, "readonly", value_bool(arena, truth));
	worker_step_done();
}

struct value *data_to_details(struct arena *arena, PyObject *dictionary)
{
	PyObject *data = PyDict_Check(dictionary) ? PyDict_GetItemString(dictionary, "data") : NULL;
	struct value *fact = value_map(arena);
	PyObject *pointer, *flag;

	if (!data || !PyTuple_Check(data) || PyTuple_Size(data) != 2)
		return value_null(arena);
	pointer = PyTuple_GetItem(data, 0);
	flag = PyTuple_GetItem(data, 1);
	Py_IncRef(data);
	value_set(arena, fact, "is_int", value_bool(arena, PyLong_Check(pointer)));
	set_truth(arena, fact, flag);
	if (PyLong_Check(pointer) && value_is_null(value_get(fact, "readonly")) &&
		value_is_null(value_get(fact, "readonly_error")))
		fact = value_null(arena);
	Py_DecRef(data);
	return fact;
}

/* Adds the name of an integer whose type is neither derived from int nor one of NumPy's. */
static void add_by_index(
	struct arena *arena, struct value **fact, PyObject *object, const char *name)
{
	const char *type;

	if (!object || PyLong_Check(object) || !PyIndex_Check(object))
		return;
	type = object_type_name(arena, object);
	if (!strncmp(type, "numpy.", strlen("numpy.")))
		return;
	if (value_is_null(*fact))
		*fact = value_list(arena);
	value_append(arena, *fact, value_text(arena, name));
}

struct value *by_index_to_details(struct arena *arena, PyObject *dictionary)
{
	static const char *const sequences[] = { "shape", "strides" };
	static const char *const keys[] = { "offset", "version", "stream" };
	struct value *fact = value_null(arena);

	if (!PyDict_Check(dictionary))
		return fact;
	for (size_t i = 0; i < ARRAY_SIZE(sequences); i++) {
		PyObject *items = PyDict_GetItemString(dictionary, sequences[i]);

		for (Py_ssize_t k = 0; items && PyTuple_Check(items) && k < PyTuple_Size(items) &&
				       k < ARRAY_MAX_DIMS;
			k++)
			add_by_index(arena, &fact, PyTuple_GetItem(items, k),
				arena_printf(arena, "%s[%zd]", sequences[i], k));
	}
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		add_by_index(arena, &fact, PyDict_GetItemString(dictionary, keys[i]), keys[i]);
	return fact;
}
