// SPDX-License-Identifier: MIT
/* Paths through /proc. */
#include "base/proc_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

pid_t proc_own_pid(void)
{
	char text[32] = { 0 };
	ssize_t n_bytes = readlink("/proc/self", text, sizeof(text) - 1);
	pid_t pid = n_bytes > 0 ? (pid_t)strtol(text, NULL, 10) : 0;

	return pid > 0 ? pid : getpid();
}

void proc_fd_path(char out[PROC_PATH_CHARS], pid_t pid, int fd)
{
	snprintf(out, PROC_PATH_CHARS, "/proc/%d/fd/%d", (int)pid, fd);
}
