// SPDX-License-Identifier: MIT
/* cover_check against a count of every element, on random boxes; and the number of its cells. */
#include "base/memory.h"
#include "rules/pieces/cover.h"

#include "base/test.h"
#include "model/array.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BOXES = 24, MAX_EXTENT = 7, MAX_ELEMENTS = 343 };

struct found {
	const struct cover *cover;
	unsigned char counts[MAX_ELEMENTS]; /* boxes, and gaps as 1 each */
	bool overlaps[MAX_BOXES];
	size_t n_overlaps, n_gaps;
};

static void add_box(
	const struct cover *cover, const struct cover_box *box, unsigned char counts[MAX_ELEMENTS])
{
	size_t n_elements = 1;

	for (int i = 0; i < cover->n_dims; i++)
		n_elements *= (size_t)cover->shape[i];
	for (size_t element = 0; element < n_elements; element++) {
		size_t rest = element;
		bool is_in = true;

		for (int i = cover->n_dims - 1; i >= 0; i--) {
			int64_t index = (int64_t)(rest % (size_t)cover->shape[i]);

			is_in &= index >= box->low[i] && index < box->high[i];
			rest /= (size_t)cover->shape[i];
		}
		counts[element] = (unsigned char)(counts[element] + is_in);
	}
}

static bool boxes_overlap(const struct cover *cover, size_t i, size_t j)
{
	unsigned char counts[MAX_ELEMENTS] = { 0 };

	add_box(cover, &cover->boxes[i], counts);
	add_box(cover, &cover->boxes[j], counts);
	return memchr(counts, 2, sizeof(counts)) != NULL;
}

static void note_overlap(void *context, size_t i, size_t j)
{
	struct found *found = context;

	CHECK(j < i, "box %zu overlaps %zu", i, j);
	CHECK(boxes_overlap(found->cover, i, j), "boxes %zu and %zu do not overlap", i, j);
	CHECK(!found->overlaps[i], "box %zu is reported twice", i);
	found->overlaps[i] = true;
	found->n_overlaps++;
}

static void note_gap(void *context, const struct cover_box *box)
{
	struct found *found = context;

	add_box(found->cover, box, found->counts);
	found->n_gaps++;
}

static void check_random(unsigned seed)
{
	int64_t shape[ARRAY_MAX_DIMS], low[MAX_BOXES][3], high[MAX_BOXES][3];
	struct cover_box boxes[MAX_BOXES];
	struct found found = { 0 };
	struct cover cover = { .shape = shape,
		.boxes = boxes,
		.on_overlap = note_overlap,
		.on_gap = note_gap,
		.context = &found };
	size_t n_elements = 1;

	srand(seed);
	cover.n_dims = rand() % 4;
	cover.n_boxes = (size_t)(rand() % MAX_BOXES);
	found.cover = &cover;
	for (int i = 0; i < cover.n_dims; i++) {
		shape[i] = rand() % (MAX_EXTENT + 1);
		n_elements *= (size_t)shape[i];
	}
	for (size_t b = 0; b < cover.n_boxes; b++) {
		boxes[b] = (struct cover_box){ low[b], high[b] };
		for (int i = 0; i < cover.n_dims; i++) {
			low[b][i] = rand() % (MAX_EXTENT + 2) - 1;
			high[b][i] = low[b][i] + rand() % 5;
		}
	}
	CHECK(!cover_check(&cover), "seed %u", seed);
	for (size_t i = 0; i < cover.n_boxes; i++) {
		bool overlaps = false;

		for (size_t j = 0; j < i; j++)
			overlaps |= boxes_overlap(&cover, i, j);
		CHECK(overlaps == found.overlaps[i], "seed %u: box %zu", seed, i);
	}
	for (size_t b = 0; b < cover.n_boxes; b++) {
		unsigned char counts[MAX_ELEMENTS] = { 0 };

		add_box(&cover, &boxes[b], counts);
		for (size_t e = 0; e < n_elements; e++)
			CHECK(!counts[e] || found.counts[e] == 0,
				"seed %u: element %zu of box %zu is in a gap", seed, e, b);
	}
	for (size_t b = 0; b < cover.n_boxes; b++)
		add_box(&cover, &boxes[b], found.counts);
	for (size_t e = 0; e < n_elements; e++)
		CHECK(found.counts[e], "seed %u: element %zu is nowhere", seed, e);
}

/* As many cells as boxes, whatever their extents are. */
static void check_grid(int64_t n_on_axis)
{
	size_t n_boxes = (size_t)(n_on_axis * n_on_axis);
	int64_t(*bounds)[4] = mem_alloc(n_boxes * sizeof(*bounds));
	struct cover_box *boxes = mem_alloc(n_boxes * sizeof(*boxes));
	int64_t shape[] = { n_on_axis << 40, n_on_axis };
	struct found found = { 0 };
	struct cover cover = { .n_dims = 2,
		.shape = shape,
		.boxes = boxes,
		.n_boxes = n_boxes,
		.on_overlap = note_overlap,
		.on_gap = note_gap,
		.context = &found };

	for (size_t i = 0; i < n_boxes; i++) {
		int64_t row = (int64_t)i / n_on_axis, column = (int64_t)i % n_on_axis;

		bounds[i][0] = row << 40;
		bounds[i][1] = column;
		bounds[i][2] = (row + 1) << 40;
		bounds[i][3] = column + 1;
		boxes[i] = (struct cover_box){ &bounds[i][0], &bounds[i][2] };
	}
	CHECK(!cover_check(&cover), "%zu boxes", n_boxes);
	CHECK(!found.n_overlaps && !found.n_gaps, "%zu boxes", n_boxes);
	free(bounds);
	free(boxes);
}

/* Boxes on a diagonal have more cells than are checked. */
static void check_limit(void)
{
	enum { N = 5000 };
	static int64_t bounds[N][4];
	static struct cover_box boxes[N];
	struct found found = { 0 };
	const struct cover cover = { .n_dims = 2,
		.boxes = boxes,
		.n_boxes = N,
		.on_overlap = note_overlap,
		.context = &found };

	for (int64_t i = 0; i < N; i++) {
		bounds[i][0] = bounds[i][1] = 2 * i;
		bounds[i][2] = bounds[i][3] = 2 * i + 1;
		boxes[i] = (struct cover_box){ &bounds[i][0], &bounds[i][2] };
	}
	CHECK(cover_check(&cover) == -1, "%d boxes", N);
}

int main(void)
{
	for (unsigned seed = 0; seed < 3000; seed++)
		check_random(seed);
	check_grid(100);
	check_limit();
	return test_end();
}
