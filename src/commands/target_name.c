// SPDX-License-Identifier: MIT
/* Paths without "." and "..", and what of them is below a folder. */
#include "commands/target_name.h"

#include "base/text.h"
#include "commands/targets.h"

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

/* "/work/tests/a.py" for "../tests/a.py"; empty for the root. */
static void make_absolute(struct text *out, const char *path)
{
	char folder[PATH_MAX];

	text_add(out, "");
	if (*path != '/' && getcwd(folder, sizeof(folder)))
		add_parts(out, folder);
	add_parts(out, path);
}

const char *target_name_from(struct arena *arena, const char *name, const char *folder)
{
	struct text base = { 0 }, path = { 0 };
	const char *file, *expression, *seen;

	if (!target_is_file(name))
		return name;
	target_split(arena, name, &file, &expression);
	make_absolute(&base, folder);
	make_absolute(&path, file);
	seen = path.bytes;
	if (!strncmp(seen, base.bytes, base.n_bytes) && seen[base.n_bytes] == '/')
		seen += base.n_bytes + 1;
	seen = arena_printf(
		arena, "%s%s%s", seen, expression ? ":" : "", expression ? expression : "");
	text_free(&base);
	text_free(&path);
	return seen;
}
