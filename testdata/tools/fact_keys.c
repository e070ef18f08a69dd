// SPDX-License-Identifier: MIT
/*
 * Every manner in which a fact can be read by a string key, as bats/layers.bats expects
 * tools/fact-keys to find it: a key that is a literal, a variable, a macro, and a macro or a
 * function that wraps the accessor.
 */
#include "model/value.h"

#define STATUS "status"
#define READ(MAP, KEY) value_get(MAP, KEY)

/* Not an access of its own: its callers choose map and key. */
static const struct value *read_wrapped(const struct value *map, const char *key)
{
	return value_get(map, key);
}

/* Parts of declared, and keys that are not facts, are not found. */
bool is_ok(const struct value *target, const struct subject *subject)
{
	const struct value *(*read)(const struct value *, const char *);
	const struct value *interface = value_item(value_get(target, "interfaces"), 0);
	const struct value *declared = subject->declared;
	const char *key = subject->array_error;

	return value_is_text(value_at(interface, "memory.kind"), "host") ||
	       value_get(target, key) || value_get(target, STATUS) || READ(target, "status") ||
	       read_wrapped(target, "status") || value_get_part(target, "status") ||
	       value_get(declared, "shape") || read_wrapped(declared, key) || (read = value_get) ||
	       value_get(target, "not-a-fact");
}
