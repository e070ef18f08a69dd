// SPDX-License-Identifier: MIT
/*
 * Linked by tools/coverage with --wrap of each of these functions, which end the program of a
 * process: the counters are written before, as exit() does. They are set to zero, since a process
 * that vfork() created shares them, and since the function may fail.
 */
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

enum { MAX_WORDS = 32 };

void __gcov_dump(void);
void __gcov_reset(void);
_Noreturn void __real__exit(int status);
int __real_execv(const char *path, char *const words[]);
int __real_execve(const char *path, char *const words[], char *const environment[]);
int __real_fexecve(int fd, char *const words[], char *const environment[]);
int __real_raise(int number);

static void write_counters(void)
{
	__gcov_dump();
	__gcov_reset();
}

_Noreturn void __wrap__exit(int status)
{
	write_counters();
	__real__exit(status);
}

int __wrap_execv(const char *path, char *const words[])
{
	write_counters();
	return __real_execv(path, words);
}

int __wrap_execve(const char *path, char *const words[], char *const environment[])
{
	write_counters();
	return __real_execve(path, words, environment);
}

int __wrap_fexecve(int fd, char *const words[], char *const environment[])
{
	write_counters();
	return __real_fexecve(fd, words, environment);
}

int __wrap_execl(const char *path, const char *word, ...)
{
	char *words[MAX_WORDS] = { (char *)word };
	va_list rest;

	va_start(rest, word);
	for (int i = 1; i < MAX_WORDS - 1 && words[i - 1]; i++)
		words[i] = va_arg(rest, char *);
	va_end(rest);
	return __wrap_execv(path, words);
}

int __wrap_raise(int number)
{
	write_counters();
	return __real_raise(number);
}
