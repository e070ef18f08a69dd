// SPDX-License-Identifier: MIT
/* Dictionaries put right as far as their layout can be read: SUAI, CAI and NumPy's; and DLPack's
 * struct. */
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

/* A capsule with a destructor, and a struct that may leave strides out. */
static struct value *repair_struct(struct arena *arena, const struct value *declared)
{
	struct value *repaired = value_map(arena), *capsule = value_map(arena);
	struct value *version = value_tuple(arena);
	bool is_legacy = value_is_null(value_get(declared, "version"));

	value_append(arena, version, value_int(arena, 1));
	value_append(arena, version, value_int(arena, 1));
	value_set(arena, capsule, "name", value_text(arena, "dltensor"));
	value_set(arena, capsule, "destructor", value_bool(arena, true));
	value_set(arena, repaired, "capsule", capsule);
	value_set(arena, repaired, "version", is_legacy ? value_null(arena) : version);
	keep(arena, repaired, declared, "flags");
	keep(arena, repaired, declared, "dl_tensor");
	return repaired;
}

const struct value *repair_interface(struct arena *arena, const struct value *interface)
{
	const struct value *declared = value_get(interface, "declared");
	const struct value *name = value_get(interface, "protocol");
	struct value *repaired = value_map(arena);

	if (value_is(declared, VALUE_MAP) && value_is_text(name, "dlpack")) {
		value_set(arena, repaired, "declared", repair_struct(arena, declared));
		return repaired;
	}
	for (size_t i = 0; i < sizeof(documents) / sizeof(*documents); i++) {
		if (!value_is(declared, VALUE_MAP) || !value_is_text(name, documents[i].protocol))
			continue;
		value_set(arena, repaired, "declared",
			repair_dictionary(arena, &documents[i], declared));
		return repaired;
	}
	return NULL;
}
