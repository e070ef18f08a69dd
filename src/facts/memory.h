// SPDX-License-Identifier: MIT
/* What the kernel, the USM runtime or a driver reports about a range of addresses: struct memory of
 * facts.def. */
#ifndef FACTS_MEMORY_H
#define FACTS_MEMORY_H

#include "facts/facts.h"

/* Of the range nothing is known yet. */
static inline void memory_init(struct memory *memory, uint64_t low, uint64_t high)
{
	*memory = (struct memory){
		.present = true, .asked_low = low, .asked_high = high, .device_id = -1
	};
}

#endif
