// SPDX-License-Identifier: MIT
/* Reads a file, or standard input, to its end. */
#include "base/read_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MAX_FILE_BYTES = 256 << 20 };

static int read_to_end(FILE *file, const char *path, struct text *text, struct err *err)
{
	char block[65536];
	size_t n_bytes;
	int status = 0;

	while (!status && (n_bytes = fread(block, 1, sizeof(block), file))) {
		text_add_bytes(text, block, n_bytes);
		if (text->n_bytes > MAX_FILE_BYTES)
			status = err_set(err, EXIT_USAGE, "'%s' is larger than %d MiB", path,
				MAX_FILE_BYTES >> 20);
	}
	if (!status && ferror(file))
		status = err_set(err, EXIT_USAGE, "cannot read '%s': %s", path, strerror(errno));
	return status;
}

static int read_and_close(FILE *file, const char *path, struct text *text, struct err *err)
{
	int status;

	if (!file)
		return err_set(err, EXIT_USAGE, "cannot read '%s': %s", path, strerror(errno));
	status = read_to_end(file, path, text, err);
	fclose(file);
	return status;
}

int read_file(const char *path, struct text *text, struct err *err)
{
	if (!strcmp(path, "-"))
		return read_to_end(stdin, path, text, err);
	return read_and_close(fopen(path, "re"), path, text, err);
}

int read_file_within(const char *path, int64_t timeout_seconds, struct text *text, struct err *err)
{
	struct stat info;
	struct pollfd fifo = { .fd = -1, .events = POLLIN };
	int n_ready;

	if (stat(path, &info) || !S_ISFIFO(info.st_mode))
		return read_file(path, text, err);
	fifo.fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	n_ready = poll(&fifo, 1, (int)timeout_seconds * 1000);
	if (fifo.fd >= 0 && n_ready > 0 && !fcntl(fifo.fd, F_SETFL, 0))
		return read_descriptor(fifo.fd, path, text, err);
	err_set(err, EXIT_USAGE, "cannot read '%s': %s", path,
		fifo.fd >= 0 && !n_ready
			? "timed out; it is a FIFO, which a process has to open for writing"
			: strerror(errno));
	if (fifo.fd >= 0)
		close(fifo.fd);
	return -1;
}

int read_descriptor(int fd, const char *path, struct text *text, struct err *err)
{
	FILE *file = fdopen(fd, "r");
	int status = read_and_close(file, path, text, err);

	if (!file)
		close(fd);
	return status;
}

static const char *describe_other(const struct stat *info)
{
	return S_ISDIR(info->st_mode) ? strerror(EISDIR) : "not a regular file";
}

int open_regular_file(const char *path, struct stat *info, struct err *err)
{
	/* Opening a FIFO would end the wait of its writer, which then has no reader. */
	bool is_other = !stat(path, info) && !S_ISREG(info->st_mode);
	int fd = is_other ? -1 : open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (is_other)
		err_set(err, EXIT_USAGE, "cannot read '%s': %s", path, describe_other(info));
	else if (fd < 0 || fstat(fd, info))
		err_set(err, EXIT_USAGE, "cannot read '%s': %s", path, strerror(errno));
	else if (!S_ISREG(info->st_mode))
		err_set(err, EXIT_USAGE, "cannot read '%s': %s", path, describe_other(info));
	else
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}
