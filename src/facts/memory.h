// SPDX-License-Identifier: MIT
/* What the kernel, the USM runtime or a driver reports about a range of addresses: struct memory of
 * facts.def. */
#ifndef FACTS_MEMORY_H
#define FACTS_MEMORY_H

#include "facts/facts.h"
#include "model/device.h"
#include "model/value.h"

/* Of the range nothing is known yet. */
void memory_init(struct memory *memory, uint64_t low, uint64_t high);

/* The `memory` map of facts; NULL memory: a null. And back: false where value is not such a map. */
struct value *memory_to_value(struct arena *arena, const struct memory *memory);
bool memory_from_value(struct memory *memory, struct arena *arena, const struct value *value);

#endif
