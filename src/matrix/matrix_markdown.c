// SPDX-License-Identifier: MIT
/* A matrix as Markdown: a table of cells with the counts of their states, then the reasons. */
#include "matrix/matrix_formats.h"

#include "formats/json/json_write.h"
#include "matrix/battery.h"
#include "matrix/matrix_view.h"

#include <string.h>

/* Foreign text in a table or a paragraph. */
static void add_foreign(struct text *out, const char *text)
{
	struct text safe = { 0 };

	escape_text(&safe, text, strlen(text), ESCAPE_TERMINAL);
	for (const char *c = safe.bytes; c && *c; c++) {
		if (strchr("|\\`*_<>[]#&~", *c))
			text_add(out, "\\");
		text_add_bytes(out, c, 1);
	}
	text_free(&safe);
}

static void add_versions(struct text *out, const struct value *document)
{
	const struct value *libraries = value_get(document, "libraries");

	text_printf(out, "suai %s, Python %s, placement %s, CPU ",
		value_text_or(value_get(document, "version"), "?"),
		value_text_or(value_get(document, "python"), "?"),
		value_text_or(value_get(document, "placement"), "?"));
	add_foreign(out, value_text_or(value_get(document, "processor"), "unknown"));
	text_add(out, ".\n\n| library | version | device |\n|---|---|---|\n");
	for (size_t i = 0; i < libraries->n_items; i++) {
		const struct value *library = libraries->items[i];

		if (!value_is_null(value_get(library, "unavailable")))
			continue;
		text_add(out, "| ");
		add_foreign(out, value_text_or(value_get(library, "library"), "?"));
		text_add(out, " | ");
		add_foreign(out, value_text_or(value_get(library, "version"), "unknown"));
		text_add(out, " | ");
		add_foreign(out, value_text_or(value_get(library, "device"), ""));
		text_add(out, " |\n");
	}
	text_add(out, "\n");
}

/* "refused 4, shared 19": worst first. */
static void add_counts(struct text *out, const struct value *cell)
{
	const struct value *counts = cell ? value_get(cell, "counts") : NULL;

	for (size_t i = 0; counts && i < counts->n_items; i++) {
		text_add(out, i ? "<br>" : "");
		add_foreign(out, counts->keys[i]);
		text_printf(out, " %lld", (long long)value_int_or(counts->items[i], 0));
	}
}

/* One row per consumer: there are more of them than producers. */
static void add_markdown_table(struct text *out, const struct matrix_view *view)
{
	text_add(out, "| consumer \\\\ producer |");
	for (size_t p = 0; p < view->n_producers; p++) {
		text_add(out, " ");
		add_foreign(out, view->producers[p]);
		text_add(out, " |");
	}
	text_add(out, "\n|---|");
	for (size_t p = 0; p < view->n_producers; p++)
		text_add(out, "---|");
	for (size_t c = 0; c < view->n_consumers; c++) {
		text_add(out, "\n| ");
		add_foreign(out, view->consumers[c]);
		text_add(out, " |");
		for (size_t p = 0; p < view->n_producers; p++) {
			text_add(out, " ");
			add_counts(out, matrix_view_cell(view, p, c));
			text_add(out, " |");
		}
	}
	text_add(out, "\n");
}

/* The arrays at a placement, without its suffix: "float32, float64". */
static void add_arrays_at(struct text *out, const struct value *arrays, const char *suffix)
{
	const char *separator = "";

	for (size_t i = 0; i < arrays->n_items; i++) {
		const char *name = value_text_or(arrays->items[i], "?");
		size_t n_chars = strcspn(name, "+");

		if (strcmp(name + n_chars, suffix) != 0)
			continue;
		text_printf(out, "%s%.*s", separator, (int)n_chars, name);
		separator = ", ";
	}
	text_add(out, "");
}

/* "float32, float64 (aligned, offset); int8 (aligned)": those of several placements once. */
static void add_arrays_by_placement(struct text *out, const struct value *arrays)
{
	struct text lists[N_PLACEMENTS] = { 0 };
	const char *separator = "";

	for (size_t i = 0; placements[i].name; i++)
		add_arrays_at(&lists[i], arrays, placements[i].suffix);
	for (size_t i = 0; placements[i].name; i++) {
		if (!*lists[i].bytes)
			continue;
		text_add(out, separator);
		add_foreign(out, lists[i].bytes);
		text_printf(out, " (%s", placements[i].name);
		for (size_t k = i + 1; placements[k].name; k++)
			if (!strcmp(lists[k].bytes, lists[i].bytes)) {
				text_printf(out, ", %s", placements[k].name);
				text_clear(&lists[k]);
				text_add(&lists[k], "");
			}
		text_add(out, ")");
		separator = "; ";
	}
	for (size_t i = 0; i < N_PLACEMENTS; i++)
		text_free(&lists[i]);
}

