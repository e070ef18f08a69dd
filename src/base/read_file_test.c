// SPDX-License-Identifier: MIT
/* What open_regular_file() opens. */
#include "base/read_file.h"

#include "base/test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

/* A FIFO's writer must not wake up before its reader opens the FIFO. */
static void test_fifo(const char *path)
{
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	char events[4096];
	struct stat info;
	struct err err;

	CHECK(!mkfifo(path, 0600) && inotify_add_watch(watch, path, IN_OPEN) >= 0, "%s", path);
	CHECK(open_regular_file(path, &info, &err) < 0, "a FIFO");
	CHECK(strstr(err.message, "': not a regular file"), "%s", err.message);
	CHECK(read(watch, events, sizeof(events)) < 0, "the FIFO was opened");
	close(watch);
	unlink(path);
}

int main(void)
{
	char directory[] = "/tmp/suai-read-file-XXXXXX", path[sizeof(directory) + 8];
	struct stat info;
	struct err err;
	int fd;

	CHECK(mkdtemp(directory), "%s", directory);
	CHECK(open_regular_file(directory, &info, &err) < 0, "a directory");
	CHECK(strstr(err.message, "': Is a directory"), "%s", err.message);
	snprintf(path, sizeof(path), "%s/file", directory);
	CHECK(open_regular_file(path, &info, &err) < 0, "no file");
	CHECK(strstr(err.message, "': No such file or directory"), "%s", err.message);
	test_fifo(path);
	fclose(fopen(path, "we"));
	fd = open_regular_file(path, &info, &err);
	CHECK(fd >= 0 && S_ISREG(info.st_mode) && !info.st_size, "a regular file");
	close(fd);
	unlink(path);
	rmdir(directory);
	return test_end();
}
