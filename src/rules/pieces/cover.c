// SPDX-License-Identifier: MIT
/*
 * Marks the cells of the grid of boundaries with the box that has them. In each row of cells, a
 * link from each marked cell leads towards the next one that is not, so that no cell is marked
 * twice however many boxes overlap.
 */
#include "rules/pieces/cover.h"

#include "base/memory.h"
#include "model/array.h"

#include <stdbool.h>
#include <stdlib.h>

enum { FREE = -1, REPORTED = -2 };

/* The boundaries on an axis, ascending: cell i is between bounds[i] and bounds[i + 1]. */
struct axis {
	int64_t *bounds;
	size_t n_bounds, n_cells;
	size_t step; /* from a cell to the next one on this axis */
};

struct grid {
	const struct cover *cover;
	struct axis axes[ARRAY_MAX_DIMS];
	int n_axes;    /* at least one: an array without dimensions is treated as one element */
	size_t n_rows; /* of cells along the last axis */
	size_t n_cells;
	int32_t *owners; /* of the cells: a box, or FREE or REPORTED */
	uint32_t *links; /* n_cells + 1 for each row: a cell at or after this one */
};

/* A range of cells on each axis. */
struct cells {
	size_t low[ARRAY_MAX_DIMS], high[ARRAY_MAX_DIMS];
};

