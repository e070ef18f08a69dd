// SPDX-License-Identifier: MIT
/*
 * The sarif format, version 2.1.0: results as they arrive, then notifications about targets without
 * an object (spooled to an unnamed file), then the rules that occurred: keys of an object may be in
 * any order, so `tool` may be last. Objects: result (3.27), notification (3.58),
 * reportingDescriptor (3.49), location (3.28).
 */
#include "base/memory.h"
#include "base/spool.h"
#include "documents/call_site.h"
#include "formats/json/json_write.h"
#include "formats/source_location.h"
#include "formats/verdict.h"

#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#define ROOT_ID "%SRCROOT%" /* the usual name of the root of the repository */

struct sarif_writer {
	struct json_writer json;
	const struct fact_rule_page_list *rules; /* of the head */
	struct source_locator locator;
	struct arena arena; /* of one target */
	struct arena seen_arena;
	struct value *seen; /* ids of the rules that occurred, by their SARIF index; or NULL */
	void *fingerprints; /* a tree of struct fingerprint */
	FILE *notifications;
	bool any_result, any_notification;
};

/* Nothing if text is NULL. */
static void set_string(struct arena *arena, struct value *map, const char *key, const char *text)
{
	if (text)
		value_set(arena, map, key, value_text_escaped(arena, text));
}

/* Returns the message object. */
static struct value *set_message(
	struct arena *arena, struct value *map, const char *key, struct text *message)
{
	struct value *object = value_set(arena, map, key, value_map(arena));

	value_set(arena, object, "text", value_text_n(arena, message->bytes, message->n_bytes));
	text_free(message);
	return object;
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

static struct value *make_uri(struct arena *arena, const char *path)
{
	struct text uri = { 0 };
	struct value *value;

	text_add(&uri, *path == '/' ? "file://" : "");
	add_escaped(&uri, path);
	value = value_text_n(arena, uri.bytes, uri.n_bytes);
	text_free(&uri);
	return value;
}

/* A path below the root is relative to it: 3.4.4. */
static struct value *make_artifact(struct arena *arena, const char *path)
{
	struct value *artifact = value_map(arena);

	value_set(arena, artifact, "uri", make_uri(arena, path));
	if (*path != '/')
		set_string(arena, artifact, "uriBaseId", ROOT_ID);
	return artifact;
}

/* Lines of a cell are not those of the notebook's file. */
static struct value *make_physical(struct arena *arena, const struct source_location *source)
{
	struct value *physical = value_map(arena), *region;

	value_set(arena, physical, "artifactLocation", make_artifact(arena, source->path));
	if (source->line && !source->cell) {
		region = value_set(arena, physical, "region", value_map(arena));
		value_set(arena, region, "startLine", value_int(arena, source->line));
	}
	return physical;
}

/* Sets the physical part of a location. In a notebook, the message of the location names cell and
 * line. */
static void set_physical(
	struct arena *arena, struct value *map, const struct source_location *source)
{
	struct text message = { 0 };

	value_set(arena, map, "physicalLocation", make_physical(arena, source));
	if (!source->cell)
		return;
	text_printf(&message, "cell %" PRId64 ", line %" PRId64, source->cell, source->line);
	set_message(arena, map, "message", &message);
}

/* Allocates in the arena of the target, like the functions below. */
static struct value *make_locations(
	struct sarif_writer *writer, const struct fact_target *target, const char *traceback)
{
	struct arena *arena = &writer->arena;
	struct value *locations = value_list(arena), *logical = value_map(arena);
	struct value *location = value_append(arena, locations, value_map(arena));
	const char *name = target->target ? target->target : "?";
	const struct source_location source =
		source_location_of(&writer->locator, arena, target, traceback);

	if (source.path)
		set_physical(arena, location, &source);
	set_string(arena, logical, "name", source.expression ? source.expression : name);
	set_string(arena, logical, "fullyQualifiedName", name);
	value_append(
		arena, value_set(arena, location, "logicalLocations", value_list(arena)), logical);
	return locations;
}

/* Code that is not in a file, such as <expression>, has only a logical location. */
static struct value *make_frame_location(
	struct sarif_writer *writer, const struct stack_frame *frame)
{
	struct arena *arena = &writer->arena;
	struct value *location = value_map(arena), *logical = value_map(arena);
	struct source_location source;

