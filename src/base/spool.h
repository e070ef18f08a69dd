// SPDX-License-Identifier: MIT
/* An unnamed temporary file, to buffer output in constant memory. Child processes do not inherit
 * it. */
#ifndef BASE_SPOOL_H
#define BASE_SPOOL_H

#include "base/error.h"
#include "base/text.h"

#include <stddef.h>
#include <stdio.h>

/* Opens one in $TMPDIR, else in /tmp, else in memory, to write and read (close with fclose). NULL
 * with err set (EXIT_USAGE). */
FILE *spool_open(struct err *err);

/* Seeks to its beginning, to read it. */
int spool_rewind(FILE *spool, struct err *err);

/* Appends bytes as a record. */
int spool_write_record(FILE *spool, const void *bytes, size_t n_bytes, struct err *err);

/* Reads the next record, which replaces *out. Returns 1, 0 at the end, or -1 with err set. */
int spool_read_record(FILE *spool, struct text *out, struct err *err);

/* Copies all of it to a stream. If that cannot be written, err has only the reason. */
int spool_copy(FILE *spool, FILE *stream, struct err *err);

/* "write": cannot write a temporary file, and errno. Sets err (EXIT_USAGE) and returns -1. */
int spool_fail(const char *what, struct err *err);

#endif
