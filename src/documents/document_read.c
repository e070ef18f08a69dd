// SPDX-License-Identifier: MIT
/* Documents to facts. Hand-written ones leave most keys out, so what is missing is null; what is
 * there must be right. */
#include "documents/document.h"

#include "documents/document_keys.h"
#include "facts/declared_codec.h"
#include "protocols/protocol.h"

#include <stdio.h>

static struct value *read_interfaces(
	struct arena *arena, const struct value *document, const char *path, struct err *err);

/* The facts of a checked map: every key, in order, null where missing. */
static struct value *read_map(struct arena *arena, const struct document_key *keys,
	const struct value *document, struct err *err);

/* What has no fixed keys is read as `declared` is, for its keys have escapes. */
static struct value *read_free(struct arena *arena, const struct value *item, struct err *err)
{
	struct value *facts = plain_to_facts(arena, item, NULL, err);

	if (facts && facts->kind == VALUE_TUPLE)
		facts->kind = VALUE_LIST;
	return facts;
}

static struct value *read_item(struct arena *arena, const struct document_key *key,
	const struct value *item, struct err *err)
{
	struct value *list, *facts;

	if (!item || value_is_null(item))
		return key->kinds == KEY_ITEMS ? value_list(arena) : value_null(arena);
	if (key->inner && value_is(item, VALUE_MAP))
		return read_map(arena, key->inner, item, err);
	if (!key->inner)
		return read_free(arena, item, err);
	list = value_list(arena);
	for (size_t i = 0; i < item->n_items; i++) {
		facts = read_map(arena, key->inner, item->items[i], err);
		if (!facts)
			return NULL;
		value_append(arena, list, facts);
	}
	return list;
}

static struct value *read_map(struct arena *arena, const struct document_key *keys,
	const struct value *document, struct err *err)
{
	struct value *facts = value_map(arena), *item;

	for (; keys->name; keys++) {
		if (keys->place == KEY_IN_DOCUMENT)
			continue;
		item = read_item(
			arena, keys, keys->by_hand ? NULL : value_get(document, keys->name), err);
		if (!item) {
			err_wrap(err, "'%s'", keys->name);
			return NULL;
		}
		value_add(arena, facts, keys->facts ? keys->facts : keys->name, item);
	}
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

static struct value *read_details(
	struct arena *arena, const struct value *document, const char *path, struct err *err)
{
	const struct document_key *keys = details_keys(value_get(document, "protocol")->bytes);
	const struct value *details = value_get(document, "details");
	char details_path[256];

	if (value_is_null(details))
		return value_null(arena);
	snprintf(details_path, sizeof(details_path), "%.240s.details", path);
	if (document_check(keys, details, details_path, err))
		return NULL;
	return read_map(arena, keys, details, err);
}

static struct value *read_interface(
	struct arena *arena, const struct value *document, const char *path, struct err *err)
{
	struct value *facts, *declared, *details;
	const struct value *memory;

	if (document_check(interface_keys, document, path, err))
		return NULL;
	if (!value_is(value_get(document, "protocol"), VALUE_TEXT)) {
		err_set(err, EXIT_USAGE, "'%s' names no protocol", path);
		return NULL;
	}
	if (!protocol_find(value_get(document, "protocol")->bytes)) {
		err_set(err, EXIT_USAGE, "'%s': no protocol '%s'", path,
			value_get(document, "protocol")->bytes);
		return NULL;
	}
	details = read_details(arena, document, path, err);
	declared = details ? read_declared(arena, document, path, err) : NULL;
	facts = declared ? read_map(arena, interface_keys, document, err) : NULL;
	if (!facts)
		return NULL;
	default_status(arena, facts);
	value_set(arena, facts, "declared", declared);
	value_set(arena, facts, "details", details);
	memory = value_at(document, "array.memory");
	if (value_is_null(memory))
		memory = value_get(document, "memory");
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
	facts = read_map(arena, result_keys, document, err);
	if (facts)
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
	facts = read_map(arena, copy_keys, document, err);
	if (facts)
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
	body = convert ? read_map(arena, target_keys, document_target, err) : NULL;
	if (!body)
		return NULL;
	facts = value_map(arena);
	value_add(arena, facts, "kind", value_text(arena, "target"));
	for (size_t i = 0; i < body->n_items; i++)
		value_add(arena, facts, body->keys[i], body->items[i]);
	default_status(arena, facts);
	value_set(arena, facts, "interfaces", interfaces);
	value_set(arena, facts, "convert", convert);
	return facts;
}
