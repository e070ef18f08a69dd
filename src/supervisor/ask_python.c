// SPDX-License-Identifier: MIT
/* Runs the program once with a line of Python; `ls` would otherwise complain of suai's bootstrap.
 */
#include "supervisor/ask_python.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ANSWER_MS = 5000 };

static const char question[] = "print(6 * 7)", answer[] = "42\n";

static bool has_name(const char *executable, const char *word)
{
	const char *slash = strrchr(executable, '/');

	return strcasestr(slash ? slash + 1 : executable, word) != NULL;
}

_Noreturn static void execute_question(const char *executable, int answer_fd)
{
	char *const argv[] = { (char *)executable, (char *)"-c", (char *)question, NULL };
	int null = open("/dev/null", O_RDWR);

	dup2(null, STDIN_FILENO);
	dup2(null, STDERR_FILENO);
	dup2(answer_fd, STDOUT_FILENO);
	execv(executable, argv);
	_exit(1);
}

/* Reads as much as the answer has, or to the end, or until it takes too long. */
static bool is_answer(int fd)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	char text[sizeof(answer)];
	size_t n_bytes = 0;

	while (n_bytes < sizeof(text) - 1 && poll(&ready, 1, ANSWER_MS) == 1) {
		ssize_t n = read(fd, text + n_bytes, sizeof(text) - 1 - n_bytes);

		if (n <= 0)
			break;
		n_bytes += (size_t)n;
	}
	return n_bytes == sizeof(answer) - 1 && !memcmp(text, answer, n_bytes);
}

bool ask_is_python(const char *executable)
{
	bool is_python;
	int fds[2];
	pid_t pid;

	if (has_name(executable, "python") || has_name(executable, "pypy"))
		return true;
	if (pipe2(fds, O_CLOEXEC))
		return true;
	pid = fork();
	if (!pid)
		execute_question(executable, fds[1]);
	close(fds[1]);
	is_python = pid < 0 || is_answer(fds[0]);
	close(fds[0]);
	if (pid > 0)
		kill(pid, SIGKILL);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return is_python;
}
