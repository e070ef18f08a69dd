// SPDX-License-Identifier: MIT
/* The dotted name of a file that belongs to a package. */
#ifndef TARGETS_DOTTED_NAME_H
#define TARGETS_DOTTED_NAME_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * The name by which Python imports the file, "pkg.sub.mod", and the absolute path of the directory
 * that contains the outermost package, both in the arena. Packages are the directories upward that
 * have an __init__.py; if there is none, the file's own directory counts as a namespace package.
 * False: there is no such file, or a part is not an identifier.
 */
bool dotted_name_of_file(
	struct arena *arena, const char *path, const char **name, const char **root);

#endif
