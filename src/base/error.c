// SPDX-License-Identifier: MIT
/* Errors: formatting, context, and which of two exit codes a run ends with. */
#include "base/error.h"

#include "base/array_size.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Marks a message of n_chars that does not fit as truncated. */
static void mark_truncated(struct err *err, size_t n_chars)
{
	static const char mark[] = "... (truncated)";
	size_t n_shown = sizeof(err->message) - sizeof(mark);

	if (n_chars < sizeof(err->message))
		return;
	n_shown = utf8_truncated(err->message, sizeof(err->message), n_shown);
	memcpy(err->message + n_shown, mark, sizeof(mark));
}

int err_set(struct err *err, enum exit_code code, const char *format, ...)
{
	va_list args;
	int n_chars;

	err->code = code;
	va_start(args, format);
	n_chars = vsnprintf(err->message, sizeof(err->message), format, args);
	va_end(args);
	mark_truncated(err, n_chars < 0 ? 0 : (size_t)n_chars);
	return -1;
}

int err_wrap(struct err *err, const char *format, ...)
{
	char inner[sizeof(err->message)];
	va_list args;
	size_t used;
	int n_chars;

	memcpy(inner, err->message, sizeof(inner));
	va_start(args, format);
	vsnprintf(err->message, sizeof(err->message), format, args);
	va_end(args);
	used = strlen(err->message);
	n_chars = snprintf(err->message + used, sizeof(err->message) - used, ": %s", inner);
	mark_truncated(err, n_chars < 0 ? 0 : used + (size_t)n_chars);
	return -1;
}

int err_suggest(struct err *err, const char *near, const char *format, ...)
{
	size_t used = strlen(err->message), n_free = sizeof(err->message) - used;
	int n_chars = 0;
	va_list args;

	va_start(args, format);
	if (near)
		n_chars = snprintf(err->message + used, n_free, ERR_SUGGESTION, near);
	else if (format)
		n_chars = vsnprintf(err->message + used, n_free, format, args);
	va_end(args);
	mark_truncated(err, n_chars < 0 ? 0 : used + (size_t)n_chars);
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
