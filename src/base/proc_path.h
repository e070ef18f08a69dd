// SPDX-License-Identifier: MIT
/*
 * Paths through /proc by which other processes open a file of this one. /proc may be that of
 * another PID namespace, as under `unshare --pid --fork`: the numbers in it are not those of
 * getpid(), and may be those of other processes.
 */
#ifndef BASE_PROC_PATH_H
#define BASE_PROC_PATH_H

#include <sys/types.h>

enum { PROC_PATH_CHARS = 64 };

/* This process in the namespace of /proc; getpid() if that is not known. */
pid_t proc_own_pid(void);

/* The path of a file descriptor of the process, as proc_own_pid() returned it there. */
void proc_fd_path(char out[PROC_PATH_CHARS], pid_t pid, int fd);

#endif
