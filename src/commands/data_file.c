// SPDX-License-Identifier: MIT
/* O_TMPFILE, linkat and rename; or mkostemp where these, or /proc, are missing. */
#include "commands/data_file.h"

#include "base/memory.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_forced(const char *variable)
{
	const char *value = getenv(variable);

	return value && *value && strcmp(value, "0") != 0;
}

static int fail(const struct data_file *file, int code, struct err *err)
{
	if (!file->path)
		return err_set(err, EXIT_USAGE, "cannot write the data: %s", strerror(code));
	return err_set(err, EXIT_USAGE, "cannot write '%s': %s", file->path, strerror(code));
}

/* The folder of a path, "." where it names none (free with free()). */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = mem_copy_text(slash ? path : ".");

	if (slash)
		folder[slash == path ? 1 : slash - path] = '\0';
	return folder;
}

static bool open_unnamed(struct data_file *file, const char *folder)
{
	if (is_forced("SUAI_NO_TMPFILE") || is_forced("SUAI_NO_PROC_FD"))
		return false;
	file->fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
	if (file->fd < 0)
		return false;
	snprintf(file->worker_path, sizeof(file->worker_path), "/proc/%d/fd/%d", (int)getpid(),
		file->fd);
	if (!access(file->worker_path, R_OK | W_OK))
		return true;
	close(file->fd);
	file->fd = -1;
	return false;
}

/* The worker's code may change its folder, so the name is absolute. */
static int open_named(struct data_file *file, const char *folder, struct err *err)
{
	const char *name = file->path ? file->path : "suai";
	const char *slash = strrchr(name, '/');
	char *real = realpath(folder, NULL);
	struct text temporary = { 0 };
	mode_t mask = umask(0);

	umask(mask);
	if (!real)
		return fail(file, errno, err);
	text_printf(&temporary, "%s/%s.XXXXXX", real, slash ? slash + 1 : name);
	free(real);
	file->fd = mkostemp(temporary.bytes, O_CLOEXEC);
	if (file->fd < 0 || temporary.n_bytes >= sizeof(file->worker_path)) {
		text_free(&temporary);
		return fail(file, file->fd < 0 ? errno : ENAMETOOLONG, err);
	}
	fchmod(file->fd, 0666 & ~mask);
	file->temporary = temporary.bytes;
	snprintf(file->worker_path, sizeof(file->worker_path), "%s", temporary.bytes);
	return 0;
}

/* Standard output for "-"; else what is there and is no plain file: a pipe, /dev/null. */
static int open_sink(struct data_file *file, const char *path, struct err *err)
{
	struct stat info;

	if (!strcmp(path, "-")) {
		fflush(stdout);
		file->sink_fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		if (file->sink_fd < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
			return fail(file, errno, err);
		return 0;
	}
	file->path = realpath(path, NULL); /* a link stays, and what it leads to is replaced */
	if (!file->path)
		file->path = mem_copy_text(path);
	if (stat(path, &info) || S_ISREG(info.st_mode))
		return 0;
	if (S_ISDIR(info.st_mode))
		return fail(file, EISDIR, err);
	file->sink_fd = open(path, O_WRONLY | O_CLOEXEC);
	return file->sink_fd < 0 ? fail(file, errno, err) : 0;
}

int data_file_open(struct data_file *file, const char *path, struct err *err)
{
	const char *temporary_folder = getenv("TMPDIR");
	char *folder;
	int rc;

	*file = (struct data_file){ .fd = -1, .sink_fd = -1 };
	if (open_sink(file, path, err))
		return -1;
	if (file->sink_fd >= 0)
		folder = mem_copy_text(
			temporary_folder && *temporary_folder ? temporary_folder : "/tmp");
	else
		folder = folder_of(file->path);
	rc = open_unnamed(file, folder) ? 0 : open_named(file, folder, err);
	free(folder);
	return rc;
}

static int copy_to_sink(struct data_file *file, struct err *err)
{
	static char block[1 << 16];
	off_t at = 0;
	ssize_t n_read, n_written;

	while ((n_read = pread(file->fd, block, sizeof(block), at)) != 0) {
		if (n_read < 0)
			return fail(file, errno, err);
		for (ssize_t done = 0; done < n_read; done += n_written) {
			n_written = write(file->sink_fd, block + done, (size_t)(n_read - done));
			if (n_written < 0 && errno != EINTR)
				return fail(file, errno, err);
			n_written = n_written < 0 ? 0 : n_written;
		}
		at += n_read;
	}
	return 0;
}

/* Gives the unnamed file a name beside its place, for rename() to put over a file that is there. */
static int name_unnamed(struct data_file *file, struct err *err)
{
	struct text name = { 0 };
	char source[64];
	int code = EEXIST;

	snprintf(source, sizeof(source), "/proc/self/fd/%d", file->fd);
	for (int i = 0; code == EEXIST && i < 1000; i++) {
		text_clear(&name);
		text_printf(&name, "%s.%d-%d", file->path, (int)getpid(), i);
		code = linkat(AT_FDCWD, source, AT_FDCWD, name.bytes, AT_SYMLINK_FOLLOW) ? errno
											 : 0;
	}
	if (!code) {
		file->temporary = name.bytes;
		return 0;
	}
	text_free(&name);
	return fail(file, code, err);
}

int data_file_commit(struct data_file *file, struct err *err)
{
	if (file->sink_fd >= 0)
		return copy_to_sink(file, err);
	if (!file->temporary && name_unnamed(file, err))
		return -1;
	if (rename(file->temporary, file->path))
		return fail(file, errno, err);
	free(file->temporary);
	file->temporary = NULL;
	return 0;
}

void data_file_close(struct data_file *file)
{
	if (file->temporary)
		unlink(file->temporary);
	if (file->fd >= 0)
		close(file->fd);
	if (file->sink_fd >= 0)
		close(file->sink_fd);
	free(file->temporary);
	free(file->path);
	*file = (struct data_file){ .fd = -1, .sink_fd = -1 };
}
