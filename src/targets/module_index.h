// SPDX-License-Identifier: MIT
/* The modules of a run by their names, so that each is imported once however many targets name it.
 */
#ifndef TARGETS_MODULE_INDEX_H
#define TARGETS_MODULE_INDEX_H

#include "model/value.h"

/* Zero-initialise; memory is the arena's. A module named with and without EXPR has two entries. */
struct module_index {
	struct value **slots;
	size_t n_slots, n_used;
};

/* The module of the name, with targets or without; NULL: it is not there. */
struct value *module_index_find(
	const struct module_index *index, const char *name, bool has_targets);

/* Adds a module, whose `name` and whether its `targets` are null never change; keeps it. */
void module_index_add(struct arena *arena, struct module_index *index, struct value *module);

#endif
