// SPDX-License-Identifier: MIT
/* Accesses on both sides of guarded memory, and handlers of other faults. */
#include "worker/consume/guarded.h"

#include "base/test.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N_BYTES = 128, ALIGNMENT = 64 };

static bool map_bytes(struct guarded *memory, size_t misalignment, enum guarded_place place)
{
	return guarded_map(
		memory, &(struct guarded_request){ N_BYTES, ALIGNMENT, misalignment, place });
}

static sigjmp_buf escape;

static void jump_out(int number)
{
	(void)number;
	siglongjmp(escape, 1);
}

/* Calls the handler that was there before it, as faulthandler does. */
static struct sigaction chained;

static void call_chained(int number)
{
	(void)sigaction(number, &chained, NULL);
}

static void access_byte(volatile unsigned char *byte, bool writes)
{
	if (writes)
		*byte = 1;
	else
		(void)*byte;
}

/* An access `at` bytes from the memory's lowest one is noted as `outside`, and goes on. */
static void check_access(
	enum guarded_place place, size_t misalignment, ptrdiff_t at, ptrdiff_t outside, bool writes)
{
	struct guarded memory;
	unsigned char *low;

	CHECK(map_bytes(&memory, misalignment, place), "mapped");
	low = memory.low;
	CHECK((size_t)low % ALIGNMENT == misalignment, "alignment");
	access_byte(low, true);
	access_byte(low + N_BYTES - 1, true);
	CHECK(!memory.outside, "accesses inside are not noted");
	access_byte(low + at, writes);
	CHECK(memory.outside == outside, "outside %td, not %td", memory.outside, outside);
#if defined(__x86_64__)
	CHECK(memory.outside_is_write == writes, "write or read");
#endif
	guarded_close(&memory);
	access_byte(low + at, true); /* what a kept object may do */
	access_byte(low, true);
}

static bool escapes(volatile unsigned char *byte)
{
	if (sigsetjmp(escape, 1))
		return true;
	access_byte(byte, false);
	return false;
}

static void check_other_faults(void)
{
	unsigned char *page = mmap(
		NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sigaction mine = { .sa_handler = jump_out }, found;
	struct guarded memory;

	CHECK(page != MAP_FAILED && !sigaction(SIGSEGV, &mine, NULL), "prepared");
	CHECK(map_bytes(&memory, 0, GUARD_BEHIND), "mapped");
	CHECK(escapes(page), "the former handler is called for a fault elsewhere");
	CHECK(!memory.outside, "which is not noted");
	guarded_close(&memory);
	CHECK(!sigaction(SIGSEGV, NULL, &found) && found.sa_handler == jump_out,
		"the former handler is back");
}

static void check_handler_of_consumer(void)
{
	struct sigaction theirs = { .sa_handler = call_chained }, found;
	struct guarded memory;

	CHECK(map_bytes(&memory, 0, GUARD_BEHIND), "mapped");
	CHECK(!sigaction(SIGSEGV, &theirs, &chained), "installed while the memory is watched");
	access_byte(memory.low + N_BYTES, false);
	CHECK(memory.outside == 1, "noted through a handler that calls the former one");
	(void)sigaction(SIGSEGV, &theirs, NULL);
	guarded_close(&memory);
	CHECK(!sigaction(SIGSEGV, NULL, &found) && found.sa_handler == call_chained,
		"the consumer's handler stays");
}

/* Two handlers that call each other must not go on for ever. */
static void check_chain_ends(void)
{
	volatile unsigned char *page =
		mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int status = 0;
	pid_t child = fork();

	if (!child) {
		struct sigaction theirs = { .sa_handler = call_chained };
		struct guarded memory;

		alarm(5);
		(void)map_bytes(&memory, 0, GUARD_BEHIND);
		(void)sigaction(SIGSEGV, &theirs, &chained);
		guarded_close(&memory);
		(void)map_bytes(&memory, 0, GUARD_BEFORE);
		access_byte(page, false);
		_exit(0);
	}
	CHECK(child > 0 && waitpid(child, &status, 0) == child, "forked");
	/* AddressSanitizer's handler exits. */
	CHECK(WIFEXITED(status) ? WEXITSTATUS(status) != 0 : WTERMSIG(status) == SIGSEGV,
		"ended by SIGSEGV: %#x", (unsigned)status);
}

int main(void)
{
	for (int writes = 0; writes < 2; writes++) {
		check_access(GUARD_BEHIND, 0, N_BYTES, 1, writes);
		check_access(GUARD_BEHIND, 0, N_BYTES + 9, 10, writes);
		check_access(GUARD_BEFORE, 0, -1, -1, writes);
		check_access(GUARD_BEFORE, 0, -16, -16, writes);
		check_access(GUARD_BEFORE, 4, -5, -5, writes);
	}
	check_other_faults();
	check_other_faults(); /* as in the second run of a case, in the same process */
	check_chain_ends();
	check_handler_of_consumer();
	return test_end();
}
