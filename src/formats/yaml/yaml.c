// SPDX-License-Identifier: MIT
/* The yaml format: a document as one mapping, its targets written as they arrive. */
#include "base/memory.h"
#include "documents/document.h"
#include "formats/format.h"
#include "formats/yaml/yaml_write.h"

#include <stdlib.h>
#include <string.h>

static int emit_pair(
	struct yaml_writer *writer, const char *key, const struct value *value, struct err *err)
{
	return yaml_write_text(writer, key, strlen(key), err) ||
			       yaml_write_value(writer, value, err)
		       ? -1
		       : 0;
}

static int emit_start(struct yaml_writer *writer, struct err *err)
{
	yaml_event_t event;

	if (yaml_write_event(writer, yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING),
		    &event, err) ||
		yaml_write_event(writer,
			yaml_document_start_event_initialize(&event, NULL, NULL, NULL, 1), &event,
			err))
		return -1;
	return yaml_write_event(writer,
		yaml_mapping_start_event_initialize(
			&event, NULL, NULL, 1, YAML_BLOCK_MAPPING_STYLE),
		&event, err);
}

static int yaml_begin(struct format_output *output, const struct fact_head *head, struct err *err)
{
	struct yaml_writer *writer = mem_alloc(sizeof(*writer));
	struct arena arena = { 0 };
	const struct value *map;
	yaml_event_t event;
	int status = 0;

	output->state = writer;
	yaml_writer_open(writer, output->stream);
	if (emit_start(writer, err))
		return -1;
	map = fact_write(&fact_head_record, &arena, head, FACT_DOCUMENT, NULL);
	for (size_t i = 0; i < map->n_items && !status; i++)
		status = emit_pair(writer, map->keys[i], map->items[i], err);
	arena_free(&arena);
	if (status)
		return -1;
	if (yaml_write_text(writer, "targets", strlen("targets"), err))
		return -1;
	return yaml_write_event(writer,
		yaml_sequence_start_event_initialize(
			&event, NULL, NULL, 1, YAML_BLOCK_SEQUENCE_STYLE),
		&event, err);
}

static int yaml_target(
	struct format_output *output, const struct fact_target *target, struct err *err)
{
	struct arena arena = { 0 };
	int status = yaml_write_value(output->state, document_write(&arena, target), err);

	arena_free(&arena);
	return status;
}

static int emit_end(struct yaml_writer *writer, const struct value *summary, struct err *err)
{
	yaml_event_t event;

	if (yaml_write_event(writer, yaml_sequence_end_event_initialize(&event), &event, err) ||
		emit_pair(writer, "summary", summary, err) ||
		yaml_write_event(writer, yaml_mapping_end_event_initialize(&event), &event, err) ||
		yaml_write_event(
			writer, yaml_document_end_event_initialize(&event, 1), &event, err) ||
		yaml_write_event(writer, yaml_stream_end_event_initialize(&event), &event, err))
		return -1;
	return 0;
}

static int yaml_end(
	struct format_output *output, const struct fact_summary *summary, struct err *err)
{
	struct yaml_writer *writer = output->state;
	struct arena arena = { 0 };
	int status = 0;

	if (summary)
		status = emit_end(writer,
			fact_write(&fact_summary_record, &arena, summary, FACT_DOCUMENT, NULL),
			err);
	arena_free(&arena);

	yaml_writer_free(writer);
	free(writer);
	output->state = NULL;
	return status;
}

const struct format yaml_format = {
	.name = "yaml",
	.begin = yaml_begin,
	.target = yaml_target,
	.end = yaml_end,
};
