// SPDX-License-Identifier: MIT
/* Describes interfaces: as they are, repaired, and without their element type. */
#include "protocols/description.h"

#include "base/debug.h"

/* NULL, with err set, if describe fails. form is for the log. */
static const struct array *describe_form(struct arena *arena,
	const struct fact_interface *interface, const char *form, struct err *err)
{
	struct array *array = arena_alloc(arena, sizeof(*array));

	DEBUG_LOG("describe", "%s %s", interface->protocol, form);
	return protocol_of_interface(interface)->describe(interface, array, err) ? NULL : array;
}

static const struct array *describe_repaired(
	struct arena *arena, const struct fact_interface *interface)
{
	struct fact_interface repaired = *interface;
	struct value *declared = protocol_of_interface(interface)->repair(arena, interface);
	const struct array *array;
	struct err ignored;

	repaired.declared = declared;
	/* A mapping other than a dict has the same keys. */
	if (value_get(interface->details, "mapping")) {
		struct value *details = value_copy(arena, interface->details);

		value_set(arena, details, "mapping", value_bool(arena, false));
		repaired.details = details;
	}
	array = describe_form(arena, &repaired, "repaired", &ignored);
	/* An offset that exceeds the address space does not affect shape and strides. */
	if (!array && value_get(declared, "offset")) {
		value_set(arena, declared, "offset", value_int(arena, 0));
		array = describe_form(arena, &repaired, "without offset", &ignored);
	}
	return array;
}

static const struct array *describe_untyped(
	struct arena *arena, const struct fact_interface *interface, bool *has_size)
{
	struct fact_interface untyped = *interface;
	struct value *declared = value_copy(arena, interface->declared);
	struct err ignored;

	if (!protocol_of_interface(interface)->untype(arena, declared, has_size))
		return NULL;
	untyped.declared = declared;
	return describe_form(arena, &untyped, "without type", &ignored);
}

const struct description *protocol_describe(struct arena *arena, struct fact_interface *interface)
{
	const struct protocol *protocol = protocol_of_interface(interface);
	struct description *made;

	if (interface->description)
		return interface->description;
	made = arena_alloc(arena, sizeof(*made));
	interface->description = made;
	made->lenient = made->strict = describe_form(arena, interface, "as declared", &made->err);
	if (made->strict || !value_is(interface->declared, VALUE_MAP))
		return made;
	if (protocol->repair)
		made->lenient = describe_repaired(arena, interface);
	/* A dictionary keeps its type when it is repaired. */
	if (protocol->untype && !(made->lenient && protocol->is_dictionary))
		made->untyped = describe_untyped(arena, interface, &made->has_size);
	return made;
}

int protocol_describe_strict(
	struct arena *arena, struct fact_interface *interface, struct array *array, struct err *err)
{
	const struct description *description = protocol_describe(arena, interface);

	if (description->strict)
		*array = *description->strict;
	else
		*err = description->err;
	return description->strict ? 0 : -1;
}

int protocol_find_extent(struct arena *arena, struct fact_interface *interface, struct array *array,
	uint64_t *low, uint64_t *high, struct err *err)
{
	const struct description *description = protocol_describe(arena, interface);
	const struct array *found =
		description->lenient ? description->lenient : description->untyped;
	struct err ignored;

	if (!found) {
		*err = description->err;
		return -1;
	}
	*array = *found;
	if ((found == description->untyped && !description->has_size) ||
		array_extent(array, low, high, &ignored))
		*low = *high = array->pointer;
	return 0;
}