	if (*frame->file != '<') {
		source = source_location_at(&writer->locator, arena, frame->file, frame->line);
		source.cell = frame->cell;
		value_set(arena, location, "physicalLocation", make_physical(arena, &source));
	} else {
		set_string(arena, logical, "fullyQualifiedName", frame->file);
	}
	set_string(arena, logical, "name", frame->function);
	if (logical->n_items)
		value_append(arena,
			value_set(arena, location, "logicalLocations", value_list(arena)), logical);
	return location;
}

/* The stack (3.44) of a traceback, innermost frame first. */
static struct value *make_stack(struct sarif_writer *writer, const char *traceback)
{
	struct arena *arena = &writer->arena;
	struct stack_reader reader = stack_open(traceback);
	struct value *stack = value_map(arena), *frames = value_list(arena);
	struct stack_frame frame;

	while (stack_next(&reader, arena, &frame)) {
		struct value *item = value_append(arena, frames, value_map(arena));

		value_set(arena, item, "location", make_frame_location(writer, &frame));
	}
	for (size_t i = 0; !reader.innermost_first && i < frames->n_items / 2; i++) {
		struct value *other = frames->items[frames->n_items - 1 - i];

		frames->items[frames->n_items - 1 - i] = frames->items[i];
		frames->items[i] = other;
	}
	value_set(arena, stack, "frames", frames);
	return stack;
}

struct fingerprint {
	const char *key;
	int n_results;
};

static int compare_fingerprints(const void *left, const void *right)
{
	const struct fingerprint *a = left, *b = right;

	return strcmp(a->key, b->key);
}

/* The number of results with this fingerprint, including this one. */
static int count_fingerprint(struct sarif_writer *writer, const char *key)
{
	struct fingerprint *added = arena_alloc(&writer->seen_arena, sizeof(*added));
	struct fingerprint *const *found;

	*added = (struct fingerprint){ arena_copy(&writer->seen_arena, key, strlen(key)), 0 };
	found = tsearch(added, &writer->fingerprints, compare_fingerprints);
	if (found)
		return ++(*found)->n_results;
	mem_fail();
}

static void keep(void *fingerprint)
{
	(void)fingerprint; /* in an arena */
}

/* What identifies a target in other checkouts and after changes elsewhere in its file. */
static const char *target_key(struct sarif_writer *writer, const struct fact_target *target)
{
	struct fact_call_site site = target->call_site;

	if (!site.present)
		return fact_text_or(target->target, "?");
	if (site.file)
		site.file = source_location_of(&writer->locator, &writer->arena, target, NULL).path;
	return call_site_key(&writer->arena, &site);
}

/* GitHub identifies results only by primaryLocationLineHash. The call sites of a function may have
 * one key: the second, and those after it, are numbered. */
static struct value *make_fingerprints(struct sarif_writer *writer,
	const struct fact_target *target, const struct fact_finding *finding)
{
	struct arena *arena = &writer->arena;
	const char *key =
		arena_printf(arena, "%s %s %s %s", target_key(writer, target), finding->rule,
			fact_text_or(finding->protocol, "-"), fact_text_or(finding->field, "-"));
	int n = target->call_site.present ? count_fingerprint(writer, key) : 1;
	struct value *map = value_map(arena);

	if (n > 1)
		key = arena_printf(arena, "%s %d", key, n);
	set_string(arena, map, "targetRuleField/v1", key);
	set_string(arena, map, "primaryLocationLineHash", key);
	return map;
}

static struct value *begin_result(struct sarif_writer *writer, const char *id, const char *level)
{
	struct arena *arena = &writer->arena;
	struct value *result = value_map(arena), *seen = writer->seen;
	size_t index = 0;

	if (!seen)
		writer->seen = seen = value_list(&writer->seen_arena);
	while (index < seen->n_items && !value_is_text(seen->items[index], id))
		index++;
	if (index == seen->n_items)
		value_append(&writer->seen_arena, seen, value_text(&writer->seen_arena, id));
	set_string(arena, result, "ruleId", id);
	value_set(arena, result, "ruleIndex", value_int(arena, (int64_t)index));
	set_string(arena, result, "level", level);
	return result;
}

/* All results of a run state it, or none: 3.27.23. reason: of an ignored finding. */
static void set_suppressions(
	struct arena *arena, struct value *result, bool is_suppressed, const char *reason)
{
	struct value *list = value_set(arena, result, "suppressions", value_list(arena));
	struct value *object;

