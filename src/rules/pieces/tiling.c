// SPDX-License-Identifier: MIT
/* PCS rules on all pieces of a distributed array together. */
#include "base/plural.h"
#include "base/words.h"
#include "rules/pieces/cover.h"
#include "rules/pieces/pieces.h"

#include "model/array.h"

#include <inttypes.h>
#include <string.h>

/* The pieces that have a place. */
struct tiling {
	const struct fact_placed_piece_list *pieces;
	struct report *report;
	struct arena *arena;
	struct cover cover;
	struct cover_box *boxes;
	size_t *numbers;      /* of the boxes in pieces */
	const char *unplaced; /* the first piece without a place; NULL: none */
	bool finds_gaps;      /* otherwise overlaps */
};

static bool same_numbers(const struct fact_ints *a, const struct fact_ints *b)
{
	return a->known == b->known && a->n_items == b->n_items &&
	       (!a->n_items || !memcmp(a->items, b->items, a->n_items * sizeof(*a->items)));
}

static const char *show_array_shape(struct arena *arena, const struct fact_ints *shape)
{
	return shape->known ? words_tuple(arena, shape->items, (int)shape->n_items) : "no shape";
}

static void pcs_check_declaration(const struct subject *subject, struct report *report)
{
	const struct fact_placed_piece_list *pieces = &subject->target->pieces;
	struct arena *arena = subject->arena;

	for (size_t i = 1; i < pieces->n_items; i++) {
		const struct fact_placed_piece *first = &pieces->items[0],
					       *other = &pieces->items[i];
		const char *dtype = fact_text_or(first->piece.dtype, "no type");
		const char *other_dtype = fact_text_or(other->piece.dtype, "no type");

		if (!same_numbers(&first->piece.shape, &other->piece.shape))
			rule_fail(report, arena_printf(arena, "pieces[%zu].piece.shape", i),
				"'%s' declares %s for the array, but '%s' declares %s",
				fact_text_or(first->target, "?"),
				show_array_shape(arena, &first->piece.shape),
				fact_text_or(other->target, "?"),
				show_array_shape(arena, &other->piece.shape));
		else if (strcmp(dtype, other_dtype) != 0)
			rule_fail(report, arena_printf(arena, "pieces[%zu].piece.dtype", i),
				"'%s' declares %s for the array, but '%s' declares %s",
				fact_text_or(first->target, "?"), dtype,
				fact_text_or(other->target, "?"), other_dtype);
	}
}

/* "[0:4, 3:6] (12 elements)" */
static const char *show_box(struct arena *arena, int n_dims, const struct cover_box *box)
{
	const char *list = "";
	int64_t n_elements = 1;

	for (int i = 0; i < n_dims; i++) {
		list = arena_printf(arena, "%s%s%" PRId64 ":%" PRId64, list, i ? ", " : "",
			box->low[i], box->high[i]);
		if (__builtin_mul_overflow(n_elements, box->high[i] - box->low[i], &n_elements))
			n_elements = INT64_MAX;
	}
	return arena_printf(arena, "[%s] (%s%" PRId64 " element%s)", list,
		n_elements == INT64_MAX ? "over " : "", n_elements, plural(n_elements));
}

static void report_overlap(void *context, size_t i, size_t j)
{
	struct tiling *tiling = context;
	const struct cover_box *a = &tiling->boxes[i], *b = &tiling->boxes[j];
	const struct fact_placed_piece *pieces = tiling->pieces->items;
	int64_t low[ARRAY_MAX_DIMS], high[ARRAY_MAX_DIMS];

	if (tiling->finds_gaps)
		return;
	for (int k = 0; k < tiling->cover.n_dims; k++) {
		low[k] = a->low[k] > b->low[k] ? a->low[k] : b->low[k];
		high[k] = a->high[k] < b->high[k] ? a->high[k] : b->high[k];
	}
	rule_fail(tiling->report,
		arena_printf(tiling->arena, "pieces[%zu].piece.offset", tiling->numbers[i]),
		"'%s' and '%s' both contain %s",
		fact_text_or(pieces[tiling->numbers[j]].target, "?"),
		fact_text_or(pieces[tiling->numbers[i]].target, "?"),
		show_box(tiling->arena, tiling->cover.n_dims, &(struct cover_box){ low, high }));
}

