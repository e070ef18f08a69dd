// SPDX-License-Identifier: MIT
/* Starts a worker; the forked child's side is supervisor/child.c. */
#include "supervisor/launch.h"

#include "base/environment.h"
#include "base/limit.h"
#include "base/proc_path.h"
#include "supervisor/child.h"
#include "supervisor/orphans.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

_Noreturn static void begin_child(const struct child_plan *plan, int inherited_fd)
{
	if (inherited_fd >= 0)
		fcntl(inherited_fd, F_SETFD, 0);
	child_main(plan);
}

/* Where the judge cannot adopt processes (in some sandboxes and emulators), the worker leads its
 * session. */
static pid_t fork_leader(const struct child_plan *plan, int inherited_fd, pid_t *session)
{
	pid_t pid = fork();

	if (!pid) {
		if (!plan->shares_session)
			setsid();
		begin_child(plan, inherited_fd);
	}
	*session = plan->shares_session ? 0 : pid;
	return pid;
}

/* -1: the leader could not fork, or its message was not received. */
static pid_t read_pid(int fd)
{
	ssize_t n;
	pid_t pid;

	while ((n = read(fd, &pid, sizeof(pid))) < 0 && errno == EINTR)
		;
	return n == sizeof(pid) ? pid : -1;
}

/* Reaps the leader. kills: kills what remains of its process group first. */
static void end_leader(pid_t leader, bool kills)
{
	siginfo_t info;

	while (kills && waitid(P_PID, (id_t)leader, &info, WEXITED | WNOWAIT) && errno == EINTR)
		;
	if (kills)
		kill(-leader, SIGKILL);
	while (waitpid(leader, NULL, 0) < 0 && errno == EINTR)
		;
}

/*
 * The leader of the new session exits at once, so that the worker, which the judge adopts, is not a
 * leader: a script can call setsid() and setpgid() as under a shell, and opening a terminal does
 * not make it the controlling one. Returns the worker's process id, or -1 with errno.
 */
static pid_t fork_in_session(const struct child_plan *plan, int inherited_fd, pid_t *session)
{
	pid_t leader, pid = -1;
	int ends[2];

	if (!orphans_are_adopted())
		return fork_leader(plan, inherited_fd, session);
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
			begin_child(plan, inherited_fd);
		}
		if (write(ends[1], &pid, sizeof(pid)) == sizeof(pid))
			_exit(0);
		if (pid > 0)
			kill(pid, SIGKILL);
		_exit(1);
	}
	close(ends[1]);
	if (leader > 0) {
		pid = read_pid(ends[0]);
		end_leader(leader, pid < 0 && !plan->shares_session);
		errno = EAGAIN;
	}
	close(ends[0]);
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
	proc_fd_path(plan.channel_path, proc_own_pid(), plan.channel_fd);
	plan.no_proc_fd = environment_forces("SUAI_NO_PROC_FD");
	fflush(NULL); /* the child must not write the buffered output again */
	worker->pid = fork_in_session(&plan, inherited_fd, &worker->session);
	if (worker->pid > 0)
		return 0;
	worker->pid = 0;
	return err_set(err, EXIT_UNAVAILABLE, "cannot start a process: %s%s", strerror(errno),
		limit_advice(errno));
}
