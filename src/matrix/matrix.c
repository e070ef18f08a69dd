// SPDX-License-Identifier: MIT
#include "matrix/matrix.h"

#include "base/option.h"
#include "base/text.h"

#include <string.h>

/* --- planning --- */

static bool is_among_names(const char *const *names, size_t n_names, const char *name)
{
	for (size_t i = 0; i < n_names; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

static const struct adapter *find_added(const struct adapter *added, const char *library)
{
	for (; added && added->library; added++)
		if (!strcmp(added->library, library))
			return added;
	return NULL;
}

static void add_library(struct matrix *matrix, const struct adapter *adapter)
{
	matrix->libraries = arena_grow(
		matrix->arena, matrix->libraries, matrix->n_libraries, sizeof(*matrix->libraries));
	matrix->libraries[matrix->n_libraries++] = (struct matrix_library){ .adapter = adapter };
}

/* The table's rows, then those of the user that replace none of them. */
static void list_libraries(struct matrix *matrix, const struct matrix_choice *choice)
{
	for (const struct adapter *row = adapters; row->library; row++) {
		const struct adapter *added = find_added(choice->added, row->library);

		add_library(matrix, added ? added : row);
	}
	for (const struct adapter *row = choice->added; row && row->library; row++)
		if (!find_added(adapters, row->library))
			add_library(matrix, row);
}

static const char *join_names(struct arena *arena, const char **names, size_t n_names)
{
	const char *text = "";

	for (size_t i = 0; i < n_names; i++)
		text = arena_printf(arena, "%s%s%s", text, i ? " " : "", names[i]);
	return text;
}

static int check_libraries(
	const struct matrix *matrix, const struct matrix_choice *choice, struct err *err)
{
	const char **names = arena_alloc(matrix->arena, (matrix->n_libraries + 1) * sizeof(*names));

	for (size_t i = 0; i < matrix->n_libraries; i++)
		names[i] = matrix->libraries[i].adapter->library;
	for (size_t i = 0; i < choice->n_libraries; i++) {
		const char *name = choice->libraries[i];

		if (is_among_names(names, matrix->n_libraries, name))
			continue;
		err_set(err, EXIT_USAGE, "unknown library '%s'", name);
		return err_suggest(err, option_suggest(name, names, matrix->n_libraries),
			" (one of: %s); key adapters of suai.yaml adds others",
			join_names(matrix->arena, names, matrix->n_libraries));
	}
	return 0;
}

/* Whether text, up to end, is the name of the library or of its consumer (NULL: none). */
static bool names_side(const char *text, const char *end, const struct adapter *adapter,
	const struct adapter_consumer *consumer)
{
	size_t n_chars = (size_t)(end - text);

	return (n_chars == strlen(adapter->library) && !strncmp(text, adapter->library, n_chars)) ||
	       (consumer && n_chars == strlen(consumer->name) &&
		       !strncmp(text, consumer->name, n_chars));
}

/* The colon of PRODUCER:CONSUMER, or the > of a cell's id; NULL: there is none. */
static const char *find_separator(const char *pair)
{
	const char *separator = strpbrk(pair, ":>");

	return separator && separator > pair && separator[1] ? separator : NULL;
}

static bool is_chosen_pair(const char *pair, const struct adapter *producer,
	const struct adapter *library, const struct adapter_consumer *consumer)
{
	const char *separator = find_separator(pair);
	const char *end = pair + strlen(pair);

	return separator && names_side(pair, separator, producer, NULL) &&
	       names_side(separator + 1, end, library, consumer);
}

/* The library that has the consumer; NULL: none has it any longer. */
static const char *library_with_consumer(const struct matrix_choice *choice, const char *consumer)
{
	for (const struct adapter *row = choice->added; row && row->library; row++)
		if (adapter_has_consumer(row, consumer))
			return row->library;
	for (const struct adapter *row = adapters; row->library; row++)
		if (adapter_has_consumer(row, consumer))
			return row->library;
	return NULL;
}

static bool belongs_to_library(
	const struct matrix_choice *choice, const char *consumer, const char *library)
{
	const char *owner = library_with_consumer(choice, consumer);
	size_t n_chars = strlen(library);

	if (owner)
		return !strcmp(owner, library);
	return !strncmp(consumer, library, n_chars) &&
	       (!consumer[n_chars] || consumer[n_chars] == '.');
}

bool matrix_is_chosen(
	const struct matrix_choice *choice, const char *producer, const char *consumer)
{
	bool is_chosen = !choice->n_libraries;

	if (choice->n_libraries &&
		!is_among_names(choice->libraries, choice->n_libraries, producer))
		return false;
	for (size_t i = 0; i < choice->n_libraries; i++)
		is_chosen |= belongs_to_library(choice, consumer, choice->libraries[i]);
	if (!is_chosen || !choice->n_pairs)
		return is_chosen;
	for (size_t i = 0; i < choice->n_pairs; i++) {
		const char *separator = find_separator(choice->pairs[i]);
		size_t n_chars = separator ? (size_t)(separator - choice->pairs[i]) : 0;

		if (n_chars && n_chars == strlen(producer) &&
			!strncmp(choice->pairs[i], producer, n_chars) &&
			(!strcmp(separator + 1, consumer) ||
				belongs_to_library(choice, consumer, separator + 1)))
			return true;
	}
	return false;
}

static bool can_make_array(const struct adapter *producer, const struct battery_array *array)
{
	return !array->placement->is_pending || producer->has_queue;
}

static bool has_arrays(const struct matrix *matrix, const struct adapter *producer)
{
	for (size_t i = 0; i < matrix->n_arrays; i++)
		if (can_make_array(producer, &matrix->arrays[i]))
			return true;
	return false;
}

bool matrix_has_array(const struct matrix_cell *cell, const struct battery_array *array)
{
	return can_make_array(cell->producer->adapter, array);
}

static void matrix_add_cell(struct matrix *matrix, struct matrix_library *producer,
	struct matrix_library *library, const struct adapter_consumer *consumer)
{
	struct matrix_cell *cell;

	matrix->cells =
		arena_grow(matrix->arena, matrix->cells, matrix->n_cells, sizeof(*matrix->cells));
	cell = &matrix->cells[matrix->n_cells++];
	*cell = (struct matrix_cell){
		.id = arena_printf(
			matrix->arena, "%s>%s", producer->adapter->library, consumer->name),
		.producer = producer,
		.library = library,
		.consumer = consumer,
		.outcomes = arena_alloc(matrix->arena, matrix->n_arrays * sizeof(*cell->outcomes)),
	};
	for (size_t i = 0; i < matrix->n_arrays; i++)
		cell->outcomes[i].state =
			matrix_has_array(cell, &matrix->arrays[i]) ? CELL_ABSENT : CELL_NOT_PLANNED;
	producer->has_cells = library->has_cells = true;
}

static void matrix_add_cells(
	struct matrix *matrix, const struct matrix_choice *choice, bool *is_used)
{
	struct matrix_library *libraries = matrix->libraries;

	for (size_t p = 0; p < matrix->n_libraries; p++)
		for (size_t c = 0; libraries[p].adapter->producer && c < matrix->n_libraries; c++)
			for (size_t k = 0; k < ADAPTER_MAX_CONSUMERS; k++) {
				const struct adapter_consumer *consumer =
					&libraries[c].adapter->consumers[k];
				bool is_chosen = !choice->n_pairs;

				if (!consumer->name)
					break;
				for (size_t i = 0; i < choice->n_pairs; i++)
					if (is_chosen_pair(choice->pairs[i], libraries[p].adapter,
						    libraries[c].adapter, consumer))
						is_used[i] = is_chosen = true;
				if (is_chosen && has_arrays(matrix, libraries[p].adapter))
					matrix_add_cell(
						matrix, &libraries[p], &libraries[c], consumer);
			}
}

static void plan_arrays(struct matrix *matrix)
{
	for (const struct placement *placement = placements; placement->name; placement++) {
		if (strcmp(matrix->placement, "all") != 0 &&
			strcmp(matrix->placement, placement->name) != 0)
			continue;
		for (const struct battery_row *row = battery; row->id; row++) {
			matrix->arrays = arena_grow(matrix->arena, matrix->arrays, matrix->n_arrays,
				sizeof(*matrix->arrays));
			matrix->arrays[matrix->n_arrays++] = (struct battery_array){ row, placement,
				arena_printf(matrix->arena, "%s%s", row->id, placement->suffix) };
		}
	}
}

static bool is_library(const struct matrix_choice *choice, const char *name)
{
	return find_added(choice->added, name) || find_added(adapters, name);
}

/* The library of a pair that exists, but not among the names of choice; NULL: neither. */
static const char *find_excluded(
	struct arena *arena, const struct matrix_choice *choice, const char *pair)
{
	const char *separator = find_separator(pair);
	const char *sides[2] = { arena_copy(arena, pair, (size_t)(separator - pair)),
		library_with_consumer(choice, separator + 1) };

	if (!sides[1])
		sides[1] = separator + 1;
	for (size_t i = 0; choice->n_libraries && i < 2; i++)
		if (is_library(choice, sides[i]) &&
			!is_among_names(choice->libraries, choice->n_libraries, sides[i]))
			return sides[i];
	return NULL;
}

/* Leaves the libraries that were chosen. */
static void keep_chosen(struct matrix *matrix, const struct matrix_choice *choice)
{
	size_t n_kept = 0;

	for (size_t i = 0; i < matrix->n_libraries; i++)
		if (!choice->n_libraries || is_among_names(choice->libraries, choice->n_libraries,
						    matrix->libraries[i].adapter->library))
			matrix->libraries[n_kept++] = matrix->libraries[i];
	matrix->n_libraries = n_kept;
}

/* Names the consumers of the library that the pair names, otherwise the libraries. */
static int refuse_pair(const struct matrix *matrix, const char *pair, struct err *err)
{
	const char *separator = find_separator(pair), *consumer = separator + 1;
	struct text names = { 0 }, libraries = { 0 };
	bool has_producer = false;

	for (size_t i = 0; i < matrix->n_libraries; i++) {
		const struct adapter *adapter = matrix->libraries[i].adapter;
		size_t n_chars = strlen(adapter->library);

		text_printf(&libraries, "%s%s", i ? ", " : "", adapter->library);
		has_producer |= names_side(pair, separator, adapter, NULL);
		if (strncmp(consumer, adapter->library, n_chars) != 0 ||
			(consumer[n_chars] && consumer[n_chars] != '.'))
			continue;
		for (size_t k = 0; k < ADAPTER_MAX_CONSUMERS && adapter->consumers[k].name; k++)
			text_printf(&names, "%s%s", names.n_bytes ? ", " : "",
				adapter->consumers[k].name);
	}
	err_set(err, EXIT_USAGE, "--only '%s': there is no such pair; %s: %s", pair,
		has_producer && names.n_bytes ? "consumers" : "libraries",
		has_producer && names.n_bytes ? names.bytes : libraries.bytes);
	text_free(&names);
	text_free(&libraries);
	return -1;
}

int matrix_plan(struct matrix *matrix, const struct matrix_choice *choice, struct err *err)
{
	bool *is_used = arena_alloc(matrix->arena, choice->n_pairs + 1);
	const char *excluded;

	matrix->placement = choice->placement;
	list_libraries(matrix, choice);
	if (check_libraries(matrix, choice, err))
		return -1;
	keep_chosen(matrix, choice);
	plan_arrays(matrix);
	matrix_add_cells(matrix, choice, is_used);
	for (size_t i = 0; i < choice->n_pairs; i++) {
		if (!find_separator(choice->pairs[i]))
			return err_set(err, EXIT_USAGE,
				"--only '%s': expected PRODUCER:CONSUMER, such as jax:numpy or "
				"jax:numpy.asarray",
				choice->pairs[i]);
		if (is_used[i])
			continue;
		excluded = find_excluded(matrix->arena, choice, choice->pairs[i]);
		if (excluded)
			return err_set(err, EXIT_USAGE,
				"--only '%s': '%s' is not among the libraries named",
				choice->pairs[i], excluded);
		return refuse_pair(matrix, choice->pairs[i], err);
	}
	return 0;
}

static const char *find_unavailable(struct arena *arena, const struct matrix_cell *cell)
{
	const struct matrix_library *library =
		cell->producer->unavailable ? cell->producer : cell->library;

	return library->unavailable ? arena_printf(arena, "%s: %s", library->adapter->library,
					      library->unavailable)
				    : NULL;
}

static bool is_droppable(const struct matrix_library *library, const struct matrix_choice *choice)
{
	return library->unavailable && !choice->n_libraries && !choice->n_pairs &&
	       !find_added(choice->added, library->adapter->library);
}

void matrix_drop_unavailable(struct matrix *matrix, const struct matrix_choice *choice)
{
	size_t n_kept = 0;

	for (size_t i = 0; i < matrix->n_cells; i++) {
		const struct matrix_cell *cell = &matrix->cells[i];
		const char *reason = find_unavailable(matrix->arena, cell);

		if (is_droppable(cell->producer, choice) || is_droppable(cell->library, choice))
			continue;
		for (size_t k = 0; reason && k < matrix->n_arrays; k++)
			cell->outcomes[k].reason = reason;
		matrix->cells[n_kept++] = *cell;
	}
	matrix->n_cells = n_kept;
}

enum cell_state matrix_cell_state(const struct matrix *matrix, const struct matrix_cell *cell)
{
	enum cell_state worst = CELL_ABSENT;

	for (size_t i = 0; i < matrix->n_arrays; i++)
		if (cell->outcomes[i].state < worst)
			worst = cell->outcomes[i].state;
	return worst;
}

/* --- the document --- */

static struct value *libraries_to_value(const struct matrix *matrix)
{
	struct arena *arena = matrix->arena;
	struct value *list = value_list(arena);

	for (size_t i = 0; i < matrix->n_libraries; i++) {
		const struct matrix_library *library = &matrix->libraries[i];
		struct value *map;

		if (!library->has_cells)
			continue;
		map = value_append(arena, list, value_map(arena));
		value_add(arena, map, "library", value_text(arena, library->adapter->library));
		value_add(arena, map, "version", value_text(arena, library->version));
		value_add(arena, map, "device", value_text(arena, library->device));
		value_add(arena, map, "unavailable", value_text(arena, library->unavailable));
	}
	return list;
}

static struct value *arrays_to_value(const struct matrix *matrix)
{
	struct arena *arena = matrix->arena;
	struct value *list = value_list(arena);

	for (size_t i = 0; i < matrix->n_arrays; i++) {
		const struct battery_array *array = &matrix->arrays[i];
		struct value *map = value_append(arena, list, value_map(arena));

		value_add(arena, map, "array", value_text(arena, array->name));
		value_add(arena, map, "placement", value_text(arena, array->placement->name));
		value_add(arena, map, "about",
			value_text(arena, consumer_case_find(arena, array->row->id)->about));
		value_add(arena, map, "python", value_text(arena, array->row->python));
	}
	return list;
}

static bool is_same_outcome(const struct cell_outcome *a, const struct cell_outcome *b)
{
	return a->state == b->state &&
	       !strcmp(a->reason ? a->reason : "", b->reason ? b->reason : "");
}

/* Lines that show the elements of the result. Objects of the libraries of suai's table print them;
 * those of the user's may show only their type. */
static const char *show_elements(const struct matrix_cell *cell, enum cell_state state)
{
	const struct adapter *adapter = cell->library->adapter;
	bool has_elements =
		state == CELL_WRONG || state == CELL_WRONG_ORDER || state == CELL_RESHAPED;

	if (!has_elements || cell->library->device ||
		find_added(adapters, adapter->library) == adapter)
		return "print(result)\n";
	return "print(_)\nprint(numpy.asarray(result))\n";
}

/* Plain Python that shows the outcome of an array. */
static const char *show_reproduction(const struct matrix *matrix, const struct matrix_cell *cell,
	const struct battery_array *array, enum cell_state state)
{
	const struct adapter *producer = cell->producer->adapter,
			     *consumer = cell->library->adapter;
	struct arena *arena = matrix->arena;
	const char *text = "import numpy\n";

	if (!strcmp(array->row->id, "bfloat16"))
		text = arena_printf(arena, "%simport ml_dtypes\n", text);
	if (*producer->import && strcmp(producer->import, "import numpy") != 0)
		text = arena_printf(arena, "%s%s\n", text, producer->import);
	if (*consumer->import && strcmp(consumer->import, "import numpy") != 0 &&
		strcmp(consumer->import, producer->import) != 0)
		text = arena_printf(arena, "%s%s\n", text, consumer->import);
	text = arena_printf(arena, "%s_ = %s\n", text, array->row->python);
	if (array->placement->offset_bytes)
		text = arena_printf(arena, "%s%s", text, array->placement->comment);
	if (strcmp(producer->producer, "_") != 0)
		text = arena_printf(arena, "%s_ = %s\n", text, producer->producer);
	if (array->placement->is_pending)
		text = arena_printf(arena, "%s%s", text, array->placement->comment);
	return arena_printf(arena, "%sresult = %s\n%s", text, cell->consumer->expression,
		show_elements(cell, state));
}

/* The arrays of one outcome. Marks them as written. */
static struct value *result_to_value(
	const struct matrix *matrix, const struct matrix_cell *cell, size_t first, bool *is_written)
{
	const struct cell_outcome *outcome = &cell->outcomes[first];
	struct arena *arena = matrix->arena;
	struct value *map = value_map(arena), *arrays = value_list(arena);

	value_add(arena, map, "state", value_text(arena, cell_state_name(outcome->state)));
	value_add(arena, map, "reason", value_text(arena, outcome->reason));
	value_add(arena, map, "arrays", arrays);
	for (size_t i = first; i < matrix->n_arrays; i++) {
		if (is_written[i] || !is_same_outcome(outcome, &cell->outcomes[i]))
			continue;
		is_written[i] = true;
		value_append(arena, arrays, value_text(arena, matrix->arrays[i].name));
	}
	value_add(arena, map, "reproduction",
		outcome->state < CELL_COPIED
			? value_text(arena, show_reproduction(matrix, cell, &matrix->arrays[first],
						    outcome->state))
			: value_null(arena));
	return map;
}

/* Worst first. */
static struct value *results_to_value(const struct matrix *matrix, const struct matrix_cell *cell)
{
	struct value *list = value_list(matrix->arena);
	bool *is_written = arena_alloc(matrix->arena, matrix->n_arrays + 1);

	for (int state = 0; state < CELL_N_STATES; state++)
		for (size_t i = 0; i < matrix->n_arrays; i++)
			if (!is_written[i] && (int)cell->outcomes[i].state == state)
				value_append(matrix->arena, list,
					result_to_value(matrix, cell, i, is_written));
	return list;
}

static struct value *counts_to_value(const struct matrix *matrix, const struct matrix_cell *cell)
{
	struct value *map = value_map(matrix->arena);
	int64_t counts[CELL_N_STATES] = { 0 };

	for (size_t i = 0; i < matrix->n_arrays; i++)
		if (cell->outcomes[i].state != CELL_NOT_PLANNED)
			counts[cell->outcomes[i].state]++;
	for (int state = 0; state < CELL_N_STATES; state++)
		if (counts[state])
			value_add(matrix->arena, map, cell_state_name(state),
				value_int(matrix->arena, counts[state]));
	return map;
}

static struct value *cell_to_value(const struct matrix *matrix, const struct matrix_cell *cell)
{
	struct arena *arena = matrix->arena;
	struct value *map = value_map(arena);

	value_add(arena, map, "id", value_text(arena, cell->id));
	value_add(arena, map, "producer", value_text(arena, cell->producer->adapter->library));
	value_add(arena, map, "consumer", value_text(arena, cell->consumer->name));
	value_add(arena, map, "state",
		value_text(arena, cell_state_name(matrix_cell_state(matrix, cell))));
	value_add(arena, map, "counts", counts_to_value(matrix, cell));
	value_add(arena, map, "results", results_to_value(matrix, cell));
	return map;
}

struct value *matrix_to_value(const struct matrix *matrix)
{
	struct arena *arena = matrix->arena;
	struct value *map = value_map(arena), *list = value_list(arena);

	value_add(arena, map, "suai", value_int(arena, MATRIX_FORMAT));
	value_add(arena, map, "command", value_text(arena, "matrix"));
	value_add(arena, map, "version", value_text(arena, SUAI_VERSION));
	value_add(arena, map, "python", value_text(arena, matrix->python));
	value_add(arena, map, "processor", value_text(arena, matrix->cpu));
	value_add(arena, map, "placement", value_text(arena, matrix->placement));
	value_add(arena, map, "libraries", libraries_to_value(matrix));
	value_add(arena, map, "arrays", arrays_to_value(matrix));
	for (size_t i = 0; i < matrix->n_cells; i++)
		value_append(arena, list, cell_to_value(matrix, &matrix->cells[i]));
	value_add(arena, map, "cells", list);
	return map;
}
