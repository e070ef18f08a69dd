// SPDX-License-Identifier: MIT
/* SARIF 2.1.0: result (3.27), notification (3.58), reportingDescriptor (3.49), location (3.28). */
#include "formats/sarif/sarif_parts.h"

#include "formats/verdict.h"

#include <string.h>

static void set(struct arena *arena, struct value *map, const char *key, const char *text)
{
	value_set(arena, map, key, value_text(arena, text));
}

/* A copy that may stand in another map; nothing where the value is null. */
static void set_copy(
	struct arena *arena, struct value *map, const char *key, const struct value *value)
{
	if (!value_is_null(value))
		value_set(arena, map, key, value_copy(arena, value));
}

static void set_message(
	struct arena *arena, struct value *map, const char *key, struct text *message)
{
	struct value *object = value_set(arena, map, key, value_map(arena));

	value_set(arena, object, "text", value_text_n(arena, message->bytes, message->n_bytes));
	text_free(message);
}

static void add_escaped(struct text *uri, const char *path)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
				    "-._~/";

	for (; *path; path++) {
		if (strchr(plain, *path))
			text_add_bytes(uri, path, 1);
		else
			text_printf(uri, "%%%02X", (unsigned)(unsigned char)*path);
	}
}

/* A relative path stays relative, so that it is one of the repository. */
static struct value *make_uri(struct arena *arena, const char *path)
{
	struct text uri = { 0 };
	struct value *value;

	while (!strncmp(path, "./", 2))
		path += 2 + strspn(path + 2, "/");
	text_add(&uri, *path == '/' ? "file://" : "");
	add_escaped(&uri, path);
	value = value_text_n(arena, uri.bytes, uri.n_bytes);
	text_free(&uri);
	return value;
}

static struct value *make_physical(struct arena *arena, const struct place *place)
{
	struct value *physical = value_map(arena), *artifact = value_map(arena), *region;

	value_set(arena, artifact, "uri", make_uri(arena, place->file));
	value_set(arena, physical, "artifactLocation", artifact);
	if (place->line) {
		region = value_set(arena, physical, "region", value_map(arena));
		value_set(arena, region, "startLine", value_int(arena, place->line));
	}
	return physical;
}

static struct value *make_locations(
	struct sarif_parts *parts, struct arena *arena, const struct value *document)
{
	const char *target = value_text_or(value_get(document, "target"), "?");
	struct place place = place_find(&parts->finder, target);
	struct value *locations = value_list(arena), *logical = value_map(arena);
	struct value *location = value_append(arena, locations, value_map(arena));

	if (place.file)
		value_set(arena, location, "physicalLocation", make_physical(arena, &place));
	set(arena, logical, "name", place.expression ? place.expression : target);
	set(arena, logical, "fullyQualifiedName", target);
	value_set(arena, location, "logicalLocations", value_list(arena));
	value_append(arena, (struct value *)value_get(location, "logicalLocations"), logical);
	return locations;
}

/* GitHub knows results again by primaryLocationLineHash alone. */
static struct value *make_fingerprints(
	struct arena *arena, const struct value *document, const struct value *finding)
{
	const char *key = arena_printf(arena, "%s %s %s %s",
		value_text_or(value_get(document, "target"), "?"),
		value_text_or(value_get(finding, "rule"), "?"),
		value_text_or(value_get(finding, "protocol"), "-"),
		value_text_or(value_get(finding, "field"), "-"));
	struct value *map = value_map(arena);

	set(arena, map, "targetRuleField/v1", key);
	set(arena, map, "primaryLocationLineHash", key);
	return map;
}

static int64_t rule_index(struct sarif_parts *parts, const char *id)
{
	if (!parts->seen)
		parts->seen = value_list(&parts->arena);
	for (size_t i = 0; i < parts->n_seen; i++)
		if (value_is_text(parts->seen->items[i], id))
			return (int64_t)i;
	value_append(&parts->arena, parts->seen, value_text(&parts->arena, id));
	return (int64_t)parts->n_seen++;
}

static struct value *begin_result(
	struct sarif_parts *parts, struct arena *arena, const struct value *rule, const char *level)
{
	const char *id = value_text_or(rule, "?");
	struct value *result = value_map(arena);

	set(arena, result, "ruleId", id);
	value_set(arena, result, "ruleIndex", value_int(arena, rule_index(parts, id)));
	set(arena, result, "level", level);
	return result;
}

