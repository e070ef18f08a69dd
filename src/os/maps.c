// SPDX-License-Identifier: MIT
/* /proc/self/maps: see proc(5). Lines may be long, names may contain spaces. */
#include "os/maps.h"

#include "base/array_size.h"
#include "base/debug.h"
#include "base/memory.h"
#include "facts/facts.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_READ /* glibc before 2.35 */
#define MADV_POPULATE_READ 22
#endif

static int maps_read_all(const char *path, struct text *text, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char chunk[16384];
	ssize_t n_bytes = 0;

	if (fd < 0)
		return err_set(
			err, EXIT_UNAVAILABLE, "cannot open '%s': %s", path, strerror(errno));
	do {
		if (n_bytes > 0)
			text_add_bytes(text, chunk, (size_t)n_bytes);
		n_bytes = read(fd, chunk, sizeof(chunk));
	} while (n_bytes > 0 || (n_bytes < 0 && errno == EINTR));
	if (n_bytes < 0)
		err_set(err, EXIT_UNAVAILABLE, "cannot read '%s': %s", path, strerror(errno));
	close(fd);
	return n_bytes < 0 ? -1 : 0;
}

/* "low-high perms offset device inode   name" */
static bool parse_line(struct maps_entry *entry, char *line)
{
	char permissions[5];
	int n_chars = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*s %*s %*s%n", &entry->low, &entry->high,
		    permissions, &n_chars) < 3 ||
		!n_chars || entry->low >= entry->high)
		return false;
	entry->readable = permissions[0] == 'r';
	entry->writable = permissions[1] == 'w';
	entry->executable = permissions[2] == 'x';
	entry->name = line + n_chars + strspn(line + n_chars, " ");
	return true;
}

void maps_parse(struct maps *maps, struct text *text)
{
	size_t capacity = 0;
	char *line, *rest;

	*maps = (struct maps){ .text = *text };
	*text = (struct text){ 0 };
	rest = maps->text.bytes;
	while (rest && *rest) {
		line = strsep(&rest, "\n");
		if (maps->n_entries == capacity) {
			capacity = capacity ? 2 * capacity : 256;
			maps->entries =
				mem_resize(maps->entries, capacity * sizeof(*maps->entries));
		}
		if (parse_line(&maps->entries[maps->n_entries], line))
			maps->n_entries++;
	}
}

int maps_read(struct maps *maps, struct err *err)
{
	struct text text = { 0 };

	*maps = (struct maps){ 0 };
	if (maps_read_all("/proc/self/maps", &text, err)) {
		text_free(&text);
		return -1;
	}
	maps_parse(maps, &text);
	DEBUG_LOG("maps", "read %zu mappings", maps->n_entries);
	return 0;
}

/* The kernel is asked for the page of the last byte, which is then in memory; no byte is read. */
void maps_find_end_of_file(uint64_t low, uint64_t high, struct memory *memory)
{
	const uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t page = (high - 1) / page_bytes * page_bytes;

	if (high <= low || memory->readable != ANSWER_YES || memory->mapping[0] != '/')
		return;
	if (madvise((void *)(uintptr_t)page, page_bytes, MADV_POPULATE_READ) && errno == EFAULT)
		memory->readable = memory->writable = ANSWER_NO;
}

const struct maps_entry *maps_find_code(const struct maps *maps, uint64_t address)
{
	for (size_t i = 0; i < maps->n_entries; i++)
		if (address >= maps->entries[i].low && address < maps->entries[i].high)
			return maps->entries[i].executable ? &maps->entries[i] : NULL;
	return NULL;
}

void maps_free(struct maps *maps)
{
	text_free(&maps->text);
	free(maps->entries);
	*maps = (struct maps){ 0 };
}

/* The index of the entry that contains address; n_entries if there is none. */
static size_t maps_find(const struct maps *maps, uint64_t address)
{
	size_t low = 0, high = maps->n_entries;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (maps->entries[middle].high <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < maps->n_entries && maps->entries[low].low <= address ? low : maps->n_entries;
}

static bool adjacent(const struct maps *maps, size_t first)
{
	return first + 1 < maps->n_entries &&
	       maps->entries[first].high == maps->entries[first + 1].low;
}

/* The kernel splits a mapping by advice and policy; the parts have the same name and access. */
static bool maps_alike(const struct maps *maps, size_t first)
{
	const struct maps_entry *a = &maps->entries[first], *b = a + 1;

	return adjacent(maps, first) && a->readable == b->readable && a->writable == b->writable &&
	       !strcmp(a->name, b->name);
}

static bool begins(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

static enum memory_kind maps_kind_of(const char *name)
{
	/* Shared memory has a path, but no persistent file. */
	static const char *const shared[] = { "/dev/zero", "/dev/shm/", "/memfd:", "/SYSV",
		"/anon_hugepage", "/dev/hugepages/" };

	if (name[0] != '/')
		return MEMORY_HOST;
	for (size_t i = 0; i < ARRAY_SIZE(shared); i++)
		if (begins(name, shared[i]))
			return MEMORY_HOST;
	return begins(name, "/dev/") ? MEMORY_UNKNOWN : MEMORY_FILE;
}

/*
 * Sets readable and writable for [low, high), which begins in entry `first`; returns the last
 * entry that it spans without a gap.
 */
static size_t walk_range(const struct maps *maps, size_t first, struct memory *memory)
{
	const struct maps_entry *entries = maps->entries;
	bool readable = true, writable = true;
	size_t last = first;

	while (entries[last].high < memory->asked_high && adjacent(maps, last))
		last++;
	for (size_t i = first; i <= last; i++) {
		readable = readable && entries[i].readable;
		writable = writable && entries[i].writable;
	}
	if (entries[last].high < memory->asked_high)
		readable = writable = false;
	memory->readable = readable ? ANSWER_YES : ANSWER_NO;
	memory->writable = writable ? ANSWER_YES : ANSWER_NO;
	return last;
}

void maps_locate(const struct maps *maps, uint64_t low, uint64_t high, struct memory *memory)
{
	size_t first = maps_find(maps, low), last;
	const char *name;

	*memory = (struct memory){ .present = true, .asked_low = low, .asked_high = high };
	memory->by = "maps";
	memory->how = "exact";
	memory->host_accessible = memory->readable = memory->writable = ANSWER_NO;
	if (first == maps->n_entries)
		return;
	name = maps->entries[first].name;
	last = walk_range(maps, first, memory);
	while (first > 0 && maps_alike(maps, first - 1))
		first--;
	while (maps_alike(maps, last))
		last++;
	memory->kind = maps_kind_of(name);
	memory->base = maps->entries[first].low;
	memory->size = maps->entries[last].high - memory->base;
	memory->host_accessible = ANSWER_YES;
	snprintf(memory->mapping, sizeof(memory->mapping), "%s", *name ? name : "anonymous");
}
