// SPDX-License-Identifier: MIT
/* Facts to documents: keys in order, declared made plain, version and array derived. */
#include "documents/document.h"

#include "documents/document_keys.h"
#include "facts/declared_codec.h"
#include "facts/target_value.h"
#include "protocols/protocol.h"
#include "protocols/repair.h"

static struct value *make_map(
	struct arena *arena, const struct document_key *keys, const struct value *facts);

static struct value *make_item(
	struct arena *arena, const struct document_key *key, const struct value *fact);

static struct value *make_known(
	struct arena *arena, const struct document_key *keys, const struct value *facts)
{
	struct value *map = value_map(arena);

	for (; keys->name; keys++) {
		const char *name = keys->facts ? keys->facts : keys->name;
		bool is_fact = keys->place == KEY_IN_BOTH && !keys->by_hand;

		if (keys->place != KEY_IN_FACTS)
			value_add(arena, map, keys->name,
				make_item(arena, keys, is_fact ? value_get(facts, name) : NULL));
	}
	return map;
}

/* A fact that a key holds, with every key of its maps. */
static struct value *make_item(
	struct arena *arena, const struct document_key *key, const struct value *fact)
{
	struct value *list;

	if (!fact || value_is_null(fact))
		return key->kinds == KEY_ITEMS ? value_list(arena) : value_null(arena);
	if (key->inner && value_is(fact, VALUE_MAP))
		return make_map(arena, key->inner, fact);
	if (!key->inner || !value_is_sequence(fact))
		return plain_from_facts(arena, fact, value_map(arena));
	list = value_list(arena);
	for (size_t i = 0; i < fact->n_items; i++)
		value_append(arena, list, make_map(arena, key->inner, fact->items[i]));
	return list;
}

/* Every key in order; a fact that the table does not know is added as it is: the schema refuses it,
 * which is better than to drop it unseen. */
static struct value *make_map(
	struct arena *arena, const struct document_key *keys, const struct value *facts)
{
	struct value *map = make_known(arena, keys, facts);

	for (size_t i = 0; facts && value_is(facts, VALUE_MAP) && i < facts->n_items; i++)
		if (!value_get(map, facts->keys[i]))
			value_add(arena, map, facts->keys[i],
				plain_from_facts(arena, facts->items[i], value_map(arena)));
	return map;
}

/* Of an array whose element type cannot be decoded: what does not depend on the type, or on its
 * size where that is not declared either. */
static struct value *make_untyped(struct arena *arena, const struct protocol *protocol,
	const struct value *facts, const struct value *memory)
{
	static const char *const sized[] = { "itemsize", "nbytes", "c_contiguous", "f_contiguous" };
	const struct fact_interface *interface = interface_from_value(arena, facts);
	const char *unit = protocol->counts_elements ? "strides_bytes" : "strides_elements";
	struct value *map, *extent;
	struct array array;
	bool has_size;

	if (protocol_describe_untyped(protocol, arena, interface, &array, &has_size))
		return value_null(arena);
	map = array_to_value(arena, &array, memory);
	value_set(arena, map, "dtype", value_null(arena));
	value_set(arena, map, "typestr", value_null(arena));
	if (has_size)
		return map;
	for (size_t i = 0; i < sizeof(sized) / sizeof(*sized); i++)
		value_set(arena, map, sized[i], value_null(arena));
	value_set(arena, map, unit, value_null(arena));
	if (!array.strides_given)
		value_set(arena, map,
			protocol->counts_elements ? "strides_elements" : "strides_bytes",
			value_null(arena));
	extent = (struct value *)value_get(map, "extent");
	value_set(arena, extent, "low", value_null(arena));
	value_set(arena, extent, "high", value_null(arena));
	/* An offset in elements has moved it. */
	if (protocol->counts_elements && value_int_or(value_at(facts, "declared.offset"), 0))
		value_set(arena, map, "pointer", value_null(arena));
	return map;
}

static struct value *make_array(
	struct arena *arena, const struct protocol *protocol, const struct value *facts)
{
	const struct value *memory = value_get(facts, "memory");
	struct array array;
	struct err ignored;

	memory = value_is_null(memory) ? NULL : memory;
	if (!protocol || !value_is_text(value_get(facts, "status"), "ok"))
		return value_null(arena);
	if (protocol->describe(interface_from_value(arena, facts), &array, &ignored))
		return make_untyped(arena, protocol, facts, memory);
	return array_to_value(arena, &array, memory);
}

