// SPDX-License-Identifier: MIT
/* Starts a worker and waits for it; the forked child's side is supervisor/child.c. */
#include "supervisor/worker.h"

#include "base/debug.h"
#include "base/environment.h"
#include "base/memory.h"
#include "supervisor/child.h"
#include "supervisor/interrupt.h"
#include "supervisor/orphans.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static size_t n_started; /* workers that are not stopped yet */

/*
 * The leader of the new session exits at once, so that the worker, which the judge adopts, is not a
 * leader: a script can call setsid() and setpgid() as under a shell, and opening a terminal does
 * not make it the controlling one. Returns the worker's process id, or -1 with errno.
 */
static pid_t fork_in_session(const struct child_plan *plan, int inherited_fd, pid_t *session)
{
	pid_t leader, pid = -1;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return -1;
	leader = fork();
	if (!leader) {
		pid_t self = getpid();

		if (!plan->shares_session)
			setsid();
		pid = fork();
		if (!pid) {
			while (getppid() == self)
				nanosleep(&(struct timespec){ .tv_nsec = 20000 }, NULL);
			if (inherited_fd >= 0)
				fcntl(inherited_fd, F_SETFD, 0);
			child_main(plan);
		}
		_exit(write(ends[1], &pid, sizeof(pid)) != sizeof(pid));
	}
	close(ends[1]);
	while (leader > 0 && read(ends[0], &pid, sizeof(pid)) < 0 && errno == EINTR)
		;
	close(ends[0]);
	while (leader > 0 && waitpid(leader, NULL, 0) < 0 && errno == EINTR)
		;
	*session = plan->shares_session ? 0 : leader;
	return pid;
}

int worker_launch(struct worker *worker, const struct worker_options *options,
	const struct value *job, int inherited_fd, struct err *err)
{
	struct child_plan plan = { .options = options,
		.judge = getpid(),
		.shares_session = options->wrap && isatty(STDIN_FILENO) };

	*worker = (struct worker){ .pidfd = -1, .channel = { .fd = -1 } };
	if (channel_open(&worker->channel, job, err))
		return -1;
	plan.channel_fd = worker->channel.fd;
	plan.no_proc_fd = environment_forces("SUAI_NO_PROC_FD");
	fflush(NULL); /* the child must not write our buffered output again */
	worker->pid = fork_in_session(&plan, inherited_fd, &worker->session);
	if (worker->pid > 0)
		return 0;
	worker->pid = 0;
	return err_set(err, EXIT_UNAVAILABLE, "cannot fork: %s", strerror(errno));
}

void worker_monitor(struct worker *worker)
{
	worker->is_started = true;
	interrupt_stops(worker->session, true);
	n_started++;
	worker->pidfd = environment_forces("SUAI_NO_PIDFD")
				? -1
				: (int)syscall(SYS_pidfd_open, worker->pid, 0);
}

void workers_wait(struct worker *const *workers, size_t n_workers, int wait_ms)
{
	struct pollfd *ends = mem_alloc((n_workers + 1) * sizeof(*ends));

	/* A worker without a pidfd has -1, which poll ignores; SIGCHLD ends the wait. */
	for (size_t i = 0; i < n_workers; i++)
		ends[i] = (struct pollfd){ .fd = workers[i]->pidfd, .events = POLLIN };
	poll(ends, (nfds_t)n_workers, wait_ms);
	free(ends);
}

bool worker_has_ended(struct worker *worker)
{
	struct pollfd ended = { .fd = worker->pidfd, .events = POLLIN };

	if (!worker->pid)
		return true;
	if (worker->pidfd >= 0 && poll(&ended, 1, 0) == 0)
		return false;
	if (waitpid(worker->pid, &worker->status, WNOHANG) != worker->pid)
		return false;
	DEBUG_LOG("supervisor", "worker %d ended, wait status 0x%x", (int)worker->pid,
		(unsigned)worker->status);
	worker->pid = 0;
	return true;
}

void worker_signal(const struct worker *worker, int signal)
{
	if (worker->pid)
		kill(worker->pid, signal);
}

void worker_signal_group(const struct worker *worker, int signal)
{
	if (!worker->pid || !worker->session)
		return;
	kill(-worker->session, signal);
	if (getpgid(worker->pid) != worker->session) /* the script moved it */
		worker_signal(worker, signal);
}

void worker_stop(struct worker *worker)
{
	worker_signal(worker, SIGKILL);
	while (worker->pid && waitpid(worker->pid, &worker->status, 0) < 0 && errno == EINTR)
		;
	worker->pid = 0;
	if (worker->is_started) {
		n_started--;
		interrupt_stops(worker->session, false);
		if (worker->session)
			orphans_end(worker->session);
		if (!n_started)
			orphans_end(0);
	}
	worker->is_started = false;
	if (worker->pidfd >= 0)
		close(worker->pidfd);
	worker->pidfd = -1;
	channel_close(&worker->channel);
}
