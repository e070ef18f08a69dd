// SPDX-License-Identifier: MIT
/* The value of a plain scalar by YAML 1.2's core schema (section 10.3.2). */
#ifndef FORMATS_YAML_YAML_SCALAR_H
#define FORMATS_YAML_YAML_SCALAR_H

#include "model/value.h"

#include <stddef.h>

/* A null, bool, int, wide int or real, otherwise text. NULL if a hexadecimal or octal integer
 * exceeds 64 bits or a real overflows. */
struct value *yaml_scalar_resolve(struct arena *arena, const char *text, size_t n_chars);

#endif
