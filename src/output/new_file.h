// SPDX-License-Identifier: MIT
/*
 * A file that appears completely or not at all: it is unnamed, in the directory of its path, until
 * it is committed. After an error or a signal there is no file, and an existing one is unchanged.
 * It has the mode and, if permitted, the owner and group of the file that it replaces.
 * SUAI_NO_TMPFILE or SUAI_NO_PROC_FD forces the fallback, a temporary name.
 */
#ifndef OUTPUT_NEW_FILE_H
#define OUTPUT_NEW_FILE_H

#include "base/error.h"

#include <stdbool.h>
#include <sys/stat.h>

struct new_file {
	int fd;               /* -1: not open */
	char *name;           /* destination as given, for messages; NULL: none */
	char *path;           /* destination, without symbolic links; NULL: none */
	char *temporary;      /* name until it is committed; NULL: none */
	char open_path[4096]; /* path by which another process can open it */
	bool keeps_existing;  /* to be set by the caller: committing fails if the path exists */
	bool replaces;        /* an existing file */
	struct stat replaced;
};

/* The descriptor of this process that the path names, as /dev/stdout and /dev/fd/3 do; -1: none. It
 * is written to: replacing its file would hide what others write to it. */
int new_file_descriptor(const char *path);

/* A device, pipe or terminal, which is written to directly: rename() would replace it. */
bool new_file_is_special(const char *path);

/* Opens it for path. EXIT_USAGE if the directory or the existing file is not writable. */
int new_file_open(struct new_file *file, const char *path, struct err *err);

/* Opens one in a directory, without a path. */
int new_file_open_scratch(struct new_file *file, const char *directory, struct err *err);

/* Renames it to path. EXIT_USAGE if an existing file is to be kept. */
int new_file_commit(struct new_file *file, struct err *err);

/* Frees; removes a file that was not committed. */
void new_file_close(struct new_file *file);

#endif
