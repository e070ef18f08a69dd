// SPDX-License-Identifier: MIT
/* Notes signals in a flag that the session's loop looks at; see supervisor/interrupt.h. */
#include "supervisor/interrupt.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>

static const int caught[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGCHLD, SIGTSTP };

enum { N_CAUGHT = sizeof(caught) / sizeof(*caught), MAX_GROUPS = 256 };

static struct sigaction before[N_CAUGHT];
static volatile sig_atomic_t noted, count, from_terminal;

/* Groups that ^Z stops; 0: free. */
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

/* Within the handler, since suai may be blocked in writing to a pager that stopped too. The default
 * action stops suai, unless no shell could let it go on. */
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

static void note(int signal, siginfo_t *info, void *context)
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
	noted = signal;
	count++;
	from_terminal = info->si_code == SI_KERNEL;
}

void interrupt_begin(void)
{
	for (size_t i = 0; i < N_CAUGHT; i++) {
		struct sigaction action = { .sa_sigaction = note, .sa_flags = SA_SIGINFO };

		/* A child's end wakes poll, which is never restarted, and must not cut a write
		 * short; an interrupt must. */
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
	return noted;
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

	if (!noted)
		return;
	signal(noted, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, noted);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(noted);
}
