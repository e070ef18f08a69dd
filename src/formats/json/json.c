// SPDX-License-Identifier: MIT
/*
 * The json format: one line per target, so that long runs can be read as a stream. jansson writes
 * only the values.
 */
#include "base/memory.h"
#include "documents/document.h"
#include "formats/format.h"
#include "formats/json/json_write.h"

#include <stdlib.h>

struct json_output_writer {
	struct json_writer json;
	struct arena arena; /* of the head, a target or the summary */
	bool any;           /* target was written */
};

static int write_json_pair(
	struct format_output *output, const char *key, const struct value *value, struct err *err)
{
	struct json_output_writer *state = output->state;

	if (json_write_text(output->stream, "\"", err) ||
		json_write_text(output->stream, key, err) ||
		json_write_text(output->stream, "\": ", err))
		return -1;
	return json_write_value(&state->json, output->stream, value, err);
}

static int json_begin(struct format_output *output, const struct fact_head *head, struct err *err)
{
	struct json_output_writer *writer = mem_alloc(sizeof(*writer));
	const struct value *map;

	output->state = writer;
	if (json_write_text(output->stream, "{", err))
		return -1;
	map = fact_write(&fact_head_record, &writer->arena, head, FACT_DOCUMENT, NULL);
	for (size_t i = 0; i < map->n_items; i++)
		if (write_json_pair(output, map->keys[i], map->items[i], err) ||
			json_write_text(output->stream, ", ", err))
			return -1;
	return json_write_text(output->stream, "\"targets\": [", err);
}

static int json_target(
	struct format_output *output, const struct fact_target *target, struct err *err)
{
	struct json_output_writer *writer = output->state;
	int status;

	if (json_write_text(output->stream, writer->any ? ",\n" : "\n", err))
		return -1;
	writer->any = true;
	status = json_write_value(
		&writer->json, output->stream, document_write(&writer->arena, target), err);
	arena_free(&writer->arena);
	return status;
}

static int write_json_end(
	struct format_output *output, const struct fact_summary *summary, struct err *err)
{
	struct json_output_writer *writer = output->state;

	if (json_write_text(output->stream, writer->any ? "\n], " : "], ", err) ||
		write_json_pair(output, "summary",
			fact_write(
				&fact_summary_record, &writer->arena, summary, FACT_DOCUMENT, NULL),
			err))
		return -1;
	return json_write_text(output->stream, "}\n", err);
}

static int json_end(
	struct format_output *output, const struct fact_summary *summary, struct err *err)
{
	struct json_output_writer *writer = output->state;
	int status = summary ? write_json_end(output, summary, err) : 0;

	json_writer_free(&writer->json);
	arena_free(&writer->arena);
	free(writer);
	output->state = NULL;
	return status;
}

const struct format json_format = {
	.name = "json",
	.begin = json_begin,
	.target = json_target,
	.end = json_end,
};
