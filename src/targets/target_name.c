// SPDX-License-Identifier: MIT
/* Normalizes paths and makes them relative to a directory. */
#include "targets/target_name.h"

#include "base/text.h"
#include "targets/targets.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

/* Adds the parts of path, each after a slash; ".." removes one. */
static void add_parts(struct text *out, const char *path)
{
	size_t n_chars;

	for (; *path; path += n_chars) {
		path += strspn(path, "/");
		n_chars = strcspn(path, "/");
		if (n_chars == 2 && !strncmp(path, "..", 2)) {
			while (out->n_bytes && out->bytes[--out->n_bytes] != '/')
				;
			if (out->bytes)
				out->bytes[out->n_bytes] = '\0';
		} else if (n_chars && (n_chars != 1 || *path != '.')) {
			text_add(out, "/");
			text_add_bytes(out, path, n_chars);
		}
	}
}

/* "/home/me/tests/a.py" for "../tests/a.py" in "/home/me/work"; empty for the root. */
static void make_absolute(struct text *out, const char *path, const char *working_directory)
{
	text_add(out, "");
	if (*path != '/')
		add_parts(out, working_directory);
	add_parts(out, path);
}

/* The length of the common leading parts. */
static size_t common_part(const char *base, const char *path)
{
	size_t n_chars = 0;

	for (size_t i = 0;; i++) {
		if ((!base[i] || base[i] == '/') && (!path[i] || path[i] == '/'))
			n_chars = i;
		if (!base[i] || base[i] != path[i])
			return n_chars;
	}
}

static const char *name_from(
	struct arena *arena, const char *name, const char *directory, bool climbs)
{
	struct text base = { 0 }, path = { 0 }, seen = { 0 };
	char working_directory[PATH_MAX];
	const char *file, *expression, *rest;
	bool is_relative;
	size_t n_common;

	if (!target_is_file(name))
		return name;
	target_split(arena, name, &file, &expression);
	if (!getcwd(working_directory, sizeof(working_directory))) {
		/* The directory was removed, or a parent is not readable: only two absolute or two
		 * relative paths can be compared. */
		if ((*file == '/') != (*directory == '/'))
			return name;
		*working_directory = '\0';
	}
	make_absolute(&base, directory, working_directory);
	make_absolute(&path, file, working_directory);
	n_common = common_part(base.bytes, path.bytes);
	if (base.bytes[n_common] && !climbs)
		n_common = 0;
	for (const char *up = base.bytes + n_common; climbs && *up; up++)
		text_add(&seen, *up == '/' ? "../" : "");
	is_relative = climbs || n_common || !base.n_bytes;
	rest = path.bytes + n_common;
	text_add(&seen, is_relative && *rest == '/' ? rest + 1 : rest);
	if (!seen.n_bytes)
		text_add(&seen, is_relative ? "./" : "/");
	name = arena_printf(
		arena, "%s%s%s", seen.bytes, expression ? ":" : "", expression ? expression : "");
	text_free(&base);
	text_free(&path);
	text_free(&seen);
	return name;
}

const char *target_name_from(struct arena *arena, const char *name, const char *directory)
{
	return name_from(arena, name, directory, false);
}

const char *target_name_relative(struct arena *arena, const char *name, const char *directory)
{
	return name_from(arena, name, directory, true);
}
