// SPDX-License-Identifier: MIT
/* __cuda_array_interface__, versions 0 to 3. A mask is an object with the same interface. */
#include "worker/capture/cuda.h"
#include "base/array_size.h"
#include "worker/capture/attribute.h"
#include "worker/capture/source.h"

#include <stdlib.h>

/* dict(mapping), a new reference; NULL if it is not a mapping. */
static PyObject *copy_mapping(PyObject *mapping)
{
	PyObject *keys = NULL, *dictionary = NULL;

	if (worker_step("dict(__cuda_array_interface__)")) {
		if (object_attribute(mapping, "keys", &keys) > 0)
			dictionary = PyDict_New();
		if (dictionary && PyDict_Update(dictionary, mapping)) {
			Py_DecRef(dictionary);
			dictionary = NULL;
		}
		object_drop_error();
		worker_step_done();
	}
	Py_DecRef(keys);
	return dictionary;
}

/* Variables that change what CuPy exports and what CuPy and Numba wait for. */
static struct value *read_environment(struct arena *arena)
{
	static const char *const names[] = { "CUPY_CUDA_ARRAY_INTERFACE_EXPORT_VERSION",
		"CUPY_CUDA_ARRAY_INTERFACE_SYNC", "NUMBA_CUDA_ARRAY_INTERFACE_SYNC" };
	struct value *environment = value_map(arena);

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (getenv(names[i]))
			value_set(arena, environment, names[i],
				value_text_escaped(arena, getenv(names[i])));
	return environment;
}

/* Null if there is nothing to report. */
static void cuda_set_details(struct arena *arena, struct fact_interface *interface,
	PyObject *dictionary, bool is_mapping)
{
	struct value *details = value_map(arena), *environment = read_environment(arena);
	struct value *data = data_to_details(arena, dictionary);
	struct value *by_index = by_index_to_details(arena, dictionary);

	if (!is_mapping && !environment->n_items && value_is_null(data) && value_is_null(by_index))
		return;
	value_set(arena, details, "mapping", value_bool(arena, is_mapping));
	value_set(arena, details, "environment", environment);
	value_set(arena, details, "data", data);
	value_set(arena, details, "by_index", by_index);
	value_set(arena, details, "driver", value_null(arena));
	value_set(arena, details, "stream", value_null(arena));
	interface->details = details;
}

/* type_name is that of the mapping from which dictionary was copied, or NULL. */
static void cuda_read_dictionary(struct capture_context *context, struct fact_interface *interface,
	PyObject *dictionary, const char *type_name)
{
	struct value *declared = object_to_value(context->arena, dictionary);

	if (type_name && value_is(declared, VALUE_MAP))
		declared->type_name = type_name;
	interface->declared = declared;
	attribute_read_mask(context->arena, declared, dictionary, cuda_protocol.attribute, NULL);
}

static struct fact_interface *cuda_read_interface(struct capture_context *context, PyObject *object)
{
	PyObject *value, *copy = NULL;
	struct fact_interface *interface = attribute_read(context, object, &cuda_protocol, &value);

	if (!value)
		return interface;
	if (!PyDict_Check(value))
		copy = copy_mapping(value);
	if (copy || PyDict_Check(value))
		cuda_read_dictionary(context, interface, copy ? copy : value,
			copy ? object_type_name(context->arena, value) : NULL);
	else
		interface->declared = object_to_value(context->arena, value);
	cuda_set_details(context->arena, interface, copy ? copy : value, copy != NULL);
	Py_DecRef(copy);
	Py_DecRef(value);
	return interface;
}

static void cuda_read_again(
	struct capture_context *context, PyObject *object, struct fact_interface *interface)
{
	PyObject *found = again_read(context, object, interface), *copy = NULL;

	if (found && !PyDict_Check(found))
		copy = copy_mapping(found);
	if (found)
		again_compare_dictionary(context->arena, interface, copy ? copy : found);
	Py_DecRef(copy);
	Py_DecRef(found);
}

const struct capture cuda_capture = {
	.protocol = &cuda_protocol,
	.read = cuda_read_interface,
	.read_again = cuda_read_again,
	.query_memory = cuda_query_memory,
	.open_session = cuda_open_session,
	.open_source = source_open_dictionary,
};
