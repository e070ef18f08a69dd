// SPDX-License-Identifier: MIT
/*
 * The sarif format, 2.1.0: results as they come, then the notifications about targets that were not
 * reached (spooled to an unnamed file) and the rules that occurred. Keys of an object may come in
 * any order, so that `tool` may come last.
 */
#include "formats/sarif/sarif_parts.h"

#include "base/memory.h"
#include "base/spool.h"
#include "formats/json/json_write.h"
#include "formats/verdict.h"

#include <stdlib.h>

struct writer {
	struct json_writer json;
	struct sarif_parts parts;
	struct arena arena; /* of one target */
	FILE *notifications;
	bool any_result, any_notification;
};

static int write_item(
	struct writer *writer, FILE *stream, bool *any, const struct value *item, struct err *err)
{
	if (json_write_text(stream, *any ? ",\n" : "\n", err))
		return -1;
	*any = true;
	return json_write_value(&writer->json, stream, item, err);
}

static int write_result(
	struct output *output, struct writer *writer, const struct value *result, struct err *err)
{
	return write_item(writer, output->stream, &writer->any_result, result, err);
}

static int sarif_begin(struct output *output, const struct value *head, struct err *err)
{
	struct writer *writer = mem_alloc(sizeof(*writer));

	output->state = writer;
	writer->parts.rules = value_get(head, "rules");
	writer->notifications = spool_open(err);
	if (!writer->notifications)
		return -1;
	return json_write_text(output->stream,
		"{\"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\", \"version\": "
		"\"2.1.0\", \"runs\": [{\"results\": [",
		err);
}

static int write_findings(struct output *output, const struct value *document,
	const struct value *findings, size_t n_findings, const char *state, struct err *err)
{
	struct writer *writer = output->state;

	for (size_t i = 0; i < n_findings; i++) {
		struct value *result =
			sarif_result(&writer->parts, &writer->arena, document, findings->items[i]);

		sarif_set_baseline(&writer->arena, result, state);
		if (write_result(output, writer, result, err))
			return -1;
	}
	return 0;
}

static int write_target(struct output *output, const struct value *document, struct err *err)
{
	struct writer *writer = output->state;
	struct arena *arena = &writer->arena;
	size_t n_findings, n_known, n_skipped;
	const struct value *findings = verdict_list(document, "findings", &n_findings);
	const struct value *known = verdict_list(document, "known", &n_known);
	const struct value *skipped = verdict_list(document, "skipped", &n_skipped);

	if (verdict_of(output, document) == VERDICT_BROKEN &&
		write_item(writer, writer->notifications, &writer->any_notification,
			sarif_notification(&writer->parts, arena, document), err))
		return -1;
	if (write_findings(output, document, findings, n_findings,
		    output->has_baseline ? "new" : NULL, err) ||
		write_findings(output, document, known, n_known, "unchanged", err))
		return -1;
	for (size_t i = 0; i < n_skipped && verdict_shows_skips(output); i++)
		if (write_result(output, writer,
			    sarif_skip(&writer->parts, arena, document, skipped->items[i],
				    output->skips_fail),
			    err))
			return -1;
	return 0;
}

static int sarif_target(struct output *output, const struct value *document, struct err *err)
{
	struct writer *writer = output->state;
	int status = write_target(output, document, err);

	arena_free(&writer->arena);
	return status;
}

/* What the baseline holds and this run no longer found. */
static int write_gone(struct output *output, const struct value *gone, struct err *err)
{
	struct writer *writer = output->state;

	for (size_t i = 0; value_is_sequence(gone) && i < gone->n_items; i++)
		if (write_result(output, writer,
			    sarif_gone(&writer->parts, &writer->arena, gone->items[i]), err))
			return -1;
	return 0;
}

static int write_end(struct writer *writer, FILE *stream, struct err *err)
{
	if (json_write_text(stream, "\n], \"invocations\": [{\"executionSuccessful\": ", err) ||
		json_write_text(stream, writer->any_notification ? "false" : "true", err) ||
		json_write_text(stream, ", \"toolExecutionNotifications\": [", err) ||
		spool_copy(writer->notifications, stream, "sarif", err) ||
		json_write_text(
			stream, "]}],\n\"tool\": {\"driver\": {\"name\": \"suai\", ", err) ||
		json_write_text(stream, "\"version\": \"" SUAI_VERSION "\", \"rules\": [", err))
		return -1;
	for (size_t i = 0, any = 0; i < writer->parts.n_seen; i++, any = 1) {
		const struct value *rule = sarif_rule(&writer->parts, &writer->arena, i);

		if (json_write_text(stream, any ? ",\n" : "\n", err) ||
			json_write_value(&writer->json, stream, rule, err))
			return -1;
	}
	return json_write_text(stream, "\n]}}}]}\n", err);
}

static int sarif_end(struct output *output, const struct value *summary, struct err *err)
{
	struct writer *writer = output->state;
	int status = 0;

	if (summary && writer->notifications)
		status = write_gone(output, value_at(summary, "baseline.gone"), err);
	if (summary && writer->notifications && !status)
		status = write_end(writer, output->stream, err);
	if (writer->notifications)
		fclose(writer->notifications);
	json_writer_free(&writer->json);
	sarif_parts_free(&writer->parts);
	arena_free(&writer->arena);
	free(writer);
	output->state = NULL;
	return status;
}

const struct format sarif_format = {
	.name = "sarif",
	.commands = "validate",
	.begin = sarif_begin,
	.target = sarif_target,
	.end = sarif_end,
};
