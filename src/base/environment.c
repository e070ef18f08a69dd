// SPDX-License-Identifier: MIT
/* Switches in the environment. */
#include "base/environment.h"

#include <stdlib.h>
#include <string.h>

bool environment_forces(const char *variable)
{
	const char *value = getenv(variable);

	return value && *value && strcmp(value, "0") != 0;
}
