// SPDX-License-Identifier: MIT
/* Interfaces that break a rule, described as far as their layout can be read. */
#include "protocols/description.h"

const struct description *protocol_describe_once(
	struct arena *arena, struct fact_interface *interface)
{
	struct description *description;

	if (interface->description)
		return interface->description;
	description = arena_alloc(arena, sizeof(*description));
	description->status = protocol_of_interface(interface)->describe(
		interface, &description->array, &description->err);
	interface->description = description;
	return description;
}

int protocol_describe(const struct fact_interface *interface, struct array *array, struct err *err)
{
	const struct description *description = interface->description;

	if (!description)
		return protocol_of_interface(interface)->describe(interface, array, err);
	*array = description->array;
	if (description->status)
		*err = description->err;
	return description->status;
}

int protocol_describe_lenient(const struct protocol *protocol, struct arena *arena,
	const struct fact_interface *interface, struct array *array, bool *is_repaired,
	struct err *err)
{
	struct fact_interface repaired = *interface;
	struct value *declared;
	struct err ignored;

	*is_repaired = false;
	if (!protocol_describe(interface, array, err))
		return 0;
	if (!protocol->repair || !value_is(interface->declared, VALUE_MAP))
		return -1;
	declared = protocol->repair(arena, interface);
	repaired.declared = declared;
	/* A mapping other than a dict has the same keys. */
	if (value_get(interface->details, "mapping")) {
		struct value *details = value_copy(arena, interface->details);

		value_set(arena, details, "mapping", value_bool(arena, false));
		repaired.details = details;
	}
	*is_repaired = !protocol->describe(&repaired, array, &ignored);
	/* An offset that exceeds the address space does not affect shape and strides. */
	if (!*is_repaired && value_get(declared, "offset")) {
		value_set(arena, declared, "offset", value_int(arena, 0));
		*is_repaired = !protocol->describe(&repaired, array, &ignored);
	}
	return *is_repaired ? 0 : -1;
}

int protocol_describe_untyped(const struct protocol *protocol, struct arena *arena,
	const struct fact_interface *interface, struct array *array, bool *has_size)
{
	struct fact_interface untyped = *interface;
	struct value *declared;
	struct err ignored;

	if (!protocol->untype || !value_is(interface->declared, VALUE_MAP))
		return -1;
	declared = value_copy(arena, interface->declared);
	untyped.declared = declared;
	if (!protocol->untype(arena, declared, has_size))
		return -1;
	return protocol->describe(&untyped, array, &ignored) ? -1 : 0;
}

int protocol_find_extent(const struct protocol *protocol, struct arena *arena,
	struct fact_interface *interface, struct array *array, uint64_t *low, uint64_t *high,
	struct err *err)
{
	bool is_repaired, has_size = true;
	struct err ignored;

	protocol_describe_once(arena, interface);
	if (protocol_describe_lenient(protocol, arena, interface, array, &is_repaired, err) &&
		protocol_describe_untyped(protocol, arena, interface, array, &has_size))
		return -1;
	if (!has_size || array_extent(array, low, high, &ignored))
		*low = *high = array->pointer;
	return 0;
}
