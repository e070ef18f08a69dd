// SPDX-License-Identifier: MIT
/*
 * Captures __sycl_usm_array_interface__ (version 1): the dictionary, and, by sycl_object.c, its
 * syclobj; sycl_memory.c queries the USM runtime.
 */
#include "worker/capture/sycl.h"

#include "worker/capture/attribute.h"
#include "worker/capture/source.h"

/* The syclobj of a dictionary, read and kept; a capsule may refer to the syclobj's own queue, so
 * both are kept. */
static struct value *read_syclobj(struct capture_context *context, PyObject *declared)
{
	struct syclobj syclobj = { 0 };

	if (PyDict_Check(declared))
		syclobj.object = PyDict_GetItemString(declared, "syclobj");
	if (!syclobj.object)
		return value_null(context->arena);
	Py_IncRef(syclobj.object);
	syclobj_read(context->arena, &syclobj);
	if (syclobj.handle)
		context->syclobj_handle = PyTuple_Pack(2, syclobj.handle, syclobj.object);
	Py_DecRef(syclobj.handle);
	Py_DecRef(syclobj.object);
	object_drop_error();
	return syclobj.facts;
}

static struct fact_interface *sycl_read_interface(struct capture_context *context, PyObject *object)
{
	struct arena *arena = context->arena;
	struct fact_interface *interface;
	struct value *details;
	PyObject *declared;

	Py_DecRef(context->syclobj_handle);
	context->syclobj_handle = NULL;
	interface = attribute_read(context, object, &sycl_protocol, &declared);
	if (!declared)
		return interface;
	interface->declared = object_to_value(arena, declared);
	details = value_map(arena);
	value_set(arena, details, "syclobj", read_syclobj(context, declared));
	value_set(arena, details, "data", data_to_details(arena, declared));
	value_set(arena, details, "by_index", by_index_to_details(arena, declared));
	interface->details = details;
	Py_DecRef(declared);
	return interface;
}

const struct capture sycl_capture = {
	.protocol = &sycl_protocol,
	.read = sycl_read_interface,
	.read_again = again_read_dictionary,
	.query_memory = sycl_query_memory,
	.open_session = sycl_open_session,
	.open_source = source_open_dictionary,
};
