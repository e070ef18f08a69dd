// SPDX-License-Identifier: MIT
/* Names of targets relative to a directory other than the working directory. */
#ifndef TARGETS_TARGET_NAME_H
#define TARGETS_TARGET_NAME_H

#include "base/arena.h"

/*
 * The name of a target ("../tests/a.py:x") with its file relative to directory, which ends with a
 * slash or is empty: "tests/a.py:x". Symbolic links are not followed. A file that is not below
 * directory is given as an absolute path, and directory itself as "./"; a module's name and an
 * expression stay. Lives in the arena.
 */
const char *target_name_from(struct arena *arena, const char *name, const char *directory);

/* target_name_from(), but a file that is not below directory is named through "..". */
const char *target_name_relative(struct arena *arena, const char *name, const char *directory);

#endif
