// SPDX-License-Identifier: MIT
/* Reads YAML: what the yaml format writes, rule fixtures and configuration files. */
#ifndef FORMATS_YAML_READ_H
#define FORMATS_YAML_READ_H

#include "base/error.h"
#include "model/value.h"

#include <stddef.h>

enum { YAML_READ_MAX_DEPTH = VALUE_MAX_DEPTH + 16, YAML_READ_MAX_NODES = 20000000 };

/*
 * Reads the one document that fills n_bytes into the arena, by the YAML 1.2 core schema: sequences
 * become lists, integers outside int64_t wide ints. Aliases, tags, keys that are not text and
 * duplicate keys are refused, and so is what is deeper or larger than the limits. NULL with err set
 * (EXIT_USAGE, "line 3, column 7: …") where it cannot be read.
 */
struct value *yaml_read(struct arena *arena, const char *bytes, size_t n_bytes, struct err *err);

#endif
