// SPDX-License-Identifier: MIT
/*
 * Memory that ends at inaccessible pages on both sides, for arrays at either end of it: whatever a
 * copy reads or writes outside the extents is a fault, or is found.
 */
#ifndef COPY_HOST_ROOM_TEST_H
#define COPY_HOST_ROOM_TEST_H

#include "model/array.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* UNTOUCHED fills the result before the copy; no byte of the source has that value. */
enum { UNTOUCHED = 0xEE };

struct room {
	char *first, *end; /* accessible memory between two inaccessible pages */
};

static void make_room(struct room *room, int64_t n_bytes)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *all = mmap(
		NULL, (size_t)n_bytes + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (all == MAP_FAILED || mprotect(all + page, (size_t)n_bytes, PROT_READ | PROT_WRITE))
		abort();
	room->first = all + page;
	room->end = room->first + n_bytes;
}

/* Places the array so that its memory begins or ends at most `shift` bytes inside that of the
 * room. */
static void place(struct array *array, const struct room *room, bool at_end, int64_t shift)
{
	struct err err;
	uint64_t low, high;

	array->pointer = 1ULL << 40;
	if (array_extent(array, &low, &high, &err) ||
		high - low + (uint64_t)shift > (uint64_t)(room->end - room->first))
		abort();
	if (at_end)
		array->pointer += (uint64_t)(uintptr_t)room->end - high - (uint64_t)shift;
	else
		array->pointer += (uint64_t)(uintptr_t)room->first - low + (uint64_t)shift;
}

/* The bytes from first on that are not UNTOUCHED. */
static int64_t count_touched(const char *first, const char *end)
{
	char untouched[4096];
	int64_t n = 0;

	/* Most blocks are untouched, which memcmp finds out faster than a sanitized loop. */
	memset(untouched, UNTOUCHED, sizeof(untouched));
	for (const char *block = first; block < end; block += sizeof(untouched)) {
		const size_t n_block = (size_t)(end - block) < sizeof(untouched)
					       ? (size_t)(end - block)
					       : sizeof(untouched);

		if (!memcmp(block, untouched, n_block))
			continue;
		for (size_t i = 0; i < n_block; i++)
			n += (unsigned char)block[i] != UNTOUCHED;
	}
	return n;
}

#endif
