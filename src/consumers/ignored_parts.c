// SPDX-License-Identifier: MIT
#include "consumers/ignored_parts.h"

#include "base/array_size.h"

#include <stddef.h>
#include <string.h>

static const struct {
	int parts;
	const char *name;
} ignored_parts_names[] = {
	{ IGNORED_OFFSET, "byte_offset" },
	{ IGNORED_STRIDES, "strides" },
	{ IGNORED_OFFSET | IGNORED_STRIDES, "byte_offset and strides" },
	{ IGNORED_STRIDE_SIGNS, "the sign of strides" },
	{ IGNORED_OFFSET | IGNORED_STRIDE_SIGNS, "byte_offset and the sign of strides" },
	{ IGNORED_STRIDE_UNIT, "the unit of strides" },
	{ IGNORED_LANES, "lanes" },
	{ IGNORED_BYTE_ORDER, "the byte order" },
	{ IGNORED_ALIGNMENT, "the alignment of data" },
};

const char *ignored_parts_name(int parts)
{
	for (size_t i = 0; i < ARRAY_SIZE(ignored_parts_names); i++)
		if (ignored_parts_names[i].parts == parts)
			return ignored_parts_names[i].name;
	return NULL;
}

int ignored_parts_from_name(const char *name)
{
	for (size_t i = 0; name && i < ARRAY_SIZE(ignored_parts_names); i++)
		if (!strcmp(ignored_parts_names[i].name, name))
			return ignored_parts_names[i].parts;
	return 0;
}
