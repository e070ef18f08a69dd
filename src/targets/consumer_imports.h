// SPDX-License-Identifier: MIT
/* The imports that an expression of a consumer requires. */
#ifndef TARGETS_CONSUMER_IMPORTS_H
#define TARGETS_CONSUMER_IMPORTS_H

#include "base/arena.h"

#include <stdint.h>

/* consumer_imports.py, embedded by tools/embed-text. */
extern const char consumer_imports_source[];

/* The interpreter that is asked. */
struct import_settings {
	const char *python; /* --python; NULL: not given */
	int64_t timeout_seconds;
};

/*
 * Lines of Python that import what the expression reads, and the code, if not NULL, does not
 * define: of a dotted name the longest part that is a module, and not numpy as np. NULL: no
 * interpreter can be asked, or, with *error set, the expression is not valid.
 */
const char *consumer_imports(struct arena *arena, const struct import_settings *settings,
	const char *expression, const char *code, const char **error);

#endif
