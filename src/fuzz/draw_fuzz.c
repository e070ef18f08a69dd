// SPDX-License-Identifier: MIT
/* Any text as the id of a case, for each interface: the elements of its tensor are within the
 * tensor's memory, and its simpler cases are cases. */
#include "consumers/draw.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes);

static void check_row(const struct consumer_case *row)
{
	int64_t shape[ARRAY_MAX_DIMS], stride_bytes[ARRAY_MAX_DIMS], n_bytes;
	struct array array;
	uint64_t low, high;
	struct err err;

	if (consumer_case_extents(row, shape, stride_bytes) > ARRAY_MAX_DIMS)
		abort();
	if (!consumer_case_describe(row, &array, &n_bytes))
		return;
	if (array_extent(&array, &low, &high, &err) || high < low || high > (uint64_t)n_bytes)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
	struct arena arena = { 0 };
	const char *id = arena_copy(&arena, (const char *)bytes, n_bytes);
	const struct consumer_case *row = consumer_case_find(&arena, id);

	if (row && strcmp(row->id, id) != 0)
		abort();
	for (size_t i = 0; tensor_interfaces[i].protocol; i++) {
		const struct tensor_interface *interface = &tensor_interfaces[i];

		row = consumer_case_find_for(&arena, id, interface);
		if (row && consumer_case_fits(row, interface))
			check_row(row);
	}
	row = consumer_case_draw(&arena, id);
	if (row) {
		check_row(row);
		for (const char *const *simpler = consumer_case_reductions(&arena, id); *simpler;
			simpler++)
			if (!consumer_case_draw(&arena, *simpler))
				abort();
	}
	arena_free(&arena);
	return 0;
}