struct value *sarif_result(struct sarif_parts *parts, struct arena *arena,
	const struct value *document, const struct value *finding)
{
	static const char *const kept[] = { "protocol", "field", "why", "hint", "clause" };
	struct value *result = begin_result(parts, arena, value_get(finding, "rule"),
		value_text_or(value_get(finding, "severity"), "error"));
	struct value *properties = value_map(arena);
	struct text message = { 0 };

	verdict_add_line(&message, value_get(finding, "message"));
	set_message(arena, result, "message", &message);
	value_set(arena, result, "locations", make_locations(parts, arena, document));
	value_set(
		arena, result, "partialFingerprints", make_fingerprints(arena, document, finding));
	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
		set_copy(arena, properties, kept[i], value_get(finding, kept[i]));
	value_set(arena, result, "properties", properties);
	return result;
}

struct value *sarif_skip(struct sarif_parts *parts, struct arena *arena,
	const struct value *document, const struct value *skipped, bool fails)
{
	struct value *result =
		begin_result(parts, arena, value_get(skipped, "rule"), fails ? "error" : "none");
	struct text message = { 0 };

	set(arena, result, "kind", fails ? "fail" : "open");
	text_add(&message, "skipped: ");
	verdict_add_line(&message, value_get(skipped, "reason"));
	set_message(arena, result, "message", &message);
	value_set(arena, result, "locations", make_locations(parts, arena, document));
	return result;
}

void sarif_set_baseline(struct arena *arena, struct value *result, const char *state)
{
	if (state)
		set(arena, result, "baselineState", state);
}

struct value *sarif_gone(struct sarif_parts *parts, struct arena *arena, const struct value *gone)
{
	struct value *result = begin_result(parts, arena, value_get(gone, "rule"), "none");
	struct text message = { 0 };

	set(arena, result, "kind", "pass");
	text_add(&message, "no longer found");
	set_message(arena, result, "message", &message);
	value_set(arena, result, "locations", make_locations(parts, arena, gone));
	sarif_set_baseline(arena, result, "absent");
	return result;
}

struct value *sarif_notification(
	struct sarif_parts *parts, struct arena *arena, const struct value *document)
{
	struct value *notification = value_map(arena);
	struct text message = { 0 };

	set(arena, notification, "level", "error");
	verdict_add_line(&message, value_get(document, "target"));
	text_add(&message, ": ");
	verdict_add_failure(&message, document);
	set_message(arena, notification, "message", &message);
	value_set(arena, notification, "locations", make_locations(parts, arena, document));
	return notification;
}

static const struct value *find_rule(const struct sarif_parts *parts, const char *id)
{
	for (size_t i = 0; value_is_sequence(parts->rules) && i < parts->rules->n_items; i++)
		if (value_is_text(value_get(parts->rules->items[i], "rule"), id))
			return parts->rules->items[i];
	return NULL;
}

/* A sentence of the rule: those have no full stop. */
static void set_sentence(
	struct arena *arena, struct value *map, const char *key, const struct value *sentence)
{
	struct text text = { 0 };

	text_printf(&text, "%s.", value_text_or(sentence, "no description"));
	set_message(arena, map, key, &text);
}

static void set_help(struct arena *arena, struct value *map, const struct value *rule)
{
	const char *hint = value_text_or(value_get(rule, "hint"), "");
	const char *clause = value_text_or(value_get(rule, "clause"), "");
	struct text text = { 0 };
	struct value *help;

	text_printf(&text, "%s.\nSee: %s", hint, clause);
	set_message(arena, map, "help", &text);
	help = (struct value *)value_get(map, "help");
	value_set(arena, help, "markdown",
		value_textf(arena, "%s\n\n**Mend:** %s.\n\n**See:** %s",
			value_text_or(value_at(map, "fullDescription.text"), ""), hint, clause));
}

struct value *sarif_rule(struct sarif_parts *parts, struct arena *arena, size_t i)
{
	const char *id = value_text_or(parts->seen->items[i], "?");
	const struct value *rule = find_rule(parts, id), *protocols = value_get(rule, "protocols");
	struct value *map = value_map(arena), *inner;

	set(arena, map, "id", id);
	if (!rule)
		return map;
	set_copy(arena, map, "name", value_get(rule, "name"));
	set_sentence(arena, map, "shortDescription", value_get(rule, "says"));
	set_sentence(arena, map, "fullDescription", value_get(rule, "why"));
	set_help(arena, map, rule);
	inner = value_set(arena, map, "defaultConfiguration", value_map(arena));
	set_copy(arena, inner, "level", value_get(rule, "severity"));
	inner = value_set(arena, map, "properties", value_map(arena));
	if (value_is_sequence(protocols) && protocols->n_items)
		set_copy(arena, inner, "tags", protocols);
	return map;
}

void sarif_parts_free(struct sarif_parts *parts)
{
	place_finder_free(&parts->finder);
	arena_free(&parts->arena);
}
