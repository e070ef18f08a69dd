// SPDX-License-Identifier: MIT
/* Guard pages that become accessible on the first access, so that the process continues. */
#include "worker/consume/guarded.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

static struct guarded *watched;
static size_t page_bytes;
static struct sigaction before;
/* Whether the earlier action was restored because of a fault elsewhere. */
static volatile sig_atomic_t has_passed_on;

/* Whether the fault was a write, as far as the machine reports it. */
static bool is_write(const void *context)
{
#if defined(__x86_64__)
	enum { WRITE_FAULT = 1 << 1 };

	return ((const ucontext_t *)context)->uc_mcontext.gregs[REG_ERR] & WRITE_FAULT;
#else
	(void)context;
	return false;
#endif
}

/* The handler of SIGSEGV; async-signal-safe. For faults elsewhere it restores the earlier action
 * and restarts the instruction. If the earlier handler calls this one in turn, the process ends. */
static void on_guard(int number, siginfo_t *info, void *context)
{
	static const struct sigaction fatal = { .sa_handler = SIG_DFL };
	struct guarded *guarded = watched;
	unsigned char *address = info->si_addr;
	unsigned char *end = guarded ? guarded->pages + guarded->n_page_bytes : NULL;
	bool is_below =
		guarded && address < guarded->pages && address >= guarded->pages - page_bytes;
	bool is_above = guarded && address >= end && address < end + page_bytes;

	if (!is_below && !is_above) {
		(void)sigaction(number, has_passed_on ? &fatal : &before, NULL);
		has_passed_on = true;
		return;
	}
	if (!guarded->outside) {
		guarded->outside = is_below ? address - guarded->low
					    : address - (guarded->low + guarded->n_bytes) + 1;
		guarded->outside_is_write = is_write(context);
	}
	(void)mprotect(
		is_below ? guarded->pages - page_bytes : end, page_bytes, PROT_READ | PROT_WRITE);
}

static bool is_our_handler(const struct sigaction *action)
{
	return action->sa_flags & SA_SIGINFO && action->sa_sigaction == on_guard;
}

static size_t round_up(size_t n, size_t unit)
{
	return (n + unit - 1) / unit * unit;
}

unsigned char *guarded_low(const struct guarded_request *request, unsigned char *pages,
	size_t n_page_bytes, size_t n_used)
{
	size_t n_free = n_page_bytes - request->misalignment - n_used;
	size_t n_before = request->place == GUARD_BEHIND
				  ? n_free / request->alignment * request->alignment
				  : 0;

	return pages + request->misalignment + n_before;
}

bool guarded_map(struct guarded *guarded, const struct guarded_request *request)
{
	struct sigaction action = { .sa_sigaction = on_guard, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	struct sigaction found;
	unsigned char *all;

	page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	*guarded = (struct guarded){ .n_bytes = request->n_bytes };
	guarded->n_page_bytes =
		round_up(request->n_bytes + request->alignment + request->misalignment, page_bytes);
	all = mmap(NULL, guarded->n_page_bytes + 2 * page_bytes, PROT_NONE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (all == MAP_FAILED)
		return false;
	guarded->pages = all + page_bytes;
	if (mprotect(guarded->pages, guarded->n_page_bytes, PROT_READ | PROT_WRITE)) {
		(void)munmap(all, guarded->n_page_bytes + 2 * page_bytes);
		return false;
	}
	guarded->low =
		guarded_low(request, guarded->pages, guarded->n_page_bytes, request->n_bytes);
	watched = guarded;
	(void)sigaction(SIGSEGV, &action, &found);
	if (!is_our_handler(&found)) {
		before = found;
		has_passed_on = false;
	}
	return true;
}

void guarded_close(struct guarded *guarded)
{
	struct sigaction found;

	if (!guarded->pages)
		return;
	watched = NULL;
	/* Not if a consumer has installed its own handler, which may call this one. */
	if (!sigaction(SIGSEGV, NULL, &found) && is_our_handler(&found))
		(void)sigaction(SIGSEGV, &before, NULL);
	(void)mprotect(guarded->pages - page_bytes, guarded->n_page_bytes + 2 * page_bytes,
		PROT_READ | PROT_WRITE);
	*guarded = (struct guarded){ 0 };
}
