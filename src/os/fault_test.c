// SPDX-License-Identifier: MIT
/* A call that faults, one that does not, and the restored handlers after both. */
#include "os/fault.h"

#include "base/test.h"

#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

static void read_byte(void *context)
{
	volatile const char *address = *(const char **)context;

	(void)*address;
}

static void nobody(int number)
{
	(void)number;
}

int main(void)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	char *page = mmap(NULL, page_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const char *good = "x", *bad = page;
	struct sigaction mine = { .sa_handler = nobody }, found;

	CHECK(!sigaction(SIGSEGV, &mine, NULL), "sigaction");
	for (int i = 0; i < 3; i++) {
		CHECK(!fault_guard(read_byte, &good), "a good address");
		CHECK(fault_guard(read_byte, &bad) == SIGSEGV, "a page without rights");
	}
	CHECK(!sigaction(SIGSEGV, NULL, &found) && found.sa_handler == nobody,
		"the former handler is back");
	munmap(page, page_bytes);
	return test_end();
}
