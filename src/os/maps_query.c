// SPDX-License-Identifier: MIT
/*
 * Queries the kernel for single mappings around an address (Linux 6.11): a microsecond each,
 * while reading /proc/self/maps takes 200 or more.
 */
#include "os/maps.h"

#include "base/debug.h"
#include "base/environment.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { MAX_MAPPINGS = 256, NAME_BYTES = 512 };

/* struct procmap_query of linux/fs.h, which older headers lack. */
struct query {
	uint64_t size, flags, address; /* query */
	uint64_t low, high, access, page_bytes, offset, inode;
	uint32_t major, minor, name_bytes, build_id_bytes;
	uint64_t name_pointer, build_id_pointer;
};

enum { READABLE = 1, WRITABLE = 2, OR_NEXT = 0x10 };

#define QUERY _IOWR('f', 17, struct query)

struct mapping {
	uint64_t low, high, access;
	char name[NAME_BYTES];
};

/* Returns 0 or errno. */
static int maps_query_one(int fd, uint64_t address, uint64_t flags, struct mapping *mapping)
{
	struct query query = { .size = sizeof(query),
		.flags = flags,
		.address = address,
		.name_bytes = NAME_BYTES,
		.name_pointer = (uintptr_t)mapping->name };

	if (ioctl(fd, QUERY, &query))
		return errno;
	*(query.name_bytes ? mapping->name + NAME_BYTES - 1 : mapping->name) = '\0';
	mapping->low = query.low;
	mapping->high = query.high;
	mapping->access = query.access & (READABLE | WRITABLE);
	return 0;
}

static bool maps_query_alike(const struct mapping *a, const struct mapping *b)
{
	return a->access == b->access && !strcmp(a->name, b->name);
}

/* Moves *first to the lowest adjacent mapping with the same name and access. */
static int go_back(int fd, struct mapping *first)
{
	struct mapping before;
	int status;

	for (int i = 0; i < MAX_MAPPINGS; i++) {
		status = first->low ? maps_query_one(fd, first->low - 1, 0, &before) : ENOENT;
		if (status == ENOENT || (!status && !maps_query_alike(&before, first)))
			return 0;
		if (status)
			return status;
		*first = before;
	}
	return EMFILE;
}

/* Adds mappings from `at` to high, and then while they have the same name and access. */
static int go_on(int fd, struct mapping *at, uint64_t high, struct text *text)
{
	struct mapping next;
	int status;

	for (int i = 0; i < MAX_MAPPINGS; i++) {
		/* A line of /proc/self/maps. */
		text_printf(text, "%" PRIx64 "-%" PRIx64 " %c%c-p 0 0 0 %s\n", at->low, at->high,
			at->access & READABLE ? 'r' : '-', at->access & WRITABLE ? 'w' : '-',
			at->name);
		status = maps_query_one(fd, at->high, 0, &next);
		if (status == ENOENT ||
			(!status && at->high >= high && !maps_query_alike(&next, at)))
			return 0;
		if (status)
			return status;
		*at = next;
	}
	return EMFILE;
}

bool maps_query(struct maps *maps, uint64_t low, uint64_t high)
{
	struct text text = { 0 };
	struct mapping at;
	int status, fd = environment_forces("SUAI_NO_MAPS_QUERY")
				 ? -1
				 : open("/proc/self/maps", O_RDONLY | O_CLOEXEC);

	*maps = (struct maps){ 0 };
	if (fd < 0)
		return false;
	status = maps_query_one(fd, low, OR_NEXT, &at);
	if (!status)
		status = go_back(fd, &at);
	if (!status)
		status = go_on(fd, &at, high, &text);
	close(fd);
	if (status) {
		text_free(&text);
		return false;
	}
	maps_parse(maps, &text);
	DEBUG_LOG("maps", "queried %zu mappings", maps->n_entries);
	return true;
}

int maps_read_near(struct maps *maps, uint64_t low, uint64_t high, struct err *err)
{
	return maps_query(maps, low, high) ? 0 : maps_read(maps, err);
}
