// SPDX-License-Identifier: MIT
/*
 * Adopts orphans as a subreaper and ends them: a grace period (in which a resource tracker unlinks
 * shared memory), SIGTERM, SIGKILL. Their children are adopted in turn, so this repeats until none
 * is left.
 */
#include "supervisor/orphans.h"

#include "base/debug.h"
#include "base/environment.h"
#include "base/proc_path.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	MAX_CHILDREN = 256, /* seen at once */
	ROUND_MS = 5,
	GRACE_ROUNDS = 40,
	TERM_ROUNDS = 80,
	MAX_ROUNDS = 400,
};

static pid_t spared[MAX_CHILDREN];
static size_t n_spared;
static bool adopts;

static bool is_spared(pid_t pid)
{
	for (size_t i = 0; i < n_spared; i++)
		if (spared[i] == pid)
			return true;
	return false;
}

/* Lists suai's children in the session (0: in any). *is_known: whether the kernel provides the
 * list, with the numbers that they have for suai. */
static size_t list_children(pid_t session, pid_t out[MAX_CHILDREN], bool *is_known)
{
	char text[MAX_CHILDREN * 8], *next = text, *end;
	int fd = proc_own_pid() == getpid()
			 ? open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC)
			 : -1;
	ssize_t n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : 0;
	size_t n_children = 0;

	*is_known = fd >= 0;
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	while (n_children < MAX_CHILDREN) {
		long pid = strtol(next, &end, 10);

		if (end == next || *end != ' ')
			break;
		next = end;
		if (!is_spared((pid_t)pid) && (!session || getsid((pid_t)pid) == session))
			out[n_children++] = (pid_t)pid;
	}
	return n_children;
}

/* Whether suai has children in the process group; 0: in any. */
static bool has_children(pid_t group)
{
	siginfo_t info;

	return !waitid(group ? P_PGID : P_ALL, (id_t)group, &info, WEXITED | WNOHANG | WNOWAIT);
}

void orphans_adopt(void)
{
	bool is_known;

	if (adopts)
		return;
	adopts = true;
	if (has_children(0))
		n_spared = list_children(0, spared, &is_known);
	if (!environment_forces("SUAI_NO_SUBREAPER"))
		prctl(PR_SET_CHILD_SUBREAPER, 1);
}

bool orphans_are_adopted(void)
{
	int is_subreaper = 0;

	return !prctl(PR_GET_CHILD_SUBREAPER, &is_subreaper) && is_subreaper;
}

void orphans_spare(pid_t pid, bool on)
{
	size_t i = 0;

	while (i < n_spared && spared[i] != pid)
		i++;
	if (on && i == n_spared && n_spared < MAX_CHILDREN)
		spared[n_spared++] = pid;
	else if (!on && i < n_spared)
		spared[i] = spared[--n_spared];
}

void orphans_end(pid_t session)
{
	const struct timespec pause = { .tv_nsec = ROUND_MS * 1000000L };
	pid_t children[MAX_CHILDREN];
	bool is_known;

	for (int round = 0; round < MAX_ROUNDS && has_children(0); round++) {
		size_t n_children = list_children(session, children, &is_known), n_left = 0;

		for (size_t i = 0; i < n_children; i++) {
			if (waitpid(children[i], NULL, WNOHANG) == children[i])
				continue;
			n_left++;
			if (round == GRACE_ROUNDS)
				DEBUG_LOG("supervisor", "terminating process %d, left behind",
					(int)children[i]);
			if (round >= TERM_ROUNDS)
				kill(children[i], SIGKILL);
			else if (round == GRACE_ROUNDS)
				kill(children[i], SIGTERM);
		}
		/* Without the kernel's list, only children that stayed in the process group of the
		 * session are found. While the group contains a child, its number cannot be
		 * reused. */
		if (!is_known && session && has_children(session))
			kill(-session, SIGKILL);
		if (!n_children)
			break;
		if (n_left)
			nanosleep(&pause, NULL);
	}
}
