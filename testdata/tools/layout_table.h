// SPDX-License-Identifier: MIT
/* The table of layouts that kernel_table.c and mapping_table.c copy, and three random ones.
 */
#ifndef TOOLS_LAYOUT_TABLE_H
#define TOOLS_LAYOUT_TABLE_H

#include "copy/layout_test.h"

#include <stdio.h>

enum { DRAWN = 3 };

/* SPREAD: the destination has a gap behind each item. */
enum { SWAPPED = 1, SPREAD = 2 };

/* A layout in items; the destination is in C order, its first byte `shift` items off. */
struct layout {
	const char *name;
	int n_dims;
	int64_t shape[4];
	int order[4]; /* of the source's dimensions, outermost first */
	int64_t step; /* of the source's innermost: -1 and 2 are slices, 0 a broadcast */
	int64_t pad;  /* items behind each row of the source */
	int src_shift, dst_shift;
	int is;
};

static const struct layout layouts[] = {
	{ "contiguous", 1, { 5000 }, { 0 }, 1, 0, 0, 0, 0 },
	{ "swapped", 1, { 5000 }, { 0 }, 1, 0, 0, 0, SWAPPED },
	{ "swapped off by one", 1, { 4999 }, { 0 }, 1, 0, 1, 1, SWAPPED },
	{ "rows", 2, { 20, 200 }, { 0, 1 }, 1, 24, 0, 0, 0 },
	{ "rows off by one", 2, { 20, 199 }, { 0, 1 }, 1, 3, 1, 0, 0 },
	{ "rows off by one there", 2, { 20, 199 }, { 0, 1 }, 1, 3, 0, 1, 0 },
	{ "rows swapped", 2, { 20, 200 }, { 0, 1 }, 1, 24, 0, 0, SWAPPED },
	{ "three of long rows", 2, { 3, 1700 }, { 0, 1 }, 1, 5, 0, 0, 0 },
	{ "planes of rows", 3, { 5, 6, 101 }, { 1, 0, 2 }, 1, 0, 0, 0, 0 },
	{ "short rows", 2, { 800, 3 }, { 0, 1 }, 1, 2, 0, 0, 0 },
	{ "fill", 2, { 20, 200 }, { 0, 1 }, 0, 3, 0, 0, 0 },
	{ "fill off by one", 2, { 20, 199 }, { 0, 1 }, 0, 3, 1, 1, 0 },
	{ "fill swapped", 2, { 20, 200 }, { 0, 1 }, 0, 3, 0, 0, SWAPPED },
	{ "reversed", 1, { 3000 }, { 0 }, -1, 0, 0, 0, 0 },
	{ "reversed off by one", 1, { 2999 }, { 0 }, -1, 0, 1, 1, 0 },
	{ "reversed rows, swapped", 2, { 20, 199 }, { 0, 1 }, -1, 3, 0, 1, SWAPPED },
	{ "every second", 1, { 3000 }, { 0 }, 2, 0, 0, 0, 0 },
	{ "every second, swapped, off by one", 1, { 2999 }, { 0 }, 2, 0, 1, 1, SWAPPED },
	{ "transpose", 2, { 64, 80 }, { 1, 0 }, 1, 0, 0, 0, 0 },
	{ "transpose of odd sides", 2, { 67, 75 }, { 1, 0 }, 1, 0, 0, 0, 0 },
	{ "transpose of two tiles", 2, { 136, 56 }, { 1, 0 }, 1, 0, 0, 0, 0 },
	{ "transpose of two tiles the other way", 2, { 56, 136 }, { 1, 0 }, 1, 0, 0, 0, SWAPPED },
	{ "transpose of two tiles with odd rows", 2, { 137, 55 }, { 1, 0 }, 1, 7, 0, 0, 0 },
	{ "transpose of a large tile", 2, { 100, 80 }, { 1, 0 }, 1, 0, 0, 0, 0 },
	{ "transpose to odd rows", 2, { 136, 53 }, { 1, 0 }, 1, 0, 0, 0, 0 },
	{ "transpose off by one", 2, { 64, 72 }, { 1, 0 }, 1, 0, 1, 1, 0 },
	{ "transpose swapped", 2, { 64, 80 }, { 1, 0 }, 1, 0, 0, 0, SWAPPED },
	{ "transpose reversed", 2, { 64, 80 }, { 1, 0 }, -1, 0, 0, 0, 0 },
	{ "permuted 2 1 0", 3, { 16, 18, 20 }, { 2, 1, 0 }, 1, 0, 0, 0, 0 },
	{ "permuted 3 1 0 2", 4, { 9, 8, 7, 10 }, { 3, 1, 0, 2 }, 1, 0, 0, 0, 0 },
	{ "planes of short rows", 3, { 41, 39, 5 }, { 1, 0, 2 }, 1, 0, 0, 0, 0 },
	{ "two planes", 3, { 2, 1100, 2 }, { 0, 2, 1 }, 1, 0, 0, 0, 0 },
	{ "three planes", 3, { 2, 1000, 3 }, { 0, 2, 1 }, 1, 0, 0, 0, 0 },
	{ "three planes of odd size", 2, { 1301, 3 }, { 1, 0 }, 1, 0, 0, 0, 0 },
	{ "three planes swapped", 2, { 1300, 3 }, { 1, 0 }, 1, 0, 0, 0, SWAPPED },
	{ "four planes", 3, { 1, 1100, 4 }, { 0, 2, 1 }, 1, 0, 0, 0, 0 },
	{ "to two planes", 3, { 2, 2, 1100 }, { 0, 2, 1 }, 1, 0, 0, 0, 0 },
	{ "to three planes", 3, { 2, 3, 700 }, { 0, 2, 1 }, 1, 0, 0, 0, 0 },
	{ "to three planes of odd size", 2, { 3, 1301 }, { 1, 0 }, 1, 0, 0, 0, 0 },
	{ "to four planes, swapped", 3, { 1, 4, 1100 }, { 0, 2, 1 }, 1, 0, 0, 0, SWAPPED },
	{ "two long planes", 2, { 4000, 2 }, { 1, 0 }, 1, 0, 0, 0, 0 },
	{ "three long planes", 2, { 2688, 3 }, { 1, 0 }, 1, 0, 0, 0, 0 },
	{ "four long planes", 2, { 2000, 4 }, { 1, 0 }, 1, 0, 0, 0, 0 },
	{ "two long planes off by one", 2, { 4000, 2 }, { 1, 0 }, 1, 0, 1, 0, 0 },
	{ "to two long planes", 2, { 2, 4000 }, { 1, 0 }, 1, 0, 0, 0, 0 },
	{ "to three long planes", 2, { 3, 2688 }, { 1, 0 }, 1, 0, 0, 0, 0 },
	{ "to four long planes, swapped", 2, { 4, 2000 }, { 1, 0 }, 1, 0, 0, 0, SWAPPED },
	{ "to three long planes off by one", 2, { 3, 2688 }, { 1, 0 }, 1, 0, 1, 0, 0 },
	{ "into gaps", 2, { 40, 60 }, { 0, 1 }, 1, 0, 0, 0, SPREAD },
	{ "into gaps, swapped", 2, { 60, 40 }, { 1, 0 }, 1, 0, 0, 0, SWAPPED | SPREAD },
};

