// SPDX-License-Identifier: MIT
/*
 * The output file of convert: the worker writes to a new file, which is renamed on success, or
 * copied to standard output, a pipe or a device.
 */
#ifndef OUTPUT_DATA_FILE_H
#define OUTPUT_DATA_FILE_H

#include "output/new_file.h"

struct data_file {
	struct new_file file; /* the worker writes to it */
	int sink_fd;          /* standard output, a pipe or a device to copy it to; or -1 */
};

/*
 * Opens it for path; "-" is standard output, which is redirected to standard error from then on.
 * EXIT_USAGE if path is not writable.
 */
int data_file_open(struct data_file *data, const char *path, struct err *err);

/* Renames or copies the file. */
int data_file_commit(struct data_file *data, struct err *err);

/* Frees; removes a file that was not committed. */
void data_file_close(struct data_file *data);

#endif
