// SPDX-License-Identifier: MIT
/* Captures __dummy_array_interface__. */
#include "worker/capture/attribute.h"
#include "worker/capture/source.h"

static struct fact_interface *read_dummy(struct capture_context *context, PyObject *object)
{
	PyObject *dictionary;
	struct fact_interface *interface =
		attribute_read(context, object, &dummy_protocol, &dictionary);

	if (!dictionary)
		return interface;
	interface->declared = object_to_value(context->arena, dictionary);
	Py_DecRef(dictionary);
	return interface;
}

const struct capture dummy_capture = {
	.protocol = &dummy_protocol,
	.read = read_dummy,
	.read_again = again_read_dictionary,
	.open_source = source_open_dictionary,
};
