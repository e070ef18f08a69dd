// SPDX-License-Identifier: MIT
/* The keyword grid of __dlpack__: finding calls in it, and telling of those that are wrong. */
#include "rules/dlpack/dlpack_grid.h"

#include <string.h>

static bool is_of_grid(const struct value *record)
{
	return !value_bool_or(value_get(record, "held"), true);
}

const struct value *dlpack_cell_argument(const struct value *cell, const char *keyword)
{
	return value_get(value_get(cell, "arguments"), keyword);
}

bool dlpack_cell_lacks(const struct value *cell, const char *keyword)
{
	return value_is_null(dlpack_cell_argument(cell, keyword));
}

bool dlpack_cell_returned(const struct value *cell)
{
	return value_is_text(value_get(cell, "outcome"), "returned");
}

bool dlpack_cell_raised(const struct value *cell, const char *exception)
{
	return value_is_text(value_get(cell, "exception"), exception);
}

bool dlpack_cell_is_accident(const struct value *cell)
{
	return !dlpack_cell_returned(cell) &&
	       !dlpack_is_refusal(value_text_or(value_get(cell, "exception"), ""));
}

const struct value *dlpack_grid_find(const struct dlpack_grid *grid, const char *step)
{
	const struct value *calls = value_get(grid->subject->target_value, "calls");

	for (size_t i = 0; value_is_sequence(calls) && i < calls->n_items; i++)
		if (is_of_grid(calls->items[i]) &&
			value_is_text(value_get(calls->items[i], "step"), step) &&
			!value_is_text(value_get(calls->items[i], "outcome"), "skipped"))
			return calls->items[i];
	return NULL;
}

/* A method that lacks a keyword raises TypeError for None as well; one that raises it without any
 * keyword says nothing of them. */
static bool accepts_keyword(const struct dlpack_grid *grid, const char *step)
{
	const struct value *cell = dlpack_grid_find(grid, step);

	return !cell || !dlpack_cell_raised(cell, "TypeError") ||
	       dlpack_cell_raised_anyway(grid, cell);
}

bool dlpack_cell_raised_anyway(const struct dlpack_grid *grid, const struct value *cell)
{
	const struct value *plain = dlpack_grid_find(grid, "__dlpack__()");
	const char *type = value_text_or(value_at(plain, "error.type"), NULL);

	return type && !dlpack_cell_returned(plain) &&
	       value_is_text(value_at(cell, "error.type"), type);
}

/* The object's own memory: as another interface tells it, else where the held exports agree. */
static void find_memory(struct dlpack_grid *grid)
{
	const struct subject *subject = grid->subject;
	const struct array *array;
	const char *protocol;
	size_t next = 0;

	array = dlpack_next_other_interface(subject, &next, &protocol);
	if (!array && subject->array && !(dlpack_flags(subject) & DLPACK_IS_COPIED))
		array = subject->array;
	grid->knows_memory = array && array->pointer && array_elements(array) > 0;
	if (grid->knows_memory)
		grid->memory = array->pointer;
}

/* What is not found wrong in the calls that were made may be in those that were not. */
static void skip_for_lost(const struct subject *subject, struct report *report)
{
	const struct value *calls = value_get(subject->target_value, "calls");
	const struct value *first = NULL;
	size_t n_calls = 0, n_lost = 0;

	for (size_t i = 0; value_is_sequence(calls) && i < calls->n_items; i++) {
		bool is_lost = value_bool_or(value_get(calls->items[i], "lost"), false);

		n_calls += is_of_grid(calls->items[i]);
		n_lost += is_lost;
		if (is_lost && !first)
			first = calls->items[i];
	}
	if (first)
		rule_skip(report, "%zu of %zu calls of the keyword grid were not made: %s: %s",
			n_lost, n_calls, value_text_or(value_get(first, "step"), "?"),
			value_text_or(value_at(first, "error.message"), "?"));
}