static int compare_bounds(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int64_t clip(const struct cover *cover, int axis, int64_t index)
{
	if (!cover->shape)
		return index;
	return index < 0 ? 0 : index > cover->shape[axis] ? cover->shape[axis] : index;
}

static bool is_empty(const struct cover *cover, const struct cover_box *box)
{
	for (int i = 0; i < cover->n_dims; i++)
		if (clip(cover, i, box->low[i]) >= clip(cover, i, box->high[i]))
			return true;
	return false;
}

static void read_bounds(struct grid *grid, int number)
{
	const struct cover *cover = grid->cover;
	struct axis *axis = &grid->axes[number];
	size_t n = 0, n_kept = 0;

	axis->bounds = mem_alloc((2 * cover->n_boxes + 2) * sizeof(*axis->bounds));
	for (size_t i = 0; i < cover->n_boxes; i++) {
		if (is_empty(cover, &cover->boxes[i]))
			continue;
		axis->bounds[n++] = clip(cover, number, cover->boxes[i].low[number]);
		axis->bounds[n++] = clip(cover, number, cover->boxes[i].high[number]);
	}
	if (cover->shape) {
		axis->bounds[n++] = 0;
		axis->bounds[n++] = cover->shape[number];
	}
	qsort(axis->bounds, n, sizeof(*axis->bounds), compare_bounds);
	for (size_t i = 0; i < n; i++)
		if (!n_kept || axis->bounds[n_kept - 1] != axis->bounds[i])
			axis->bounds[n_kept++] = axis->bounds[i];
	axis->n_bounds = n_kept;
	axis->n_cells = n_kept ? n_kept - 1 : 0;
}

/* Steps are those of C order. -1 if there are too many cells. */
static int make_grid(struct grid *grid)
{
	const struct cover *cover = grid->cover;

	grid->n_axes = cover->n_dims ? cover->n_dims : 1;
	grid->axes[0].n_cells = 1;
	for (int i = 0; i < cover->n_dims; i++)
		read_bounds(grid, i);
	grid->n_cells = grid->n_rows = 1;
	for (int i = grid->n_axes - 1; i >= 0; i--) {
		struct axis *axis = &grid->axes[i];

		axis->step = grid->n_cells;
		if (axis->n_cells && grid->n_cells > COVER_MAX_CELLS / axis->n_cells)
			return -1;
		grid->n_cells *= axis->n_cells;
		grid->n_rows *= i < grid->n_axes - 1 ? axis->n_cells : 1;
	}
	grid->owners = mem_alloc((grid->n_cells + 1) * sizeof(*grid->owners));
	grid->links = mem_alloc((grid->n_cells + grid->n_rows + 1) * sizeof(*grid->links));
	for (size_t i = 0; i < grid->n_cells; i++)
		grid->owners[i] = FREE;
	for (size_t i = 0; i < grid->n_cells + grid->n_rows; i++)
		grid->links[i] = (uint32_t)(i % (grid->axes[grid->n_axes - 1].n_cells + 1));
	return 0;
}

static void free_grid(struct grid *grid)
{
	for (int i = 0; i < grid->n_axes; i++)
		free(grid->axes[i].bounds);
	free(grid->owners);
	free(grid->links);
}

/* The cell that begins at a boundary. */
static size_t find_bound(const struct axis *axis, int64_t bound)
{
	size_t low = 0, high = axis->n_bounds;

	while (low + 1 < high) {
		size_t middle = low + (high - low) / 2;

		if (axis->bounds[middle] <= bound)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static void box_cells(const struct grid *grid, const struct cover_box *box, struct cells *cells)
{
	const struct cover *cover = grid->cover;

	cells->low[0] = 0;
	cells->high[0] = 1;
	for (int i = 0; i < cover->n_dims; i++) {
		cells->low[i] = find_bound(&grid->axes[i], clip(cover, i, box->low[i]));
		cells->high[i] = find_bound(&grid->axes[i], clip(cover, i, box->high[i]));
	}
}

/* The first free cell of a row at or after one, or the row's end. */
static size_t next_free(uint32_t *links, size_t cell)
{
	size_t end = cell;

	while (links[end] != end)
		end = links[end];
	while (links[cell] != end) {
		size_t next = links[cell];

		links[cell] = (uint32_t)end;
		cell = next;
	}
	return end;
}

/* The first cell of the next row in the range; false after the last one. */
static bool next_row(const struct grid *grid, const struct cells *range, size_t at[ARRAY_MAX_DIMS])
{
	for (int i = grid->n_axes - 2; i >= 0; i--) {
		if (++at[i] < range->high[i])
			return true;
		at[i] = range->low[i];
	}
	return false;
}

static size_t cell_number(const struct grid *grid, const size_t at[ARRAY_MAX_DIMS])
{
	size_t number = 0;

	for (int i = 0; i < grid->n_axes; i++)
		number += at[i] * grid->axes[i].step;
	return number;
}

/* Marks the free cells of a box; returns the box that has another of its cells, or FREE. */
static int32_t mark_cells(struct grid *grid, const struct cells *range, int32_t owner)
{
	int last = grid->n_axes - 1;
	size_t n_in_row = grid->axes[last].n_cells, at[ARRAY_MAX_DIMS] = { 0 };
	int32_t other = FREE;

	for (int i = 0; i < grid->n_axes; i++)
		at[i] = range->low[i];
	do {
		size_t first = cell_number(grid, at), row = first / n_in_row;
		int32_t *owners = grid->owners + row * n_in_row;
		uint32_t *links = grid->links + row * (n_in_row + 1);

		for (size_t i = range->low[last]; i < range->high[last]; i++) {
			size_t free_cell = next_free(links, i);

			if (free_cell > i && other == FREE)
				other = owners[i];
			if (free_cell >= range->high[last])
				break;
			i = free_cell;
			owners[i] = owner;
			links[i] = (uint32_t)i + 1;
		}
	} while (next_row(grid, range, at));
	return other;
}

/* Whether all cells of the range are free. */
static bool is_free(const struct grid *grid, const struct cells *range)
{
	int last = grid->n_axes - 1;
	size_t at[ARRAY_MAX_DIMS] = { 0 };

	for (int i = 0; i < grid->n_axes; i++)
		at[i] = range->low[i];
	do {
		const int32_t *owners = grid->owners + cell_number(grid, at);

		for (size_t i = 0; i < range->high[last] - range->low[last]; i++)
			if (owners[i] != FREE)
				return false;
	} while (next_row(grid, range, at));
	return true;
}

/* Extends the free range on each axis, the last one first, as far as all added cells are free. */
static void grow_gap(const struct grid *grid, struct cells *gap)
{
	for (int i = grid->n_axes - 1; i >= 0; i--) {
		struct cells added = *gap;

		for (; gap->high[i] < grid->axes[i].n_cells; gap->high[i]++) {
			added.low[i] = gap->high[i];
			added.high[i] = gap->high[i] + 1;
			if (!is_free(grid, &added))
				break;
		}
	}
}

static void pass_gap(struct grid *grid, const struct cells *gap)
{
	const struct cover *cover = grid->cover;
	int64_t low[ARRAY_MAX_DIMS] = { 0 }, high[ARRAY_MAX_DIMS] = { 0 };

	for (int i = 0; i < cover->n_dims; i++) {
		low[i] = grid->axes[i].bounds[gap->low[i]];
		high[i] = grid->axes[i].bounds[gap->high[i]];
	}
	cover->on_gap(cover->context, &(struct cover_box){ low, high });
	mark_cells(grid, gap, REPORTED);
}

static void report_gaps(struct grid *grid)
{
	for (size_t number = 0; number < grid->n_cells; number++) {
		struct cells gap = { 0 };

		if (grid->owners[number] != FREE)
			continue;
		for (int i = 0; i < grid->n_axes; i++) {
			gap.low[i] = number / grid->axes[i].step % grid->axes[i].n_cells;
			gap.high[i] = gap.low[i] + 1;
		}
		grow_gap(grid, &gap);
		pass_gap(grid, &gap);
	}
}

int cover_check(const struct cover *cover)
{
	struct grid grid = { .cover = cover };
	int status = make_grid(&grid);

	for (size_t i = 0; !status && i < cover->n_boxes; i++) {
		struct cells range = { 0 };
		int32_t other;

		if (is_empty(cover, &cover->boxes[i]))
			continue;
		box_cells(&grid, &cover->boxes[i], &range);
		other = mark_cells(&grid, &range, (int32_t)i);
		if (other != FREE)
			cover->on_overlap(cover->context, i, (size_t)other);
	}
	if (!status && cover->shape)
		report_gaps(&grid);
	free_grid(&grid);
	return status;
}
