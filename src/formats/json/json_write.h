// SPDX-License-Identifier: MIT
/* Values as JSON, one line each; what formats that hold JSON share. Zero-initialise the writer. */
#ifndef FORMATS_JSON_JSON_WRITE_H
#define FORMATS_JSON_JSON_WRITE_H

#include "base/error.h"
#include "base/text.h"
#include "model/escape.h"
#include "model/value.h"

#include <stdio.h>

struct json_writer {
	struct text scratch;
	size_t digits;             /* that the reals of one value need */
	enum escape_syntax syntax; /* ESCAPE_YAML: what is written is read as YAML */
};

int json_write_value(
	struct json_writer *writer, FILE *stream, const struct value *value, struct err *err);

/* Literal text: the frame around values. */
int json_write_text(FILE *stream, const char *text, struct err *err);

void json_writer_free(struct json_writer *writer);

#endif
