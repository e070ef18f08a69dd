// SPDX-License-Identifier: MIT
#include "matrix/matrix_view.h"

#include "base/identifier.h"

#include <ctype.h>
#include <string.h>

char matrix_state_letter(enum cell_state state)
{
	static const char letters[] = { [CELL_CRASH] = 'X',
		[CELL_HANG] = 'H',
		[CELL_LEFT] = 'L',
		[CELL_WRONG] = 'W',
		[CELL_WRONG_ORDER] = 'O',
		[CELL_RESHAPED] = 'D',
		[CELL_NARROWED] = 'N',
		[CELL_UNKNOWN] = '?',
		[CELL_REFUSED] = 'r',
		[CELL_COPIED] = 'c',
		[CELL_SHARED] = 's',
		[CELL_ABSENT] = '-' };

	return letters[state];
}

/* The index of name, which is added to the names if it is new. */
static size_t add_name(struct arena *arena, const char ***names, size_t *n_names, const char *name)
{
	for (size_t i = 0; i < *n_names; i++)
		if (!strcmp((*names)[i], name))
			return i;
	*names = arena_grow(arena, *names, *n_names, sizeof(**names));
	(*names)[(*n_names)++] = name;
	return *n_names - 1;
}

static const char *text_of(const struct value *map, const char *key)
{
	return value_text_or(value_get(map, key), "?");
}

/* The reason of a refusal without brackets and what they enclose, words with digits, and "bool". */
static const char *pattern_of(struct arena *arena, enum cell_state state, const char *reason)
{
	char *pattern = arena_copy(arena, reason, strlen(reason)), *out = pattern;
	int n_open = 0;

	if (state != CELL_REFUSED)
		return pattern;
	while (*reason) {
		size_t n_chars = 0;
		bool has_digit = false, is_bool;

		while (is_identifier_byte(reason[n_chars]))
			has_digit |= isdigit((unsigned char)reason[n_chars++]) != 0;
		is_bool = n_chars == strlen("bool") && !strncmp(reason, "bool", n_chars);
		if (n_chars && !n_open && !has_digit && !is_bool) {
			memcpy(out, reason, n_chars);
			out += n_chars;
		} else if (!n_chars) {
			n_open += strchr("([", *reason) != NULL;
			if (!n_open)
				*out++ = *reason;
			n_open -= n_open && strchr(")]", *reason);
			n_chars = 1;
		}
		reason += n_chars;
	}
	*out = '\0';
	return pattern;
}

/* Results of one cell, which are consecutive, become one. */
static void add_cause_arrays(
	struct arena *arena, struct matrix_cause *cause, const char *id, const struct value *arrays)
{
	size_t n_results = cause->n_results;

	if (!n_results || strcmp(cause->results[n_results - 1].id, id) != 0) {
		cause->results =
			arena_grow(arena, cause->results, n_results, sizeof(*cause->results));
		cause->results[cause->n_results++] =
			(struct matrix_cause_result){ id, value_list(arena) };
	}
	for (size_t i = 0; i < arrays->n_items; i++)
		value_append(arena, cause->results[cause->n_results - 1].arrays, arrays->items[i]);
}

static void add_result(struct matrix_view *view, struct arena *arena, const struct value *cell,
	const struct value *result)
{
	enum cell_state state = cell_state_from_name(text_of(result, "state"));
	const char *reason = value_text_or(value_get(result, "reason"), NULL);
	struct matrix_cause *cause;
	const char *pattern;
	size_t i = 0;

	if (!reason || state == CELL_N_STATES)
		return;
	pattern = pattern_of(arena, state, reason);
	while (i < view->n_causes &&
		(view->causes[i].state != state || strcmp(view->causes[i].pattern, pattern) != 0))
		i++;
	if (i == view->n_causes) {
		view->causes =
			arena_grow(arena, view->causes, view->n_causes, sizeof(*view->causes));
		view->causes[view->n_causes++] = (struct matrix_cause){
			.state = state, .reason = reason, .pattern = pattern
		};
	}
	cause = &view->causes[i];
	cause->varies |= strcmp(cause->reason, reason) != 0;
	add_cause_arrays(arena, cause, text_of(cell, "id"), value_get(result, "arrays"));
}

/* Worst first; equal states stay in the order of their cells. */
static void sort_matrix_causes(struct matrix_view *view)
{
	for (size_t i = 1; i < view->n_causes; i++)
		for (size_t k = i; k > 0 && view->causes[k].state < view->causes[k - 1].state;
			k--) {
			struct matrix_cause cause = view->causes[k];

			view->causes[k] = view->causes[k - 1];
			view->causes[k - 1] = cause;
		}
}

void matrix_view_open(struct matrix_view *view, struct arena *arena, const struct value *document)
{
	const struct value *cells = value_get(document, "cells");

	*view = (struct matrix_view){ .document = document };
	for (size_t i = 0; i < cells->n_items; i++) {
		const struct value *results = value_get(cells->items[i], "results");

		add_name(arena, &view->producers, &view->n_producers,
			text_of(cells->items[i], "producer"));
		add_name(arena, &view->consumers, &view->n_consumers,
			text_of(cells->items[i], "consumer"));
		for (size_t k = 0; k < results->n_items; k++)
			add_result(view, arena, cells->items[i], results->items[k]);
	}
	view->cells = arena_alloc(
		arena, (view->n_producers * view->n_consumers + 1) * sizeof(*view->cells));
	for (size_t i = 0; i < cells->n_items; i++) {
		const struct value *cell = cells->items[i];
		size_t producer = add_name(
			arena, &view->producers, &view->n_producers, text_of(cell, "producer"));
		size_t consumer = add_name(
			arena, &view->consumers, &view->n_consumers, text_of(cell, "consumer"));

		view->cells[producer * view->n_consumers + consumer] = cell;
	}
	sort_matrix_causes(view);
}

const struct value *matrix_view_cell(
	const struct matrix_view *view, size_t producer, size_t consumer)
{
	return view->cells[producer * view->n_consumers + consumer];
}
