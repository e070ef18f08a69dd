// SPDX-License-Identifier: MIT
#include "base/standard_descriptors.h"

#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

enum { N_STANDARD = STDERR_FILENO + 1 };

static bool was_closed[N_STANDARD];

void standard_descriptors_fill(void)
{
	int fd;

	for (fd = 0; fd < N_STANDARD; fd++)
		was_closed[fd] = fcntl(fd, F_GETFD) < 0;
	/* Each is the lowest number that is free. */
	for (fd = 0; fd < N_STANDARD; fd++)
		if (was_closed[fd])
			open("/dev/null", (fd == STDOUT_FILENO ? O_RDONLY : O_RDWR) | O_CLOEXEC);
	for (fd = 0; fd < N_STANDARD; fd++)
		fcntl(fd, F_SETFD, 0);
}

void standard_descriptors_restore(void)
{
	for (int fd = 0; fd < N_STANDARD; fd++)
		if (was_closed[fd])
			close(fd);
}
