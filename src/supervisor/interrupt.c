// SPDX-License-Identifier: MIT
/* Records signals in a flag that the session's loop checks; see supervisor/interrupt.h. */
#include "supervisor/interrupt.h"

#include "base/array_size.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>

static const int caught[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGCHLD, SIGTSTP };

enum { N_CAUGHT = ARRAY_SIZE(caught), MAX_GROUPS = 256 };

static struct sigaction before[N_CAUGHT];
static volatile sig_atomic_t recorded, count, from_terminal;

/* Process groups that ^Z stops; 0: free. */
static volatile pid_t groups[MAX_GROUPS];

void interrupt_stops(pid_t group, bool on)
{
	for (size_t i = 0; group && i < MAX_GROUPS; i++)
		if (groups[i] == (on ? 0 : group)) {
			groups[i] = on ? group : 0;
			return;
		}
}

static void signal_groups(int signal)
{
	for (size_t i = 0; i < MAX_GROUPS; i++)
		if (groups[i])
			kill(-groups[i], signal);
}

/* Runs in the signal handler: suai may be blocked in a write to a pager that stopped as well. The
 * default action then stops suai, unless its process group is orphaned. */
static void stop_with_groups(int number)
{
	const struct sigaction stop = { .sa_handler = SIG_DFL };
	struct sigaction handler;
	sigset_t set;

	signal_groups(SIGSTOP);
	sigaction(number, &stop, &handler);
	sigemptyset(&set);
	sigaddset(&set, number);
	raise(number);
	sigprocmask(SIG_UNBLOCK, &set, NULL); /* stops here */
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigaction(number, &handler, NULL);
	signal_groups(SIGCONT);
}

static void record_signal(int signal, siginfo_t *info, void *context)
{
	(void)context;
	if (signal == SIGCHLD)
		return;
	if (signal == SIGTSTP) {
		int error = errno;

		stop_with_groups(signal);
		errno = error;
		return;
	}
	recorded = signal;
	count++;
	from_terminal = info->si_code == SI_KERNEL;
}

void interrupt_begin(void)
{
	for (size_t i = 0; i < N_CAUGHT; i++) {
		struct sigaction action = { .sa_sigaction = record_signal, .sa_flags = SA_SIGINFO };

		/* The end of a child wakes poll, which is never restarted, and must not interrupt a
		 * write; other signals must. */
		if (caught[i] == SIGCHLD || caught[i] == SIGTSTP)
			action.sa_flags |= SA_RESTART | SA_NOCLDSTOP;
		sigaction(caught[i], NULL, &before[i]);
		if (caught[i] == SIGCHLD || before[i].sa_handler != SIG_IGN)
			sigaction(caught[i], &action, NULL);
	}
}

void interrupt_end(void)
{
	for (size_t i = 0; i < N_CAUGHT; i++)
		sigaction(caught[i], &before[i], NULL);
}

int interrupt_signal(void)
{
	return recorded;
}

int interrupt_count(void)
{
	return count;
}

bool interrupt_is_from_terminal(void)
{
	return from_terminal;
}

void interrupt_die(void)
{
	sigset_t set;

	if (!recorded)
		return;
	signal(recorded, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, recorded);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(recorded);
}
