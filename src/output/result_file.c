// SPDX-License-Identifier: MIT
/* Result files: new files, or streams to special files. */
#include "output/result_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Writes where the descriptor is, or at the end of its file if it appends. */
static FILE *open_descriptor(int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	FILE *stream = copy >= 0 ? fdopen(copy, "w") : NULL;
	int code = errno;

	if (copy >= 0 && !stream)
		close(copy);
	errno = code;
	return stream;
}

int result_stream_flush(FILE *stream)
{
	errno = 0;
	if (!fflush(stream) && !ferror(stream))
		return 0;
	/* stdio does not keep the error of an earlier write: write again, to have it repeated. */
	if (!errno && fputc('\n', stream) != EOF)
		fflush(stream);
	return errno ? errno : EIO;
}

int result_file_open(struct result_file *file, const char *path, struct err *err)
{
	int fd = path ? new_file_descriptor(path) : -1;

	*file = (struct result_file){ .stream = stdout, .name = path, .file = { .fd = -1 } };
	if (!path)
		return 0;
	if (fd >= 0)
		file->stream = open_descriptor(fd);
	else if (new_file_is_special(path))
		file->stream = fopen(path, "we");
	else if (new_file_open(&file->file, path, err))
		goto fail;
	else
		file->stream = fdopen(file->file.fd, "w");
	if (file->stream)
		return 0;
	err_set(err, EXIT_USAGE, "cannot write '%s': %s", path, strerror(errno));
fail:
	new_file_close(&file->file);
	return -1;
}

int result_file_fail(const struct result_file *file, struct err *err)
{
	const struct err reason = *err;

	if (!ferror(file->stream))
		return -1;
	if (!file->name)
		return err_set(
			err, EXIT_USAGE, "cannot write to standard output: %s", reason.message);
	return err_set(err, EXIT_USAGE, "cannot write '%s': %s", file->name, reason.message);
}

int result_file_commit(struct result_file *file, struct err *err)
{
	int error = result_stream_flush(file->stream);

	if (error) {
		err_set(err, EXIT_USAGE, "%s", strerror(error));
		return result_file_fail(file, err);
	}
	return file->file.path ? new_file_commit(&file->file, err) : 0;
}

void result_file_close(struct result_file *file)
{
	if (file->stream && file->stream != stdout)
		fclose(file->stream);
	file->file.fd = -1; /* closed with the stream */
	new_file_close(&file->file);
	file->stream = NULL;
}

struct terminal result_file_terminal(const struct result_file *file, const char *color)
{
	return terminal_find(fileno(file->stream), file->name != NULL, color);
}
