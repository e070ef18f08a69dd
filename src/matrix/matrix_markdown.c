// SPDX-License-Identifier: MIT
/* A matrix as Markdown: a table of cells with the counts of their states, then the reasons. */
#include "matrix/matrix_formats.h"

#include "formats/json/json_write.h"
#include "matrix/matrix_view.h"

#include <string.h>

/* Foreign text in a table or a paragraph. */
static void add_foreign(struct text *out, const char *text)
{
	struct text safe = { 0 };

	escape_text(&safe, text, strlen(text), ESCAPE_TERMINAL);
	for (const char *c = safe.bytes; c && *c; c++) {
		if (strchr("|\\`*_<>[]#", *c))
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

static void add_markdown_cause(struct text *out, const struct matrix_cause *cause)
{
	text_printf(out, "\n**%s**: ", cell_state_name(cause->state));
	add_foreign(out, cause->reason);
	text_add(out, cause->varies ? " (and similar)\n\n" : "\n\n");
	for (size_t i = 0; i < cause->n_results; i++) {
		const struct value *arrays = cause->results[i].arrays;

		text_add(out, "- ");
		add_foreign(out, cause->results[i].id);
		text_add(out, ": ");
		for (size_t k = 0; k < arrays->n_items; k++) {
			text_add(out, k ? ", " : "");
			add_foreign(out, value_text_or(arrays->items[k], "?"));
		}
		text_add(out, "\n");
	}
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
		add_markdown_cause(&out, &view.causes[i]);
	status = json_write_text(output->stream, out.bytes, err);
	text_free(&out);
	arena_free(&arena);
	return status;
}
