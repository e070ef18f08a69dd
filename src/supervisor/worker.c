// SPDX-License-Identifier: MIT
/* Waits for workers and ends them; supervisor/launch.c starts them. */
#include "supervisor/worker.h"

#include "base/debug.h"
#include "base/environment.h"
#include "base/memory.h"
#include "supervisor/interrupt.h"
#include "supervisor/orphans.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static size_t n_started; /* workers that are not stopped yet */

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
	pid_t ended_pid;

	if (!worker->pid)
		return true;
	if (worker->pidfd >= 0 && poll(&ended, 1, 0) == 0)
		return false;
	ended_pid = waitpid(worker->pid, &worker->status, WNOHANG);
	/* If SIGCHLD is ignored, or a filter of system calls forbids it, waitpid() fails and the
	 * exit status is unknown. */
	if (ended_pid != worker->pid && (ended_pid >= 0 || errno == EINTR))
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
		if (worker->session && !orphans_are_adopted())
			kill(-worker->session, SIGKILL); /* processes that stayed in its group */
		if (worker->session)
			orphans_end(worker->session);
		if (!n_started)
			orphans_end(0);
	}
	worker->is_started = false;
	if (worker->group)
		kill(-worker->group, SIGKILL);
	worker->group = 0;
	if (worker->pidfd >= 0)
		close(worker->pidfd);
	worker->pidfd = -1;
	channel_close(&worker->channel);
}
