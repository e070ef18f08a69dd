// SPDX-License-Identifier: MIT
#include "trace/memory.h"

#include "trace/map.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

struct trace_memory trace_memory;

static struct trace_map strings_by_hash, libraries_by_name, sites_by_hash, rows_by_hash;
/* The first of the unused tensors, which are linked by their row. */
static uint32_t unused_tensor = TRACE_NONE;
static char *memory_path; /* for forked children */

uint64_t trace_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* The first page, which stays mapped; NULL: it was not. */
static struct trace_head *shared_head;

static int open_shared_memory(void)
{
	return memory_path ? open(memory_path, O_RDWR | O_CLOEXEC) : -1;
}

/* Whether a file cannot shrink, as suai's memory: reading behind the end of another one, which a
 * later process may have by that path, would end the program. */
static bool is_sealed(int fd)
{
	int seals = fcntl(fd, F_GET_SEALS);

	return seals > 0 && (seals & F_SEAL_SHRINK);
}

/* Maps the first page. False: the memory is not suai's. */
static bool map_head(void)
{
	int fd = open_shared_memory();
	void *head = fd < 0 || !is_sealed(fd) ? MAP_FAILED
					      : mmap(NULL, TRACE_PAGE_BYTES, PROT_READ | PROT_WRITE,
							MAP_SHARED, fd, 0);

	if (fd >= 0)
		close(fd);
	if (head == MAP_FAILED)
		return false;
	shared_head = head;
	trace_memory.layers = shared_head->layers;
	trace_memory.min_bytes = shared_head->min_bytes;
	trace_memory.is_following = shared_head->is_following;
	trace_memory.max_events = shared_head->max_events;
	return shared_head->magic == TRACE_MAGIC;
}

/* Maps the memory up to the end of a segment from the mapping of its first page, for a process that
 * cannot open it: its path does not exist after chroot(), and a limit may allow no descriptor. */
static void *map_from_head(uint64_t offset, uint64_t n_bytes)
{
	char *all = mremap(shared_head, 0, offset + n_bytes, MREMAP_MAYMOVE);

	if (all == MAP_FAILED)
		return MAP_FAILED;
	munmap(all, offset);
	return all + offset;
}

/* NULL: not possible. */
static struct trace_segment *map_segment(uint32_t i)
{
	const uint64_t n_bytes = trace_segment_bytes(shared_head->max_events);
	const uint64_t offset = trace_segment_offset(i, shared_head->max_events);
	const int fd = open_shared_memory();
	void *segment = fd < 0 || !is_sealed(fd) ? map_from_head(offset, n_bytes)
						 : mmap(NULL, n_bytes, PROT_READ | PROT_WRITE,
							   MAP_SHARED, fd, (off_t)offset);

	if (fd >= 0)
		close(fd);
	return segment == MAP_FAILED ? NULL : segment;
}

/* The segment of this process, also of a forked child; NULL: none is left. */
static struct trace_segment *claim_segment(void)
{
	const uint32_t i = atomic_fetch_add(&shared_head->n_claimed, 1);

	return i < shared_head->max_segments ? map_segment(i) : NULL;
}

static bool has_exchanges(const struct trace_segment *segment)
{
	return segment->n_rows || segment->n_tensors || segment->n_lost || segment->n_below;
}

/* Whether a process ended, or executed another program, without an exchange. */
static bool ended_without_exchanges(const struct trace_segment *segment)
{
	return segment->magic == TRACE_MAGIC && segment->state != TRACE_UNUSED &&
	       segment->state != TRACE_RUNNING && !has_exchanges(segment);
}

/* Without --follow, the segment of the only process, if that ended without an exchange, as the one
 * in which uv queries the version of an interpreter; NULL otherwise. */
static struct trace_segment *replace_first_process(void)
{
	struct trace_segment *segment;
	uint32_t state;

