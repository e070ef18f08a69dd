// SPDX-License-Identifier: MIT
#include "formats/source_location.h"

#include "base/array_size.h"
#include "base/memory.h"
#include "model/job.h"
#include "model/value.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- the target's name --- */

/* The length of the file name at the start of a target; 0 if there is none. */
static size_t target_file_length(const char *target)
{
	for (const char *end = target;; end++) {
		end += strcspn(end, ":");
		if (job_is_target_file(target, (size_t)(end - target)))
			return (size_t)(end - target);
		if (!*end)
			return 0;
	}
}

/* --- paths --- */

/* An absolute path, in the locator's arena; that of a file that does not exist may hold "..". */
static const char *absolute_path(struct arena *arena, const char *file)
{
	const char *raw = value_text_unescape(arena, file);
	char *real = mem_real_path(raw), directory[PATH_MAX];
	const char *path = raw;

	if (real) {
		path = arena_copy(arena, real, strlen(real));
	} else if (*raw != '/' && getcwd(directory, sizeof(directory))) {
		while (!strncmp(raw, "./", 2))
			raw += 2 + strspn(raw + 2, "/");
		path = arena_printf(arena, "%s/%s", directory, raw);
	}
	free(real);
	return path;
}

/* The nearest directory above an absolute path that has .git; NULL: none. */
static char *find_repository(const char *path)
{
	static const char name[] = "/.git";
	size_t size = strlen(path) + 1;
	char *directory = mem_alloc(size + sizeof(name)), *slash;

	memcpy(directory, path, size);
	while ((slash = strrchr(directory, '/'))) {
		memcpy(slash, name, sizeof(name));
		if (!access(directory, F_OK)) {
			*slash = '\0';
			return directory;
		}
		*slash = '\0';
	}
	free(directory);
	return NULL;
}

static void find_root(struct source_locator *locator, const char *path)
{
	const char *workspace = getenv("GITHUB_WORKSPACE");

	if (locator->root)
		return;
	if (workspace && *workspace)
		locator->root = mem_real_path(workspace);
	if (!locator->root)
		locator->root = find_repository(path);
	if (!locator->root)
		locator->root = mem_real_path(".");
}

const char *source_root(const struct source_locator *locator)
{
	return locator->root;
}

/* The part of an absolute path below the root; NULL: it is outside. */
static const char *below_root(const struct source_locator *locator, const char *path)
{
	size_t n_chars = locator->root ? strlen(locator->root) : 0;

	n_chars -= n_chars == 1; /* the root directory */
	if (!locator->root || strncmp(path, locator->root, n_chars) != 0 || path[n_chars] != '/' ||
		strstr(path, "/../"))
		return NULL;
	return path + n_chars + 1;
}

/* The absolute path of a file; the last one is kept. */
static const char *locate_file(struct source_locator *locator, const char *file)
{
	if (locator->file && !strcmp(locator->file, file))
		return locator->path;
	arena_free(&locator->arena);
	locator->file = arena_copy(&locator->arena, file, strlen(file));
	locator->path = absolute_path(&locator->arena, file);
	find_root(locator, locator->path);
	return locator->path;
}

/* The path of a file as of a location. */
static const char *source_path(
	struct source_locator *locator, struct arena *arena, const char *file)
{
	const char *path = locate_file(locator, file), *below = below_root(locator, path);

	path = below ? below : path;
	return arena_copy(arena, path, strlen(path));
}

/* --- tracebacks --- */

struct stack_reader stack_open(const char *traceback)
{
	const char *current = strstr(traceback, "Current thread");

	return (struct stack_reader){ .at = current ? current : traceback,
		.innermost_first = strstr(traceback, "(most recent call first)") != NULL };
}

/* Separates "nb.ipynb#cell3", the name that suai gives the code of a cell. */
static void separate_cell(char *file, int64_t *cell)
{
	static const char mark[] = ".ipynb#cell";
	char *found = strstr(file, mark), *end;
	long long number;

	*cell = 0;
	if (!found)
		return;
	number = strtoll(found + strlen(mark), &end, 10);
	if (*end || end == found + strlen(mark))
		return;
	found[strlen(".ipynb")] = '\0';
	*cell = number;
}

/* Reads `  File "a.py", line 3, in f` or, by faulthandler, `  File "a.py", line 3 in f`. An empty
 * line ends a thread. */
