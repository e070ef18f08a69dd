// SPDX-License-Identifier: MIT
/* Reads YAML: documents, rule fixtures and configuration files. */
#ifndef FORMATS_YAML_YAML_READ_H
#define FORMATS_YAML_YAML_READ_H

#include "base/error.h"
#include "model/value.h"

#include <stddef.h>

enum { YAML_READ_MAX_DEPTH = VALUE_MAX_DEPTH + 16, YAML_READ_MAX_NODES = 20000000 };

/*
 * Reads the one document that fills n_bytes into the arena, by the YAML 1.2 core schema: sequences
 * become lists, integers outside int64_t wide ints. Aliases, tags, keys that are not text,
 * duplicate keys and documents that exceed the limits are errors. NULL with err set (EXIT_USAGE,
 * "line 3, column 7: …").
 */
struct value *yaml_read(struct arena *arena, const char *bytes, size_t n_bytes, struct err *err);

/* The position of a value, and of its key in a map; lines and columns from 1. */
struct yaml_mark {
	const struct value *value;
	size_t line, column, key_line, key_column;
	const char *plain; /* a plain scalar's text, such as 1.10; otherwise NULL */
};

/* Zero-initialise, and set the file name, with which messages begin ("suai.yaml:3:7: …"). */
struct yaml_marks {
	const char *file;
	struct yaml_mark *items;
	size_t n_items, capacity;
};

/* yaml_read() that records the position of each value (free with yaml_marks_free, also on failure).
 * Text that contains only comments is null. */
struct value *yaml_read_marked(struct arena *arena, const char *bytes, size_t n_bytes,
	struct yaml_marks *marks, struct err *err);
void yaml_marks_free(struct yaml_marks *marks);

/* The mark of a value that was read with marks. */
const struct yaml_mark *yaml_mark_of(const struct yaml_marks *marks, const struct value *value);

#endif