	if (shared_head->is_following || !atomic_load(&shared_head->n_claimed))
		return NULL;
	segment = map_segment(0);
	state = segment ? segment->state : TRACE_RUNNING;
	if (segment && ended_without_exchanges(segment) &&
		__atomic_compare_exchange_n(&segment->state, &state, TRACE_RUNNING, false,
			__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		if (state == TRACE_LEFT)
			trace_memory_count(-1);
		memset(segment, 0, sizeof(*segment));
		return segment;
	}
	if (segment)
		munmap(segment, trace_segment_bytes(shared_head->max_events));
	return NULL;
}

/* In the PID namespace of the mount of /proc, through which suai's memory was opened: suai looks
 * there whether the process runs. */
static uint32_t find_own_pid(void)
{
	char text[32] = { 0 };
	ssize_t n_bytes = readlink("/proc/self", text, sizeof(text) - 1);
	unsigned long pid = n_bytes > 0 ? strtoul(text, NULL, 10) : 0;

	return (uint32_t)(pid ? pid : (unsigned long)getpid());
}

static void use_segment(struct trace_segment *segment)
{
	char *base = (char *)segment;

	trace_memory.libraries = (struct trace_library *)(base + TRACE_LIBRARIES_OFFSET);
	trace_memory.sites = (struct trace_site *)(base + TRACE_SITES_OFFSET);
	trace_memory.rows = (struct trace_row *)(base + TRACE_ROWS_OFFSET);
	trace_memory.strings = base + TRACE_STRINGS_OFFSET;
	trace_memory.tensors = (struct trace_tensor *)(base + TRACE_TENSORS_OFFSET);
	trace_memory.events = (struct trace_event *)(base + TRACE_EVENTS_OFFSET);
	trace_memory.segment = segment;
	segment->magic = TRACE_MAGIC;
	segment->pid = find_own_pid();
	segment->n_string_bytes = 1;
	segment->started_ns = trace_now_ns();
	segment->state = TRACE_RUNNING;
}

bool trace_memory_open(const char *path)
{
	struct trace_segment *segment;

	memory_path = strdup(path);
	segment = map_head() ? replace_first_process() : NULL;
	if (!segment && shared_head)
		segment = claim_segment();
	if (segment)
		use_segment(segment);
	return segment != NULL;
}

bool trace_memory_fork(void)
{
	struct trace_memory parent = trace_memory;
	/* Without --follow, there is no other: the child is only counted. */
	struct trace_segment *segment = claim_segment();

	if (!segment)
		return false;
	use_segment(segment);
	segment->n_string_bytes = parent.segment->n_string_bytes;
	segment->n_libraries = parent.segment->n_libraries;
	segment->n_sites = parent.segment->n_sites;
	memcpy(trace_memory.strings, parent.strings, segment->n_string_bytes);
	memcpy(trace_memory.libraries, parent.libraries,
		segment->n_libraries * sizeof(*parent.libraries));
	memcpy(trace_memory.sites, parent.sites, segment->n_sites * sizeof(*parent.sites));
	trace_map_clear(&rows_by_hash);
	unused_tensor = TRACE_NONE;
	munmap(parent.segment, trace_segment_bytes(parent.max_events));
	return true;
}

bool trace_memory_leave(void)
{
	struct trace_segment *segment = trace_memory.segment;

	if (segment->state != TRACE_RUNNING || segment->pid != find_own_pid() ||
		has_exchanges(segment))
		return false;
	trace_memory_count(1);
	segment->state = TRACE_LEFT;
	return true;
}

void trace_memory_return(void)
{
	trace_memory.segment->state = TRACE_RUNNING;
	trace_memory_count(-1);
}

void trace_memory_count(int n_processes)
{
	atomic_fetch_add(&shared_head->n_claimed, (uint32_t)n_processes);
}

void trace_memory_count_unreachable(int n_processes)
{
	atomic_fetch_add(&shared_head->n_unreachable, (uint32_t)n_processes);
}

uint32_t trace_string(const char *bytes, size_t n_bytes)
{
	struct trace_segment *segment = trace_memory.segment;
	uint64_t hash = trace_hash(bytes, n_bytes);
	uint64_t *found;
	uint32_t at = segment->n_string_bytes;

	if (!n_bytes)
		return 0;
	while ((found = trace_map_find(&strings_by_hash, hash))) {
		const char *known = trace_memory.strings + *found;

		if (!strncmp(known, bytes, n_bytes) && !known[n_bytes])
			return (uint32_t)*found;
		hash += hash == UINT64_MAX ? 2 : 1;
	}
	if (n_bytes >= TRACE_STRING_BYTES - at || memchr(bytes, 0, n_bytes) ||
		!trace_map_set(&strings_by_hash, hash, at))
		return 0;
	memcpy(trace_memory.strings + at, bytes, n_bytes);
	trace_memory.strings[at + n_bytes] = 0;
	segment->n_string_bytes = (uint32_t)(at + n_bytes + 1);
	return at;
}

uint32_t trace_memory_library(const char *name, const char *path)
{
	struct trace_segment *segment = trace_memory.segment;
	uint32_t text = trace_string(name, strlen(name)), i = segment->n_libraries;
	uint64_t *found = text ? trace_map_find(&libraries_by_name, text) : NULL;

	if (found)
		return (uint32_t)*found;
	if (!text || i >= TRACE_MAX_LIBRARIES || !trace_map_set(&libraries_by_name, text, i))
		return TRACE_NONE;
	trace_memory.libraries[i] =
		(struct trace_library){ text, trace_string(path, strlen(path)) };
	segment->n_libraries = i + 1;
	return i;
}

bool trace_memory_is_library(uint32_t library, const char *name)
{
	return library < trace_memory.segment->n_libraries &&
	       !strcmp(trace_memory.strings + trace_memory.libraries[library].name, name);
}

uint32_t trace_memory_site(uint32_t file, uint32_t function, int32_t line, bool is_library)
{
	const struct trace_site site = { file, function, line, is_library };
	struct trace_segment *segment = trace_memory.segment;
	uint64_t hash = trace_hash(&site, sizeof(site)), *found;
	uint32_t i = segment->n_sites;

	while ((found = trace_map_find(&sites_by_hash, hash))) {
		if (!memcmp(&trace_memory.sites[*found], &site, sizeof(site)))
			return (uint32_t)*found;
		hash += hash == UINT64_MAX ? 2 : 1;
	}
	if (i >= TRACE_MAX_SITES || !trace_map_set(&sites_by_hash, hash, i))
		return TRACE_NONE;
	trace_memory.sites[i] = site;
	segment->n_sites = i + 1;
	return i;
}

uint32_t trace_memory_row(enum trace_kind kind, uint32_t producer, uint32_t consumer, uint32_t site)
{
	const uint32_t key[] = { (uint32_t)kind, producer, consumer, site };
	struct trace_segment *segment = trace_memory.segment;
	uint64_t hash = trace_hash(key, sizeof(key)), *found;
	uint32_t i = segment->n_rows;

	/* A row begins with its key. */
	while ((found = trace_map_find(&rows_by_hash, hash))) {
		if (!memcmp(&trace_memory.rows[*found], key, sizeof(key)))
			return (uint32_t)*found;
		hash += hash == UINT64_MAX ? 2 : 1;
	}
	if (i >= TRACE_MAX_ROWS || !trace_map_set(&rows_by_hash, hash, i))
		return TRACE_NONE;
	trace_memory.rows[i] = (struct trace_row){
		.kind = (uint32_t)kind, .producer = producer, .consumer = consumer, .site = site
	};
	segment->n_rows = i + 1;
	return i;
}

uint32_t trace_memory_tensor(void)
{
	struct trace_segment *segment = trace_memory.segment;
	uint32_t i = unused_tensor;

	if (i != TRACE_NONE) {
		unused_tensor = trace_memory.tensors[i].row;
	} else if (segment->n_tensors < TRACE_MAX_TENSORS) {
		i = segment->n_tensors++;
	}
	return i;
}

void trace_memory_free_tensor(uint32_t i)
{
	trace_memory.tensors[i].flags = 0;
	trace_memory.tensors[i].row = unused_tensor;
	unused_tensor = i;
}