static void lay_out(const struct layout *layout, int64_t item, struct array *from, struct array *to)
{
	int64_t stride = item;

	*from = (struct array){ .dtype = { .kind = layout->is & SWAPPED ? DTYPE_UINT : DTYPE_VOID,
					.bits = 8 * item,
					.lanes = 1,
					.foreign_order = layout->is & SWAPPED },
		.n_dims = layout->n_dims };
	memcpy(from->shape, layout->shape, sizeof(layout->shape));
	*to = *from;
	to->dtype.foreign_order = false;
	array_set_compact_strides(to, 'C');
	for (int i = 0; layout->is & SPREAD && i < to->n_dims; i++)
		to->stride_bytes[i] *= 2;
	for (int i = layout->n_dims - 1; i >= 0; i--) {
		int dim = layout->order[i];
		bool is_inner = i == layout->n_dims - 1;

		from->stride_bytes[dim] = is_inner ? layout->step * item : stride;
		stride *= from->shape[dim];
		if (is_inner)
			stride = stride * (layout->step == 2 ? 2 : 1) + layout->pad * item;
	}
	from->pointer = (uint64_t)(uintptr_t)source +
			(uint64_t)(first_byte(from) + layout->src_shift * item);
	to->pointer = (uint64_t)(uintptr_t)result + (uint64_t)(layout->dst_shift * item);
}

/* From source to result, each of the table in items of 1 to 16 bytes. */
static void visit_layouts(
	void (*visit)(const char *name, const struct array *from, const struct array *to))
{
	static const int64_t items[] = { 1, 2, 3, 4, 8, 12, 16 };
	struct array from, to;

	for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++) {
		for (size_t j = 0; j < sizeof(layouts) / sizeof(layouts[0]); j++) {
			if (layouts[j].is & SWAPPED && (items[i] == 3 || items[i] == 12))
				continue;
			lay_out(&layouts[j], items[i], &from, &to);
			CHECK(last_byte(&from) + 64 <= ARENA_BYTES &&
					last_byte(&to) + 64 <= ARENA_BYTES,
				"%s is too large", layouts[j].name);
			visit(layouts[j].name, &from, &to);
		}
	}
}

static void visit_drawn(uint64_t seed,
	void (*visit)(const char *name, const struct array *from, const struct array *to))
{
	struct array from, to;
	char name[64];

	printf("seed %" PRIu64 "\n", seed);
	for (int i = 0; i < DRAWN; i++) {
		snprintf(name, sizeof(name), "layout %d of seed %" PRIu64, i, seed);
		pick_pair(&from, &to);
		visit(name, &from, &to);
	}
}

#endif