	if (!is_suppressed)
		return;
	object = value_append(arena, list, value_map(arena));
	set_string(arena, object, "kind", "inSource");
	set_string(arena, object, "justification", reason);
}

/* state: the baselineState "new" or "unchanged"; NULL: there is no baseline. */
static struct value *make_finding_result(struct sarif_writer *writer,
	const struct fact_target *target, const struct fact_finding *finding, const char *state,
	bool is_ignored)
{
	struct value *result =
		begin_result(writer, finding->rule, severity_name(finding->severity));
	struct arena *arena = &writer->arena;
	struct value *properties = value_map(arena);
	struct text message = { 0 };

	verdict_add_line(&message, finding->message);
	set_message(arena, result, "message", &message);
	value_set(arena, result, "locations", make_locations(writer, target, finding->traceback));
	if (finding->traceback)
		value_append(arena, value_set(arena, result, "stacks", value_list(arena)),
			make_stack(writer, finding->traceback));
	value_set(arena, result, "partialFingerprints", make_fingerprints(writer, target, finding));
	set_string(arena, properties, "protocol", finding->protocol);
	set_string(arena, properties, "field", finding->field);
	set_string(arena, properties, "why", finding->why);
	set_string(arena, properties, "hint", finding->hint);
	set_string(arena, properties, "clause", finding->clause);
	value_set(arena, result, "properties", properties);
	set_string(arena, result, "baselineState", state);
	set_suppressions(arena, result, is_ignored, finding->reason);
	return result;
}

/* A skipped rule: open, or failed if skips fail. */
static struct value *make_skip_result(struct sarif_writer *writer, const struct fact_target *target,
	const struct fact_skip *skipped, bool fails)
{
	struct arena *arena = &writer->arena;
	struct value *result = begin_result(writer, skipped->rule, fails ? "error" : "none");
	struct text message = { 0 };

	set_string(arena, result, "kind", fails ? "fail" : "open");
	text_add(&message, "skipped: ");
	verdict_add_line(&message, skipped->reason);
	set_message(arena, result, "message", &message);
	value_set(arena, result, "locations", make_locations(writer, target, NULL));
	set_suppressions(arena, result, false, NULL);
	return result;
}

/* A finding of the baseline that this run did not find. */
static struct value *make_gone_result(struct sarif_writer *writer, const struct fact_gone *gone)
{
	struct arena *arena = &writer->arena;
	struct value *result = begin_result(writer, gone->rule, "none");
	struct text message = { 0 };

	set_string(arena, result, "kind", "pass");
	text_add(&message, "no longer found");
	set_message(arena, result, "message", &message);
	value_set(arena, result, "locations",
		make_locations(writer, &(struct fact_target){ .target = gone->target }, NULL));
	set_string(arena, result, "baselineState", "absent");
	set_suppressions(arena, result, false, NULL);
	return result;
}

/* A target without an object. */
static struct value *make_notification(
	struct sarif_writer *writer, const struct fact_target *target)
{
	struct arena *arena = &writer->arena;
	struct value *notification = value_map(arena), *exception;
	struct text message = { 0 };

	set_string(arena, notification, "level", "error");
	verdict_add_line(&message, target->target);
	text_add(&message, ": ");
	verdict_add_failure(&message, target);
	set_message(arena, notification, "message", &message);
	value_set(arena, notification, "locations",
		make_locations(writer, target, target->error.traceback));
	exception = value_set(arena, notification, "exception", value_map(arena));
	set_string(arena, exception, "kind",
		fact_text_or(target->error.type, target_status_name(target->status)));
	set_string(arena, exception, "message", target->error.message);
	if (target->error.traceback)
		value_set(arena, exception, "stack", make_stack(writer, target->error.traceback));
	return notification;
}

/* A comment that ignores nothing. */
static struct value *make_unused_notification(
	struct sarif_writer *writer, const struct fact_unused_ignore *unused)
{
	struct arena *arena = &writer->arena;
	struct value *notification = value_map(arena), *location;
	struct source_location source =
		source_location_at(&writer->locator, arena, unused->file, unused->line.value);
	struct text message = { 0 };

