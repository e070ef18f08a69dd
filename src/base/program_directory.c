// SPDX-License-Identifier: MIT
#include "base/program_directory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

char *program_directory(void)
{
	const char *started_as = (const char *)getauxval(AT_EXECFN);
	char *own = realpath("/proc/self/exe", NULL);

	if (!own && started_as)
		own = realpath(started_as, NULL);
	if (own)
		*strrchr(own, '/') = '\0';
	return own;
}