bool dlpack_grid_read(
	struct dlpack_grid *grid, const struct subject *subject, struct report *report)
{
	*grid = (struct dlpack_grid){ .subject = subject };
	if (!dlpack_grid_find(grid, "__dlpack__()")) {
		rule_skip(report, "the keyword grid of __dlpack__ was not asked");
		return false;
	}
	if (!dlpack_declared_device(subject, &grid->device))
		grid->device.type = 0;
	grid->plain_returned = dlpack_cell_returned(dlpack_grid_find(grid, "__dlpack__()"));
	grid->takes_version = accepts_keyword(grid, "__dlpack__(max_version=None)");
	grid->takes_device = accepts_keyword(grid, "__dlpack__(dl_device=None)");
	grid->takes_copy = accepts_keyword(grid, "__dlpack__(copy=None)");
	grid->takes_stream = accepts_keyword(grid, "__dlpack__(stream=None)");
	grid->takes_no_stream =
		!dlpack_grid_find(grid, "__dlpack__(stream=None)") ||
		dlpack_cell_returned(dlpack_grid_find(grid, "__dlpack__(stream=None)")) ||
		!grid->plain_returned;
	find_memory(grid);
	skip_for_lost(subject, report);
	return true;
}

static bool accepts_keywords(const struct dlpack_grid *grid, const struct value *cell)
{
	return (grid->takes_version || !dlpack_cell_argument(cell, "max_version")) &&
	       (grid->takes_device || !dlpack_cell_argument(cell, "dl_device")) &&
	       (grid->takes_copy || !dlpack_cell_argument(cell, "copy")) &&
	       (grid->takes_stream || !dlpack_cell_argument(cell, "stream")) &&
	       (grid->takes_no_stream || !dlpack_cell_argument(cell, "stream") ||
		       !dlpack_cell_lacks(cell, "stream"));
}

const struct value *dlpack_grid_next(const struct dlpack_grid *grid, size_t *next)
{
	const struct value *calls = value_get(grid->subject->target_value, "calls");

	while (*next < calls->n_items) {
		const struct value *cell = calls->items[(*next)++];

		if (is_of_grid(cell) && accepts_keywords(grid, cell) &&
			!value_is_text(value_get(cell, "outcome"), "skipped"))
			return cell;
	}
	return NULL;
}

bool dlpack_cell_stays(const struct dlpack_grid *grid, const struct value *cell)
{
	const struct value *device = dlpack_cell_argument(cell, "dl_device");

	return value_is_null(device) ||
	       (value_is_sequence(device) && device->n_items == 2 &&
		       value_int_or(device->items[0], -1) == grid->device.type &&
		       value_int_or(device->items[1], -1) == grid->device.id);
}

bool dlpack_cell_asks_host(const struct value *cell)
{
	const struct value *device = dlpack_cell_argument(cell, "dl_device");

	return value_is_sequence(device) && device->n_items == 2 &&
	       value_int_or(device->items[0], 0) == DLPACK_CPU;
}

/* Whether it returned an address, and whose. */
static bool read_cell_pointer(
	const struct dlpack_grid *grid, const struct value *cell, bool *is_own)
{
	uint64_t pointer;

	if (!grid->knows_memory || !dlpack_cell_returned(cell) ||
		!value_to_address(value_get(cell, "pointer"), &pointer))
		return false;
	*is_own = pointer == grid->memory;
	return true;
}

bool dlpack_cell_shares(const struct dlpack_grid *grid, const struct value *cell)
{
	bool is_own;

	return read_cell_pointer(grid, cell, &is_own) && is_own;
}

bool dlpack_cell_copied(const struct dlpack_grid *grid, const struct value *cell)
{
	bool is_own;

	return read_cell_pointer(grid, cell, &is_own) && !is_own;
}

void dlpack_cells_add(struct dlpack_cells *cells, const struct value *cell)
{
	if (!cells->n++)
		cells->first = cell;
}

static const char *more_calls(struct arena *arena, const struct dlpack_cells *cells)
{
	if (cells->n == 1)
		return "";
	return arena_printf(
		arena, "; so did %zu call%s more", cells->n - 1, cells->n == 2 ? "" : "s");
}

void dlpack_cells_report(const struct dlpack_cells *cells, struct report *report, const char *field,
	const char *what)
{
	struct arena arena = { 0 };

	if (cells->n)
		rule_fail(report, field, "%s %s%s",
			value_text_or(value_get(cells->first, "step"), "__dlpack__"), what,
			more_calls(&arena, cells));
	arena_free(&arena);
}

void dlpack_cells_report_raised(const struct dlpack_cells *cells, struct report *report,
	const char *field, const char *instead)
{
	struct arena arena = { 0 };
	const struct value *error = value_get(cells->first, "error");

	if (cells->n)
		dlpack_cells_report(cells, report, field,
			arena_printf(&arena, "raised %s: %.120s%s",
				value_text_or(value_get(error, "type"), "an exception"),
				value_text_or(value_get(error, "message"), ""), instead));
	arena_free(&arena);
}
