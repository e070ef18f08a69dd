// SPDX-License-Identifier: MIT
/* The document of a matrix (matrix/matrix.h) of an earlier run. */
#ifndef MATRIX_MATRIX_READ_H
#define MATRIX_MATRIX_READ_H

#include "base/error.h"
#include "model/value.h"

/* Reads the document at path, written by -f json, into the arena; it has all keys that formats
 * need. NULL with err set (EXIT_USAGE), which names the option. */
const struct value *matrix_read(
	struct arena *arena, const char *option, const char *path, struct err *err);

#endif
