// SPDX-License-Identifier: MIT
/* Documents to facts. Hand-written ones leave most keys out, so what is missing is null; what is
 * there must be right. */
#include "commands/document.h"

#include "commands/document_keys.h"
#include "commands/plain.h"

#include <stdio.h>

static struct value *read_interfaces(
	struct arena *arena, const struct value *document, const char *path, struct err *err);

/* The facts of a checked map: every key, in order, null where missing. */
static struct value *read_map(
	struct arena *arena, const struct document_key *keys, const struct value *document);

static struct value *read_item(
	struct arena *arena, const struct document_key *key, const struct value *item)
{
	struct value *list;

	if (value_is_null(item))
		return key->kinds == KEY_ITEMS ? value_list(arena) : value_null(arena);
	if (key->inner && value_is(item, VALUE_MAP))
		return read_map(arena, key->inner, item);
	if (!key->inner)
		return value_copy(arena, item);
	list = value_list(arena);
	for (size_t i = 0; i < item->n_items; i++)
		value_append(arena, list, read_map(arena, key->inner, item->items[i]));
	return list;
}

static struct value *read_map(
	struct arena *arena, const struct document_key *keys, const struct value *document)
{
	struct value *facts = value_map(arena);

	for (; keys->name; keys++)
		if (keys->place != KEY_IN_DOCUMENT)
			value_add(arena, facts, keys->facts ? keys->facts : keys->name,
				read_item(arena, keys,
					keys->by_hand ? NULL : value_get(document, keys->name)));
	return facts;
}

/* Rules' fixtures leave `status` out. */
static void default_status(struct arena *arena, struct value *facts)
{
	if (value_is_null(value_get(facts, "status")))
		value_set(arena, facts, "status", value_text(arena, "ok"));
}

static struct value *read_declared(
	struct arena *arena, const struct value *document, const char *path, struct err *err)
{
	const struct value *declared = value_get(document, "declared");
	struct value *facts, *null = value_null(arena);

	facts = plain_to_facts(
		arena, declared ? declared : null, value_get(document, "types"), err);
	if (!facts)
		err_wrap(err, "'%s'", path);
	return facts;
}

static struct value *read_interface(
	struct arena *arena, const struct value *document, const char *path, struct err *err)
{
	const struct document_key *keys;
	const struct value *details = value_get(document, "details"), *memory;
	struct value *facts, *declared;
	char details_path[256];

	if (document_check(interface_keys, document, path, err))
		return NULL;
	if (!value_is(value_get(document, "protocol"), VALUE_TEXT)) {
		err_set(err, EXIT_USAGE, "'%s' names no protocol", path);
		return NULL;
	}
	keys = details_keys(value_get(document, "protocol")->bytes);
	snprintf(details_path, sizeof(details_path), "%.240s.details", path);
	if (!value_is_null(details) && document_check(keys, details, details_path, err))
		return NULL;
	declared = read_declared(arena, document, path, err);
	if (!declared)
		return NULL;
	facts = read_map(arena, interface_keys, document);
	default_status(arena, facts);
	value_set(arena, facts, "declared", declared);
	if (!value_is_null(details))
		value_set(arena, facts, "details", read_map(arena, keys, details));
	memory = value_at(document, "array.memory");
	value_set(arena, facts, "memory", memory ? value_copy(arena, memory) : value_null(arena));
	return facts;
}

static struct value *read_interfaces(
	struct arena *arena, const struct value *document, const char *path, struct err *err)
{
	const struct value *interfaces = value_get(document, "interfaces");
	struct value *list = value_list(arena), *facts;
	char item_path[256];

	for (size_t i = 0; value_is_sequence(interfaces) && i < interfaces->n_items; i++) {
		snprintf(item_path, sizeof(item_path), "%sinterfaces[%zu]", path, i);
		facts = read_interface(arena, interfaces->items[i], item_path, err);
		if (!facts)
			return NULL;
		value_append(arena, list, facts);
	}
	return list;
}

static struct value *read_result(struct arena *arena, const struct value *document, struct err *err)
{
	struct value *interfaces, *facts;

	if (value_is_null(document))
		return value_null(arena);
	if (document_check(result_keys, document, "copy.result", err))
		return NULL;
	interfaces = read_interfaces(arena, document, "copy.result.", err);
	if (!interfaces)
		return NULL;
	facts = read_map(arena, result_keys, document);
	value_set(arena, facts, "interfaces", interfaces);
	return facts;
}

static struct value *read_copy(struct arena *arena, const struct value *document, struct err *err)
{
	struct value *facts, *result;

	if (value_is_null(document))
		return value_null(arena);
	if (document_check(copy_keys, document, "copy", err))
		return NULL;
	result = read_result(arena, value_get(document, "result"), err);
	if (!result)
		return NULL;
	facts = read_map(arena, copy_keys, document);
	value_set(arena, facts, "result", result);
	return facts;
}

struct value *document_to_facts(
	struct arena *arena, const struct value *document_target, struct err *err)
{
	struct value *facts, *body, *interfaces, *convert;

	if (document_check(target_keys, document_target, "", err))
		return NULL;
	interfaces = read_interfaces(arena, document_target, "", err);
	convert = interfaces ? read_copy(arena, value_get(document_target, "copy"), err) : NULL;
	if (!convert)
		return NULL;
	facts = value_map(arena);
	value_add(arena, facts, "kind", value_text(arena, "target"));
	body = read_map(arena, target_keys, document_target);
	for (size_t i = 0; i < body->n_items; i++)
		value_add(arena, facts, body->keys[i], body->items[i]);
	default_status(arena, facts);
	value_set(arena, facts, "interfaces", interfaces);
	value_set(arena, facts, "convert", convert);
	return facts;
}
