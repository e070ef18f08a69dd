// SPDX-License-Identifier: MIT
/* Each line is one write(), so that lines of the judge and the worker do not mix. */
#include "base/debug.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool debug_is_on(const char *subject)
{
	const char *wanted = getenv("SUAI_DEBUG");
	size_t n_subject = strlen(subject);

	while (wanted && *wanted) {
		size_t n_chars = strcspn(wanted, ",");

		if (n_chars == 3 && !memcmp(wanted, "all", 3))
			return true;
		if (n_chars == n_subject && !memcmp(wanted, subject, n_chars))
			return true;
		wanted += n_chars + (wanted[n_chars] == ',');
	}
	return false;
}

void debug_line(const char *subject, const char *format, ...)
{
	char line[1024];
	va_list args;
	int n_chars = snprintf(line, sizeof(line), "suai[%d] %s: ", (int)getpid(), subject);
	size_t used;

	va_start(args, format);
	vsnprintf(line + n_chars, sizeof(line) - (size_t)n_chars - 1, format, args);
	va_end(args);
	used = strlen(line);
	line[used++] = '\n';
	if (write(STDERR_FILENO, line, used) < 0)
		return;
}