bool stack_next(struct stack_reader *reader, struct arena *arena, struct stack_frame *out)
{
	static const char begin[] = "  File \"", middle[] = "\", line ", before_name[] = "in ";

	for (const char *line = reader->at; line && *line; line = strchr(line, '\n')) {
		const char *end, *middle_at, *number;
		char *after, *name;

		line += *line == '\n';
		if (reader->innermost_first && *line == '\n')
			break;
		if (strncmp(line, begin, strlen(begin)) != 0)
			continue;
		line += strlen(begin);
		end = line + strcspn(line, "\n");
		middle_at = memmem(line, (size_t)(end - line), middle, strlen(middle));
		number = middle_at ? middle_at + strlen(middle) : NULL;
		/* strtoll() would skip the end of the line. */
		if (!number || *number < '0' || *number > '9')
			continue;
		name = arena_copy(arena, line, (size_t)(middle_at - line));
		separate_cell(name, &out->cell);
		out->file = name;
		out->line = strtoll(number, &after, 10);
		after += strspn(after, ", ");
		out->function = NULL;
		if (!strncmp(after, before_name, strlen(before_name)))
			out->function = arena_copy(arena, after + strlen(before_name),
				(size_t)(end - after) - strlen(before_name));
		reader->at = end;
		return true;
	}
	return false;
}

const char *stack_raised_at(struct arena *arena, const char *traceback)
{
	struct stack_reader reader = { .at = NULL };
	const char *innermost = NULL;
	struct stack_frame frame;

	if (traceback)
		reader = stack_open(traceback);
	while (!(innermost && reader.innermost_first) && stack_next(&reader, arena, &frame)) {
		const char *cell = "";

		/* Expressions of the command line are in the name of the target. */
		if (!strcmp(frame.file, "<suai>") || !strcmp(frame.file, "<--consumer>"))
			continue;
		if (frame.cell)
			cell = arena_printf(arena, "cell %" PRId64 ", ", frame.cell);
		innermost = arena_printf(arena, "\"%s\", %sline %" PRId64 "%s%s", frame.file, cell,
			frame.line, frame.function ? ", in " : "",
			frame.function ? frame.function : "");
	}
	return innermost;
}

static bool is_of_user(struct source_locator *locator, const char *own, const char *file)
{
	static const char *const installed[] = { "/site-packages/", "/dist-packages/",
		"/lib/python3" };
	const char *path;

	if (*file == '<')
		return false;
	path = locate_file(locator, file);
	if (own && !strcmp(path, own))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(installed); i++)
		if (strstr(path, installed[i]))
			return false;
	return below_root(locator, path) != NULL;
}

/* The innermost entry in the user's code. */
static bool find_frame(struct source_locator *locator, struct arena *arena, const char *own,
	const char *traceback, struct stack_frame *out)
{
	struct stack_reader reader = stack_open(traceback);
	struct stack_frame frame = { 0 };
	bool found = false;

	while (!(found && reader.innermost_first) && stack_next(&reader, arena, &frame))
		if (is_of_user(locator, own, frame.file)) {
			*out = frame;
			found = true;
		}
	return found;
}

/* --- locations --- */

struct source_location source_location_at(
	struct source_locator *locator, struct arena *arena, const char *file, int64_t line)
{
	return (struct source_location){ .path = source_path(locator, arena, file), .line = line };
}

struct source_location source_location_of(struct source_locator *locator, struct arena *arena,
	const struct fact_target *target, const char *traceback)
{
	const char *name = target->target ? target->target : "?", *file = target->source.file;
	size_t n_chars = target_file_length(name);
	struct source_location location = { 0 };
	struct stack_frame frame;

	if (n_chars) {
		location.name = arena_copy(arena, name, n_chars);
		location.expression = name[n_chars] ? name + n_chars + 1 : NULL;
	}
	file = file ? file : location.name;
	location.line = fact_int_or(target->source.line, 0);
	location.cell = fact_int_or(target->source.cell, 0);
	if (file) {
		const char *own = locate_file(locator, file);

		own = arena_copy(arena, own, strlen(own));
		if (traceback && find_frame(locator, arena, own, traceback, &frame)) {
			file = frame.file;
			location.line = frame.line;
			location.cell = frame.cell;
		}
		location.path = source_path(locator, arena, file);
	}
	return location;
}

void source_locator_free(struct source_locator *locator)
{
	arena_free(&locator->arena);
	free(locator->root);
	*locator = (struct source_locator){ 0 };
}
