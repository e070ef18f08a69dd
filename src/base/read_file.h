// SPDX-License-Identifier: MIT
/* Reads a file that the user names: a dump, a list of targets, a baseline. */
#ifndef BASE_READ_FILE_H
#define BASE_READ_FILE_H

#include "base/error.h"
#include "base/text.h"

/* Appends all of path to text; "-" is standard input. EXIT_USAGE if it cannot be read, or exceeds a
 * size limit. */
int read_file(const char *path, struct text *text, struct err *err);

/* The same of an open file; path is for messages. Closes fd. */
int read_descriptor(int fd, const char *path, struct text *text, struct err *err);

#endif
