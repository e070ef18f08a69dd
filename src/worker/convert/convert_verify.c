// SPDX-License-Identifier: MIT
/* --verify: compares the new object, as its own interface describes it, or the file with the
 * source. */
#include "base/plural.h"
#include "worker/convert/convert.h"
#include "worker/convert/convert_compare.h"

#include "protocols/description.h"
#include "protocols/protocol.h"
#include "worker/export/exported.h"
#include "worker/memory/npy_map.h"

#include <inttypes.h>

/* The new object, as its interface describes it. */
static int reach_object(const struct conversion *conversion,
	const struct fact_interface_list *interfaces, struct array *array, struct err *err)
{
	const struct protocol *protocol = conversion->exporter->protocol;

	for (size_t i = 0; i < interfaces->n_items; i++)
		if (protocol_of_interface(&interfaces->items[i]) == protocol)
			return protocol_describe_strict(
				conversion->context->arena, &interfaces->items[i], array, err);
	return err_set(err, EXIT_BUG, "the new object exposes no %s interface", protocol->name);
}

/* Maps the file again. Gives the mapping's owner. */
static PyObject *reach_file(
	const struct conversion *conversion, struct array *array, struct err *err)
{
	struct element_array elements;
	PyObject *owner = NULL;
	int64_t n_bytes;

	if (conversion->exporter) {
		if (npy_map(conversion->context->arena, conversion->options->output_path, &elements,
			    &owner, err))
			return NULL;
		*array = elements.array;
		return owner;
	}
	*array = conversion->result.array;
	array_set_compact_strides(array, conversion->order);
	owner = file_map(conversion->options->output_path, &array->pointer, &n_bytes, err);
	if (owner && n_bytes != array_nbytes(array)) {
		err_set(err, EXIT_BUG, "the file has %" PRId64 " byte%s, expected %" PRId64,
			n_bytes, plural(n_bytes), array_nbytes(array));
		Py_DecRef(owner);
		return NULL;
	}
	return owner;
}

int convert_verify(struct conversion *conversion, const struct fact_interface_list *interfaces,
	struct err *err)
{
	struct array result = { 0 };
	const struct memory_location host = { .host_reaches = true },
				     source = convert_source_location(conversion);
	const struct memory_location *location =
		conversion->is_file ? &host : &conversion->result.location;
	PyObject *owner = NULL;
	int rc = -1;

	if (conversion->is_file) {
		owner = reach_file(conversion, &result, err);
		if (!owner)
			return -1;
	} else if (reach_object(conversion, interfaces, &result, err)) {
		return -1;
	}
	result.pointer -= location->handle;
	rc = convert_compare(conversion,
		&(struct transfer_end){ &conversion->source.elements.array, &source },
		&(struct transfer_end){ &result, location }, err);
	Py_DecRef(owner);
	return rc;
}