	set_string(arena, notification, "level", "warning");
	verdict_add_line(&message, unused->message);
	set_message(arena, notification, "message", &message);
	location = value_append(arena,
		value_set(arena, notification, "locations", value_list(arena)), value_map(arena));
	source.cell = fact_int_or(unused->cell, 0);
	set_physical(arena, location, &source);
	return notification;
}

/* A text of the rule, which has no full stop. */
static void set_sentence(
	struct arena *arena, struct value *map, const char *key, const char *sentence)
{
	struct text text = { 0 };

	text_printf(&text, "%s.", sentence);
	set_message(arena, map, key, &text);
}

/* The description of a rule that occurred. */
static struct value *make_rule(struct sarif_writer *writer, const char *id)
{
	struct arena *arena = &writer->arena;
	const struct fact_rule_page *rule = NULL;
	struct value *map = value_map(arena), *inner, *tags;
	struct text help = { 0 };

	for (size_t i = 0; i < writer->rules->n_items && !rule; i++)
		if (!strcmp(writer->rules->items[i].rule, id))
			rule = &writer->rules->items[i];
	set_string(arena, map, "id", id);
	if (!rule)
		return map;
	set_string(arena, map, "name", rule->name);
	set_sentence(arena, map, "shortDescription", rule->says);
	set_sentence(arena, map, "fullDescription", rule->why);
	text_printf(&help, "%s.\nSee: %s", rule->hint, rule->clause);
	inner = set_message(arena, map, "help", &help);
	value_set(arena, inner, "markdown",
		value_textf(arena, "%s.\n\n**Fix:** %s.\n\n**See:** %s", rule->why, rule->hint,
			rule->clause));
	inner = value_set(arena, map, "defaultConfiguration", value_map(arena));
	set_string(arena, inner, "level", severity_name(rule->severity));
	inner = value_set(arena, map, "properties", value_map(arena));
	if (rule->protocols.n_items) {
		tags = value_set(arena, inner, "tags", value_list(arena));
		for (size_t i = 0; i < rule->protocols.n_items; i++)
			value_append(arena, tags, value_text(arena, rule->protocols.items[i]));
	}
	return map;
}

static int write_object(struct sarif_writer *writer, FILE *stream, bool *any,
	const struct value *item, struct err *err)
{
	if (json_write_text(stream, *any ? ",\n" : "\n", err))
		return -1;
	*any = true;
	return json_write_value(&writer->json, stream, item, err);
}

static int sarif_begin(struct format_output *output, const struct fact_head *head, struct err *err)
{
	struct sarif_writer *writer = mem_alloc(sizeof(*writer));

	output->state = writer;
	writer->rules = &head->rules;
	writer->notifications = spool_open(err);
	if (!writer->notifications)
		return -1;
	return json_write_text(output->stream,
		"{\"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\", \"version\": "
		"\"2.1.0\", \"runs\": [{\"results\": [",
		err);
}

static int write_findings(struct format_output *output, const struct fact_target *target,
	const struct fact_finding_list *findings, const char *state, struct err *err)
{
	struct sarif_writer *writer = output->state;
	bool is_ignored = findings == &target->ignored;

	for (size_t i = 0; i < findings->n_items; i++) {
		struct value *result =
			make_finding_result(writer, target, &findings->items[i], state, is_ignored);

		if (write_object(writer, output->stream, &writer->any_result, result, err))
			return -1;
	}
	return 0;
}

static int write_sarif_target(
	struct format_output *output, const struct fact_target *target, struct err *err)
{
	const char *state = output->has_baseline ? "new" : NULL;
	struct sarif_writer *writer = output->state;

