// SPDX-License-Identifier: MIT
/*
 * The file that convert puts data into. The worker writes an unnamed one in the folder of the
 * target, which gets its name when all is well: what goes wrong leaves nothing, and a file that was
 * there stays whole. SUAI_NO_TMPFILE, or SUAI_NO_PROC_FD, forces the fallback, a temporary name.
 */
#ifndef COMMANDS_DATA_FILE_H
#define COMMANDS_DATA_FILE_H

#include "base/error.h"

struct data_file {
	int fd;          /* what the worker fills; -1: not open */
	int sink_fd;     /* standard output, a pipe or a device that takes it at the end; or -1 */
	char *path;      /* where it goes; NULL: to the sink */
	char *temporary; /* its name until then; NULL: it has none */
	char worker_path[4096]; /* how the worker opens it */
};

/*
 * Opens it for path, "-" being standard output: from then on what is printed goes to standard
 * error. EXIT_USAGE where nothing can be written there.
 */
int data_file_open(struct data_file *file, const char *path, struct err *err);

/* Puts what the worker wrote in its place. */
int data_file_commit(struct data_file *file, struct err *err);

/* Frees; what was not committed is gone. */
void data_file_close(struct data_file *file);

#endif
