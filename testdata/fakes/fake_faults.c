// SPDX-License-Identifier: MIT
/*
 * Preloaded: the FAULT_N-th call of the function FAULT_CALL fails with the error number
 * FAULT_ERRNO, in the first process whose program is FAULT_PROGRAM and that gets there; with
 * FAULT_CALLER, only calls by the library of that name count. That call creates the file
 * FAULT_MARK. "short" as FAULT_ERRNO shortens a transfer to one byte.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char *program_invocation_short_name;

enum { PASS, FAIL, SHORTEN };

static atomic_long n_calls;

/* Whether the address is in the library that FAULT_CALLER names. */
static bool is_chosen_caller(const void *address)
{
	const char *wanted = getenv("FAULT_CALLER"), *slash;
	Dl_info found;

	if (!wanted)
		return true;
	if (!dladdr(address, &found) || !found.dli_fname)
		return false;
	slash = strrchr(found.dli_fname, '/');
	return !strcmp(slash ? slash + 1 : found.dli_fname, wanted);
}

static int fault(const char *call, const void *caller)
{
	const char *wanted = getenv("FAULT_CALL"), *number = getenv("FAULT_N");
	const char *program = getenv("FAULT_PROGRAM"), *mark = getenv("FAULT_MARK");
	const char *error = getenv("FAULT_ERRNO");
	long descriptor;

	if (!wanted || !number || !program || !error || strcmp(wanted, call) != 0 ||
		strcmp(program, program_invocation_short_name) != 0 || !is_chosen_caller(caller) ||
		atomic_fetch_add(&n_calls, 1) + 1 != atol(number))
		return PASS;
	if (mark) {
		descriptor = syscall(SYS_openat, AT_FDCWD, mark, O_CREAT | O_EXCL | O_WRONLY, 0600);
		if (descriptor < 0) /* another process was first */
			return PASS;
		syscall(SYS_close, descriptor);
	}
	if (!strcmp(error, "short"))
		return SHORTEN;
	errno = atoi(error);
	return FAIL;
}

#define CALLER __builtin_return_address(0)
#define REAL(NAME) ((__typeof__(&(NAME)))(void *)dlsym(RTLD_NEXT, #NAME))

/* SYMBOL: what the C library calls NAME in a fortified build, or in one for an older version. */
#define SYMBOL_FAILS(TYPE, NAME, SYMBOL, FAILED, PARAMETERS, ARGUMENTS)         \
	__attribute__((visibility("default"))) TYPE SYMBOL PARAMETERS;          \
	TYPE SYMBOL PARAMETERS                                                  \
	{                                                                       \
		return fault(NAME, CALLER) ? (FAILED) : REAL(SYMBOL) ARGUMENTS; \
	}

