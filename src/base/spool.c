// SPDX-License-Identifier: MIT
/* Closed on exec: a script that writes to all descriptors must not reach it. */
#include "base/spool.h"

#include "base/environment.h"
#include "base/limit.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int spool_fail(const char *what, struct err *err)
{
	return err_set(err, EXIT_USAGE, "cannot %s a temporary file: %s%s", what, strerror(errno),
		limit_advice(errno));
}

/* Opens a file without a name. On file systems without O_TMPFILE, such as NFS, it has one at first.
 * -1 with errno set. */
static int open_in(const char *directory)
{
	char path[PATH_MAX];
	int fd = -1;

	if (!environment_forces("SUAI_NO_TMPFILE"))
		fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0 || snprintf(path, sizeof(path), "%s/suai.XXXXXX", directory) >= PATH_MAX)
		return fd;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

/* NULL if fd is -1. */
static FILE *open_stream(int fd)
{
	FILE *spool = fd >= 0 ? fdopen(fd, "w+") : NULL;

	if (fd >= 0 && !spool)
		close(fd);
	return spool;
}

FILE *spool_open(struct err *err)
{
	const char *directory = getenv("TMPDIR");
	FILE *spool = NULL;

	if (directory && *directory)
		spool = open_stream(open_in(directory));
	if (!spool)
		spool = tmpfile(); /* in /tmp */
	if (!spool)
		spool = open_stream(memfd_create("suai-spool", MFD_CLOEXEC));
	if (spool)
		fcntl(fileno(spool), F_SETFD, FD_CLOEXEC);
	else
		spool_fail("create", err);
	return spool;
}

int spool_rewind(FILE *spool, struct err *err)
{
	if (fflush(spool) || ferror(spool))
		return spool_fail("write", err);
	return fseek(spool, 0, SEEK_SET) ? spool_fail("read", err) : 0;
}

/* A record is its length, a size_t, and its bytes. */
int spool_write_record(FILE *spool, const void *bytes, size_t n_bytes, struct err *err)
{
	if (fwrite(&n_bytes, sizeof(n_bytes), 1, spool) != 1 ||
		fwrite(bytes, 1, n_bytes, spool) != n_bytes)
		return spool_fail("write", err);
	return 0;
}

static int fail_spool_read(FILE *spool, struct err *err)
{
	return ferror(spool)
		       ? spool_fail("read", err)
		       : err_set(err, EXIT_USAGE, "cannot read a temporary file: it is truncated");
}

int spool_read_record(FILE *spool, struct text *out, struct err *err)
{
	char block[4096];
	size_t n_bytes, n_read = fread(&n_bytes, 1, sizeof(n_bytes), spool);

	text_clear(out);
	if (!n_read && !ferror(spool))
		return 0;
	if (n_read != sizeof(n_bytes))
		return fail_spool_read(spool, err);
	while (out->n_bytes < n_bytes) {
		size_t n_left = n_bytes - out->n_bytes;

		n_read = fread(block, 1, n_left < sizeof(block) ? n_left : sizeof(block), spool);
		if (!n_read)
			return fail_spool_read(spool, err);
		text_add_bytes(out, block, n_read);
	}
	return 1;
}

int spool_copy(FILE *spool, FILE *stream, struct err *err)
{
	char block[1 << 16];
	size_t n_bytes;

	if (spool_rewind(spool, err))
		return -1;
	while ((n_bytes = fread(block, 1, sizeof(block), spool)) > 0)
		if (fwrite(block, 1, n_bytes, stream) != n_bytes)
			return err_set(err, EXIT_USAGE, "%s", strerror(errno));
	return ferror(spool) ? spool_fail("read", err) : 0;
}
