// SPDX-License-Identifier: MIT
#include "base/limit.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/resource.h>

static bool is_limited(int resource)
{
	struct rlimit limit;

	return !getrlimit((__rlimit_resource_t)resource, &limit) && limit.rlim_cur != RLIM_INFINITY;
}

const char *limit_advice(int code)
{
	switch (code) {
	case EMFILE:
		return "; raise the limit on open files (ulimit -n)";
	case EFBIG:
		return "; raise the limit on the size of files (ulimit -f)";
	case EAGAIN:
		return "; raise the limit on processes (ulimit -u, or that of the container)";
	case ENOMEM:
		return is_limited(RLIMIT_AS) ? "; raise the limit on address space (ulimit -v)"
					     : "";
	default:
		return "";
	}
}
