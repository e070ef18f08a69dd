// SPDX-License-Identifier: MIT
/* Variables of the environment. */
#include "base/environment.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void environment_make_absolute(const char *variable)
{
	const char *path = getenv(variable);
	char *absolute = path && *path && *path != '/' ? mem_real_path(path) : NULL;

	if (absolute)
		setenv(variable, absolute, 1);
	free(absolute);
}

bool environment_forces(const char *variable)
{
	const char *value = getenv(variable);

	return value && *value && strcmp(value, "0") != 0;
}
