// SPDX-License-Identifier: MIT
#include "output/notice.h"

#include "model/escape.h"

#include <stdarg.h>
#include <stdio.h>

void notice(const char *format, ...)
{
	struct text message = { 0 }, line = { 0 };
	va_list args;

	va_start(args, format);
	text_vprintf(&message, format, args);
	va_end(args);
	text_add(&line, "suai: ");
	escape_text(&line, message.bytes, message.n_bytes, ESCAPE_TERMINAL);
	fprintf(stderr, "%s\n", line.bytes);
	text_free(&line);
	text_free(&message);
}
