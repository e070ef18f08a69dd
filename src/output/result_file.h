// SPDX-License-Identifier: MIT
/* Destination of a result: standard output, or a file that is written completely or not at all. */
#ifndef OUTPUT_RESULT_FILE_H
#define OUTPUT_RESULT_FILE_H

#include "base/terminal.h"
#include "output/new_file.h"

#include <stdbool.h>
#include <stdio.h>

struct result_file {
	FILE *stream;
	const char *name;     /* path, kept; NULL: standard output */
	struct new_file file; /* has no path for standard output or a special file */
};

/* Flushes the stream. 0, or the errno of a write that failed, now or earlier. */
int result_stream_flush(FILE *stream);

/* path NULL: standard output. EXIT_USAGE if the file cannot be created. */
int result_file_open(struct result_file *file, const char *path, struct err *err);

/* After a failed call that wrote to the stream: if that could not be written, err has only the
 * reason, which this extends with the name of the file. Returns -1. */
int result_file_fail(const struct result_file *file, struct err *err);

/* Flushes the stream and renames the file. */
int result_file_commit(struct result_file *file, struct err *err);

/* Frees; removes what was not committed. */
void result_file_close(struct result_file *file);

/* What the destination can show; color: "auto", "always" or "never". */
struct terminal result_file_terminal(const struct result_file *file, const char *color);

#endif
