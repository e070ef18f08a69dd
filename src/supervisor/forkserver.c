// SPDX-License-Identifier: MIT
/* The judge's half; worker/forkserver.c is the other. */
#include "supervisor/forkserver.h"

#include "base/clock.h"
#include "base/debug.h"
#include "base/environment.h"
#include "base/proc_path.h"
#include "supervisor/interrupt.h"
#include "supervisor/launch.h"
#include "supervisor/orphans.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void disconnect(struct forkserver *server, const char *why)
{
	DEBUG_LOG("supervisor", "no fork server: %s", why);
	if (server->fd >= 0)
		close(server->fd);
	server->fd = -1;
}

void forkserver_start(struct forkserver *server, const struct worker_options *options)
{
	struct arena arena = { 0 };
	struct value *job = value_map(&arena);
	struct err err;
	int ends[2];

	*server =
		(struct forkserver){ .fd = -1, .worker = { .pidfd = -1, .channel = { .fd = -1 } } };
	if (options->wrap || environment_forces("SUAI_NO_FORKSERVER") ||
		environment_forces("SUAI_NO_PROC_FD") || !orphans_are_adopted() ||
		socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		goto out;
	server->fd = ends[0];
	value_set(&arena, job, "command", value_text(&arena, "fork"));
	value_set(&arena, job, "socket", value_int(&arena, ends[1]));
	value_set(&arena, job, "judge", value_int(&arena, getpid()));
	if (worker_launch(&server->worker, options, job, ends[1], &err))
		disconnect(server, err.message);
	else
		orphans_spare(server->worker.pid, true);
	close(ends[1]);
out:
	arena_free(&arena);
}

void forkserver_stop(struct forkserver *server)
{
	pid_t pid = server->worker.pid, session = server->worker.session;

	if (server->fd >= 0)
		close(server->fd);
	server->fd = -1;
	worker_stop(&server->worker);
	if (pid > 0) {
		orphans_spare(pid, false);
		orphans_end(session); /* processes that site code left behind */
	}
}

/* Whether a reply arrived before the timeout and before an interrupt. */
static bool await_reply(int fd, double timeout_seconds)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	int64_t end_ms = clock_ms() + (int64_t)(timeout_seconds * 1000);
	int n;

	do {
		int64_t left_ms = end_ms - clock_ms();

		n = poll(&ready, 1, left_ms > 0 ? (int)left_ms : 0);
	} while (n < 0 && errno == EINTR && !interrupt_signal());
	return n > 0;
}

/* Forks a worker that opens the channel by its path. Returns its process id and sets its session's;
 * 0 if the server cannot fork, which is permanent. Waits at most timeout_seconds for the
 * interpreter to start. */
static pid_t request_fork(
	struct forkserver *server, const char *channel, double timeout_seconds, pid_t *session)
{
	int32_t reply[2] = { 0 };

	if (server->fd < 0)
		return 0;
	if (send(server->fd, channel, strlen(channel) + 1, MSG_NOSIGNAL) < 0 ||
		!await_reply(server->fd, timeout_seconds) ||
		recv(server->fd, reply, sizeof(reply), 0) != sizeof(reply) || reply[0] <= 0) {
		disconnect(server, "it ended or cannot fork");
		return 0;
	}
	*session = (pid_t)reply[1];
	return (pid_t)reply[0];
}

/* Starts the worker by the fork server of the options. False: there is none, or it cannot fork. */
static bool fork_by_server(
	struct worker *worker, const struct worker_options *options, const struct value *job)
{
	struct err ignored;
	char path[PROC_PATH_CHARS];

	*worker = (struct worker){ .pidfd = -1, .channel = { .fd = -1 } };
	if (!options->forkserver || channel_open(&worker->channel, job, &ignored))
		return false;
	proc_fd_path(path, proc_own_pid(), worker->channel.fd);
	worker->pid =
		request_fork(options->forkserver, path, options->timeout_seconds, &worker->session);
	if (!worker->pid)
		channel_close(&worker->channel);
	return worker->pid > 0;
}

int forkserver_start_worker(struct worker *worker, const struct worker_options *options,
	const struct value *job, struct err *err)
{
	bool is_forked = fork_by_server(worker, options, job);

	if (!is_forked && worker_launch(worker, options, job, -1, err))
		return -1;
	worker_monitor(worker);
	DEBUG_LOG("supervisor", "worker %d started, %s, %s, %s", (int)worker->pid,
		is_forked ? "forked" : "started", options->embed ? "embedded" : "executed",
		worker->pidfd >= 0 ? "pidfd" : "waitpid");
	return 0;
}
