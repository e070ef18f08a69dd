// SPDX-License-Identifier: MIT
/* Checked allocation with a fault hook for tests. */
#include "base/memory.h"

#include "base/error.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void (*report_failed_allocation)(void);

void mem_on_failure(void (*report)(void))
{
	report_failed_allocation = report;
}

void mem_fail(void)
{
	static const char message[] = "suai: out of memory\n";

	if (report_failed_allocation)
		report_failed_allocation();
	if (write(2, message, sizeof(message) - 1) < 0)
		_exit(EXIT_BUG);
	_exit(EXIT_BUG);
}

/* Whether this allocation is the one that SUAI_FAIL_ALLOC names. */
static int must_fail(void)
{
	static long countdown = -1;
	const char *wanted;

	if (countdown < 0) {
		wanted = getenv("SUAI_FAIL_ALLOC");
		countdown = wanted ? strtol(wanted, NULL, 10) : 0;
	}
	return countdown > 0 && --countdown == 0;
}

void *mem_alloc(size_t n_bytes)
{
	void *block = must_fail() ? NULL : calloc(1, n_bytes ? n_bytes : 1);

	if (!block)
		mem_fail();
	return block;
}

void *mem_resize(void *block, size_t n_bytes)
{
	void *grown = must_fail() ? NULL : realloc(block, n_bytes ? n_bytes : 1);

	if (!grown)
		mem_fail();
	return grown;
}

char *mem_copy_text(const char *text)
{
	size_t n_bytes = strlen(text) + 1;

	return memcpy(mem_alloc(n_bytes), text, n_bytes);
}

char *mem_real_path(const char *path)
{
	char *real = realpath(path, NULL);

	if (!real && errno == ENOMEM)
		mem_fail();
	return real;
}
