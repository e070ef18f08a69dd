// SPDX-License-Identifier: MIT
/* Runs suai-devices, reads its message from a pipe, and kills it at the timeout. */
#include "supervisor/probe.h"

#include "base/clock.h"
#include "base/limit.h"
#include "base/signal_name.h"
#include "base/text.h"
#include "facts/message.h"
#include "model/wire.h"
#include "supervisor/worker_options.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_MESSAGE_BYTES = 1 << 20 };

/* Output of drivers goes to standard error. */
_Noreturn static void child(const char *program, const char *runtime, int fd, pid_t judge)
{
	char number[16];
	int inherited = fcntl(fd, F_DUPFD, STDERR_FILENO + 1);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != judge)
		_exit(1);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	snprintf(number, sizeof(number), "%d", inherited);
	execl(program, program, runtime, number, (char *)NULL);
	_exit(EXIT_UNAVAILABLE);
}

/* Reads until the end; false at the timeout or if the message is too long. */
static bool read_message(int fd, int64_t end_ms, struct text *message)
{
	char block[4096];

	for (;;) {
		struct pollfd ready = { .fd = fd, .events = POLLIN };
		int64_t left_ms = end_ms - clock_ms();
		ssize_t n;

		if (left_ms <= 0 || message->n_bytes > MAX_MESSAGE_BYTES)
			return false;
		if (poll(&ready, 1, (int)left_ms) <= 0)
			continue;
		n = read(fd, block, sizeof(block));
		if (n == 0)
			return true;
		if (n > 0)
			text_add_bytes(message, block, (size_t)n);
		else if (errno != EINTR)
			return false;
	}
}

static int set_end_error(const char *runtime, bool in_time, int status, struct err *err)
{
	char name[SIGNAL_NAME_BYTES];

	if (!in_time)
		return err_set(err, EXIT_UNAVAILABLE, "querying %s exceeded --timeout", runtime);
	if (WIFSIGNALED(status))
		return err_set(err, EXIT_UNAVAILABLE,
			"the process that queried %s was killed by %s", runtime,
			signal_name(WTERMSIG(status), name));
	return err_set(err, EXIT_UNAVAILABLE, "the process that queried %s exited with status %d",
		runtime, WEXITSTATUS(status));
}

/* Starts the program; -1 with err set. */
static pid_t start(const char *program, const char *runtime, int ends[2], struct err *err)
{
	pid_t judge = getpid(), pid;

	if (pipe2(ends, O_CLOEXEC))
		return err_set(err, EXIT_UNAVAILABLE, "cannot create a pipe: %s%s", strerror(errno),
			limit_advice(errno));
	fflush(NULL);
	pid = fork();
	if (!pid)
		child(program, runtime, ends[1], judge);
	close(ends[1]);
	if (pid > 0)
		return pid;
	close(ends[0]);
	return err_set(err, EXIT_UNAVAILABLE, "cannot start a process: %s%s", strerror(errno),
		limit_advice(errno));
}

int probe_run(const char *runtime, double timeout_seconds, struct arena *arena,
	struct fact_device_list *answer, struct err *err)
{
	struct text wire = { 0 };
	const struct value *value;
	struct message message;
	char *program = NULL;
	int ends[2], status = 0, result = -1;
	bool in_time;
	pid_t pid;

	if (worker_find_part("suai-devices", NULL, &program, err))
		return -1;
	pid = start(program, runtime, ends, err);
	free(program);
	if (pid < 0)
		return -1;
	in_time = read_message(ends[0], clock_ms() + (int64_t)(timeout_seconds * 1000), &wire);
	close(ends[0]);
	if (!in_time)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!in_time || !WIFEXITED(status) || WEXITSTATUS(status)) {
		set_end_error(runtime, in_time, status, err);
	} else {
		value = wire_read(arena, wire.bytes, wire.n_bytes, err);
		result = value ? message_read(arena, value, &message, err) : -1;
	}
	if (!result && message.kind == MESSAGE_DEVICES)
		*answer = message.devices;
	else if (!result)
		result = err_set(err, EXIT_BUG,
			"the process that queried %s sent an unexpected message", runtime);
	text_free(&wire);
	return result;
}
