// SPDX-License-Identifier: MIT
/* A matrix as text: tables of one cell of four characters per pair, then the reasons. */
#include "matrix/matrix_formats.h"

#include "base/plural.h"
#include "formats/json/json_write.h"
#include "formats/text/text_page.h"
#include "matrix/matrix.h"
#include "matrix/matrix_view.h"

#include <string.h>

enum { CELL_COLUMNS = 5, MAX_ARRAYS_LISTED = 8, REASON_COLUMN = 4 };

static enum page_style style_of_state(enum cell_state state)
{
	switch (state) {
	case CELL_CRASH:
	case CELL_HANG:
	case CELL_LEFT:
	case CELL_WRONG:
	case CELL_WRONG_ORDER:
		return STYLE_ERROR;
	case CELL_RESHAPED:
	case CELL_NARROWED:
	case CELL_UNKNOWN:
		return STYLE_WARNING;
	case CELL_REFUSED:
		return STYLE_NOTE;
	case CELL_COPIED:
		return STYLE_PLAIN;
	case CELL_SHARED:
		return STYLE_GOOD;
	default:
		return STYLE_DIM;
	}
}

static void add_head(struct page *page, const struct value *document)
{
	const struct value *cells = value_get(document, "cells");
	size_t n_cells = cells->n_items, n_arrays = value_get(document, "arrays")->n_items;

	text_printf(&page->text, "suai %s, Python %s: %zu pair%s, %zu array%s, placement %s",
		value_text_or(value_get(document, "version"), "?"),
		value_text_or(value_get(document, "python"), "?"), n_cells,
		plural((long long)n_cells), n_arrays, plural((long long)n_arrays),
		value_text_or(value_get(document, "placement"), "?"));
	page_end_line(page, REASON_COLUMN);
}

static void add_libraries(struct page *page, const struct value *document)
{
	const struct value *libraries = value_get(document, "libraries");
	const char *separator = "";

	for (size_t i = 0; i < libraries->n_items; i++) {
		const struct value *library = libraries->items[i];
		const char *version = value_text_or(value_get(library, "version"), NULL);

		if (!value_is_null(value_get(library, "unavailable")) || !version)
			continue;
		text_add(&page->text, separator);
		page_foreign(page, STYLE_PLAIN, value_text_or(value_get(library, "library"), "?"));
		text_add(&page->text, " ");
		page_foreign(page, STYLE_PLAIN, version);
		separator = ", ";
	}
	page_end_line(page, REASON_COLUMN);
}

/* Libraries that are installed but cannot be used. */
static void add_absent(struct page *page, const struct value *document)
{
	const struct value *libraries = value_get(document, "libraries");

	for (size_t i = 0; i < libraries->n_items; i++) {
		const struct value *library = libraries->items[i];
		const char *reason = value_text_or(value_get(library, "unavailable"), NULL);

		if (!reason || !strcmp(reason, LIBRARY_NOT_INSTALLED))
			continue;
		text_add(&page->text, "absent: ");
		page_foreign(page, STYLE_PLAIN, value_text_or(value_get(library, "library"), "?"));
		text_add(&page->text, ": ");
		page_foreign(page, STYLE_PLAIN, reason);
		page_end_line(page, REASON_COLUMN);
	}
}

/* "CPU: AMD EPYC; jax: cpu". */
static void add_devices(struct page *page, const struct value *document)
{
	const struct value *libraries = value_get(document, "libraries");

	text_add(&page->text, "CPU: ");
	page_foreign(page, STYLE_PLAIN, value_text_or(value_get(document, "processor"), "unknown"));
	for (size_t i = 0; i < libraries->n_items; i++) {
		const struct value *library = libraries->items[i];
		const char *device = value_text_or(value_get(library, "device"), NULL);

		if (!device)
			continue;
		text_add(&page->text, "; ");
		page_foreign(page, STYLE_PLAIN, value_text_or(value_get(library, "library"), "?"));
		text_add(&page->text, ": ");
		page_foreign(page, STYLE_PLAIN, device);
	}
	page_end_line(page, REASON_COLUMN);
}

/* --- the table --- */

static void add_padded(struct page *page, const char *text, size_t n_columns)
{
	size_t n_used = page_columns(text, strlen(text));

	page_foreign(page, STYLE_STRONG, text);
	page_spaces(page, n_used < n_columns ? (int)(n_columns - n_used) : 0);
}

