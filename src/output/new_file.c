// SPDX-License-Identifier: MIT
/* O_TMPFILE and linkat, with rename to replace a file; mkostemp if these or /proc are not
 * available. */
#include "output/new_file.h"

#include "base/array_size.h"
#include "base/environment.h"
#include "base/memory.h"
#include "base/proc_path.h"
#include "base/text.h"
#include "base/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	TEMPORARY_CHARS = 24, /* at the end of a temporary name */
	MAX_LINKS = 40,       /* as in the kernel */
};

static int fail_file(const struct new_file *file, int code, struct err *err)
{
	if (!file->name)
		return err_set(err, EXIT_USAGE, "cannot write the data: %s", strerror(code));
	return err_set(err, EXIT_USAGE, "cannot write '%s': %s", file->name, strerror(code));
}

/* The directory of a path; "." if it has none (free with free()). */
static char *directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *directory = mem_copy_text(slash ? path : ".");

	if (slash)
		directory[slash == path ? 1 : slash - path] = '\0';
	return directory;
}

/* Whether the path is a symbolic link to something that does not exist; *target is then the path
 * that it names (free with free()). */
static bool follow_dangling_link(const char *path, char **target)
{
	char name[PATH_MAX];
	ssize_t n = readlink(path, name, sizeof(name) - 1);
	struct text next = { 0 };
	char *directory;

	if (n <= 0)
		return false;
	name[n] = '\0';
	if (*name == '/') {
		*target = mem_copy_text(name);
		return true;
	}
	directory = directory_of(path);
	text_printf(&next, "%s/%s", directory, name);
	free(directory);
	*target = next.bytes;
	return true;
}

/*
 * The path without symbolic links, as open() with O_CREAT resolves it (free with free()); *exists:
 * whether it exists, with *info. NULL with errno: it cannot be followed. stat() refuses links that
 * another user planted in a sticky directory, which readlink() and realpath() follow.
 */
static char *resolve(const char *path, struct stat *info, bool *exists)
{
	char *current = mem_copy_text(path), *next, *real;
	int n_links = 0, code;

	while (!(*exists = !stat(current, info))) {
		code = n_links++ < MAX_LINKS ? errno : ELOOP;
		if (code == ENOENT && !follow_dangling_link(current, &next))
			return current;
		free(current);
		if (code != ENOENT) {
			errno = code;
			return NULL;
		}
		current = next;
	}
	real = mem_real_path(current);
	/* NULL: a link of /proc to a deleted file */
	code = errno;
	free(current);
	errno = code;
	return real;
}

/* The length of the path's longest prefix that leaves space in its last component for the end of a
 * temporary name. */
static int prefix_length(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	return (int)(name - path) +
	       (int)utf8_truncated(name, strlen(name), NAME_MAX - TEMPORARY_CHARS);
}

static bool open_unnamed(struct new_file *file, const char *directory)
{
	if (environment_forces("SUAI_NO_TMPFILE") || environment_forces("SUAI_NO_PROC_FD"))
		return false;
	file->fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
	if (file->fd < 0)
		return false;
	proc_fd_path(file->open_path, proc_own_pid(), file->fd);
	if (!access(file->open_path, R_OK | W_OK))
		return true;
	close(file->fd);
	file->fd = -1;
	return false;
}

/* Opens a file with a temporary name in the directory. The name is absolute, since the worker may
 * change its working directory. */
static int open_named(struct new_file *file, const char *directory, struct err *err)
{
	const char *name = file->path ? file->path : "suai";
	const char *slash = strrchr(name, '/');
	char *real = mem_real_path(directory);
	struct text temporary = { 0 };
	mode_t mask = umask(0);

	umask(mask);
	if (!real)
		return fail_file(file, errno, err);
	name = slash ? slash + 1 : name;
	text_printf(&temporary, "%s/%.*s.XXXXXX", real, prefix_length(name), name);
	free(real);
	file->fd = mkostemp(temporary.bytes, O_CLOEXEC);
	if (file->fd < 0) {
		text_free(&temporary);
		return fail_file(file, errno, err);
	}
	file->temporary = temporary.bytes;
	if (temporary.n_bytes >= sizeof(file->open_path))
		return fail_file(file, ENAMETOOLONG, err);
	fchmod(file->fd, 0666 & ~mask);
	snprintf(file->open_path, sizeof(file->open_path), "%s", temporary.bytes);
	return 0;
}

int new_file_open_scratch(struct new_file *file, const char *directory, struct err *err)
{
	*file = (struct new_file){ .fd = -1 };
	return open_unnamed(file, directory) ? 0 : open_named(file, directory, err);
}

int new_file_descriptor(const char *path)
{
	static const struct {
		const char *path;
		int fd; /* -1: a number follows the directory name */
	} names[] = {
		{ "/dev/stdout", STDOUT_FILENO },
		{ "/dev/stderr", STDERR_FILENO },
		{ "/dev/fd/", -1 },
		{ "/proc/self/fd/", -1 },
	};
	const char *digits;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (names[i].fd >= 0 && !strcmp(path, names[i].path))
			return names[i].fd;
		digits = path + strlen(names[i].path);
		if (names[i].fd < 0 && !strncmp(path, names[i].path, strlen(names[i].path)) &&
			*digits && strlen(digits) < 9 &&
			strspn(digits, "0123456789") == strlen(digits))
			return atoi(digits);
	}
	return -1;
}

