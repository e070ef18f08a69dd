// SPDX-License-Identifier: MIT
/* What an object reports about itself outside any protocol; each attribute read is a step. */
#include "worker/capture/self_reported.h"

#include "base/array_size.h"
#include "model/dtype.h"
#include "worker/process/step.h"
#include "worker/python/object.h"

#include <string.h>

/* The attribute, a new reference; NULL if it does not exist, raises, or its step is skipped. */
static PyObject *read_attribute(PyObject *object, const char *name)
{
	PyObject *found = NULL;

	if (!worker_step(name))
		return NULL;
	object_attribute(object, name, &found);
	object_drop_error();
	return found;
}

/* str(object.name), for a dtype or a device. */
static const char *attribute_text(struct arena *arena, PyObject *object, const char *name)
{
	PyObject *found = read_attribute(object, name);
	PyObject *text = found && found != Py_None ? PyObject_Str(found) : NULL;
	struct value *value = text ? object_to_value(arena, text) : NULL;

	object_drop_error();
	Py_DecRef(text);
	Py_DecRef(found);
	worker_step_done();
	return fact_text(arena, value);
}

bool object_is_instance(PyObject *object, const char *module, const char *name)
{
	PyObject *imported = PyDict_GetItemString(PyImport_GetModuleDict(), module);
	PyObject *type = imported ? PyObject_GetAttrString(imported, name) : NULL;
	bool is = type && PyObject_IsInstance(object, type) == 1;

	Py_DecRef(type);
	object_drop_error();
	return is;
}

/* The types of a table's columns, each once: "int64, float64". NULL: the object is not a table, or
 * has too many types. */
static const char *column_types(struct arena *arena, PyObject *object)
{
	enum { MAX_SHOWN = 4 };
	PyObject *found = read_attribute(object, "dtypes");
	PyObject *texts = PyList_New(0);
	PyObject *types = found && texts ? PySequence_List(found) : NULL;
	const char *joined = NULL;

	for (Py_ssize_t i = 0; types && i < PyList_Size(types) && PyList_Size(texts) <= MAX_SHOWN;
		i++) {
		PyObject *text = PyObject_Str(PyList_GetItem(types, i));

		if (text && !PySequence_Contains(texts, text) && !PyList_Append(texts, text))
			joined = arena_printf(arena, "%s%s%s", joined ? joined : "",
				joined ? ", " : "",
				value_text_or(object_to_value(arena, text), "?"));
		Py_DecRef(text);
	}
	joined = texts && PyList_Size(texts) <= MAX_SHOWN ? joined : NULL;
	object_drop_error();
	Py_DecRef(types);
	Py_DecRef(texts);
	Py_DecRef(found);
	worker_step_done();
	return joined;
}

/* str(type) of an array of PyArrow, with the names that other libraries give its real numbers. */
static const char *arrow_type(struct arena *arena, PyObject *object)
{
	static const char *const names[][2] = { { "halffloat", "float16" }, { "float", "float32" },
		{ "double", "float64" } };
	const char *type = attribute_text(arena, object, "type");

	for (size_t i = 0; type && i < ARRAY_SIZE(names); i++)
		if (!strcmp(type, names[i][0]))
			return names[i][1];
	return type;
}

/* The type of the elements of objects that have no attribute dtype. */
static const char *other_dtype(struct arena *arena, PyObject *object)
{
	if (object_is_instance(object, "pandas", "DataFrame") ||
		object_is_instance(object, "polars", "DataFrame"))
		return column_types(arena, object);
	if (object_is_instance(object, "pyarrow", "Array") ||
		object_is_instance(object, "pyarrow", "ChunkedArray"))
		return arrow_type(arena, object);
	return NULL;
}

/* The attribute `strides` if it is a tuple of integers; a method of that name is ignored. */
static struct fact_ints strides_of(struct arena *arena, PyObject *object)
{
	PyObject *found = read_attribute(object, "strides");
	bool is_sequence = found && (PyTuple_Check(found) || PyList_Check(found));
	struct value *value = is_sequence ? object_to_value(arena, found) : NULL;
	struct fact_ints strides = { .known = false };

	Py_DecRef(found);
	worker_step_done();
	if (!value || !value_is_sequence(value))
		return strides;
	strides = fact_ints(arena, NULL, 0);
	strides.items = arena_alloc(arena, (value->n_items + 1) * sizeof(*strides.items));
	for (; strides.n_items < value->n_items; strides.n_items++)
		if (!value_to_int64(value->items[strides.n_items], &strides.items[strides.n_items]))
			return (struct fact_ints){ .known = false };
	return strides;
}

/* flags.writeable of NumPy, flags.writable of dpctl and dpnp. */
static enum answer readonly_of(PyObject *object)
{
	PyObject *flags = read_attribute(object, "flags"), *writable = NULL;
	int truth = -1;

