// SPDX-License-Identifier: MIT
/* Names of targets as seen from another folder than the working one. */
#ifndef TARGETS_TARGET_NAME_H
#define TARGETS_TARGET_NAME_H

#include "base/arena.h"

/*
 * The name of a target ("../tests/a.py:x") with its file as seen from folder, which ends with a
 * slash or is empty: "tests/a.py:x". By the names alone: links are not followed. A file that is not
 * below folder is named from the root; a module's name and an expression stay. Lives in the arena.
 */
const char *target_name_from(struct arena *arena, const char *name, const char *folder);

/* The same, where a file that is not below folder is named by way of "..". */
const char *target_name_relative(struct arena *arena, const char *name, const char *folder);

#endif
