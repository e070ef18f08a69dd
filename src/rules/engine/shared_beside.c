// SPDX-License-Identifier: MIT
/* What the object says through its other interfaces. */
#include "rules/engine/shared.h"

#include "protocols/protocol.h"

#include <string.h>

const struct value *shared_beside(const struct subject *subject, const char *protocol)
{
	const struct value *interfaces = value_get(subject->target, "interfaces");

	for (size_t i = 0; value_is_sequence(interfaces) && i < interfaces->n_items; i++) {
		const struct value *status = value_get(interfaces->items[i], "status");

		if (value_is_text(value_get(interfaces->items[i], "protocol"), protocol) &&
			(value_is_null(status) || value_is_text(status, "ok")))
			return interfaces->items[i];
	}
	return NULL;
}

const struct array *shared_array_beside(
	const struct subject *subject, struct report *report, const char *protocol)
{
	const struct value *interface = shared_beside(subject, protocol);
	struct array *array;
	struct err err;

	if (!interface)
		return NULL;
	array = arena_alloc(subject->arena, sizeof(*array));
	if (!protocol_find(protocol)->describe(interface, array, &err))
		return array;
	rule_skip(report, "%s of the object cannot be compared: %s", protocol, err.message);
	return NULL;
}
