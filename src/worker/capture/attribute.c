// SPDX-License-Identifier: MIT
/* Attributes, capsules and C structs as facts; addresses are read through the kernel. */
#include "worker/capture/attribute.h"

#include "model/array.h"
#include "os/peek.h"
#include "worker/capture/keepalive.h"
#include "worker/target.h"

#include <string.h>

enum { CAPSULE_NAME_MAX = 255, TEXT_MAX = 65535 };

bool attribute_exposes(PyObject *object, const char *attribute, const char *step)
{
	if (object_type_has(object, attribute))
		return true;
	/* A class has its instances' attribute as a descriptor, which is no interface of its own.
	 */
	return !PyType_Check(object) && attribute_is_there(object, attribute, step);
}

bool attribute_is_there(PyObject *object, const char *attribute, const char *step)
{
	PyObject *found = NULL;
	int there = 1;

	if (worker_step(step)) {
		there = object_attribute(object, attribute, &found);
		PyErr_Clear();
		Py_DecRef(found);
		worker_step_done();
	}
	return there != 0;
}

/* PyTorch's tensors raise RuntimeError on purpose where their use is recorded, so that nobody takes
 * their memory behind autograd. The pending exception stays. */
static bool refuses_for_gradients(PyObject *object)
{
	PyObject *type, *exception, *traceback;
	bool refuses;

	if (!PyErr_ExceptionMatches(PyExc_RuntimeError))
		return false;
	PyErr_Fetch(&type, &exception, &traceback);
	refuses = own_requires_grad(object) == 1;
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

PyObject *attribute_read_again(
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

void facts_return_again(struct arena *arena, struct fact_interface *interface, PyObject *returned)
{
	interface->again.returned = object_type_name(arena, returned);
}

void facts_compare_again(struct arena *arena, struct fact_interface *interface,
	const struct value *second, const char *const *keys)
{
	const struct value *first = interface->declared;

	for (; value_is(first, VALUE_MAP) && value_is(second, VALUE_MAP) && *keys; keys++) {
		const struct value *a = value_get(first, *keys), *b = value_get(second, *keys);

		/* What has no plain form is shown by its type or its address. */
		if (value_is(a, VALUE_OPAQUE) || value_is(b, VALUE_OPAQUE))
			continue;
		if (!a != !b || (a && !value_equal(a, b)))
			fact_texts_add(arena, &interface->again.differs, *keys);
	}
}

void facts_compare_dictionary(
	struct arena *arena, struct fact_interface *interface, PyObject *second)
{
	static const char *const keys[] = { "shape", "typestr", "descr", "data", "strides",
		"offset", "version", NULL };

	if (PyDict_Check(second))
		facts_compare_again(arena, interface, object_to_value(arena, second), keys);
	else if (value_is(interface->declared, VALUE_MAP))
		facts_return_again(arena, interface, second);
}

void attribute_compare_dictionary(
	struct capture_context *context, PyObject *object, struct fact_interface *interface)
{
	PyObject *found = attribute_read_again(context, object, interface);

	if (found)
		facts_compare_dictionary(context->arena, interface, found);
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
	PyErr_Clear();
	/* What is no array speaks for itself, but not a map that looks like the fact. */
	if (there || value_is(plain, VALUE_OPAQUE) || value_is(plain, VALUE_MAP)) {
		fact = value_map(arena);
		value_set(arena, fact, "exposes", value_bool(arena, there != 0));
		value_set(arena, fact, "declared",
			found ? object_to_value(arena, found) : value_null(arena));
		value_set(arena, declared, "mask", fact);
	}
	Py_DecRef(found);
	Py_DecRef(mask);
	worker_step_done();
}

struct value *fact_of_capsule(struct arena *arena, PyObject *object)
{
	PyCapsule_Destructor destructor;
	struct value *capsule;
	const char *name;

	if (!PyCapsule_CheckExact(object))
		return object_to_value(arena, object);
	name = PyCapsule_GetName(object);
	destructor = PyCapsule_GetDestructor(object);
	PyErr_Clear();
	capsule = value_map(arena);
	value_set(arena, capsule, "name", fact_of_text(arena, name));
	value_set(arena, capsule, "destructor",
		value_address(arena, (uint64_t)(uintptr_t)destructor));
	return capsule;
}

struct value *fact_of_pointer(struct arena *arena, const void *pointer)
{
	return value_address(arena, (uint64_t)(uintptr_t)pointer);
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

struct value *fact_of_data(struct arena *arena, PyObject *dictionary)
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

struct value *fact_unreadable(struct arena *arena, const void *address)
{
	return value_opaque(
		arena, arena_printf(arena, "<memory at %p cannot be read>", address), NULL);
}

/* Text of C as text of facts: what is no UTF-8 is escaped. */
static const char *escape(struct arena *arena, const char *text)
{
	PyObject *decoded =
		PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "backslashreplace");
	const char *copy = value_text_or(object_to_value(arena, decoded), "");

	Py_DecRef(decoded);
	return copy;
}

const char *capsule_name(struct arena *arena, PyObject *capsule)
{
	const char *name = PyCapsule_GetName(capsule);
	const char *copy = name ? peek_text(arena, name, CAPSULE_NAME_MAX) : NULL;

	PyErr_Clear();
	return copy ? escape(arena, copy) : NULL;
}

struct value *fact_of_text(struct arena *arena, const char *text)
{
	const char *copy = text ? peek_text(arena, text, TEXT_MAX) : NULL;

	if (!text)
		return value_null(arena);
	return copy ? value_text(arena, escape(arena, copy)) : fact_unreadable(arena, text);
}

static struct value *read_integers(struct arena *arena, const void *address, size_t n_items)
{
	struct value *tuple;
	int64_t *items;

	if (!address)
		return value_null(arena);
	items = arena_alloc(arena, (n_items + 1) * sizeof(*items));
	if (!peek_bytes(items, (uint64_t)(uintptr_t)address, n_items * sizeof(*items)))
		return fact_unreadable(arena, address);
	tuple = value_tuple(arena);
	for (size_t i = 0; i < n_items; i++)
		value_append(arena, tuple, value_int(arena, items[i]));
	return tuple;
}

struct value *fact_of_integers(struct arena *arena, const void *address, int64_t n_items)
{
	int64_t n_read = n_items < ARRAY_MAX_DIMS ? n_items : ARRAY_MAX_DIMS;

	return read_integers(arena, address, n_read < 0 ? 0 : (size_t)n_read);
}

struct value *fact_of_long_integers(struct arena *arena, const void *address, int64_t n_items)
{
	enum { MAX_ITEMS = 1024 };

	if (n_items <= ARRAY_MAX_DIMS || n_items > MAX_ITEMS)
		return fact_of_integers(arena, address, n_items);
	return read_integers(arena, address, (size_t)n_items);
}
