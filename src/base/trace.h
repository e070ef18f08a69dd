// SPDX-License-Identifier: MIT
/* Lines on standard error for developers, chosen by SUAI_TRACE=host,worker,sycl,... or all. */
#ifndef BASE_TRACE_H
#define BASE_TRACE_H

#include <stdbool.h>

bool trace_on(const char *subject);
void trace_line(const char *subject, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define TRACE(subject, ...)                               \
	do {                                              \
		if (trace_on(subject))                    \
			trace_line(subject, __VA_ARGS__); \
	} while (0)

#endif
