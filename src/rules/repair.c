// SPDX-License-Identifier: MIT
/* Dictionaries put right as far as their layout can be read: SUAI, CAI and NumPy's. */
#include "rules/repair.h"

#include <string.h>

/* The version, and whether offset and syclobj belong to the document. */
static const struct document {
	const char *protocol;
	int64_t version;
	bool is_sycl;
} documents[] = {
	{ "sycl", 1, true },
	{ "cuda", 3, false },
	{ "numpy", 3, false },
};

static const struct value *to_tuple(struct arena *arena, const struct value *sequence)
{
	struct value *tuple;

	if (!value_is(sequence, VALUE_LIST))
		return sequence;
	tuple = value_tuple(arena);
	for (size_t i = 0; i < sequence->n_items; i++)
		value_append(arena, tuple, sequence->items[i]);
	return tuple;
}

/* Address and flag; an address that cannot be read is 0, such a flag says read-only. */
static struct value *repair_data(struct arena *arena, const struct value *data)
{
	struct value *pair = value_tuple(arena);
	uint64_t address = 0;
	bool readonly = true;

	if (value_is_sequence(data)) {
		value_to_uint64(value_item(data, 0), &address);
		readonly = value_bool_or(value_item(data, 1), true);
	}
	value_append(arena, pair, value_uint(arena, address));
	value_append(arena, pair, value_bool(arena, readonly));
	return pair;
}

static void keep(
	struct arena *arena, struct value *repaired, const struct value *declared, const char *key)
{
	const struct value *item = to_tuple(arena, value_get(declared, key));

	if (item)
		value_set(arena, repaired, key, value_copy(arena, item));
}

static struct value *repair_dictionary(
	struct arena *arena, const struct document *document, const struct value *declared)
{
	struct value *repaired = value_map(arena);

	keep(arena, repaired, declared, "shape");
	keep(arena, repaired, declared, "typestr");
	keep(arena, repaired, declared, "strides");
	value_set(arena, repaired, "data", repair_data(arena, value_get(declared, "data")));
	value_set(arena, repaired, "version", value_int(arena, document->version));
	if (document->is_sycl) {
		keep(arena, repaired, declared, "offset");
		value_set(arena, repaired, "syclobj", value_text(arena, "cpu"));
	}
	return repaired;
}

const struct value *repair_interface(struct arena *arena, const struct value *interface)
{
	const struct value *declared = value_get(interface, "declared");
	const struct value *name = value_get(interface, "protocol");
	struct value *repaired;

	for (size_t i = 0; i < sizeof(documents) / sizeof(*documents); i++) {
		if (!value_is(declared, VALUE_MAP) || !value_is_text(name, documents[i].protocol))
			continue;
		repaired = value_map(arena);
		value_set(arena, repaired, "declared",
			repair_dictionary(arena, &documents[i], declared));
		return repaired;
	}
	return NULL;
}