	if (flags && object_attribute(flags, "writeable", &writable) == 0)
		object_attribute(flags, "writable", &writable);
	object_drop_error();
	if (writable)
		truth = PyObject_IsTrue(writable);
	object_drop_error();
	Py_DecRef(writable);
	Py_DecRef(flags);
	worker_step_done();
	return truth < 0 ? ANSWER_UNKNOWN : answer_of(!truth);
}

/* Whether the type of a dtype of NumPy is one of ml_dtypes'. */
static bool is_ml_dtype(PyObject *dtype)
{
	PyObject *type = NULL, *module = NULL;
	bool is = object_attribute(dtype, "type", &type) > 0 &&
		  object_attribute(type, "__module__", &module) > 0 && PyUnicode_Check(module) &&
		  !PyUnicode_CompareWithASCIIString(module, "ml_dtypes");

	object_drop_error();
	Py_DecRef(module);
	Py_DecRef(type);
	return is;
}

const char *object_inexpressible_type(struct arena *arena, PyObject *object)
{
	PyObject *modules = PyImport_GetModuleDict(), *dtype;
	const char *name = NULL;
	struct dtype known;

	if (!PyDict_GetItemString(modules, "ml_dtypes") && !PyDict_GetItemString(modules, "torch"))
		return NULL;
	dtype = read_attribute(object, "dtype");
	if (dtype && is_ml_dtype(dtype)) {
		name = attribute_text(arena, object, "dtype");
	} else if (dtype && object_is_instance(dtype, "torch", "dtype")) {
		name = attribute_text(arena, object, "dtype");
		name = name && !strncmp(name, "torch.", 6) ? name + 6 : NULL;
		name = name && dtype_from_dlpack_name(&known, name) ? name : NULL;
	}
	object_drop_error();
	Py_DecRef(dtype);
	worker_step_done();
	return name;
}

enum answer object_dtype_holds_objects(PyObject *object, int64_t item_bytes)
{
	PyObject *dtype = read_attribute(object, "dtype"), *has_objects = NULL, *names = NULL,
		 *size = NULL;
	enum answer answer = ANSWER_UNKNOWN;
	int truth = -1;

	if (dtype && object_attribute(dtype, "hasobject", &has_objects) > 0)
		truth = PyObject_IsTrue(has_objects);
	if (truth > 0)
		answer = ANSWER_YES;
	else if (!truth && object_is_instance(dtype, "numpy", "dtype") &&
		 object_attribute(dtype, "names", &names) > 0 && names != Py_None &&
		 object_attribute(dtype, "itemsize", &size) > 0 &&
		 PyLong_AsLongLong(size) == item_bytes)
		answer = ANSWER_NO;
	object_drop_error();
	Py_DecRef(size);
	Py_DecRef(names);
	Py_DecRef(has_objects);
	Py_DecRef(dtype);
	worker_step_done();
	return answer;
}

int object_requires_grad(PyObject *object)
{
	PyObject *found = read_attribute(object, "requires_grad");
	int requires_grad = -1;

	if (found && PyBool_Check(found))
		requires_grad = found == Py_True;
	Py_DecRef(found);
	worker_step_done();
	return requires_grad;
}

/* JAX: sharding.device_set, the devices of an array's shards. */
static struct fact_int shards_of(PyObject *object)
{
	PyObject *sharding = read_attribute(object, "sharding"), *devices = NULL;
	Py_ssize_t n_devices = -1;

	if (sharding && object_attribute(sharding, "device_set", &devices) > 0)
		n_devices = PyObject_Size(devices);
	object_drop_error();
	Py_DecRef(devices);
	Py_DecRef(sharding);
	worker_step_done();
	return (struct fact_int){ .known = n_devices >= 0, .value = n_devices };
}

struct fact_self_reported self_reported_read(struct arena *arena, PyObject *object)
{
	struct fact_self_reported own = { .present = true };
	enum object_mask mask = object_mask_of(arena, object);
	int requires_grad;

	own.dtype = attribute_text(arena, object, "dtype");
	if (!own.dtype)
		own.dtype = other_dtype(arena, object);
	own.strides = strides_of(arena, object);
	own.readonly = readonly_of(object);
	own.device = attribute_text(arena, object, "device");
	own.scalar = answer_of(object_is_instance(object, "numpy", "generic"));
	requires_grad = object_requires_grad(object);
	if (requires_grad >= 0)
		own.requires_grad = answer_of(requires_grad);
	own.shards = shards_of(object);
	if (mask == OBJECT_MASKED || mask == OBJECT_UNMASKED)
		own.masked = answer_of(mask == OBJECT_MASKED);
	own.pending = object_pending(arena, object, mask);
	return own;
}
