// SPDX-License-Identifier: MIT
#include "commands/notice.h"

#include "formats/escape.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void notice(const char *format, ...)
{
	struct text line = { 0 };
	char *message = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&message, format, args) < 0)
		message = NULL;
	va_end(args);
	text_add(&line, "suai: ");
	if (message)
		escape_text(&line, message, strlen(message), ESCAPE_TERMINAL);
	else
		text_add(&line, "out of memory");
	fprintf(stderr, "%s\n", line.bytes);
	text_free(&line);
	free(message);
}