static void add_markdown_arrays(
	struct text *out, const struct matrix_view *view, const struct value *arrays)
{
	if (value_is_text(value_get(view->document, "placement"), "all")) {
		add_arrays_by_placement(out, arrays);
		return;
	}
	for (size_t i = 0; i < arrays->n_items; i++) {
		text_add(out, i ? ", " : "");
		add_foreign(out, value_text_or(arrays->items[i], "?"));
	}
}

/* The number of results, from first on, of the producer's cells with the arrays of first, which
 * is that of all its consumers: then the producer is the cause. 1: they differ. */
static size_t count_same_consumers(
	const struct matrix_view *view, const struct matrix_cause *cause, size_t first)
{
	const struct matrix_cause_result *result = &cause->results[first];
	size_t n_chars = strcspn(result->id, ">") + 1, n_cells = 0, n_same = 0;
	const struct value *cells = value_get(view->document, "cells");

	for (size_t i = 0; i < cells->n_items; i++)
		n_cells += !strncmp(
			value_text_or(value_get(cells->items[i], "id"), ""), result->id, n_chars);
	while (first + n_same < cause->n_results &&
		!strncmp(result[n_same].id, result->id, n_chars) &&
		value_equal(result[n_same].arrays, result->arrays))
		n_same++;
	return n_same == n_cells ? n_same : 1;
}

static void add_markdown_cause(
	struct text *out, const struct matrix_view *view, const struct matrix_cause *cause)
{
	text_printf(out, "\n**%s**: ", cell_state_name(cause->state));
	add_foreign(out, cause->reason);
	text_add(out, cause->varies ? " (and similar)\n\n" : "\n\n");
	for (size_t i = 0, n_same; i < cause->n_results; i += n_same) {
		const struct matrix_cause_result *result = &cause->results[i];
		size_t n_producer = strcspn(result->id, ">");
		struct text producer = { 0 };

		n_same = count_same_consumers(view, cause, i);
		text_add_bytes(&producer, result->id, n_producer);
		text_add(out, "- ");
		add_foreign(out, n_same > 1 ? producer.bytes : result->id);
		text_add(out, n_same > 1 ? ", with every consumer: " : ": ");
		add_markdown_arrays(out, view, result->arrays);
		text_add(out, "\n");
		text_free(&producer);
	}
}

/* The battery: each array once, with the placements below. */
static void add_battery(struct text *out, const struct value *document)
{
	const struct value *arrays = value_get(document, "arrays");
	const char *placement = NULL;

	text_add(out, "\n## Arrays\n\n| array | it has | in NumPy |\n|---|---|---|\n");
	for (size_t i = 0; i < arrays->n_items; i++) {
		const struct value *array = arrays->items[i];
		const char *name = value_text_or(value_get(array, "array"), "?");
		const char *at = value_text_or(value_get(array, "placement"), "?");
		struct text base = { 0 };

		if (placement && strcmp(at, placement) != 0)
			break; /* the same ones at another placement */
		placement = at;
		text_add_bytes(&base, name, strcspn(name, "+"));
		text_add(out, "| ");
		add_foreign(out, base.bytes);
		text_add(out, " | ");
		add_foreign(out, value_text_or(value_get(array, "about"), "?"));
		text_add(out, " | <code>");
		add_foreign(out, value_text_or(value_get(array, "python"), "?"));
		text_add(out, "</code> |\n");
		text_free(&base);
	}
	text_add(out, "\nPlacements: ");
	for (size_t i = 0; i < N_PLACEMENTS; i++)
		text_printf(out, "%s**%s**: %s", i ? "; " : "", placements[i].name,
			placements[i].meaning);
	text_add(out, ".\n");
}

int matrix_write_markdown(
	const struct format_output *output, const struct value *document, struct err *err)
{
	struct arena arena = { 0 };
	struct text out = { 0 };
	struct matrix_view view;
	int status;

	matrix_view_open(&view, &arena, document);
	text_add(&out, "# Arrays between libraries\n\n");
	add_versions(&out, document);
	text_add(&out, "A cell counts the arrays of the battery in each state:\n\n");
	for (enum cell_state state = 0; state < CELL_N_STATES; state++)
		text_printf(
			&out, "- **%s**: %s\n", cell_state_name(state), cell_state_meaning(state));
	text_add(&out, "\n");
	add_markdown_table(&out, &view);
	if (view.n_causes)
		text_add(&out, "\n## Reasons\n");
	for (size_t i = 0; i < view.n_causes; i++)
		add_markdown_cause(&out, &view, &view.causes[i]);
	add_battery(&out, document);
	status = json_write_text(output->stream, out.bytes, err);
	text_free(&out);
	arena_free(&arena);
	return status;
}
