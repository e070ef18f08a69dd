// SPDX-License-Identifier: MIT
#include "run/pieces.h"

#include "base/arena.h"
#include "base/plural.h"

#include <stdlib.h>
#include <string.h>

/* The shape of the first interface that could be decoded; unknown if there is none. */
static struct fact_ints target_shape(struct arena *arena, const struct fact_target *target)
{
	for (size_t i = 0; i < target->interfaces.n_items; i++) {
		const struct fact_array *array = &target->interfaces.items[i].array;

		if (array->present)
			return fact_ints(arena, array->shape.items, array->shape.n_items);
	}
	return (struct fact_ints){ 0 };
}

void pieces_add(struct piece_collector *pieces, struct fact_target *target)
{
	const char *name = fact_text_or(target->target, "?");
	struct fact_placed_piece *placed;

	if (!target->piece.present && target->status == STATUS_OK) {
		target->status = STATUS_MISSING;
		target->step = "piece";
		target->error = (struct fact_error){ .present = true,
			.message =
				"the array of which it is a piece is not stated; capture it with "
				"piece=..., or add its dump to a list of pieces" };
	}
	if (!target->piece.present)
		return;
	pieces->items =
		arena_grow(&pieces->arena, pieces->items, pieces->n_items, sizeof(*pieces->items));
	placed = &pieces->items[pieces->n_items++];
	*placed = (struct fact_placed_piece){ .present = true,
		.target = arena_copy(&pieces->arena, name, strlen(name)),
		.shape = target_shape(&pieces->arena, target) };
	fact_copy(&fact_piece_record, &pieces->arena, &target->piece, &placed->piece);
}

static const char *array_name(const struct fact_placed_piece *placed)
{
	return fact_text_or(placed->piece.of, "?");
}

static int compare_names(const void *a, const void *b)
{
	const struct fact_placed_piece *const *x = a, *const *y = b;
	int order = strcmp(array_name(*x), array_name(*y));

	return order ? order : (*x > *y) - (*x < *y); /* equal: in the order of the run */
}

static int report_array(struct arena *arena, struct fact_placed_piece *const *items, size_t n_items,
	int (*on_array)(void *context, struct fact_target *array, struct err *err), void *context,
	struct err *err)
{
	struct fact_target array = { .present = true,
		.target = array_name(items[0]),
		.status = STATUS_OK,
		.type = arena_printf(
			arena, "distributed array of %zu piece%s", n_items, plural(n_items)),
		.interfaces.known = true,
		.calls.known = true,
		.trials.known = true,
		.ignores.known = true,
		.aliases.known = true,
		.pieces.known = true };

	array.pieces.n_items = n_items;
	array.pieces.items = arena_alloc(arena, n_items * sizeof(*array.pieces.items));
	for (size_t i = 0; i < n_items; i++)
		array.pieces.items[i] = *items[i];
	return on_array(context, &array, err);
}

int pieces_report(struct piece_collector *pieces,
	int (*on_array)(void *context, struct fact_target *array, struct err *err), void *context,
	struct err *err)
{
	struct fact_placed_piece **sorted = arena_alloc(
		&pieces->arena, (pieces->n_items + 1) * sizeof(struct fact_placed_piece *));
	size_t first = 0;

	for (size_t i = 0; i < pieces->n_items; i++)
		sorted[i] = &pieces->items[i];
	qsort(sorted, pieces->n_items, sizeof(*sorted), compare_names);
	for (size_t i = 1; i <= pieces->n_items; i++) {
		if (i < pieces->n_items &&
			!strcmp(array_name(sorted[i]), array_name(sorted[first])))
			continue;
		if (report_array(&pieces->arena, &sorted[first], i - first, on_array, context, err))
			return -1;
		first = i;
	}
	return 0;
}
