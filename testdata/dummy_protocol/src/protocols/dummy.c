// SPDX-License-Identifier: MIT
/* A protocol that no library implements: CUDA's dictionary under another name, for host memory. */
#include "protocols/protocol.h"
#include "protocols/shared.h"

static int dummy_describe(
	const struct fact_interface *interface, struct array *array, struct err *err)
{
	const struct value *declared = interface->declared;

	protocol_start(array);
	if (!value_is(declared, VALUE_MAP))
		return protocol_refuse(declared, dummy_protocol.attribute, "a dict", err);
	if (protocol_check_version(declared, err) || protocol_read_shape(declared, array, err) ||
		protocol_read_typestr(declared, "biufc", &array->dtype, err) ||
		protocol_check_size(array, err) ||
		protocol_read_strides(declared, 1, 0, array, err) ||
		protocol_read_pointer(declared, array, err) ||
		protocol_read_readonly(declared, array, err))
		return -1;
	array->device = (struct device){ "cpu", 0 };
	return 0;
}

static struct value *dummy_repair(struct arena *arena, const struct fact_interface *interface)
{
	return protocol_repair_dictionary(arena, interface->declared, 7);
}

const struct protocol dummy_protocol = {
	.name = "dummy",
	.attribute = "__dummy_array_interface__",
	.rule_prefix = "DUM",
	.edition_key = "dummy",
	.editions = "7",
	.lowest_version = 7,
	.highest_version = 7,
	.runtime = "host",
	.device_family = "host",
	.trials = "rounds owner",
	.rank = 8,
	.is_dictionary = true,
	.describe = dummy_describe,
	.repair = dummy_repair,
	.untype = protocol_untype_dictionary,
	.version = protocol_dictionary_version,
};
