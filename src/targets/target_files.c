// SPDX-License-Identifier: MIT
/* Splits lists of targets into words. */
#include "targets/target_files.h"

#include "base/memory.h"
#include "base/read_file.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

struct words {
	struct arena *arena;
	struct listed_target *items; /* on the heap until all are read */
	size_t n_items, capacity;
};

static void add_listed_word(
	struct words *words, const char *file, size_t line, const char *bytes, size_t n_bytes)
{
	if (!n_bytes)
		return;
	if (words->n_items == words->capacity) {
		words->capacity = words->capacity ? 2 * words->capacity : 64;
		words->items = mem_resize(words->items, words->capacity * sizeof(*words->items));
	}
	words->items[words->n_items++] = (struct listed_target){
		.word = arena_copy(words->arena, bytes, n_bytes), .file = file, .line = line
	};
}

static void split_at_zeros(struct words *words, const char *file, const struct text *text)
{
	for (size_t at = 0; at < text->n_bytes;) {
		size_t n_bytes = strlen(text->bytes + at);

		add_listed_word(words, file, 0, text->bytes + at, n_bytes);
		at += n_bytes + 1;
	}
}

static void split_at_lines(struct words *words, const char *file, const struct text *text)
{
	static const char blanks[] = " \t\r\f\v";
	static const char mark[] = "\xef\xbb\xbf"; /* a byte order mark, which some editors write */
	const char *line = text->bytes;
	size_t number = 1;

	line += strncmp(line, mark, 3) ? 0 : 3;
	for (; *line; number++) {
		size_t n_line = strcspn(line, "\n"), start = strspn(line, blanks), end = n_line;

		while (end > start && strchr(blanks, line[end - 1]))
			end--;
		if (start < end && line[start] != '#')
			add_listed_word(words, file, number, line + start, end - start);
		line += n_line + (line[n_line] == '\n');
	}
}

static int read_list(struct words *words, const char *path, struct err *err)
{
	size_t n_before = words->n_items;
	struct text text = { 0 };
	int status = read_file(path, &text, err);

	if (!status && text.n_bytes && memchr(text.bytes, '\0', text.n_bytes))
		split_at_zeros(words, path, &text);
	else if (!status && text.n_bytes)
		split_at_lines(words, path, &text);
	text_free(&text);
	if (!status && words->n_items == n_before)
		status = strcmp(path, "-")
				 ? err_set(err, EXIT_USAGE, "'%s' contains no TARGET", path)
				 : err_set(err, EXIT_USAGE, "standard input contains no TARGET");
	return status;
}

int target_files_read(struct arena *arena, const struct option_list *paths,
	struct target_files *out, struct err *err)
{
	struct words words = { .arena = arena };
	int status = 0, n_stdin = 0;

	*out = (struct target_files){ 0 };
	for (size_t i = 0; i < paths->n_items && !status; i++) {
		n_stdin += !strcmp(paths->items[i], "-");
		if (n_stdin > 1)
			status = err_set(err, EXIT_USAGE, "standard input can be read only once");
		else
			status = read_list(&words, paths->items[i], err);
	}
	if (!status) {
		out->n_items = words.n_items;
		out->items = arena_alloc(arena, words.n_items * sizeof(*out->items));
		if (words.n_items)
			memcpy(out->items, words.items, words.n_items * sizeof(*out->items));
	}
	free(words.items);
	return status ? err_wrap(err, "--targets-from") : 0;
}

int target_files_wrap(const struct listed_target *target, struct err *err)
{
	const char *file = strcmp(target->file, "-") ? target->file : "standard input";

	if (!target->line)
		return err_wrap(err, "%s", file);
	return err_wrap(err, "%s, line %zu", file, target->line);
}
