// SPDX-License-Identifier: MIT
/* __cuda_array_interface__, versions 0 to 3. A mask is an object with the same interface. */
#include "worker/facts.h"

static const char attribute[] = "__cuda_array_interface__";

static bool exposes(struct capture_context *context, PyObject *object)
{
	(void)context;
	return attribute_exposes(object, attribute, attribute);
}

/* {exposes, declared} of the object that is the mask. */
static struct value *read_mask(struct arena *arena, PyObject *mask)
{
	struct value *fact = value_map(arena);
	PyObject *declared = NULL;
	int there = object_attribute(mask, attribute, &declared);

	PyErr_Clear();
	value_set(arena, fact, "exposes", value_bool(arena, there != 0));
	value_set(arena, fact, "declared",
		declared ? object_to_value(arena, declared) : value_null(arena));
	Py_DecRef(declared);
	return fact;
}

static void read_dictionary(
	struct capture_context *context, struct value *interface, PyObject *dictionary)
{
	struct value *declared = object_to_value(context->arena, dictionary);
	PyObject *mask = PyDict_Check(dictionary) ? PyDict_GetItemString(dictionary, "mask") : NULL;

	value_set(context->arena, interface, "declared", declared);
	if (!mask || mask == Py_None || !value_get(declared, "mask"))
		return;
	Py_IncRef(mask);
	if (worker_step("mask.__cuda_array_interface__")) {
		value_set(context->arena, declared, "mask", read_mask(context->arena, mask));
		worker_step_done();
	}
	Py_DecRef(mask);
}

static struct value *read_interface(struct capture_context *context, PyObject *object)
{
	PyObject *dictionary;
	struct value *interface = attribute_read(context, object, "cuda", attribute, &dictionary);

	if (dictionary) {
		read_dictionary(context, interface, dictionary);
		Py_DecRef(dictionary);
	}
	return interface;
}

static void ask_memory(struct capture_context *context, PyObject *object, struct value *interface)
{
	(void)object;
	value_set(context->arena, interface, "memory_reason",
		value_text(context->arena, "this version of suai asks no CUDA driver"));
}

const struct capture cuda_capture = {
	.protocol = "cuda",
	.exposes = exposes,
	.read = read_interface,
	.ask_memory = ask_memory,
};
