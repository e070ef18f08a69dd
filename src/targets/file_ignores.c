// SPDX-License-Identifier: MIT
#include "targets/file_ignores.h"

#include "base/python_code.h"
#include "base/read_file.h"
#include "base/text.h"
#include "facts/ignore_comment.h"

#include <string.h>
#include <unistd.h>

enum { MAX_SOURCE_BYTES = 32 << 20 };

static int64_t count_lines(const char *at, const char *end)
{
	int64_t n_lines = 0;

	while (at < end)
		n_lines += *at++ == '\n';
	return n_lines;
}

/* Gives the text of a regular file; false: it cannot be read, or is too large. */
static bool read_python_file(const char *path, struct text *text)
{
	struct err ignored;
	struct stat info;
	int fd = open_regular_file(path, &info, &ignored);

	if (fd < 0)
		return false;
	if (info.st_size > MAX_SOURCE_BYTES) {
		close(fd);
		return false;
	}
	return !read_descriptor(fd, path, text, &ignored) && text->bytes;
}

void file_ignores_read(struct arena *arena, const char *path, struct fact_ignore_list *list)
{
	struct text text = { 0 };
	int64_t line = 1;

	if (read_python_file(path, &text)) {
		const char *end = text.bytes + text.n_bytes;

		for (const char *at = text.bytes, *next; at < end; at = next) {
			next = at + 1;
			if (*at == '"' || *at == '\'') {
				next = python_string_end(at, end);
			} else if (*at == '#') {
				next = memchr(at, '\n', (size_t)(end - at));
				next = next ? next : end;
				ignore_comment_add(arena, line,
					arena_copy(arena, at, (size_t)(next - at)), list);
			}
			line += count_lines(at, next);
		}
	}
	text_free(&text);
}
