// SPDX-License-Identifier: MIT
/*
 * LD_PRELOAD: the allocation number FAKE_MALLOC_FAIL fails, in suai, the C library, libyaml or
 * jansson. The file FAKE_MALLOC_MARK is created when it does.
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

void *__libc_malloc(size_t n_bytes);
void *__libc_calloc(size_t n_items, size_t n_bytes);
void *__libc_realloc(void *block, size_t n_bytes);

static int must_fail(void)
{
	static long n_done;
	const char *wanted = getenv("FAKE_MALLOC_FAIL"), *mark = getenv("FAKE_MALLOC_MARK");

	if (!wanted || !mark || ++n_done != atol(wanted))
		return 0;
	close(open(mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
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
