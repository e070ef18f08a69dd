// SPDX-License-Identifier: MIT
#include "matrix/matrix_diff.h"

#include "base/memory.h"
#include "base/plural.h"
#include "formats/json/json_write.h"
#include "matrix/cell.h"

#include <stdlib.h>
#include <string.h>

/* The item of a list of maps whose key is text; NULL: there is none. */
static const struct value *find_item(const struct value *list, const char *key, const char *text)
{
	for (size_t i = 0; value_is_sequence(list) && i < list->n_items; i++)
		if (value_is_text(value_get(list->items[i], key), text))
			return list->items[i];
	return NULL;
}

/* The state of an array of a cell; CELL_N_STATES: it was not examined. */
static enum cell_state find_state(const struct value *cell, const char *array)
{
	const struct value *results = value_get(cell, "results");

	for (size_t i = 0; value_is_sequence(results) && i < results->n_items; i++)
		if (value_lists_text(value_get(results->items[i], "arrays"), array))
			return cell_state_from_name(
				value_text_or(value_get(results->items[i], "state"), "?"));
	return CELL_N_STATES;
}

/* Documents of earlier versions of suai have no devices. */
static void add_device_change(
	struct text *out, const char *name, const struct value *before, const struct value *after)
{
	const char *old = value_text_or(before, "none"), *device = value_text_or(after, "none");

	if (before && strcmp(device, old) != 0)
		text_printf(out, "%s: device %s, was %s\n", name, device, old);
}

static void add_version_changes(
	struct text *out, const struct value *before, const struct value *after)
{
	const struct value *libraries = value_get(after, "libraries");

	add_device_change(
		out, "CPU", value_get(before, "processor"), value_get(after, "processor"));
	for (size_t i = 0; i < libraries->n_items; i++) {
		const char *name = value_text_or(value_get(libraries->items[i], "library"), "?");
		const struct value *old =
			find_item(value_get(before, "libraries"), "library", name);
		const char *old_version = value_text_or(value_get(old, "version"), "none");
		const char *version =
			value_text_or(value_get(libraries->items[i], "version"), "none");

		if (old && strcmp(version, old_version) != 0)
			text_printf(out, "%s: version %s, was %s\n", name, version, old_version);
		add_device_change(out, name, value_get(old, "device"),
			value_get(libraries->items[i], "device"));
	}
}

struct state_change {
	enum cell_state from, to;
};

/* A line of the arrays that changed in this way; false: there are none. */
static bool add_change(struct text *out, const char *id, const struct value *arrays,
	const struct state_change *changes, struct state_change change)
{
	const char *separator = "";

	for (size_t i = 0; i < arrays->n_items; i++) {
		if (changes[i].from != change.from || changes[i].to != change.to)
			continue;
		if (!*separator)
			text_printf(out, "%s: %s, was %s: ", id, cell_state_name(change.to),
				cell_state_name(change.from));
		text_printf(out, "%s%s", separator,
			value_text_or(value_get(arrays->items[i], "array"), "?"));
		separator = ", ";
	}
	text_add(out, *separator ? "\n" : "");
	return *separator != '\0';
}

/* A line for each pair of states, with the arrays that changed from the one to the other. */
static bool add_cell_changes(struct text *out, const struct value *arrays,
	const struct value *before, const struct value *after)
{
	const char *id = value_text_or(value_get(after, "id"), "?");
	struct state_change *changes = mem_alloc(arrays->n_items * sizeof(*changes));
	bool is_changed = false;

	for (size_t i = 0; i < arrays->n_items; i++) {
		const char *name = value_text_or(value_get(arrays->items[i], "array"), "?");

		changes[i] =
			(struct state_change){ find_state(before, name), find_state(after, name) };
	}
	for (enum cell_state from = 0; from < CELL_N_STATES; from++)
		for (enum cell_state to = 0; to < CELL_N_STATES; to++)
			if (from != to)
				is_changed |= add_change(out, id, arrays, changes,
					(struct state_change){ from, to });
	free(changes);
	return is_changed;
}

/* Cells that only one document has. *n_excluded: those that are not of choice (NULL: all are). */
static size_t add_other_cells(struct text *out, const struct matrix_choice *choice,
	const struct value *cells, const struct value *others, const char *what, size_t *n_excluded)
{
	size_t n_other = 0;

	*n_excluded = 0;
	for (size_t i = 0; i < cells->n_items; i++) {
		const struct value *cell = cells->items[i];
		const char *id = value_text_or(value_get(cell, "id"), "?");

		if (find_item(others, "id", id))
			continue;
		if (choice &&
			!matrix_is_chosen(choice, value_text_or(value_get(cell, "producer"), ""),
				value_text_or(value_get(cell, "consumer"), ""))) {
			++*n_excluded;
			continue;
		}
		text_add(out, id);
		text_printf(out, ": %s\n", what);
		n_other++;
	}
	return n_other;
}

int matrix_diff_write(const struct format_output *output, const struct matrix_choice *choice,
	const struct value *before, const struct value *after, size_t *n_changed, struct err *err)
{
	size_t n_removed, n_excluded;
	const struct value *old_cells = value_get(before, "cells");
	const struct value *cells = value_get(after, "cells");
	struct text lines = { 0 }, safe = { 0 };
	int status;

	*n_changed = 0;
	add_version_changes(&lines, before, after);
	for (size_t i = 0; i < cells->n_items; i++) {
		const char *id = value_text_or(value_get(cells->items[i], "id"), "?");
		const struct value *old = find_item(old_cells, "id", id);

		*n_changed += old && add_cell_changes(&lines, value_get(after, "arrays"), old,
					     cells->items[i]);
	}
	*n_changed += add_other_cells(
		&lines, NULL, cells, old_cells, "not in the earlier document", &n_excluded);
	n_removed = add_other_cells(
		&lines, choice, old_cells, cells, "only in the earlier document", &n_excluded);
	text_printf(&lines, "%zu of %zu cell%s changed", *n_changed, cells->n_items,
		plural((long long)cells->n_items));
	if (n_removed)
		text_printf(&lines, "; %zu only in the earlier document", n_removed);
	if (n_excluded)
		text_printf(&lines, "; %zu of the earlier document not examined", n_excluded);
	text_add(&lines, "\n");
	*n_changed += n_removed;
	for (const char *line = lines.bytes; *line; line = strchr(line, '\n') + 1) {
		escape_text(&safe, line, strcspn(line, "\n"), ESCAPE_TERMINAL);
		text_add(&safe, "\n");
	}
	status = json_write_text(output->stream, safe.bytes, err);
	text_free(&lines);
	text_free(&safe);
	return status;
}
