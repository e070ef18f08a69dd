// SPDX-License-Identifier: MIT
#include "base/cpu_name.h"

#include <stdio.h>
#include <string.h>

const char *cpu_name(struct arena *arena)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[256], *name = NULL;

	while (file && !name && fgets(line, sizeof(line), file)) {
		char *colon = strchr(line, ':');

		if (strncmp(line, "model name", 10) != 0 || !colon)
			continue;
		colon += 1 + strspn(colon + 1, " \t");
		name = arena_copy(arena, colon, strcspn(colon, "\n"));
	}
	if (file)
		fclose(file);
	return name;
}
