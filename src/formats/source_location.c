// SPDX-License-Identifier: MIT
/*
 * Finds where targets are defined. No Python is parsed: the result is the last line at module
 * level that begins with a name and assigns to it.
 */
#include "formats/source_location.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_FILE_BYTES = 8 << 20 };

static bool path_ends_in(const char *text, size_t n_chars, const char *suffix)
{
	size_t n_suffix = strlen(suffix);

	return n_chars > n_suffix && !strncmp(text + n_chars - n_suffix, suffix, n_suffix);
}

/* The length of the file name at the start of a target; 0 if there is none. */
static size_t target_file_length(const char *target)
{
	for (const char *end = target;; end++) {
		size_t n_chars;

		end += strcspn(end, ":");
		n_chars = (size_t)(end - target);
		if (path_ends_in(target, n_chars, ".py") || path_ends_in(target, n_chars, ".npy") ||
			path_ends_in(target, n_chars, ".yaml") ||
			path_ends_in(target, n_chars, ".yml"))
			return n_chars;
		if (!*end)
			return 0;
	}
}

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c & 0x80;
}

static size_t identifier_length(const char *text)
{
	size_t n_chars = 0;

	while (is_name_char(text[n_chars]))
		n_chars++;
	return n_chars;
}

static void read_source(struct source_location_finder *finder)
{
	struct stat status;
	char block[8192];
	size_t n_bytes;
	FILE *file;

	text_clear(&finder->contents);
	if (stat(finder->file.bytes, &status) || !S_ISREG(status.st_mode) ||
		status.st_size > MAX_FILE_BYTES)
		return;
	file = fopen(finder->file.bytes, "re");
	if (!file)
		return;
	while ((n_bytes = fread(block, 1, sizeof(block), file)) > 0)
		text_add_bytes(&finder->contents, block, n_bytes);
	fclose(file);
}

/* "def ", "class ", "async def ": precede the name. */
static const char *skip_keyword(const char *line)
{
	static const char *const keywords[] = { "def ", "class ", "async def " };

	for (size_t i = 0; i < sizeof(keywords) / sizeof(*keywords); i++)
		if (!strncmp(line, keywords[i], strlen(keywords[i])))
			return line + strlen(keywords[i]);
	return NULL;
}

/* Whether a line assigns to the name: NAME =, NAME: type, NAME, OTHER =, def NAME. */
static bool line_defines(const char *line, const char *name, size_t n_chars)
{
	const char *defined = skip_keyword(line);
	const char *start = defined ? defined : line;

	if (strncmp(start, name, n_chars) != 0 || is_name_char(start[n_chars]))
		return false;
	start += n_chars;
	start += strspn(start, " \t");
	return defined || *start == ':' || *start == ',' || (*start == '=' && start[1] != '=');
}

static int64_t find_definition(const char *contents, const char *name, size_t n_chars)
{
	int64_t found = 0, number = 1;

	for (const char *line = contents; line && n_chars; number++) {
		if (line_defines(line, name, n_chars))
			found = number;
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	return found;
}

struct source_location source_location_find(
	struct source_location_finder *finder, const char *target)
{
	size_t n_chars = target_file_length(target);
	struct source_location source = { 0 };

	if (!n_chars)
		return source;
	if (!finder->file.bytes || finder->file.n_bytes != n_chars ||
		strncmp(finder->file.bytes, target, n_chars) != 0) {
		text_clear(&finder->file);
		text_add_bytes(&finder->file, target, n_chars);
		read_source(finder);
	}
	source.file = finder->file.bytes;
	if (!target[n_chars])
		return source;
	source.expression = target + n_chars + 1;
	if (path_ends_in(target, n_chars, ".py") && finder->contents.n_bytes)
		source.line = find_definition(finder->contents.bytes, source.expression,
			identifier_length(source.expression));
	return source;
}

void source_location_finder_free(struct source_location_finder *finder)
{
	text_free(&finder->file);
	text_free(&finder->contents);
}
