// SPDX-License-Identifier: MIT
/*
 * The worker's half of supervisor/forkserver.h: an interpreter that forks one worker per request. A
 * worker becomes the judge's child, because the leader of its session exits at once and the judge
 * is a subreaper.
 */
#include "worker/process/fork.h"
#include "worker/python/python.h"
#include "worker/worker.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* In the worker: waits until the judge is its parent, since the worker must die with the judge. */
static void join_judge(pid_t leader, pid_t judge)
{
	const struct timespec pause = { .tv_nsec = 20000 };

	while (getppid() == leader)
		nanosleep(&pause, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != judge)
		_exit(1);
}

/* Forks a worker as supervisor/launch.c does: the leader of its session ends at once. Returns 0 in
 * the worker, its process id in the server, -1 on failure. */
static pid_t fork_worker(volatile pid_t *shared_pid, pid_t judge, pid_t *session)
{
	pid_t leader;
	int status;

	*shared_pid = -1;
	PyOS_BeforeFork();
	leader = fork();
	if (!leader) {
		pid_t self = setsid(), pid = fork();

		if (pid) {
			*shared_pid = pid;
			_exit(0);
		}
		join_judge(self, judge);
		PyOS_AfterFork_Child();
		return 0;
	}
	PyOS_AfterFork_Parent();
	while (leader > 0 && waitpid(leader, &status, 0) < 0 && errno == EINTR)
		;
	*session = leader;
	return *shared_pid;
}

bool forkserver_serve(const struct value *job, char *channel, size_t n_chars)
{
	int fd = (int)value_int_or(value_get(job, "socket"), -1);
	pid_t judge = (pid_t)value_int_or(value_get(job, "judge"), 0);
	volatile pid_t *shared_pid = mmap(NULL, sizeof(*shared_pid), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ssize_t n;

	if (shared_pid == MAP_FAILED || !process_has_one_thread())
		return false;
	for (;;) {
		pid_t session, pid;
		int32_t reply[2];

		do
			n = recv(fd, channel, n_chars - 1, 0);
		while (n < 0 && errno == EINTR);
		if (n <= 0)
			return false;
		channel[n] = '\0';
		pid = fork_worker(shared_pid, judge, &session);
		if (!pid) {
			close(fd);
			munmap((void *)shared_pid, sizeof(*shared_pid));
			return true;
		}
		reply[0] = pid;
		reply[1] = session;
		if (pid < 0 || send(fd, reply, sizeof(reply), MSG_NOSIGNAL) < 0)
			return false;
	}
}