static struct value *make_interface(struct arena *arena, const struct value *facts)
{
	const char *name = value_text_or(value_get(facts, "protocol"), "");
	const struct protocol *protocol = protocol_find(name);
	const struct value *declared = value_get(facts, "declared");
	const struct value *details = value_get(facts, "details");
	const struct value *memory = value_get(facts, "memory");
	struct value *interface = make_known(arena, interface_keys, facts);
	struct value *types = value_map(arena), *version = NULL, *array;

	if (protocol && protocol->version && !value_is_null(declared))
		version = protocol->version(arena, interface_from_value(arena, facts));
	value_set(arena, interface, "version", version ? version : value_null(arena));
	if (declared)
		value_set(arena, interface, "declared", plain_from_facts(arena, declared, types));
	value_set(arena, interface, "types", types);
	if (!value_is_null(details))
		value_set(
			arena, interface, "details", make_map(arena, details_keys(name), details));
	array = value_set(arena, interface, "array", make_array(arena, protocol, facts));
	/* What was asked about an interface that cannot be decoded as it is. */
	if (value_is_null(array) && !value_is_null(memory))
		value_set(arena, interface, "memory", value_copy(arena, memory));
	return interface;
}

static struct value *make_interfaces(struct arena *arena, const struct value *facts)
{
	const struct value *interfaces = value_get(facts, "interfaces");
	struct value *list = value_list(arena);

	for (size_t i = 0; value_is_sequence(interfaces) && i < interfaces->n_items; i++)
		value_append(arena, list, make_interface(arena, interfaces->items[i]));
	return list;
}

enum relation { UNTOLD, APART, SAME };

/* What is in a cl_mem has a handle for an address, which says nothing of the handles beside it. */
static bool has_handle(const struct value *array)
{
	return value_is_text(value_at(array, "device.type"), "opencl");
}

static bool read_extent(const struct value *array, uint64_t *low, uint64_t *high)
{
	return value_to_address(value_at(array, "extent.low"), low) &&
	       value_to_address(value_at(array, "extent.high"), high) && *low < *high;
}

/* A view lies inside; what has other elements may be no copy, but something made of them. */
static enum relation relate(const struct value *made, const struct value *result)
{
	uint64_t low[2], high[2];

	if (!read_extent(made, &low[0], &high[0]) || !read_extent(result, &low[1], &high[1]) ||
		value_is_text(value_get(result, "dtype"), "object"))
		return UNTOLD;
	if (has_handle(made) || has_handle(result))
		return low[0] == low[1] ? SAME : UNTOLD;
	if (low[0] < high[1] && low[1] < high[0])
		return SAME;
	return value_equal(value_get(made, "elements"), value_get(result, "elements")) ? APART
										       : UNTOLD;
}

/* Whether the consumer's result is in the new object's memory, by any of their interfaces. */
static enum relation relate_all(const struct value *made, const struct value *results)
{
	enum relation most = UNTOLD;

	for (size_t i = 0; i < made->n_items; i++)
		for (size_t j = 0; j < results->n_items; j++) {
			enum relation one = relate(value_get(made->items[i], "array"),
				value_get(results->items[j], "array"));

			most = one > most ? one : most;
		}
	return most;
}

static void tell_same_memory(struct arena *arena, const struct value *document)
{
	struct value *copy = (struct value *)value_get(document, "copy");
	const struct value *results = value_at(copy, "result.interfaces");
	enum relation relation = UNTOLD;

	if (value_is_sequence(results))
		relation = relate_all(value_get(document, "interfaces"), results);
	if (relation != UNTOLD)
		value_set(arena, copy, "same_memory", value_bool(arena, relation == SAME));
}

static struct value *make_copy(struct arena *arena, const struct value *facts)
{
	const struct value *result = value_get(facts, "result");
	struct value *copy, *made;

	if (value_is_null(facts))
		return value_null(arena);
	copy = make_map(arena, copy_keys, facts);
	if (value_is_null(result))
		return copy;
	made = make_map(arena, result_keys, result);
	value_set(arena, made, "interfaces", make_interfaces(arena, result));
	value_set(arena, copy, "result", made);
	return copy;
}

struct value *document_from_facts(struct arena *arena, const struct value *target)
{
	struct value *document = make_known(arena, target_keys, target);

	if (value_is_null(value_get(document, "status")))
		value_set(arena, document, "status", value_text(arena, "ok"));
	value_set(arena, document, "interfaces", make_interfaces(arena, target));
	value_set(arena, document, "copy", make_copy(arena, value_get(target, "convert")));
	tell_same_memory(arena, document);
	return document;
}
