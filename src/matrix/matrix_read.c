// SPDX-License-Identifier: MIT
#include "matrix/matrix_read.h"

#include "base/memory.h"
#include "base/read_file.h"
#include "formats/yaml/yaml_read.h"
#include "matrix/cell.h"
#include "matrix/matrix.h"

#include <stdlib.h>
#include <string.h>

static bool is_list_of(const struct value *list, enum value_kind kind)
{
	for (size_t i = 0; value_is_sequence(list) && i < list->n_items; i++)
		if (!value_is(list->items[i], kind))
			return false;
	return value_is_sequence(list);
}

static bool has_state(const struct value *map)
{
	return cell_state_from_name(value_text_or(value_get(map, "state"), "")) != CELL_N_STATES;
}

/* Whether each map of the list has a name under the key. */
static bool have_names(const struct value *list, const char *key)
{
	for (size_t i = 0; i < list->n_items; i++)
		if (!value_is(value_get(list->items[i], key), VALUE_TEXT))
			return false;
	return true;
}

static bool is_cell(const struct value *cell)
{
	const struct value *results = value_get(cell, "results");

	if (!has_state(cell) || !value_is(value_get(cell, "counts"), VALUE_MAP) ||
		!value_is(value_get(cell, "producer"), VALUE_TEXT) ||
		!value_is(value_get(cell, "consumer"), VALUE_TEXT) ||
		!is_list_of(results, VALUE_MAP))
		return false;
	for (size_t i = 0; i < results->n_items; i++)
		if (!has_state(results->items[i]) ||
			!is_list_of(value_get(results->items[i], "arrays"), VALUE_TEXT))
			return false;
	return true;
}

static int compare_cell_ids(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Cells that have_names() accepted. */
static bool have_unique_ids(const struct value *cells)
{
	const char **ids = mem_alloc((cells->n_items + 1) * sizeof(*ids));
	bool are_unique = true;

	for (size_t i = 0; i < cells->n_items; i++)
		ids[i] = value_text_or(value_get(cells->items[i], "id"), "");
	qsort(ids, cells->n_items, sizeof(*ids), compare_cell_ids);
	for (size_t i = 1; i < cells->n_items && are_unique; i++)
		are_unique = strcmp(ids[i - 1], ids[i]) != 0;
	free(ids);
	return are_unique;
}

static bool is_matrix_document(const struct value *document)
{
	const struct value *libraries = value_get(document, "libraries");
	const struct value *arrays = value_get(document, "arrays");
	const struct value *cells = value_get(document, "cells");

	if (!value_is_text(value_get(document, "command"), "matrix") ||
		!is_list_of(libraries, VALUE_MAP) || !have_names(libraries, "library") ||
		!is_list_of(arrays, VALUE_MAP) || !have_names(arrays, "array") ||
		!is_list_of(cells, VALUE_MAP) || !have_names(cells, "id") ||
		!have_unique_ids(cells))
		return false;
	for (size_t i = 0; i < cells->n_items; i++)
		if (!is_cell(cells->items[i]))
			return false;
	return true;
}

const struct value *matrix_read(
	struct arena *arena, const char *option, const char *path, struct err *err)
{
	const struct value *document = NULL, *format;
	struct text text = { 0 };

	if (!read_file(path, &text, err)) {
		document = yaml_read(arena, text.bytes ? text.bytes : "", text.n_bytes, err);
		if (!document)
			err_wrap(err, "%s '%s'", option, path);
	}
	text_free(&text);
	format = value_get(document, "suai");
	if (format && value_int_or(format, 0) != MATRIX_FORMAT) {
		err_set(err, EXIT_USAGE, "%s '%s': expected 'suai: %d', the format version", option,
			path, MATRIX_FORMAT);
		return NULL;
	}
	if (document && !is_matrix_document(document)) {
		err_set(err, EXIT_USAGE, "%s '%s': not a document of suai matrix -f json", option,
			path);
		return NULL;
	}
	return document;
}
