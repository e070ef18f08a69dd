// SPDX-License-Identifier: MIT
/* What an object says of itself outside any protocol; each attribute read is a step. */
#include "worker/target.h"

/* A new reference; NULL where it is absent, raises, or is not to be asked. */
static PyObject *read_attribute(PyObject *object, const char *name)
{
	PyObject *found = NULL;

	if (!worker_step(name))
		return NULL;
	object_attribute(object, name, &found);
	PyErr_Clear();
	return found;
}

/* str(object.name), for a dtype or a device. */
static struct value *own_text_of(struct arena *arena, PyObject *object, const char *name)
{
	PyObject *found = read_attribute(object, name);
	PyObject *text = found && found != Py_None ? PyObject_Str(found) : NULL;
	struct value *value = text ? object_to_value(arena, text) : NULL;

	PyErr_Clear();
	Py_DecRef(text);
	Py_DecRef(found);
	worker_step_done();
	return value_is(value, VALUE_TEXT) ? value : value_null(arena);
}

/* A tuple of integers; a method of that name, or other items, are not strides. */
static struct value *strides_of(struct arena *arena, PyObject *object)
{
	PyObject *found = read_attribute(object, "strides");
	bool is_sequence = found && (PyTuple_Check(found) || PyList_Check(found));
	struct value *value = is_sequence ? object_to_value(arena, found) : NULL;
	int64_t stride;

	Py_DecRef(found);
	worker_step_done();
	for (size_t i = 0; value_is_sequence(value) && i < value->n_items; i++)
		if (!value_to_int64(value->items[i], &stride))
			return value_null(arena);
	return value_is_sequence(value) ? value : value_null(arena);
}

/* flags.writeable of NumPy, flags.writable of dpctl and dpnp. */
static struct value *readonly_of(struct arena *arena, PyObject *object)
{
	PyObject *flags = read_attribute(object, "flags"), *writable = NULL;
	struct value *value = value_null(arena);
	int truth = -1;

	if (flags && object_attribute(flags, "writeable", &writable) == 0)
		object_attribute(flags, "writable", &writable);
	PyErr_Clear();
	if (writable)
		truth = PyObject_IsTrue(writable);
	if (truth >= 0)
		value = value_bool(arena, !truth);
	PyErr_Clear();
	Py_DecRef(writable);
	Py_DecRef(flags);
	worker_step_done();
	return value;
}

bool own_is_instance(PyObject *object, const char *module, const char *name)
{
	PyObject *imported = PyDict_GetItemString(PyImport_GetModuleDict(), module);
	PyObject *type = imported ? PyObject_GetAttrString(imported, name) : NULL;
	bool is = type && PyObject_IsInstance(object, type) == 1;

	Py_DecRef(type);
	PyErr_Clear();
	return is;
}

const char *own_ml_dtype(struct arena *arena, PyObject *object)
{
	PyObject *dtype, *type = NULL, *module = NULL;
	const char *name = NULL;

	if (!PyDict_GetItemString(PyImport_GetModuleDict(), "ml_dtypes"))
		return NULL;
	dtype = read_attribute(object, "dtype");
	if (dtype && object_attribute(dtype, "type", &type) > 0 &&
		object_attribute(type, "__module__", &module) > 0 && PyUnicode_Check(module) &&
		!PyUnicode_CompareWithASCIIString(module, "ml_dtypes"))
		name = value_text_or(own_text_of(arena, object, "dtype"), NULL);
	PyErr_Clear();
	Py_DecRef(module);
	Py_DecRef(type);
	Py_DecRef(dtype);
	worker_step_done();
	return name;
}

enum answer own_holds_objects(PyObject *object, int64_t item_bytes)
{
	PyObject *dtype = read_attribute(object, "dtype"), *has_objects = NULL, *names = NULL,
		 *size = NULL;
	enum answer answer = ANSWER_UNKNOWN;
	int truth = -1;

	if (dtype && object_attribute(dtype, "hasobject", &has_objects) > 0)
		truth = PyObject_IsTrue(has_objects);
	if (truth > 0)
		answer = ANSWER_YES;
	else if (!truth && own_is_instance(dtype, "numpy", "dtype") &&
		 object_attribute(dtype, "names", &names) > 0 && names != Py_None &&
		 object_attribute(dtype, "itemsize", &size) > 0 &&
		 PyLong_AsLongLong(size) == item_bytes)
		answer = ANSWER_NO;
	PyErr_Clear();
	Py_DecRef(size);
	Py_DecRef(names);
	Py_DecRef(has_objects);
	Py_DecRef(dtype);
	worker_step_done();
	return answer;
}

int own_requires_grad(PyObject *object)
{
	PyObject *found = read_attribute(object, "requires_grad");
	int requires_grad = -1;

	if (found && PyBool_Check(found))
		requires_grad = found == Py_True;
	Py_DecRef(found);
	worker_step_done();
	return requires_grad;
}

static struct value *gradients_of(struct arena *arena, PyObject *object)
{
	int requires_grad = own_requires_grad(object);

	return requires_grad < 0 ? value_null(arena) : value_bool(arena, requires_grad);
}

/* JAX's: sharding.device_set, the devices that the parts of an array are on. */
static struct value *shards_of(struct arena *arena, PyObject *object)
{
	PyObject *sharding = read_attribute(object, "sharding"), *devices = NULL;
	Py_ssize_t n_devices = -1;

	if (sharding && object_attribute(sharding, "device_set", &devices) > 0)
		n_devices = PyObject_Size(devices);
	PyErr_Clear();
	Py_DecRef(devices);
	Py_DecRef(sharding);
	worker_step_done();
	return n_devices < 0 ? value_null(arena) : value_int(arena, n_devices);
}

void own_read(struct arena *arena, PyObject *object, struct value *own)
{
	enum own_mask mask = own_masked(arena, object);
	bool is_known = mask == OWN_MASKED || mask == OWN_UNMASKED;

	value_set(arena, own, "dtype", own_text_of(arena, object, "dtype"));
	value_set(arena, own, "strides", strides_of(arena, object));
	value_set(arena, own, "readonly", readonly_of(arena, object));
	value_set(arena, own, "device", own_text_of(arena, object, "device"));
	value_set(arena, own, "scalar",
		value_bool(arena, own_is_instance(object, "numpy", "generic")));
	value_set(arena, own, "requires_grad", gradients_of(arena, object));
	value_set(arena, own, "shards", shards_of(arena, object));
	value_set(arena, own, "masked",
		is_known ? value_bool(arena, mask == OWN_MASKED) : value_null(arena));
	value_set(arena, own, "pending", own_pending(arena, object, mask));
}
