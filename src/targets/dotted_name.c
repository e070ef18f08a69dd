// SPDX-License-Identifier: MIT
#include "targets/dotted_name.h"

#include "base/identifier.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Removes the last part of a path and returns it; NULL: it is the root directory. */
static const char *cut_last_part(char *path)
{
	char *slash = strrchr(path, '/');

	if (!slash || !slash[1])
		return NULL;
	*slash = '\0';
	return slash + 1;
}

bool dotted_name_of_file(
	struct arena *arena, const char *path, const char **name, const char **root)
{
	char *directory = mem_real_path(path);
	const char *part = directory ? cut_last_part(directory) : NULL;
	const char *dot = part ? strrchr(part, '.') : NULL;
	bool is_valid = dot != NULL;

	if (is_valid) {
		*name = arena_copy(arena, part, (size_t)(dot - part));
		is_valid = is_identifier(*name);
		if (!strcmp(*name, "__init__"))
			*name = "";
	}
	for (int n_packages = 0; is_valid; n_packages++) {
		bool is_package = !access(arena_printf(arena, "%s/__init__.py", directory), F_OK);

		if (!is_package && n_packages)
			break;
		part = cut_last_part(directory);
		is_valid = part && is_identifier(part);
		if (is_valid)
			*name = arena_printf(arena, "%s%s%s", part, **name ? "." : "", *name);
		if (!is_package)
			break;
	}
	if (is_valid)
		*root = *directory ? arena_copy(arena, directory, strlen(directory)) : "/";
	free(directory);
	return is_valid;
}
