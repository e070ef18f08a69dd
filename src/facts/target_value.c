// SPDX-License-Identifier: MIT
#include "facts/target_value.h"

#include "base/array_size.h"

#include <string.h>

static const struct {
	const char *wire, *record;
} names[] = {
	{ "name", "target" },
	{ "target", "index" },
	{ "convert", "copy" },
};

int target_from_value(
	struct arena *arena, const struct value *value, struct fact_target *out, struct err *err)
{
	struct value *map = value_map(arena);

	for (size_t i = 0; value_is(value, VALUE_MAP) && i < value->n_items; i++) {
		const char *key = value->keys[i];

		for (size_t j = 0; j < ARRAY_SIZE(names); j++)
			if (!strcmp(value->keys[i], names[j].wire))
				key = names[j].record;
		value_set(arena, map, key, value->items[i]);
	}
	return fact_read(&fact_target_record, arena, map, FACT_WIRE, NULL, out, err);
}

struct value *target_to_value(struct arena *arena, const struct fact_target *target)
{
	struct value *map = fact_write(&fact_target_record, arena, target, FACT_WIRE, NULL);
	struct value *value = value_map(arena);

	value_set(arena, value, "kind", value_text(arena, "target"));
	for (size_t i = 0; i < map->n_items; i++) {
		const char *key = map->keys[i];

		for (size_t j = 0; j < ARRAY_SIZE(names); j++)
			if (!strcmp(map->keys[i], names[j].record))
				key = names[j].wire;
		value_set(arena, value, key, map->items[i]);
	}
	return value;
}

const struct fact_interface *interface_from_value(struct arena *arena, const struct value *value)
{
	struct fact_interface *interface = arena_alloc(arena, sizeof(*interface));
	struct err ignored;

	if (fact_read(&fact_interface_record, arena, value, FACT_WIRE, NULL, interface, &ignored))
		*interface = (struct fact_interface){ 0 };
	return interface;
}
