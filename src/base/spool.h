// SPDX-License-Identifier: MIT
/* An unnamed temporary file, for output that is written later, in constant memory. Child processes
 * do not inherit it. */
#ifndef BASE_SPOOL_H
#define BASE_SPOOL_H

#include "base/error.h"

#include <stdio.h>

/* Gives it, to write and read (close with fclose). NULL with err set (EXIT_USAGE). */
FILE *spool_open(struct err *err);

/* Goes back to its beginning, to read what was written. */
int spool_rewind(FILE *spool, struct err *err);

/* Writes all of it to a stream; format is what messages call that. */
int spool_copy(FILE *spool, FILE *stream, const char *format, struct err *err);

#endif
