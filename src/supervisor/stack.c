// SPDX-License-Identifier: MIT
#include "supervisor/stack.h"

#include "base/text.h"
#include "base/utf8.h"
#include "model/escape.h"

#include <stdint.h>
#include <string.h>

/* Reads \xe9, \u20ac or \U0001f600. Returns its length, or 0 if it is no character beyond ASCII:
 * surrogates stand for bytes that are not UTF-8, and stay escaped, as in documents. */
static size_t read_code_point(const char *at, uint32_t *point)
{
	size_t n_digits = at[1] == 'x' ? 2 : at[1] == 'u' ? 4 : at[1] == 'U' ? 8 : 0;
	int64_t code = *at == '\\' && n_digits
			       ? escape_read_hex(at + 2, strnlen(at + 2, n_digits), n_digits)
			       : -1;

	if (code < 0x80 || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff)
		return 0;
	*point = (uint32_t)code;
	return n_digits + 2;
}

/* The stack with names of files and functions as they are: faulthandler writes ASCII. */
static const char *restore_characters(struct arena *arena, const char *stack)
{
	struct text text = { 0 };

	for (const char *at = stack; *at;) {
		uint32_t point;
		size_t length = read_code_point(at, &point);
		char bytes[4];

		text_add_bytes(
			&text, length ? bytes : at, length ? utf8_from_point(point, bytes) : 1);
		at += length ? length : 1;
	}
	stack = text.n_bytes ? arena_copy(arena, text.bytes, text.n_bytes) : "";
	text_free(&text);
	return stack;
}

static bool line_begins(const char *line, const char *words)
{
	return !strncmp(line, words, strlen(words));
}

/* "Current thread 0x00007f0c [python3] (most recent call first):" without the number. */
static void add_thread(struct text *out, const char *line, const char *end)
{
	const char *number = strstr(line, " 0x"), *after;

	if (!number || number >= end) {
		text_add_bytes(out, line, (size_t)(end - line));
		return;
	}
	after = number + strlen(" 0x");
	after += strspn(after, "0123456789abcdef");
	text_add_bytes(out, line, (size_t)(number - line));
	text_add_bytes(out, after, (size_t)(end - after));
}

static void add_frame(struct text *out, const char *line, const char *end, const char *own)
{
	if (line_begins(line, own)) {
		text_add(out, "  File \"<suai>\"");
		line += strlen(own);
	}
	text_add_bytes(out, line, (size_t)(end - line));
}

const char *stack_tidy(struct arena *arena, const char *stack, const char *own_file, bool is_hung)
{
	const char *own = arena_printf(arena, "  File \"%s\"", own_file), *end;
	bool is_outside = false; /* of suai */
	struct text text = { 0 };

	stack = stack ? restore_characters(arena, stack) : NULL;
	for (const char *line = stack; line && *line; line = *end ? end + 1 : end) {
		end = line + strcspn(line, "\n");
		if (line_begins(line, "Extension modules: ") ||
			(is_hung && line_begins(line, "Fatal Python error: ")) ||
			(end == line && (!text.n_bytes || !*end)) ||
			(is_outside && line_begins(line, "  ")))
			continue;
		is_outside = line_begins(line, own);
		if (line_begins(line, "Current thread ") || line_begins(line, "Thread "))
			add_thread(&text, line, end);
		else
			add_frame(&text, line, end, own);
		text_add(&text, "\n");
	}
	while (text.n_bytes > 1 && text.bytes[text.n_bytes - 2] == '\n')
		text_truncate(&text, text.n_bytes - 1);
	stack = text.n_bytes ? arena_copy(arena, text.bytes, text.n_bytes) : NULL;
	text_free(&text);
	return stack;
}
