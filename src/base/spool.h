// SPDX-License-Identifier: MIT
/* An unnamed temporary file, to buffer output in constant memory. Child processes do not inherit
 * it. */
#ifndef BASE_SPOOL_H
#define BASE_SPOOL_H

#include "base/error.h"

#include <stdio.h>

/* Opens one, to write and read (close with fclose). NULL with err set (EXIT_USAGE). */
FILE *spool_open(struct err *err);

/* Seeks to its beginning, to read it. */
int spool_rewind(FILE *spool, struct err *err);

/* Copies all of it to a stream; format is the stream's name in messages. */
int spool_copy(FILE *spool, FILE *stream, const char *format, struct err *err);

#endif
