// SPDX-License-Identifier: MIT
/* Log lines for developers on standard error, selected by SUAI_DEBUG=cache,read,... or all. */
#ifndef BASE_DEBUG_H
#define BASE_DEBUG_H

#include <stdbool.h>

bool debug_is_on(const char *subject);
void debug_line(const char *subject, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define DEBUG_LOG(subject, ...)                           \
	do {                                              \
		if (debug_is_on(subject))                 \
			debug_line(subject, __VA_ARGS__); \
	} while (0)

#endif
