// SPDX-License-Identifier: MIT
/* A child process that writes to a pipe. */
#include "supervisor/answer.h"

#include "base/clock.h"
#include "base/limit.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_MESSAGE_BYTES = 1 << 20 };

/* Output of libraries goes to standard error. */
_Noreturn static void run_program(
	const char *program, const char *const arguments[], int fd, pid_t judge)
{
	const char *words[ANSWER_MAX_ARGUMENTS + 3] = { program };
	size_t n_words = 1;
	char number[16];
	int inherited = fcntl(fd, F_DUPFD, STDERR_FILENO + 1);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != judge)
		_exit(1);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	snprintf(number, sizeof(number), "%d", inherited);
	while (n_words <= ANSWER_MAX_ARGUMENTS && arguments[n_words - 1]) {
		words[n_words] = arguments[n_words - 1];
		n_words++;
	}
	words[n_words] = number;
	execv(program, (char *const *)words);
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

/* Starts the program; -1 with err set. */
static pid_t start(const char *program, const char *const arguments[], int ends[2], struct err *err)
{
	pid_t judge = getpid(), pid;

	if (pipe2(ends, O_CLOEXEC))
		return err_set(err, EXIT_UNAVAILABLE, "cannot create a pipe: %s%s", strerror(errno),
			limit_advice(errno));
	fflush(NULL);
	pid = fork();
	if (!pid)
		run_program(program, arguments, ends[1], judge);
	close(ends[1]);
	if (pid > 0)
		return pid;
	close(ends[0]);
	return err_set(err, EXIT_UNAVAILABLE, "cannot start a process: %s%s", strerror(errno),
		limit_advice(errno));
}

int answer_read(const char *program, const char *const arguments[], double timeout_seconds,
	struct child_answer *answer, struct err *err)
{
	int ends[2];
	pid_t pid;

	*answer = (struct child_answer){ 0 };
	pid = start(program, arguments, ends, err);
	if (pid < 0)
		return -1;
	answer->in_time = read_message(
		ends[0], clock_ms() + (int64_t)(timeout_seconds * 1000), &answer->text);
	close(ends[0]);
	if (!answer->in_time)
		kill(pid, SIGKILL);
	while (waitpid(pid, &answer->status, 0) < 0 && errno == EINTR)
		;
	return 0;
}

bool answer_is_complete(const struct child_answer *answer)
{
	return answer->in_time && WIFEXITED(answer->status) && !WEXITSTATUS(answer->status);
}
