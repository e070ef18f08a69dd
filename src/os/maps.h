// SPDX-License-Identifier: MIT
/*
 * What the kernel reports about host addresses: the mappings around one, or all of
 * /proc/self/maps, read once and queried repeatedly. No pointer is dereferenced.
 */
#ifndef OS_MAPS_H
#define OS_MAPS_H

#include "base/error.h"
#include "base/text.h"
#include "facts/facts.h"

#include <stdbool.h>
#include <stddef.h>

struct maps_entry {
	uint64_t low, high;
	bool readable, writable, executable;
	const char *name; /* points into text; empty: anonymous */
};

/* A snapshot, valid until mappings change; free it with maps_free. */
struct maps {
	struct text text;
	struct maps_entry *entries; /* sorted by address */
	size_t n_entries;
};

/*
 * Takes a snapshot of this process. EXIT_UNAVAILABLE if /proc cannot be read; maps is empty then.
 */
int maps_read(struct maps *maps, struct err *err);

/*
 * Takes what maps_locate requires for [low, high), from a kernel that can be queried for single
 * mappings. False if it cannot, or if there are too many. SUAI_NO_MAPS_QUERY in the environment
 * disables the query.
 */
bool maps_query(struct maps *maps, uint64_t low, uint64_t high);

/* Takes a snapshot of that range, or of everything. EXIT_UNAVAILABLE as for maps_read. */
int maps_read_near(struct maps *maps, uint64_t low, uint64_t high, struct err *err);

/* Parses the text of a maps file; takes text. */
void maps_parse(struct maps *maps, struct text *text);

/*
 * Describes [low, high): kind, base and size of the mapping at low, joined with adjacent ones of
 * the same name and access and with those that the range spans; readable and writable only if the
 * whole range is. An unmapped address is MEMORY_UNKNOWN and not host-accessible.
 */
void maps_locate(const struct maps *maps, uint64_t low, uint64_t high, struct memory *memory);

/*
 * A mapping may be longer than its file, which another process can truncate: an access past the end
 * of the last page of the file raises SIGBUS. Sets readable and writable to ANSWER_NO if high is
 * past it. Kernels before Linux 5.14 cannot be asked.
 */
void maps_find_end_of_file(uint64_t low, uint64_t high, struct memory *memory);

/* The executable mapping that the address is in; NULL: none. */
const struct maps_entry *maps_find_code(const struct maps *maps, uint64_t address);

void maps_free(struct maps *maps);

#endif
