// SPDX-License-Identifier: MIT
/*
 * Programs that the process starts. With --follow, they are traced as well: this library and its
 * memory are in the environment of what is executed only, not in that of the process. Otherwise,
 * those whose command shows that they run Python are counted.
 */
#ifndef TRACE_STARTS_H
#define TRACE_STARTS_H

#include <spawn.h>
#include <stdio.h>

/* If neither this nor the next is set, programs are started unchanged. Both keep the texts: an
 * entry of LD_PRELOAD, and the path of the memory. */
void trace_starts_count(const char *library, const char *memory);
void trace_starts_follow(const char *library, const char *memory);

int trace_execve(const char *path, char *const arguments[], char *const environment[]);
int trace_execv(const char *path, char *const arguments[]);
int trace_execvp(const char *file, char *const arguments[]);
int trace_execvpe(const char *file, char *const arguments[], char *const environment[]);
int trace_execl(const char *path, const char *argument, ...);
int trace_execlp(const char *file, const char *argument, ...);
int trace_execle(const char *path, const char *argument, ...);
int trace_fexecve(int fd, char *const arguments[], char *const environment[]);
int trace_posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]);
int trace_posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]);
int trace_system(const char *command);
FILE *trace_popen(const char *command, const char *type);

#endif
