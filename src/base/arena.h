// SPDX-License-Identifier: MIT
/*
 * Memory of one target: many small allocations, freed together at its end.
 * Allocation cannot fail for the caller (see base/memory.h).
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena {
	struct arena_block *blocks; /* newest first */
};

/* Gives zeroed memory, aligned for any type, that lives until arena_free. */
void *arena_alloc(struct arena *arena, size_t n_bytes);

/* Copies n_bytes and a terminating zero into the arena. */
char *arena_copy(struct arena *arena, const void *bytes, size_t n_bytes);

/* printf into the arena. */
char *arena_printf(struct arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Moves everything from `from`, which is left empty, into the arena. */
void arena_join(struct arena *arena, struct arena *from);

/* Frees all of it; the arena is empty and usable again. */
void arena_free(struct arena *arena);

#endif
