// SPDX-License-Identifier: MIT
/* Answers about memory as facts and back, and the names of kinds of memory. */
#include "facts/memory.h"

#include <stdio.h>
#include <string.h>

static const char *const kinds[] = {
	[MEMORY_UNKNOWN] = "unknown",
	[MEMORY_HOST] = "host",
	[MEMORY_FILE] = "file",
	[MEMORY_PINNED] = "pinned",
	[MEMORY_REGISTERED] = "registered",
	[MEMORY_DEVICE] = "device",
	[MEMORY_MANAGED] = "managed",
	[MEMORY_USM_HOST] = "usm-host",
	[MEMORY_USM_SHARED] = "usm-shared",
	[MEMORY_USM_DEVICE] = "usm-device",
	[MEMORY_OPENCL_BUFFER] = "opencl-buffer",
};

enum { N_KINDS = sizeof(kinds) / sizeof(kinds[0]) };

const char *memory_kind_name(enum memory_kind kind)
{
	return kinds[kind];
}

enum memory_kind memory_kind_from_name(const char *name)
{
	for (int i = 0; name && i < N_KINDS; i++)
		if (!strcmp(kinds[i], name))
			return (enum memory_kind)i;
	return MEMORY_UNKNOWN;
}

void memory_init(struct memory *memory, uint64_t low, uint64_t high)
{
	memset(memory, 0, sizeof(*memory));
	memory->asked_low = low;
	memory->asked_high = high;
	memory->host_accessible = memory->managed = ANSWER_UNKNOWN;
	memory->readable = memory->writable = ANSWER_UNKNOWN;
	memory->low_inside = memory->high_inside = ANSWER_UNKNOWN;
	memory->device_id = -1;
}

static struct value *address_or_null(struct arena *arena, uint64_t address)
{
	return address ? value_address(arena, address) : value_null(arena);
}

static struct value *answer_to_value(struct arena *arena, enum memory_answer answer)
{
	return answer == ANSWER_UNKNOWN ? value_null(arena)
					: value_bool(arena, answer == ANSWER_YES);
}

/* Text from a driver or the kernel, which need not be UTF-8. */
static struct value *foreign_text(struct arena *arena, const char *text)
{
	return *text ? value_text_escaped(arena, text) : value_null(arena);
}

static struct value *asked_to_value(struct arena *arena, const struct memory *memory)
{
	struct value *map = value_map(arena);

	value_add(arena, map, "low", address_or_null(arena, memory->asked_low));
	value_add(arena, map, "high", address_or_null(arena, memory->asked_high));
	return map;
}

static struct value *memory_device_to_value(struct arena *arena, const struct memory *memory)
{
	struct value *map = value_map(arena);

	value_add(arena, map, "name", foreign_text(arena, memory->device_name));
	value_add(arena, map, "id",
		memory->device_id < 0 ? value_null(arena) : value_int(arena, memory->device_id));
	return map;
}

struct value *memory_to_value(struct arena *arena, const struct memory *memory)
{
	struct value *map;

	if (!memory)
		return value_null(arena);
	map = value_map(arena);
	value_add(arena, map, "kind", value_text(arena, memory_kind_name(memory->kind)));
	value_add(arena, map, "origin", value_text(arena, memory->origin));
	value_add(arena, map, "base", address_or_null(arena, memory->base));
	value_add(arena, map, "size",
		memory->size ? value_uint(arena, memory->size) : value_null(arena));
	value_add(arena, map, "device_pointer", address_or_null(arena, memory->device_pointer));
	value_add(arena, map, "host_accessible", answer_to_value(arena, memory->host_accessible));
	value_add(arena, map, "managed", answer_to_value(arena, memory->managed));
	value_add(arena, map, "context", foreign_text(arena, memory->context));
	value_add(arena, map, "by", value_text(arena, memory->by));
	value_add(arena, map, "how", value_text(arena, memory->how));
	value_add(arena, map, "asked", asked_to_value(arena, memory));
	value_add(arena, map, "low_inside", answer_to_value(arena, memory->low_inside));
	value_add(arena, map, "high_inside", answer_to_value(arena, memory->high_inside));
	value_add(arena, map, "readable", answer_to_value(arena, memory->readable));
	value_add(arena, map, "writable", answer_to_value(arena, memory->writable));
	value_add(arena, map, "mapping", foreign_text(arena, memory->mapping));
	value_add(arena, map, "device", memory_device_to_value(arena, memory));
	return map;
}

/* The readers below keep what is there where the value is null, and refuse another kind. */
static bool read_memory_address(const struct value *value, uint64_t *out)
{
	return value_is_null(value) || value_to_address(value, out);
}

static bool read_memory_answer(const struct value *value, enum memory_answer *out)
{
	if (value_is(value, VALUE_BOOL))
		*out = value->boolean ? ANSWER_YES : ANSWER_NO;
	return value_is_null(value) || value_is(value, VALUE_BOOL);
}

static bool read_memory_text(const struct value *value, char *out, size_t n_bytes)
{
	if (value_is(value, VALUE_TEXT))
		snprintf(out, n_bytes, "%s", value->bytes);
	return value_is_null(value) || value_is(value, VALUE_TEXT);
}

static bool read_memory_kind(const struct value *value, enum memory_kind *out)
{
	*out = memory_kind_from_name(value_text_or(value, NULL));
	return value_is_null(value) || value_is_text(value, memory_kind_name(*out));
}

bool memory_from_value(struct memory *memory, const struct value *value)
{
	const struct value *id = value_at(value, "device.id");

	memory_init(memory, 0, 0);
	memory->by = value_text_or(value_get(value, "by"), NULL);
	memory->how = value_text_or(value_get(value, "how"), NULL);
	memory->origin = value_text_or(value_get(value, "origin"), NULL);
	if (!value_is_null(id) && !value_to_int64(id, &memory->device_id))
		return false;
	return value_is(value, VALUE_MAP) &&
	       read_memory_kind(value_get(value, "kind"), &memory->kind) &&
	       read_memory_address(value_get(value, "base"), &memory->base) &&
	       read_memory_address(value_get(value, "size"), &memory->size) &&
	       read_memory_address(value_get(value, "device_pointer"), &memory->device_pointer) &&
	       read_memory_answer(value_get(value, "host_accessible"), &memory->host_accessible) &&
	       read_memory_answer(value_get(value, "managed"), &memory->managed) &&
	       read_memory_answer(value_get(value, "low_inside"), &memory->low_inside) &&
	       read_memory_answer(value_get(value, "high_inside"), &memory->high_inside) &&
	       read_memory_answer(value_get(value, "readable"), &memory->readable) &&
	       read_memory_answer(value_get(value, "writable"), &memory->writable) &&
	       read_memory_address(value_at(value, "asked.low"), &memory->asked_low) &&
	       read_memory_address(value_at(value, "asked.high"), &memory->asked_high) &&
	       read_memory_text(
		       value_get(value, "context"), memory->context, sizeof(memory->context)) &&
	       read_memory_text(
		       value_get(value, "mapping"), memory->mapping, sizeof(memory->mapping)) &&
	       read_memory_text(value_at(value, "device.name"), memory->device_name,
		       sizeof(memory->device_name));
}
