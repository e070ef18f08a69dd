// SPDX-License-Identifier: MIT
/*
 * The file that convert puts data into: the worker writes a new file, which gets its name when all
 * is well, or is copied to standard output, a pipe or a device.
 */
#ifndef OUTPUT_DATA_FILE_H
#define OUTPUT_DATA_FILE_H

#include "output/new_file.h"

struct data_file {
	struct new_file file; /* what the worker fills */
	int sink_fd; /* standard output, a pipe or a device that takes it at the end; or -1 */
};

/*
 * Opens it for path, "-" being standard output: from then on what is printed goes to standard
 * error. EXIT_USAGE where nothing can be written there.
 */
int data_file_open(struct data_file *data, const char *path, struct err *err);

/* Puts what the worker wrote in its place. */
int data_file_commit(struct data_file *data, struct err *err);

/* Frees; what was not committed is removed. */
void data_file_close(struct data_file *data);

#endif
