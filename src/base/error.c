// SPDX-License-Identifier: MIT
/* Errors: formatting, context, and which of two exit codes a run ends with. */
#include "base/error.h"

#include "base/array_size.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *err, enum exit_code code, const char *format, ...)
{
	va_list args;

	err->code = code;
	va_start(args, format);
	vsnprintf(err->message, sizeof(err->message), format, args);
	va_end(args);
	return -1;
}

int err_wrap(struct err *err, const char *format, ...)
{
	char inner[sizeof(err->message)];
	va_list args;
	size_t used;

	memcpy(inner, err->message, sizeof(inner));
	va_start(args, format);
	vsnprintf(err->message, sizeof(err->message), format, args);
	va_end(args);
	used = strlen(err->message);
	snprintf(err->message + used, sizeof(err->message) - used, ": %s", inner);
	return -1;
}

enum exit_code exit_code_worse(enum exit_code a, enum exit_code b)
{
	static const enum exit_code order[] = { EXIT_BUG, EXIT_USAGE, EXIT_TARGET, EXIT_UNAVAILABLE,
		EXIT_FINDINGS };

	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		if (a == order[i] || b == order[i])
			return order[i];
	return EXIT_DONE;
}
