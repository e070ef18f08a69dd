// SPDX-License-Identifier: MIT
#include "base/machine_memory.h"

#include "base/array_size.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/sysinfo.h>

/* Of version 2 and 1. Outside of a container, these are files of the root, which has no limit. */
static const char *const limit_files[] = { "/sys/fs/cgroup/memory.max",
	"/sys/fs/cgroup/memory/memory.limit_in_bytes" };

/* UINT64_MAX: none. */
static uint64_t read_limit(const char *path)
{
	FILE *file = fopen(path, "re");
	uint64_t limit;

	if (!file)
		return UINT64_MAX;
	if (fscanf(file, "%" SCNu64, &limit) != 1)
		limit = UINT64_MAX;
	(void)fclose(file);
	return limit;
}

uint64_t machine_memory_bytes(void)
{
	struct sysinfo machine;
	uint64_t n_bytes = UINT64_MAX;

	if (!sysinfo(&machine))
		n_bytes = ((uint64_t)machine.totalram + machine.totalswap) * machine.mem_unit;
	for (size_t i = 0; i < ARRAY_SIZE(limit_files); i++) {
		uint64_t limit = read_limit(limit_files[i]);

		n_bytes = limit < n_bytes ? limit : n_bytes;
	}
	return n_bytes;
}
