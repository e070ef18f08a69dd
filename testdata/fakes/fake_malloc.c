// SPDX-License-Identifier: MIT
/*
 * LD_PRELOAD: the allocation number FAKE_MALLOC_FAIL fails, in suai, the C library, libyaml or
 * jansson, or in a worker: in the first process that gets there. The file FAKE_MALLOC_MARK is
 * created when it does.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

void *__libc_malloc(size_t n_bytes);
void *__libc_calloc(size_t n_items, size_t n_bytes);
void *__libc_realloc(void *block, size_t n_bytes);

static int must_fail(void)
{
	static atomic_long n_done;
	const char *wanted = getenv("FAKE_MALLOC_FAIL"), *mark = getenv("FAKE_MALLOC_MARK");
	int fd;

	if (!wanted || !mark || atomic_fetch_add(&n_done, 1) + 1 != atol(wanted))
		return 0;
	fd = open(mark, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return 0;
	close(fd);
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t n_bytes)
{
	return must_fail() ? NULL : __libc_malloc(n_bytes);
}

void *calloc(size_t n_items, size_t n_bytes)
{
	return must_fail() ? NULL : __libc_calloc(n_items, n_bytes);
}

void *realloc(void *block, size_t n_bytes)
{
	return must_fail() ? NULL : __libc_realloc(block, n_bytes);
}
