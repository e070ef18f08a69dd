// SPDX-License-Identifier: MIT
/* Arenas: zeroed, aligned, large requests, copies, and use after freeing. */
#include "base/arena.h"
#include "base/array_size.h"

#include "base/test.h"

#include <stdint.h>
#include <string.h>

static int is_zero(const char *bytes, size_t n_bytes)
{
	for (size_t i = 0; i < n_bytes; i++)
		if (bytes[i])
			return 0;
	return 1;
}

int main(void)
{
	static const size_t sizes[] = { 0, 1, 15, 16, 17, 65520, 65536, 65537, 1 << 20, 3 };
	struct arena arena = { 0 };
	char *last = NULL;

	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
			char *block = arena_alloc(&arena, sizes[i]);

			CHECK((uintptr_t)block % 16 == 0, "%zu bytes at %p", sizes[i],
				(void *)block);
			CHECK(is_zero(block, sizes[i]), "%zu bytes are not zero", sizes[i]);
			memset(block, 0xff, sizes[i]);
			CHECK(block != last, "%zu bytes given twice", sizes[i]);
			last = sizes[i] ? block : NULL;
		}
		last = arena_copy(&arena, "a\0b", 3);
		CHECK(!memcmp(last, "a\0b", 4), "%s", last);
		CHECK(!*arena_copy(&arena, NULL, 0), "a copy of no bytes is not an empty text");
		last = arena_printf(&arena, "%s %d", "x", 42);
		CHECK(!strcmp(last, "x 42"), "%s", last);
		arena_free(&arena);
		CHECK(!arena.blocks, "blocks left");
		last = NULL;
	}
	return test_end();
}
