// SPDX-License-Identifier: MIT
/*
 * Memory of many small allocations that are freed together. Allocation cannot fail for the caller
 * (see base/memory.h).
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdarg.h>
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
char *arena_vprintf(struct arena *arena, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

/* Space for one more item in a list that only grows by this: items, or, if n_items is a power of
 * two, a copy with twice the capacity. */
void *arena_grow(struct arena *arena, void *items, size_t n_items, size_t item_bytes);

/* Moves everything from `from`, which is left empty, into the arena. */
void arena_join(struct arena *arena, struct arena *from);

/* Frees all of it; the arena is empty and usable again. */
void arena_free(struct arena *arena);

#endif
