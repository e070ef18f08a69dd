// SPDX-License-Identifier: MIT
/* The yaml format: a document as one mapping, its targets written as they come. */
#include "base/memory.h"
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

static int yaml_begin(struct output *output, const struct value *head, struct err *err)
{
	struct yaml_writer *writer = mem_alloc(sizeof(*writer));
	yaml_event_t event;

	output->state = writer;
	yaml_writer_open(writer, output->stream);
	if (emit_start(writer, err))
		return -1;
	for (size_t i = 0; i < head->n_items; i++)
		if (emit_pair(writer, head->keys[i], head->items[i], err))
			return -1;
	if (yaml_write_text(writer, "targets", strlen("targets"), err))
		return -1;
	return yaml_write_event(writer,
		yaml_sequence_start_event_initialize(
			&event, NULL, NULL, 1, YAML_BLOCK_SEQUENCE_STYLE),
		&event, err);
}

static int yaml_target(struct output *output, const struct value *document, struct err *err)
{
	return yaml_write_value(output->state, document, err);
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

static int yaml_end(struct output *output, const struct value *summary, struct err *err)
{
	struct yaml_writer *writer = output->state;
	int status = summary ? emit_end(writer, summary, err) : 0;

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
