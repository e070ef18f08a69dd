// SPDX-License-Identifier: MIT
/* The modules of a run by their names, so that each is imported once however many targets name it.
 */
#ifndef TARGETS_MODULE_INDEX_H
#define TARGETS_MODULE_INDEX_H

#include "model/value.h"

/* Zero-initialise; memory is the arena's. */
struct module_index {
	struct value **slots;
	size_t n_slots, n_used;
};

/* The module of the name; NULL: there is none. */
struct value *module_index_find(const struct module_index *index, const char *name);

/* Adds a module, whose `name` never changes; keeps it. */
void module_index_add(struct arena *arena, struct module_index *index, struct value *module);

#endif
