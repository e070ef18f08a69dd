// SPDX-License-Identifier: MIT
#include "base/program_directory.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

char *program_directory(void)
{
	const char *started_as = (const char *)getauxval(AT_EXECFN);
	char *own = mem_real_path("/proc/self/exe");

	if (!own && started_as)
		own = mem_real_path(started_as);
	if (own)
		*strrchr(own, '/') = '\0';
	return own;
}
