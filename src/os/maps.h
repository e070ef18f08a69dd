// SPDX-License-Identifier: MIT
/*
 * What the kernel says of host addresses: the mappings around one, or all of /proc/self/maps, read
 * once and asked often. A pointer is never followed to find out.
 */
#ifndef OS_MAPS_H
#define OS_MAPS_H

#include "base/error.h"
#include "base/text.h"
#include "facts/memory.h"

#include <stdbool.h>
#include <stddef.h>

struct maps_entry {
	uint64_t low, high;
	bool readable, writable, executable;
	const char *name; /* in text; empty: anonymous */
};

/* A snapshot, valid until mappings change; free with maps_free. */
struct maps {
	struct text text;
	struct maps_entry *entries; /* by address */
	size_t n_entries;
};

/* Takes a snapshot of this process. EXIT_UNAVAILABLE where /proc cannot be read; maps is empty
 * then. */
int maps_read(struct maps *maps, struct err *err);

/* Takes what maps_ask needs for [low, high), from a kernel that tells single mappings. False: it
 * does not, or there are too many. SUAI_NO_MAPS_QUERY in the environment: it is not asked. */
bool maps_query(struct maps *maps, uint64_t low, uint64_t high);

/* Takes that, or all. EXIT_UNAVAILABLE as maps_read. */
int maps_read_near(struct maps *maps, uint64_t low, uint64_t high, struct err *err);

/* The same from the text of a maps file; takes text. */
void maps_parse(struct maps *maps, struct text *text);

/*
 * Answers for [low, high): kind, base and size of the mapping at low joined with its like on either
 * side and with those that the range goes through; readable and writable only where the whole
 * range is. An address that nothing maps is MEMORY_UNKNOWN and not host-accessible.
 */
void maps_ask(const struct maps *maps, uint64_t low, uint64_t high, struct memory *memory);

/* Whether code may lie there. */
bool maps_is_code(const struct maps *maps, uint64_t address);

void maps_free(struct maps *maps);

#endif
