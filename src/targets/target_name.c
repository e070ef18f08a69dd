// SPDX-License-Identifier: MIT
/* Paths without "." and "..", and what of them is below a folder. */
#include "targets/target_name.h"

#include "base/text.h"
#include "targets/targets.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

/* Adds the parts of path, each after a slash; ".." takes one away. */
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

/* "/home/me/tests/a.py" for "../tests/a.py"; empty for the root. */
static void make_absolute(struct text *out, const char *path)
{
	char folder[PATH_MAX];

	text_add(out, "");
	if (*path != '/' && getcwd(folder, sizeof(folder)))
		add_parts(out, folder);
	add_parts(out, path);
}

/* How much of both is the same whole parts. */
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

static const char *name_from(struct arena *arena, const char *name, const char *folder, bool climbs)
{
	struct text base = { 0 }, path = { 0 }, seen = { 0 };
	const char *file, *expression;
	size_t n_common;

	if (!target_is_file(name))
		return name;
	target_split(arena, name, &file, &expression);
	make_absolute(&base, folder);
	make_absolute(&path, file);
	n_common = common_part(base.bytes, path.bytes);
	if (base.bytes[n_common] && !climbs)
		n_common = 0;
	for (const char *up = base.bytes + n_common; climbs && *up; up++)
		text_add(&seen, *up == '/' ? "../" : "");
	text_add(&seen, path.bytes + n_common + (climbs || n_common || !base.n_bytes));
	name = arena_printf(
		arena, "%s%s%s", seen.bytes, expression ? ":" : "", expression ? expression : "");
	text_free(&base);
	text_free(&path);
	text_free(&seen);
	return name;
}

const char *target_name_from(struct arena *arena, const char *name, const char *folder)
{
	return name_from(arena, name, folder, false);
}

const char *target_name_relative(struct arena *arena, const char *name, const char *folder)
{
	return name_from(arena, name, folder, true);
}
