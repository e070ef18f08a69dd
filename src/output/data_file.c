// SPDX-License-Identifier: MIT
/* The output file of convert: a new file, or an unnamed one that is copied to a special file. */
#include "output/data_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int fail_data(int code, struct err *err)
{
	return err_set(err, EXIT_USAGE, "cannot write the data: %s", strerror(code));
}

static int open_sink(struct data_file *data, const char *path, struct err *err)
{
	if (strcmp(path, "-") != 0) {
		data->sink_fd = open(path, O_WRONLY | O_CLOEXEC);
		if (data->sink_fd < 0)
			return err_set(
				err, EXIT_USAGE, "cannot write '%s': %s", path, strerror(errno));
		return 0;
	}
	if (isatty(STDOUT_FILENO))
		return err_set(err, EXIT_USAGE,
			"-o -: standard output is a terminal and .npy data is binary; redirect it or use "
			"-o FILE.npy");
	fflush(stdout);
	data->sink_fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (data->sink_fd < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return fail_data(errno, err);
	return 0;
}

int data_file_open(struct data_file *data, const char *path, struct err *err)
{
	const char *scratch = getenv("TMPDIR");

	*data = (struct data_file){ .file = { .fd = -1 }, .sink_fd = -1 };
	if (strcmp(path, "-") != 0 && !new_file_is_special(path))
		return new_file_open(&data->file, path, err);
	if (open_sink(data, path, err))
		return -1;
	return new_file_open_scratch(&data->file, scratch && *scratch ? scratch : "/tmp", err);
}

static int copy_to_sink(struct data_file *data, struct err *err)
{
	static char block[1 << 16];
	off_t at = 0;
	ssize_t n_read, n_written;

	while ((n_read = pread(data->file.fd, block, sizeof(block), at)) != 0) {
		if (n_read < 0)
			return fail_data(errno, err);
		for (ssize_t done = 0; done < n_read; done += n_written) {
			n_written = write(data->sink_fd, block + done, (size_t)(n_read - done));
			if (n_written < 0 && errno != EINTR)
				return fail_data(errno, err);
			n_written = n_written < 0 ? 0 : n_written;
		}
		at += n_read;
	}
	return 0;
}

int data_file_commit(struct data_file *data, struct err *err)
{
	return data->sink_fd >= 0 ? copy_to_sink(data, err) : new_file_commit(&data->file, err);
}

void data_file_close(struct data_file *data)
{
	new_file_close(&data->file);
	if (data->sink_fd >= 0)
		close(data->sink_fd);
	data->sink_fd = -1;
}