static void report_gap(void *context, const struct cover_box *box)
{
	struct tiling *tiling = context;

	if (tiling->finds_gaps)
		rule_fail(tiling->report, "pieces[0].piece.shape", "no piece contains %s",
			show_box(tiling->arena, tiling->cover.n_dims, box));
}

static void add_box(struct tiling *tiling, size_t number)
{
	const struct fact_placed_piece *placed = &tiling->pieces->items[number];
	const struct fact_ints *extents = piece_extents(&placed->piece, &placed->shape);
	const struct fact_ints *offset = &placed->piece.offset;
	int64_t *high = arena_alloc(tiling->arena, (offset->n_items + 1) * sizeof(*high));
	const char *field;

	if (!extents->known || piece_axes_problem(tiling->arena, &placed->piece, extents, &field) ||
		(tiling->cover.n_dims >= 0 && offset->n_items != (size_t)tiling->cover.n_dims)) {
		if (!tiling->unplaced)
			tiling->unplaced = fact_text_or(placed->target, "?");
		return;
	}
	tiling->cover.n_dims = (int)offset->n_items;
	for (size_t i = 0; i < offset->n_items; i++)
		high[i] = offset->items[i] + extents->items[i];
	tiling->numbers[tiling->cover.n_boxes] = number;
	tiling->boxes[tiling->cover.n_boxes++] = (struct cover_box){ offset->items, high };
}

/* Skips the rule if the pieces cannot be compared. */
static void check_cover(const struct subject *subject, struct report *report, bool finds_gaps)
{
	const struct fact_placed_piece_list *pieces = &subject->target->pieces;
	const struct fact_ints *shape = pieces->n_items ? &pieces->items[0].piece.shape : NULL;
	struct tiling tiling = { .pieces = pieces,
		.report = report,
		.arena = subject->arena,
		.finds_gaps = finds_gaps,
		.cover = { .n_dims = -1,
			.on_overlap = report_overlap,
			.on_gap = report_gap,
			.context = &tiling } };

	if (!pieces->n_items)
		return;
	tiling.boxes = arena_alloc(subject->arena, pieces->n_items * sizeof(*tiling.boxes));
	tiling.numbers = arena_alloc(subject->arena, pieces->n_items * sizeof(*tiling.numbers));
	for (size_t i = 0; i < pieces->n_items; i++)
		add_box(&tiling, i);
	tiling.cover.boxes = tiling.boxes;
	if (finds_gaps && tiling.unplaced)
		rule_skip(report, "the place of '%s' in the array is unknown", tiling.unplaced);
	else if (finds_gaps && !shape->known)
		rule_skip(report, "the pieces do not declare the shape of the array");
	else if (tiling.cover.n_boxes) {
		if (finds_gaps)
			tiling.cover.shape = shape->items;
		if (cover_check(&tiling.cover))
			rule_skip(report,
				"the boundaries of the pieces divide the array into more than %d cells",
				COVER_MAX_CELLS);
	}
}

static void pcs_check_overlap(const struct subject *subject, struct report *report)
{
	check_cover(subject, report, false);
}

static void pcs_check_gap(const struct subject *subject, struct report *report)
{
	check_cover(subject, report, true);
}

const struct rule tiling_rules[] = {
	{
		PIECE_RULE("PCS901", "one-declaration"),
		.summary = "all pieces declare the same shape and element type of the array",
		.why = "the pieces belong to different arrays or to different versions of an array: the engine interprets some of them by the metadata of another",
		.fix = "read shape and dtype of the array once, and pass the same values to every piece",
		.check = pcs_check_declaration,
	},
	{
		PIECE_RULE("PCS305", "piece-overlap"),
		.requires = { "PCS901" },
		.summary = "no element of an array is in two pieces",
		.why = "a reduction counts the element twice, and which of two different values a reader gets depends on the order of the pieces",
		.fix = "remove the ghost cells before the piece is registered: block[1:-1]; or correct its offset",
		.check = pcs_check_overlap,
	},
	{
		PIECE_RULE("PCS306", "piece-gap"),
		.requires = { "PCS901" },
		.summary = "every element of an array is in a piece",
		.why = "the engine waits for the missing piece, or returns uninitialized memory in its place",
		.fix = "capture every piece, and check the offsets of the pieces next to the gap",
		.check = pcs_check_gap,
	},
	{ .id = NULL },
};