	if (verdict_of(output, target) == VERDICT_BROKEN &&
		write_object(writer, writer->notifications, &writer->any_notification,
			make_notification(writer, target), err))
		return ferror(writer->notifications) ? spool_fail("write", err) : -1;
	if (write_findings(output, target, &target->findings, state, err) ||
		write_findings(output, target, &target->ignored, state, err) ||
		write_findings(output, target, &target->known, "unchanged", err))
		return -1;
	for (size_t i = 0; i < target->skipped.n_items && verdict_shows_skips(output); i++)
		if (write_object(writer, output->stream, &writer->any_result,
			    make_skip_result(
				    writer, target, &target->skipped.items[i], output->skips_fail),
			    err))
			return -1;
	return 0;
}

static int sarif_target(
	struct format_output *output, const struct fact_target *target, struct err *err)
{
	struct sarif_writer *writer = output->state;
	int status = write_sarif_target(output, target, err);

	arena_free(&writer->arena);
	return status;
}

/* Findings of the baseline that this run did not find. */
static int write_gone(
	struct format_output *output, const struct fact_gone_list *gone, struct err *err)
{
	struct sarif_writer *writer = output->state;

	for (size_t i = 0; i < gone->n_items; i++)
		if (write_object(writer, output->stream, &writer->any_result,
			    make_gone_result(writer, &gone->items[i]), err))
			return -1;
	return 0;
}

static int write_invocation(struct sarif_writer *writer, FILE *stream,
	const struct fact_summary *summary, struct err *err)
{
	const struct fact_unused_ignore_list *unused = &summary->unused_ignores;
	bool any = false;

	if (json_write_text(stream, "\n], \"invocations\": [{\"executionSuccessful\": ", err) ||
		json_write_text(stream, writer->any_notification ? "false" : "true", err) ||
		json_write_text(stream, ", \"toolExecutionNotifications\": [", err) ||
		spool_copy(writer->notifications, stream, err) ||
		json_write_text(stream, "], \"toolConfigurationNotifications\": [", err))
		return -1;
	for (size_t i = 0; i < unused->n_items; i++)
		if (write_object(writer, stream, &any,
			    make_unused_notification(writer, &unused->items[i]), err))
			return -1;
	return json_write_text(stream, "]}],\n", err);
}

/* Writes the URI of the root, which a viewer on another machine replaces: 3.14.14. */
static int write_root(struct sarif_writer *writer, FILE *stream, struct err *err)
{
	struct arena *arena = &writer->arena;
	struct value *map = value_map(arena), *root;

	if (!source_root(&writer->locator))
		return 0;
	root = value_set(arena, map, ROOT_ID, value_map(arena));
	value_set(arena, root, "uri",
		make_uri(arena, arena_printf(arena, "%s/", source_root(&writer->locator))));
	return json_write_text(stream, "\"originalUriBaseIds\": ", err) ||
			       json_write_value(&writer->json, stream, map, err) ||
			       json_write_text(stream, ",\n", err)
		       ? -1
		       : 0;
}

static int write_log_end(struct sarif_writer *writer, FILE *stream,
	const struct fact_summary *summary, struct err *err)
{
	bool any_rule = false;

	if (write_invocation(writer, stream, summary, err) || write_root(writer, stream, err) ||
		json_write_text(stream, "\"tool\": {\"driver\": {\"name\": \"suai\", ", err) ||
		json_write_text(stream, "\"version\": \"" SUAI_VERSION "\", \"rules\": [", err))
		return -1;
	for (size_t i = 0; writer->seen && i < writer->seen->n_items; i++)
		if (write_object(writer, stream, &any_rule,
			    make_rule(writer, value_text_or(writer->seen->items[i], "?")), err))
			return -1;
	return json_write_text(stream, "\n]}}}]}\n", err);
}

static int sarif_end(
	struct format_output *output, const struct fact_summary *summary, struct err *err)
{
	struct sarif_writer *writer = output->state;
	int status = 0;

	if (summary && writer->notifications)
		status = write_gone(output, &summary->baseline.gone, err);
	if (summary && writer->notifications && !status)
		status = write_log_end(writer, output->stream, summary, err);
	if (writer->notifications)
		fclose(writer->notifications);
	json_writer_free(&writer->json);
	source_locator_free(&writer->locator);
	tdestroy(writer->fingerprints, keep);
	arena_free(&writer->arena);
	arena_free(&writer->seen_arena);
	free(writer);
	output->state = NULL;
	return status;
}

const struct format sarif_format = {
	.name = "sarif",
	.begin = sarif_begin,
	.target = sarif_target,
	.end = sarif_end,
};