bool new_file_is_special(const char *path)
{
	struct stat info;

	return !stat(path, &info) && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

int new_file_open(struct new_file *file, const char *path, struct err *err)
{
	struct stat info;
	bool is_there = false;
	char *directory;
	int status;

	*file = (struct new_file){ .fd = -1, .name = mem_copy_text(path) };
	file->path = resolve(path, &info, &is_there);
	if (!file->path)
		return fail_file(file, errno, err);
	if (is_there && S_ISDIR(info.st_mode))
		return fail_file(file, EISDIR, err);
	/* rename() checks only the directory. */
	if (is_there && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS))
		return fail_file(file, errno, err);
	directory = directory_of(file->path);
	status = open_unnamed(file, directory) ? 0 : open_named(file, directory, err);
	free(directory);
	file->replaces = !status && is_there;
	if (file->replaces) {
		file->replaced = info;
		fchmod(file->fd, S_IRUSR | S_IWUSR); /* until its owner and mode are set */
	}
	return status;
}

/* Links the unnamed file at path; an error number if it cannot, EEXIST if the path exists. */
static int link_unnamed(const struct new_file *file, const char *path)
{
	char source[64];

	snprintf(source, sizeof(source), "/proc/self/fd/%d", file->fd);
	return linkat(AT_FDCWD, source, AT_FDCWD, path, AT_SYMLINK_FOLLOW) ? errno : 0;
}

/* Gives the unnamed file a name in its directory, for rename() to replace an existing file. */
static int name_unnamed(struct new_file *file, struct err *err)
{
	struct text name = { 0 };
	int code = EEXIST;

	for (int i = 0; code == EEXIST && i < 1000; i++) {
		text_clear(&name);
		text_printf(&name, "%.*s.%d-%d", prefix_length(file->path), file->path,
			(int)getpid(), i);
		code = link_unnamed(file, name.bytes);
	}
	if (!code) {
		file->temporary = name.bytes;
		return 0;
	}
	text_free(&name);
	return fail_file(file, code, err);
}

/* Sets owner, group and mode to those of the replaced file. If the group cannot be set, the group
 * has the permissions of others. */
static int keep_access(const struct new_file *file)
{
	mode_t mode = file->replaced.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO);
	struct stat made;

	if (fchown(file->fd, file->replaced.st_uid, file->replaced.st_gid))
		(void)!fchown(file->fd, (uid_t)-1, file->replaced.st_gid);
	if (fstat(file->fd, &made))
		return -1;
	if (made.st_gid != file->replaced.st_gid)
		mode = (mode & ~(mode_t)S_IRWXG) | (mode & S_IRWXO) << 3;
	return fchmod(file->fd, mode);
}

/* Gives the temporary file its path. Where the file system has no RENAME_NOREPLACE, an empty file
 * reserves the path. */
static int rename_temporary(const struct new_file *file)
{
	int fd, code;

	if (!file->keeps_existing)
		return rename(file->temporary, file->path);
	if (!renameat2(AT_FDCWD, file->temporary, AT_FDCWD, file->path, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL)
		return -1;
	fd = open(file->path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
	if (fd < 0)
		return -1;
	close(fd);
	if (!rename(file->temporary, file->path))
		return 0;
	code = errno;
	unlink(file->path);
	errno = code;
	return -1;
}

static int commit_named(struct new_file *file, struct err *err)
{
	if (rename_temporary(file))
		return fail_file(file, errno, err);
	free(file->temporary);
	file->temporary = NULL;
	return 0;
}

/* Replaces the existing file by the unnamed one. */
static int replace(struct new_file *file, struct err *err)
{
	return name_unnamed(file, err) ? -1 : commit_named(file, err);
}

static bool is_at_path(const struct new_file *file)
{
	struct stat own, there;

	return !fstat(file->fd, &own) && !lstat(file->path, &there) && own.st_dev == there.st_dev &&
	       own.st_ino == there.st_ino;
}

/*
 * Replaces the existing file in a child of its own process group: a SIGKILL between the link and
 * the rename, of suai or of its group, leaves no temporary name. Its exit status is not needed,
 * and not available if the process ignores SIGCHLD.
 */
static bool replace_in_child(struct new_file *file)
{
	struct err ignored = { 0 };
	pid_t child = fork();

	if (!child) {
		setpgid(0, 0);
		if (replace(file, &ignored) && file->temporary)
			unlink(file->temporary);
		_exit(0);
	}
	if (child < 0)
		return false;
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	return is_at_path(file);
}

static int commit_unnamed(struct new_file *file, struct err *err)
{
	int code = file->replaces ? EEXIST : link_unnamed(file, file->path);

	if (!code)
		return 0;
	if (code != EEXIST || file->keeps_existing)
		return fail_file(file, code, err);
	return replace_in_child(file) ? 0 : replace(file, err);
}

int new_file_commit(struct new_file *file, struct err *err)
{
	if (file->replaces && keep_access(file))
		return fail_file(file, errno, err);
	return file->temporary ? commit_named(file, err) : commit_unnamed(file, err);
}

void new_file_close(struct new_file *file)
{
	if (file->temporary)
		unlink(file->temporary);
	if (file->fd >= 0)
		close(file->fd);
	free(file->temporary);
	free(file->path);
	free(file->name);
	*file = (struct new_file){ .fd = -1 };
}
