// SPDX-License-Identifier: MIT
/* Values as YAML, by libyaml's emitter, for all formats that contain YAML. */
#ifndef FORMATS_YAML_YAML_WRITE_H
#define FORMATS_YAML_YAML_WRITE_H

#include "base/error.h"
#include "base/text.h"
#include "model/value.h"

#include <stdbool.h>
#include <stdio.h>
#include <yaml.h>

struct yaml_writer {
	yaml_emitter_t emitter;
	struct text scratch;
	bool is_block; /* no collection is written in one line */
	bool failed;   /* the emitter must not be used again */
};

/* Takes the event; made is the result of yaml_*_event_initialize. */
int yaml_write_event(struct yaml_writer *writer, int made, yaml_event_t *event, struct err *err);

int yaml_write_text(struct yaml_writer *writer, const char *bytes, size_t n_bytes, struct err *err);
int yaml_write_value(struct yaml_writer *writer, const struct value *value, struct err *err);

/* Starts the emitter, which writes to the stream, with unsafe characters as escapes
 * (model/escape.h). */
void yaml_writer_open(struct yaml_writer *writer, FILE *stream);
void yaml_writer_free(struct yaml_writer *writer);

/* Writes a document with only that value, in block style. */
int yaml_write_document(FILE *stream, const struct value *value, struct err *err);

/* Appends such a document to out, between the lines "---" and "...". */
int yaml_append_document(struct text *out, const struct value *value, struct err *err);

#endif
