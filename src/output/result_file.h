// SPDX-License-Identifier: MIT
/* Where a result goes: standard output, or a file that is written completely or not at all. */
#ifndef OUTPUT_RESULT_FILE_H
#define OUTPUT_RESULT_FILE_H

#include "output/new_file.h"

#include <stdbool.h>
#include <stdio.h>

struct result_file {
	FILE *stream;
	const char *name;     /* keeps the path; NULL: standard output */
	struct new_file file; /* where it goes; without a path: standard output or a device */
};

/* path NULL: standard output. EXIT_USAGE where the file cannot be made. */
int result_file_open(struct result_file *file, const char *path, struct err *err);

/* Puts the file in its place by rename. */
int result_file_commit(struct result_file *file, struct err *err);

/* Frees; removes what was not committed. */
void result_file_close(struct result_file *file);

/* Whether to colour: when is "auto", "always" or "never"; auto asks NO_COLOR and the terminal. */
bool result_file_wants_color(const struct result_file *file, const char *when);

#endif
