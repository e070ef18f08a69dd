// SPDX-License-Identifier: MIT
/* The keyword grid of __dlpack__: finding calls in it, and reporting those that are wrong. */
#include "rules/dlpack/dlpack_grid.h"

#include <string.h>

static bool was_made_in_grid(const struct fact_call *call)
{
	return call->held == ANSWER_NO && call->outcome != CALL_SKIPPED;
}

const struct value *dlpack_cell_argument(const struct fact_call *cell, const char *keyword)
{
	return value_get(cell->arguments, keyword);
}

bool dlpack_cell_omits(const struct fact_call *cell, const char *keyword)
{
	return value_is_null(dlpack_cell_argument(cell, keyword));
}

bool dlpack_cell_is_accident(const struct fact_call *cell)
{
	return cell->outcome != CALL_RETURNED && !dlpack_is_refusal(cell->exception);
}

const struct fact_call *dlpack_grid_find(const struct dlpack_grid *grid, const char *step)
{
	const struct fact_call_list *calls = &grid->subject->target->calls;

	for (size_t i = 0; i < calls->n_items; i++)
		if (was_made_in_grid(&calls->items[i]) && fact_text_is(calls->items[i].step, step))
			return &calls->items[i];
	return NULL;
}

/* A method that lacks a keyword raises TypeError for None as well; one that raises it without
 * any keyword proves nothing about them. */
static bool accepts_keyword(const struct dlpack_grid *grid, const char *step)
{
	const struct fact_call *cell = dlpack_grid_find(grid, step);

	return !cell || !fact_text_is(cell->exception, "TypeError") ||
	       dlpack_cell_raised_without_keywords(grid, cell);
}

bool dlpack_cell_raised_without_keywords(
	const struct dlpack_grid *grid, const struct fact_call *cell)
{
	const struct fact_call *plain = dlpack_grid_find(grid, "__dlpack__()");

	return plain && plain->outcome != CALL_RETURNED && plain->error.type &&
	       fact_text_is(cell->error.type, plain->error.type);
}

/* Whether the two capsules that were held at once share memory, which two copies do not. */
static bool capsules_share(const struct subject *subject)
{
	const struct subject *other = subject->other_capsule;

	return subject->array && other && other->array &&
	       subject->array->pointer == other->array->pointer;
}

/* The object's own memory: that of the held exports if they share it, and otherwise that of another
 * interface. NAI901 and XPR101 report an interface that declares another address. */
static void find_memory(struct dlpack_grid *grid)
{
	const struct subject *subject = grid->subject;
	const struct array *array = NULL;
	const char *protocol;
	size_t next = 0;

	if (!capsules_share(subject))
		array = dlpack_next_other_interface(subject, &next, &protocol);
	if (!array && subject->array && !(dlpack_flags(subject) & DLPACK_IS_COPIED))
		array = subject->array;
	grid->knows_memory = array && array->pointer && array_elements(array) > 0;
	if (grid->knows_memory)
		grid->memory = array->pointer;
}

/* What was not found wrong in the calls that were made may be wrong in those that were not. */
static void skip_for_lost(const struct subject *subject, struct report *report)
{
	const struct fact_call_list *calls = &subject->target->calls;
	const struct fact_call *first = NULL;
	size_t n_calls = 0, n_lost = 0;

	for (size_t i = 0; i < calls->n_items; i++) {
		bool is_lost = calls->items[i].lost == ANSWER_YES;

		n_calls += calls->items[i].held == ANSWER_NO;
		n_lost += is_lost;
		if (is_lost && !first)
			first = &calls->items[i];
	}
	if (first)
		rule_skip(report, "the keyword grid lacks %zu of its %zu calls, the first %s: %s",
			n_lost, n_calls, first->step, fact_text_or(first->error.message, "?"));
}

bool dlpack_grid_read(
	struct dlpack_grid *grid, const struct subject *subject, struct report *report)
{
	const struct fact_call *plain, *none;

