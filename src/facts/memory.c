// SPDX-License-Identifier: MIT
#include "facts/memory.h"

#include <string.h>

void memory_init(struct memory *memory, uint64_t low, uint64_t high)
{
	memset(memory, 0, sizeof(*memory));
	memory->present = true;
	memory->asked_low = low;
	memory->asked_high = high;
	memory->device_id = -1;
}

struct value *memory_to_value(struct arena *arena, const struct memory *memory)
{
	return memory ? fact_write(&fact_memory_record, arena, memory, FACT_WIRE, NULL)
		      : value_null(arena);
}

bool memory_from_value(struct memory *memory, struct arena *arena, const struct value *value)
{
	struct err ignored;

	return value_is(value, VALUE_MAP) &&
	       !fact_read(&fact_memory_record, arena, value, FACT_WIRE, NULL, memory, &ignored);
}
