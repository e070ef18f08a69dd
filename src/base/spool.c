// SPDX-License-Identifier: MIT
/* tmpfile(), closed on exec: a script that writes to all descriptors must not reach it. */
#include "base/spool.h"

#include "base/limit.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int spool_fail(const char *what, struct err *err)
{
	return err_set(err, EXIT_USAGE, "cannot %s a temporary file: %s%s", what, strerror(errno),
		limit_advice(errno));
}

/* If /tmp is not writable. */
static FILE *open_in_memory(void)
{
	int fd = memfd_create("suai-spool", MFD_CLOEXEC);
	FILE *spool = fd >= 0 ? fdopen(fd, "w+") : NULL;

	if (fd >= 0 && !spool)
		close(fd);
	return spool;
}

FILE *spool_open(struct err *err)
{
	FILE *on_disk = tmpfile(), *spool = on_disk ? on_disk : open_in_memory();

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
