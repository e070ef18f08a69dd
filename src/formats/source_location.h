// SPDX-License-Identifier: MIT
/* The location of a target: the file in its name, and the line that assigns the object. */
#ifndef FORMATS_SOURCE_LOCATION_H
#define FORMATS_SOURCE_LOCATION_H

#include "base/text.h"

#include <stdint.h>

struct source_location {
	const char *file;       /* NULL: not from a file (-c, a package) */
	const char *expression; /* such as "a[::2]"; NULL: the whole file */
	int64_t line;           /* 0: not found */
};

/* Cache of the last file. Zero-initialise. */
struct source_location_finder {
	struct text file, contents;
};

/* file and expression are valid until the next call, and no longer than target. Only regular files
 * are read. */
struct source_location source_location_find(
	struct source_location_finder *finder, const char *target);

void source_location_finder_free(struct source_location_finder *finder);

#endif