	*grid = (struct dlpack_grid){ .subject = subject };
	plain = dlpack_grid_find(grid, "__dlpack__()");
	if (!plain) {
		rule_skip(report, "the call __dlpack__() of the keyword grid was not made");
		return false;
	}
	/* DLP002 and DLP003 report that __dlpack_device__() returns something else. */
	if (!dlpack_declared_device(subject, &grid->device) &&
		!dlpack_tensor_device(subject, &grid->device))
		grid->device.type = 0;
	grid->plain_returned = plain->outcome == CALL_RETURNED;
	grid->takes_version = accepts_keyword(grid, "__dlpack__(max_version=None)");
	grid->takes_device = accepts_keyword(grid, "__dlpack__(dl_device=None)");
	grid->takes_copy = accepts_keyword(grid, "__dlpack__(copy=None)");
	grid->takes_stream = accepts_keyword(grid, "__dlpack__(stream=None)");
	none = dlpack_grid_find(grid, "__dlpack__(stream=None)");
	grid->takes_no_stream = !none || none->outcome == CALL_RETURNED || !grid->plain_returned;
	find_memory(grid);
	skip_for_lost(subject, report);
	return true;
}

static bool accepts_keywords(const struct dlpack_grid *grid, const struct fact_call *cell)
{
	return (grid->takes_version || !dlpack_cell_argument(cell, "max_version")) &&
	       (grid->takes_device || !dlpack_cell_argument(cell, "dl_device")) &&
	       (grid->takes_copy || !dlpack_cell_argument(cell, "copy")) &&
	       (grid->takes_stream || !dlpack_cell_argument(cell, "stream")) &&
	       (grid->takes_no_stream || !dlpack_cell_argument(cell, "stream") ||
		       !dlpack_cell_omits(cell, "stream"));
}

const struct fact_call *dlpack_grid_next(const struct dlpack_grid *grid, size_t *next)
{
	const struct fact_call_list *calls = &grid->subject->target->calls;

	while (*next < calls->n_items) {
		const struct fact_call *cell = &calls->items[(*next)++];

		if (was_made_in_grid(cell) && accepts_keywords(grid, cell))
			return cell;
	}
	return NULL;
}

bool dlpack_cell_keeps_device(const struct dlpack_grid *grid, const struct fact_call *cell)
{
	const struct value *device = dlpack_cell_argument(cell, "dl_device");

	return value_is_null(device) ||
	       (value_is_sequence(device) && device->n_items == 2 &&
		       value_int_or(device->items[0], -1) == grid->device.type &&
		       value_int_or(device->items[1], -1) == grid->device.id);
}

bool dlpack_cell_requests_host(const struct fact_call *cell)
{
	const struct value *device = dlpack_cell_argument(cell, "dl_device");

	return value_is_sequence(device) && device->n_items == 2 &&
	       value_int_or(device->items[0], 0) == DLPACK_CPU;
}

static bool returned_address(const struct dlpack_grid *grid, const struct fact_call *cell)
{
	return grid->knows_memory && cell->outcome == CALL_RETURNED && cell->pointer.known;
}

bool dlpack_cell_shares(const struct dlpack_grid *grid, const struct fact_call *cell)
{
	return returned_address(grid, cell) && cell->pointer.value == grid->memory;
}

bool dlpack_cell_copied(const struct dlpack_grid *grid, const struct fact_call *cell)
{
	return returned_address(grid, cell) && cell->pointer.value != grid->memory;
}

void dlpack_cells_add(struct dlpack_cells *cells, const struct fact_call *cell)
{
	if (!cells->n++)
		cells->first = cell;
}

static const char *show_other_calls(struct arena *arena, const struct dlpack_cells *cells,
	const char *before, const char *after)
{
	if (cells->n == 1)
		return "";
	return arena_printf(arena, "; %s%zu other call%s%s", before, cells->n - 1,
		cells->n == 2 ? "" : "s", after);
}

void dlpack_cells_report(const struct dlpack_cells *cells, struct report *report, const char *field,
	const char *what)
{
	struct arena arena = { 0 };

	if (cells->n)
		rule_fail(report, field, "%s %s%s", cells->first->step, what,
			show_other_calls(&arena, cells, "so did ", ""));
	arena_free(&arena);
}

void dlpack_cells_report_raised(const struct dlpack_cells *cells, struct report *report,
	const char *field, const char *instead)
{
	struct arena arena = { 0 };

	if (cells->n)
		rule_fail(report, field, "%s raised %s%s%s", cells->first->step,
			fact_exception(
				&arena, cells->first->error.type, cells->first->error.message),
			instead,
			show_other_calls(&arena, cells, "", " raised an exception as well"));
	arena_free(&arena);
}
