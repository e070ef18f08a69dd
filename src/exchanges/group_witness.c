// SPDX-License-Identifier: MIT
#include "exchanges/group_witness.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* timeout(1) sends a signal to suai first, and systemd to one process after the other. */
enum { WAIT_MS = 20, ANSWER_MS = 1000 };

struct question {
	int number, code;
	pid_t sender;
	void *value; /* of sigqueue() */
	long wait_ns;
};

enum answer { UNSEEN, SEEN, SEEN_LATER };

static bool is_same_signal(const struct question *question, const siginfo_t *info)
{
	if (question->code > 0 || info->si_code > 0) /* that of a terminal has no sender */
		return question->code == info->si_code;
	return question->code == info->si_code && question->sender == info->si_pid &&
	       (question->code != SI_QUEUE || question->value == info->si_value.sival_ptr);
}

static char answer_question(const struct question *question)
{
	struct timespec wait = { 0 };
	sigset_t set;
	siginfo_t info;

	sigemptyset(&set);
	sigaddset(&set, question->number);
	while (sigtimedwait(&set, &info, &wait) > 0)
		if (is_same_signal(question, &info))
			return SEEN;
	wait.tv_nsec = question->wait_ns;
	if (wait.tv_nsec && sigtimedwait(&set, &info, &wait) > 0 && is_same_signal(question, &info))
		return SEEN_LATER;
	return UNSEEN;
}

/* pkill finds processes by these, and a signal to suai and this process is not one to the group. */
static void clear_command_line(void)
{
	char bytes[4096];
	size_t n_chars = 0;
	ssize_t n_read;
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);

	while (fd >= 0 && (n_read = read(fd, bytes, sizeof(bytes))) > 0)
		n_chars += (size_t)n_read;
	if (fd >= 0)
		close(fd);
	memset(program_invocation_name, 0, n_chars);
	prctl(PR_SET_NAME, "signal-witness");
}

/* Ends with suai, which has the other end. */
_Noreturn static void answer_questions(int fd)
{
	struct question question;
	sigset_t all;
	char answer;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	clear_command_line();
	while (recv(fd, &question, sizeof(question), 0) == sizeof(question)) {
		answer = answer_question(&question);
		if (send(fd, &answer, 1, MSG_NOSIGNAL) != 1)
			break;
	}
	_exit(0);
}

void group_witness_start(struct group_witness *witness)
{
	int ends[2];

	*witness = (struct group_witness){ .fd = -1 };
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return;
	witness->pid = fork();
	if (!witness->pid) {
		close(ends[0]);
		answer_questions(ends[1]);
	}
	close(ends[1]);
	if (witness->pid > 0)
		witness->fd = ends[0];
	else
		close(ends[0]);
}

void group_witness_end(struct group_witness *witness)
{
	if (witness->fd >= 0)
		close(witness->fd);
	witness->fd = -1;
	if (witness->pid <= 0)
		return;
	kill(witness->pid, SIGKILL);
	while (waitpid(witness->pid, NULL, 0) < 0 && errno == EINTR)
		;
	witness->pid = 0;
}

/* Returns once a call of kill() for a group that has begun is complete: both take the kernel's lock
 * of its list of tasks. Changes nothing. */
static void await_group_signal(void)
{
	(void)setpgid(0, getpgrp());
}

static char ask(const struct group_witness *witness, const struct question *question)
{
	struct pollfd event = { .fd = witness->fd, .events = POLLIN };
	int n_events;
	char answer;

	if (send(witness->fd, question, sizeof(*question), MSG_NOSIGNAL) != sizeof(*question))
		return -1;
	do
		n_events = poll(&event, 1, ANSWER_MS);
	while (n_events < 0 && errno == EINTR);
	return n_events > 0 && recv(witness->fd, &answer, 1, 0) == 1 ? answer : -1;
}

/* A signal to suai alone, before the one to the group, is still pending only once in the program;
 * of real-time signals, each counts. */
static void drop_pending(int number)
{
	const struct timespec now = { 0 };
	sigset_t set;

	await_group_signal();
	sigemptyset(&set);
	sigaddset(&set, number);
	sigtimedwait(&set, NULL, &now);
}

bool group_witness_saw(struct group_witness *witness, const siginfo_t *info)
{
	const bool is_realtime = info->si_signo >= SIGRTMIN, is_of_kernel = info->si_code > 0;
	struct question question = { .number = info->si_signo,
		.code = info->si_code,
		.sender = is_of_kernel ? 0 : info->si_pid,
		.value = info->si_code == SI_QUEUE ? info->si_value.sival_ptr : NULL,
		.wait_ns = is_realtime || is_of_kernel ? 0 : WAIT_MS * 1000000L };
	char answer;

	if (witness->fd < 0)
		return false;
	await_group_signal();
	answer = ask(witness, &question);
	if (answer < 0) { /* it was killed or stopped */
		close(witness->fd);
		witness->fd = -1;
	}
	if (answer == SEEN_LATER)
		drop_pending(info->si_signo);
	return answer == SEEN || answer == SEEN_LATER;
}
