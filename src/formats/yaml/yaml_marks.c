// SPDX-License-Identifier: MIT
/* Where values stand in a file, for messages about them. */
#include "formats/yaml/yaml_marks.h"

#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>

void yaml_marks_add(struct yaml_marks *marks, const struct value *value, size_t line, size_t column,
	const char *plain)
{
	if (marks->n_items == marks->capacity) {
		marks->capacity = marks->capacity ? 2 * marks->capacity : 64;
		marks->items = mem_resize(marks->items, marks->capacity * sizeof(*marks->items));
	}
	marks->items[marks->n_items++] = (struct yaml_mark){
		.value = value, .line = line, .column = column, .plain = plain
	};
}

/* A value is added when it ends: it is the last one. */
void yaml_marks_set_key(
	struct yaml_marks *marks, const struct value *value, size_t line, size_t column)
{
	struct yaml_mark *last = &marks->items[marks->n_items - 1];

	if (last->value != value)
		return;
	last->key_line = line;
	last->key_column = column;
}

static int compare(const void *left, const void *right)
{
	uintptr_t a = (uintptr_t)((const struct yaml_mark *)left)->value;
	uintptr_t b = (uintptr_t)((const struct yaml_mark *)right)->value;

	return a < b ? -1 : a > b;
}

void yaml_marks_sort(struct yaml_marks *marks)
{
	if (marks->n_items)
		qsort(marks->items, marks->n_items, sizeof(*marks->items), compare);
}

const struct yaml_mark *yaml_mark_of(const struct yaml_marks *marks, const struct value *value)
{
	static const struct yaml_mark nowhere = {
		.line = 1, .column = 1, .key_line = 1, .key_column = 1
	};
	struct yaml_mark key = { .value = value };
	const struct yaml_mark *found =
		marks->n_items ? bsearch(&key, marks->items, marks->n_items, sizeof(key), compare)
			       : NULL;

	return found ? found : &nowhere;
}

void yaml_marks_free(struct yaml_marks *marks)
{
	free(marks->items);
	marks->items = NULL;
	marks->n_items = marks->capacity = 0;
}
