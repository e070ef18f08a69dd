// SPDX-License-Identifier: MIT
/* Reads a file that the user names: a dump, a list of targets, a baseline. */
#ifndef BASE_READ_FILE_H
#define BASE_READ_FILE_H

#include "base/error.h"
#include "base/text.h"

#include <stdint.h>
#include <sys/stat.h>

/* Appends all of path to text; "-" is standard input. EXIT_USAGE if it cannot be read, or exceeds a
 * size limit. */
int read_file(const char *path, struct text *text, struct err *err);

/* read_file() of what may be a FIFO; EXIT_USAGE if no process writes to it within the time. */
int read_file_within(const char *path, int64_t timeout_seconds, struct text *text, struct err *err);

/* Opens a regular file for reading, without waiting as for a FIFO, and describes it. -1 with
 * EXIT_USAGE if it cannot be opened, or is something else. */
int open_regular_file(const char *path, struct stat *info, struct err *err);

/* read_file() of an open file; path is for messages. Closes fd. */
int read_descriptor(int fd, const char *path, struct text *text, struct err *err);

#endif