#define FAILS(TYPE, NAME, FAILED, PARAMETERS, ARGUMENTS) \
	SYMBOL_FAILS(TYPE, #NAME, NAME, FAILED, PARAMETERS, ARGUMENTS)

#define TRANSFERS(NAME, PARAMETERS, COUNT, ...) \
	SYMBOL_TRANSFERS(#NAME, NAME, PARAMETERS, COUNT, __VA_ARGS__)

#define SYMBOL_TRANSFERS(NAME, SYMBOL, PARAMETERS, COUNT, ...)            \
	__attribute__((visibility("default"))) ssize_t SYMBOL PARAMETERS; \
	ssize_t SYMBOL PARAMETERS                                         \
	{                                                                 \
		const int what = fault(NAME, CALLER);                     \
                                                                          \
		if (what == FAIL)                                         \
			return -1;                                        \
		if (what == SHORTEN && COUNT > 1)                         \
			COUNT = 1;                                        \
		return REAL(SYMBOL)(__VA_ARGS__);                         \
	}

TRANSFERS(read, (int fd, void *bytes, size_t n), n, fd, bytes, n)
TRANSFERS(write, (int fd, const void *bytes, size_t n), n, fd, bytes, n)
TRANSFERS(pread, (int fd, void *bytes, size_t n, off_t at), n, fd, bytes, n, at)
TRANSFERS(pwrite, (int fd, const void *bytes, size_t n, off_t at), n, fd, bytes, n, at)
SYMBOL_TRANSFERS(
	"read", __read_chk, (int fd, void *bytes, size_t n, size_t room), n, fd, bytes, n, room)
SYMBOL_TRANSFERS("pread", __pread_chk, (int fd, void *bytes, size_t n, off_t at, size_t room), n,
	fd, bytes, n, at, room)
SYMBOL_TRANSFERS("recv", __recv_chk, (int fd, void *bytes, size_t n, size_t room, int flags), n, fd,
	bytes, n, room, flags)
TRANSFERS(recv, (int fd, void *bytes, size_t n, int flags), n, fd, bytes, n, flags)
TRANSFERS(send, (int fd, const void *bytes, size_t n, int flags), n, fd, bytes, n, flags)
FAILS(pid_t, fork, -1, (void), ())
FAILS(int, pipe2, -1, (int ends[2], int flags), (ends, flags))
FAILS(int, socketpair, -1, (int domain, int type, int protocol, int ends[2]),
	(domain, type, protocol, ends))
FAILS(int, memfd_create, -1, (const char *name, unsigned flags), (name, flags))
FAILS(int, ftruncate, -1, (int fd, off_t size), (fd, size))
FAILS(void *, mmap, MAP_FAILED,
	(void *at, size_t size, int protection, int flags, int fd, off_t offset),
	(at, size, protection, flags, fd, offset))
FAILS(int, rename, -1, (const char *from, const char *to), (from, to))
FAILS(int, linkat, -1, (int from, const char *path, int to, const char *name, int flags),
	(from, path, to, name, flags))
FAILS(int, fstat, -1, (int fd, struct stat *found), (fd, found))
FAILS(int, stat, -1, (const char *path, struct stat *found), (path, found))
SYMBOL_FAILS(
	int, "fstat", __fxstat, -1, (int version, int fd, struct stat *found), (version, fd, found))
SYMBOL_FAILS(int, "stat", __xstat, -1, (int version, const char *path, struct stat *found),
	(version, path, found))
FAILS(int, dup2, -1, (int from, int to), (from, to))
FAILS(int, poll, -1, (struct pollfd * fds, nfds_t n, int timeout), (fds, n, timeout))
SYMBOL_FAILS(int, "poll", __poll_chk, -1, (struct pollfd * fds, nfds_t n, int timeout, size_t room),
	(fds, n, timeout, room))
FAILS(int, waitid, -1, (idtype_t type, id_t id, siginfo_t *found, int options),
	(type, id, found, options))
FAILS(pid_t, waitpid, -1, (pid_t pid, int *status, int options), (pid, status, options))
FAILS(char *, getcwd, NULL, (char *path, size_t size), (path, size))
FAILS(char *, realpath, NULL, (const char *path, char *found), (path, found))
SYMBOL_FAILS(char *, "getcwd", __getcwd_chk, NULL, (char *path, size_t size, size_t room),
	(path, size, room))
SYMBOL_FAILS(char *, "realpath", __realpath_chk, NULL, (const char *path, char *found, size_t room),
	(path, found, room))
FAILS(void *, dlopen, NULL, (const char *path, int flags), (path, flags))
FAILS(FILE *, tmpfile, NULL, (void), ())
FAILS(FILE *, fopen, NULL, (const char *path, const char *mode), (path, mode))
FAILS(int, fclose, EOF, (FILE * file), (file))
FAILS(int, fchmod, -1, (int fd, mode_t mode), (fd, mode))
FAILS(int, mkostemp, -1, (char *template, int flags), (template, flags))
FAILS(int, prctl, -1,
	(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d),
	(option, a, b, c, d))

/* Variable arguments: the mode of a file that is created. */
__attribute__((visibility("default"))) int open(const char *path, int flags, ...)
{
	__builtin_va_list arguments;
	mode_t mode;

	__builtin_va_start(arguments, flags);
	mode = __builtin_va_arg(arguments, mode_t);
	__builtin_va_end(arguments);
	if (fault("open", CALLER))
		return -1;
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

SYMBOL_FAILS(int, "open", __open_2, -1, (const char *path, int flags), (path, flags))
