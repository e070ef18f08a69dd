// SPDX-License-Identifier: MIT
/* Whether boxes of an array's elements cover the array, each element once. */
#ifndef RULES_PIECES_COVER_H
#define RULES_PIECES_COVER_H

#include <stddef.h>
#include <stdint.h>

/* The elements with low[i] <= index < high[i] on each axis i. */
struct cover_box {
	const int64_t *low, *high;
};

struct cover {
	int n_dims;
	const int64_t *shape; /* of the array; NULL: unknown, and gaps are not looked for */
	const struct cover_box *boxes;
	size_t n_boxes;
	/* Box i overlaps box j, which precedes it: called once for each i, with the first j. */
	void (*on_overlap)(void *context, size_t i, size_t j);
	/* No box has an element of this one. The boxes of all calls are disjoint. */
	void (*on_gap)(void *context, const struct cover_box *box);
	void *context;
};

enum { COVER_MAX_CELLS = 1 << 24 };

/*
 * The boundaries of the boxes divide the array into a grid of cells: as many as boxes if they form
 * a grid. Takes time and memory linear in the number of cells, and sorts the boundaries. Parts of
 * boxes outside the array are ignored. -1 if there are more than COVER_MAX_CELLS cells.
 */
int cover_check(const struct cover *cover);

#endif
