// SPDX-License-Identifier: MIT
/* What of a tensor a consumer ignored, if the elements of its result are those of a tensor without
 * it: `read_as` of fact_consumption. */
#ifndef CONSUMERS_IGNORED_PARTS_H
#define CONSUMERS_IGNORED_PARTS_H

enum ignored_parts {
	IGNORED_OFFSET = 1,
	IGNORED_STRIDES = 2,
	IGNORED_STRIDE_SIGNS = 4,
	IGNORED_STRIDE_UNIT = 8, /* strides count elements: they are used as bytes */
	IGNORED_LANES = 16,
	IGNORED_BYTE_ORDER = 32,
	IGNORED_ALIGNMENT = 64, /* data is aligned only to the size of an element */
};

/* "byte_offset and strides"; NULL if no result is read like that. */
const char *ignored_parts_name(int parts);

/* The parts of that name, or-ed; 0 for another name or NULL. */
int ignored_parts_from_name(const char *name);

#endif
