// SPDX-License-Identifier: MIT
/* Values as JSON, one line each, for all formats based on JSON. Zero-initialise the writer. */
#ifndef FORMATS_JSON_JSON_WRITE_H
#define FORMATS_JSON_JSON_WRITE_H

#include "base/error.h"
#include "base/text.h"
#include "model/escape.h"
#include "model/value.h"

#include <stdio.h>

struct json_writer {
	struct text scratch;
	size_t digits;             /* required by the reals of one value */
	enum escape_syntax syntax; /* ESCAPE_YAML: the output is read as YAML */
};

int json_write_value(
	struct json_writer *writer, FILE *stream, const struct value *value, struct err *err);

/* A whole document: the value, and a newline. */
int json_write_document(FILE *stream, const struct value *document, struct err *err);

/* Writes text unchanged. A write error sets err to the reason only. */
int json_write_text(FILE *stream, const char *text, struct err *err);

void json_writer_free(struct json_writer *writer);

#endif
