// SPDX-License-Identifier: MIT
/* Leaving the working directory, and returning to it. */
#include "os/working_directory.h"

#include "base/environment.h"

#include <fcntl.h>
#include <unistd.h>

static int left_fd = AT_FDCWD;

void directory_leave(void)
{
	int fd = left_fd == AT_FDCWD ? open(".", O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;

	if (fd < 0)
		return;
	environment_make_absolute("OCL_ICD_VENDORS");
	if (chdir("/"))
		close(fd);
	else
		left_fd = fd;
}

bool directory_return(void)
{
	if (left_fd == AT_FDCWD || fchdir(left_fd))
		return false;
	close(left_fd);
	left_fd = AT_FDCWD;
	return true;
}

int directory_open(const char *path, int flags)
{
	return openat(left_fd, path, flags | O_CLOEXEC);
}