/* The letter of the worst state, and how many arrays have it. */
static void add_table_cell(struct page *page, const struct value *cell)
{
	enum cell_state state =
		cell_state_from_name(value_text_or(value_get(cell, "state"), "absent"));
	char number[24] = "";
	int n_chars;

	if (!cell) {
		page_spaces(page, CELL_COLUMNS);
		return;
	}
	if (state != CELL_ABSENT)
		snprintf(number, sizeof(number), "%lld",
			(long long)value_int_or(
				value_get(value_get(cell, "counts"), cell_state_name(state)), 0));
	n_chars = 1 + (int)strlen(number);
	page_spaces(page, CELL_COLUMNS - n_chars);
	page_styled(page, style_of_state(state), "%c%s", matrix_state_letter(state), number);
}

/* The columns first to end of the table. */
static void add_table(
	struct page *page, const struct matrix_view *view, size_t first, size_t end, size_t n_label)
{
	page_spaces(page, (int)n_label);
	for (size_t c = first; c < end; c++)
		page_styled(page, STYLE_STRONG, "%*zu", CELL_COLUMNS, c + 1);
	text_add(&page->text, "\n");
	for (size_t p = 0; p < view->n_producers; p++) {
		add_padded(page, view->producers[p], n_label);
		for (size_t c = first; c < end; c++)
			add_table_cell(page, matrix_view_cell(view, p, c));
		text_add(&page->text, "\n");
	}
	text_add(&page->text, "\n");
}

static void add_tables(struct page *page, const struct matrix_view *view)
{
	size_t n_label = 0, n_columns = (size_t)page->terminal.columns, n_fitting;

	for (size_t p = 0; p < view->n_producers; p++) {
		size_t n_chars = page_columns(view->producers[p], strlen(view->producers[p]));

		n_label = n_chars > n_label ? n_chars : n_label;
	}
	n_fitting = n_columns > n_label + CELL_COLUMNS ? (n_columns - n_label) / CELL_COLUMNS : 1;
	for (size_t first = 0; first < view->n_consumers; first += n_fitting)
		add_table(page, view, first,
			first + n_fitting < view->n_consumers ? first + n_fitting
							      : view->n_consumers,
			n_label);
}

static void add_legend(struct page *page, const struct matrix_view *view)
{
	text_add(&page->text, "consumers: ");
	for (size_t c = 0; c < view->n_consumers; c++) {
		text_printf(&page->text, "%s%zu ", c ? ", " : "", c + 1);
		page_foreign(page, STYLE_PLAIN, view->consumers[c]);
	}
	page_end_line(page, REASON_COLUMN);
	text_add(&page->text, "cells: the worst state, and the number of arrays in it: ");
	for (enum cell_state state = 0; state < CELL_N_STATES; state++)
		text_printf(&page->text, "%s%c %s", state ? ", " : "", matrix_state_letter(state),
			cell_state_name(state));
	page_end_line(page, REASON_COLUMN);
}

/* --- the reasons --- */

static void add_arrays(struct page *page, const struct value *arrays)
{
	if (arrays->n_items > MAX_ARRAYS_LISTED && page->verbosity < 1) {
		text_printf(&page->text, "%zu arrays", arrays->n_items);
		return;
	}
	for (size_t i = 0; i < arrays->n_items; i++) {
		text_add(&page->text, i ? ", " : "");
		page_foreign(page, STYLE_PLAIN, value_text_or(arrays->items[i], "?"));
	}
}

static void add_matrix_cause(struct page *page, const struct matrix_cause *cause)
{
	text_add(&page->text, "\n");
	page_styled(page, style_of_state(cause->state), "%s", cell_state_name(cause->state));
	text_add(&page->text, ": ");
	page_foreign(page, STYLE_PLAIN, cause->reason);
	if (cause->varies)
		page_styled(page, STYLE_DIM, " (and similar)");
	page_end_line(page, REASON_COLUMN);
	for (size_t i = 0; i < cause->n_results; i++) {
		page_spaces(page, REASON_COLUMN);
		page_foreign(page, STYLE_STRONG, cause->results[i].id);
		text_add(&page->text, ": ");
		add_arrays(page, cause->results[i].arrays);
		page_end_line(page, 2 * REASON_COLUMN);
	}
}

int matrix_write_text(
	const struct format_output *output, const struct value *document, struct err *err)
{
	struct page page = { 0 };
	struct matrix_view view;
	int status;

	page_begin(&page, output);
	matrix_view_open(&view, &page.arena, document);
	add_head(&page, document);
	add_libraries(&page, document);
	add_devices(&page, document);
	add_absent(&page, document);
	text_add(&page.text, "\n");
	add_tables(&page, &view);
	add_legend(&page, &view);
	for (size_t i = 0; page.verbosity >= 0 && i < view.n_causes; i++)
		if (view.causes[i].state < CELL_COPIED || page.verbosity > 0)
			add_matrix_cause(&page, &view.causes[i]);
	status = json_write_text(output->stream, page.text.bytes, err);
	text_free(&page.text);
	arena_free(&page.arena);
	return status;
}
