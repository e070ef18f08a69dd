// SPDX-License-Identifier: MIT
/*
 * What the kernel, the USM runtime or a driver reports about an address range: struct memory of
 * facts.def.
 */
#ifndef FACTS_MEMORY_H
#define FACTS_MEMORY_H

#include "facts/facts.h"

/* Initializes memory for a range about which nothing is known. */
static inline void memory_init(struct memory *memory, uint64_t low, uint64_t high)
{
	*memory = (struct memory){
		.present = true, .asked_low = low, .asked_high = high, .device_id = -1
	};
}

#endif
