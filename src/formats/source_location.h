// SPDX-License-Identifier: MIT
/* Where a target is written: the file in its name, and the line that gives the object its name. */
#ifndef FORMATS_SOURCE_LOCATION_H
#define FORMATS_SOURCE_LOCATION_H

#include "base/text.h"

#include <stdint.h>

struct place {
	const char *file;       /* NULL: the target is of no file (-c, a package) */
	const char *expression; /* within the target's name: "a[::2]"; NULL: the file as a whole */
	int64_t line;           /* 0: not found */
};

/* Zero-initialise. Holds the file that was read last. */
struct place_finder {
	struct text file, contents;
};

/* The place lives until the next call and no longer than target. Only regular files are read. */
struct place place_find(struct place_finder *finder, const char *target);

void place_finder_free(struct place_finder *finder);

#endif
