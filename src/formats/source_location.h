// SPDX-License-Identifier: MIT
/* Where a target is written: the file in its name, and the line that gives the object its name. */
#ifndef FORMATS_SOURCE_LOCATION_H
#define FORMATS_SOURCE_LOCATION_H

#include "base/text.h"

#include <stdint.h>

struct source_location {
	const char *file;       /* NULL: the target is of no file (-c, a package) */
	const char *expression; /* within the target's name: "a[::2]"; NULL: the file as a whole */
	int64_t line;           /* 0: not found */
};

/* Zero-initialise. Holds the file that was read last. */
struct source_location_finder {
	struct text file, contents;
};

/* The file and expression live until the next call, and no longer than target. Only regular files
 * are read. */
struct source_location source_location_find(
	struct source_location_finder *finder, const char *target);

void source_location_finder_free(struct source_location_finder *finder);

#endif
