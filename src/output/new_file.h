// SPDX-License-Identifier: MIT
/*
 * A file that appears completely or not at all: unnamed in the directory it goes to, until
 * all is well; what goes wrong, a kill too, leaves nothing, and an existing file stays intact.
 * It takes over the mode and, where that is allowed, the owner and group of the file that it
 * replaces. SUAI_NO_TMPFILE, or SUAI_NO_PROC_FD, forces the fallback, a temporary name.
 */
#ifndef OUTPUT_NEW_FILE_H
#define OUTPUT_NEW_FILE_H

#include "base/error.h"

#include <stdbool.h>
#include <sys/stat.h>

struct new_file {
	int fd;               /* -1: not open */
	char *path;           /* where it goes: a link's target; NULL: nowhere */
	char *temporary;      /* its name until then; NULL: it has none */
	char open_path[4096]; /* how another process opens it */
	bool replaces;        /* an existing file */
	struct stat replaced;
};

/* A device, a pipe or a terminal: it is written to directly, as rename() would replace it. */
bool new_file_is_special(const char *path);

/* Opens it for path. EXIT_USAGE where nothing can be written there, or not to the existing file. */
int new_file_open(struct new_file *file, const char *path, struct err *err);

/* Opens one in a directory, without a place to go to. */
int new_file_open_scratch(struct new_file *file, const char *directory, struct err *err);

/* Puts it in its place by rename. */
int new_file_commit(struct new_file *file, struct err *err);

/* Frees; what was not committed is removed. */
void new_file_close(struct new_file *file);

#endif
