// SPDX-License-Identifier: MIT
#include "base/machine_memory.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysinfo.h>

/* Where a version of control groups has the limits of memory. */
struct hierarchy {
	const char *directory; /* in that of all control groups */
	const char *memory;    /* the file with the limit of memory */
	const char *swap;      /* of swap in addition to it; or NULL */
	const char *with_swap; /* of both together; or NULL */
};

static const struct hierarchy version_1 = { .directory = "/memory",
	.memory = "memory.limit_in_bytes",
	.with_swap = "memory.memsw.limit_in_bytes" };
static const struct hierarchy version_2 = {
	.directory = "", .memory = "memory.max", .swap = "memory.swap.max"
};

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* UINT64_MAX: none, which version 2 writes as "max" and version 1 as a number above any memory. */
static uint64_t read_limit(const char *directory, const char *name)
{
	char path[PATH_MAX];
	FILE *file;
	uint64_t limit;

	if (snprintf(path, sizeof(path), "%s/%s", directory, name) >= (int)sizeof(path))
		return UINT64_MAX;
	file = fopen(path, "re");
	if (!file)
		return UINT64_MAX;
	if (fscanf(file, "%" SCNu64, &limit) != 1)
		limit = UINT64_MAX;
	(void)fclose(file);
	return limit;
}

struct limits {
	uint64_t memory, swap, with_swap;
};

static void lower_limits(
	struct limits *limits, const struct hierarchy *hierarchy, const char *directory)
{
	limits->memory = smaller(limits->memory, read_limit(directory, hierarchy->memory));
	if (hierarchy->swap)
		limits->swap = smaller(limits->swap, read_limit(directory, hierarchy->swap));
	if (hierarchy->with_swap)
		limits->with_swap =
			smaller(limits->with_swap, read_limit(directory, hierarchy->with_swap));
}

/* What a group may use of memory and of the machine's swap: each of its limits is the least of the
 * group and of those that contain it. group: its path, which is changed. In a container, the path
 * may be that of the host: the groups above are then those of the container. */
static uint64_t limit_of_group(
	const struct hierarchy *hierarchy, const char *root, char *group, uint64_t swap_bytes)
{
	struct limits limits = { UINT64_MAX, swap_bytes, UINT64_MAX };

	for (char *end = group + strlen(group);; end = strrchr(group, '/')) {
		char directory[PATH_MAX];

		if (end)
			*end = 0;
		if (snprintf(directory, sizeof(directory), "%s%s%s", root, hierarchy->directory,
			    group) < (int)sizeof(directory))
			lower_limits(&limits, hierarchy, directory);
		if (!*group || !end)
			break;
	}
	return limits.memory < UINT64_MAX - limits.swap
		       ? smaller(limits.memory + limits.swap, limits.with_swap)
		       : limits.with_swap;
}

/* Whether "cpu,memory" has memory. */
static bool has_memory(const char *controllers)
{
	const char *found = strstr(controllers, "memory");

	return found && (found == controllers || found[-1] == ',') &&
	       (!found[strlen("memory")] || found[strlen("memory")] == ',');
}

uint64_t machine_memory_limit(const char *groups, const char *root, uint64_t swap_bytes)
{
	FILE *file = fopen(groups, "re");
	uint64_t limit = UINT64_MAX;
	char line[PATH_MAX];

	if (!file)
		return limit;
	/* NUMBER:CONTROLLERS:PATH; without controllers: version 2. */
	while (fgets(line, sizeof(line), file)) {
		char *controllers = strchr(line, ':');
		char *group = controllers ? strchr(controllers + 1, ':') : NULL;

		if (!group)
			continue;
		*group++ = 0;
		group[strcspn(group, "\n")] = 0;
		if (!*++controllers)
			limit = smaller(limit, limit_of_group(&version_2, root, group, swap_bytes));
		else if (has_memory(controllers))
			limit = smaller(limit, limit_of_group(&version_1, root, group, swap_bytes));
	}
	(void)fclose(file);
	return limit;
}

uint64_t machine_memory_bytes(void)
{
	struct sysinfo machine;
	uint64_t swap_bytes;

	if (sysinfo(&machine))
		return UINT64_MAX;
	swap_bytes = (uint64_t)machine.totalswap * machine.mem_unit;
	return smaller((uint64_t)machine.totalram * machine.mem_unit + swap_bytes,
		machine_memory_limit("/proc/self/cgroup", "/sys/fs/cgroup", swap_bytes));
}
