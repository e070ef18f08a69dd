// SPDX-License-Identifier: MIT
/* How yaml_read.c fills the marks; to others formats/yaml/yaml_read.h offers them. */
#ifndef FORMATS_YAML_YAML_MARKS_H
#define FORMATS_YAML_YAML_MARKS_H

#include "formats/yaml/yaml_read.h"

/* Keeps plain. */
void yaml_marks_add(struct yaml_marks *marks, const struct value *value, size_t line, size_t column,
	const char *plain);

/* The place of the key of a value that was just added. */
void yaml_marks_set_key(
	struct yaml_marks *marks, const struct value *value, size_t line, size_t column);

/* Makes yaml_mark_of work. */
void yaml_marks_sort(struct yaml_marks *marks);

#endif
