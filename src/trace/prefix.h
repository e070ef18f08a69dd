// SPDX-License-Identifier: MIT
#ifndef TRACE_PREFIX_H
#define TRACE_PREFIX_H

#include <stdbool.h>
#include <string.h>

static inline bool trace_has_prefix(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

#endif
