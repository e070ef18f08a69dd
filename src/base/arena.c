// SPDX-License-Identifier: MIT
/*
 * Bump allocation in blocks; a large request gets a separate block. Blocks are larger than the
 * memory that trials watch after it was freed, which suai itself must not take.
 */
#include "base/arena.h"

#include "base/memory.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 64 * 1024, ALIGNMENT = 16 };

struct arena_block {
	struct arena_block *next;
	size_t used, size; /* bytes of `bytes` */
	_Alignas(ALIGNMENT) char bytes[];
};

void *arena_alloc(struct arena *arena, size_t n_bytes)
{
	struct arena_block *block = arena->blocks;
	size_t need, size;
	char *bytes;

	if (n_bytes > SIZE_MAX / 2)
		mem_fail();
	need = (n_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	size = need > BLOCK_BYTES ? need : BLOCK_BYTES;
	if (!block || block->size - block->used < need) {
		block = mem_resize(NULL, sizeof(*block) + size);
		*block = (struct arena_block){ .next = arena->blocks, .size = size };
		arena->blocks = block;
	}
	bytes = block->bytes + block->used;
	block->used += need;
	return memset(bytes, 0, need);
}

char *arena_copy(struct arena *arena, const void *bytes, size_t n_bytes)
{
	char *copy = arena_alloc(arena, n_bytes + 1);

	if (n_bytes)
		memcpy(copy, bytes, n_bytes);
	return copy;
}

char *arena_vprintf(struct arena *arena, const char *format, va_list args)
{
	va_list again;
	char *text;
	int n_chars;

	va_copy(again, args);
	n_chars = vsnprintf(NULL, 0, format, args);
	if (n_chars < 0)
		mem_fail();
	text = arena_alloc(arena, (size_t)n_chars + 1);
	if (vsnprintf(text, (size_t)n_chars + 1, format, again) != n_chars)
		mem_fail();
	va_end(again);
	return text;
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = arena_vprintf(arena, format, args);
	va_end(args);
	return text;
}

void *arena_grow(struct arena *arena, void *items, size_t n_items, size_t item_bytes)
{
	void *grown;

	if (n_items & (n_items - 1))
		return items;
	grown = arena_alloc(arena, (2 * n_items + 1) * item_bytes);
	if (n_items)
		memcpy(grown, items, n_items * item_bytes);
	return grown;
}

void arena_join(struct arena *arena, struct arena *from)
{
	struct arena_block **end = &arena->blocks;

	while (*end)
		end = &(*end)->next;
	*end = from->blocks;
	from->blocks = NULL;
}

void arena_free(struct arena *arena)
{
	struct arena_block *next;

	for (struct arena_block *block = arena->blocks; block; block = next) {
		next = block->next;
		free(block);
	}
	arena->blocks = NULL;
}
