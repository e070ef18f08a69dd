// SPDX-License-Identifier: MIT
/* A hash table with open addressing, at most half full. */
#include "targets/module_index.h"

#include "base/crc32.h"

#include <string.h>

/* The slot of a module, or the empty one where it would go. n_slots is a power of two. */
static size_t find_slot(const struct module_index *index, const char *name)
{
	size_t slot = crc32_add(0, name, strlen(name)) & (index->n_slots - 1);

	for (;; slot = (slot + 1) & (index->n_slots - 1)) {
		const struct value *module = index->slots[slot];

		if (!module || value_is_text(value_get(module, "name"), name))
			return slot;
	}
}

struct value *module_index_find(const struct module_index *index, const char *name)
{
	return index->n_slots ? index->slots[find_slot(index, name)] : NULL;
}

static void put(struct module_index *index, struct value *module)
{
	const char *name = value_text_or(value_get(module, "name"), "");

	index->slots[find_slot(index, name)] = module;
}

void module_index_add(struct arena *arena, struct module_index *index, struct value *module)
{
	struct module_index grown = { .n_slots = index->n_slots ? 2 * index->n_slots : 64 };

	if (2 * (index->n_used + 1) > index->n_slots) {
		grown.slots = arena_alloc(arena, grown.n_slots * sizeof(struct value *));
		for (size_t i = 0; i < index->n_slots; i++)
			if (index->slots[i])
				put(&grown, index->slots[i]);
		grown.n_used = index->n_used;
		*index = grown;
	}
	put(index, module);
	index->n_used++;
}
