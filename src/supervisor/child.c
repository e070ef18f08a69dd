// SPDX-License-Identifier: MIT
/*
 * Sets the child to die with the judge, redirects standard output, restores what the judge set up,
 * then embeds or executes Python with the bootstrap.
 */
#include "supervisor/child.h"

#include "base/text.h"
#include "supervisor/channel.h"
#include "supervisor/interrupt.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

enum { MAX_ARGUMENTS = 16, MAX_DESCRIPTORS = 256 };

__attribute__((format(printf, 2, 3))) _Noreturn static void refuse_start(
	const struct child_plan *plan, const char *format, ...)
{
	char text[CHANNEL_REFUSAL_CHARS];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (pwrite(plan->channel_fd, text, strlen(text), CHANNEL_REFUSAL_OFFSET) < 0)
		_exit(2);
	_exit(1);
}

/* Writes the id of this process into the channel: processes that are forked later are the
 * script's. */
static void name_process(const struct child_plan *plan)
{
	const uint32_t pid = (uint32_t)getpid();
	const off_t at = offsetof(struct channel_state, started);

	if (pwrite(plan->channel_fd, &pid, sizeof(pid), at) != sizeof(pid))
		_exit(2);
}

/* Output of Python and the script goes to standard error; standard output is the judge's. */
static void set_streams(const struct child_plan *plan)
{
	const struct worker_options *options = plan->options;
	int null = options->stdin_is_input || options->silent ? open("/dev/null", O_RDWR) : -1;

	if (null >= 0 && options->stdin_is_input)
		dup2(null, STDIN_FILENO);
	if (null >= 0 && options->silent)
		dup2(null, STDERR_FILENO);
	if (null >= 0)
		close(null);
	if (dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		_exit(2);
}

/* A crash leaves no core file: 1 is less than any core, and makes the kernel start no core handler.
 * With --wrap, such as for a debugger, one may be useful. */
static void limit_core(const struct child_plan *plan)
{
	struct rlimit limit;

	if (plan->options->wrap || getrlimit(RLIMIT_CORE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max < 1 ? limit.rlim_max : 1;
	setrlimit(RLIMIT_CORE, &limit);
}

/* Up to max_fds close-on-exec descriptors; none is closed while the directory is read.
 */
static int list_judges_descriptors(int fds[], int max_fds)
{
	DIR *directory = opendir("/proc/self/fd");
	struct dirent *entry;
	int n_fds = 0;

	if (!directory)
		return -1;
	while (n_fds < max_fds && (entry = readdir(directory))) {
		int fd = atoi(entry->d_name);

		if (fd > STDERR_FILENO && fd != dirfd(directory) &&
			(fcntl(fd, F_GETFD) & FD_CLOEXEC))
			fds[n_fds++] = fd;
	}
	closedir(directory);
	return n_fds;
}

/* Embedding closes what exec would; descriptors that suai was started with stay open. */
static void close_judges_descriptors(void)
{
	int fds[MAX_DESCRIPTORS], n_fds;

	do {
		n_fds = list_judges_descriptors(fds, MAX_DESCRIPTORS);
		for (int i = 0; i < n_fds; i++)
			close(fds[i]);
	} while (n_fds == MAX_DESCRIPTORS);
	for (int fd = STDERR_FILENO + 1; n_fds < 0 && fd < MAX_DESCRIPTORS; fd++)
		if (fcntl(fd, F_GETFD) == FD_CLOEXEC)
			close(fd);
}

/* The channel as the bootstrap's argument: a path outlives closefrom in a wrapper, a descriptor
 * needs no /proc. */
static void name_channel(const struct child_plan *plan, char *out, size_t n_chars)
{
	snprintf(out, n_chars, "%s", plan->channel_path);
	if (!plan->no_proc_fd && !access(out, R_OK | W_OK))
		return;
	snprintf(out, n_chars, "%d", fcntl(plan->channel_fd, F_DUPFD, STDERR_FILENO + 1));
}

/*
 * Removes empty and relative entries, which refer to the working directory: nothing must be
 * imported from there if no target is Python code, and Python imports sitecustomize before suai's
 * code runs.
 */
static void drop_relative_entries(const char *variable)
{
	const char *entry = getenv(variable);
	struct text kept = { 0 };

	while (entry && *entry) {
		size_t n_chars = strcspn(entry, ":");

		if (*entry == '/')
			text_printf(&kept, "%s%.*s", kept.n_bytes ? ":" : "", (int)n_chars, entry);
		entry += n_chars + (entry[n_chars] == ':');
	}
	if (kept.n_bytes)
		setenv(variable, kept.bytes, 1);
	else
		unsetenv(variable);
	text_free(&kept);
}

/* Embeds Python, which does not return. Returns if libpython cannot be opened or lacks a symbol. */
static void embed(const struct child_plan *plan, int argc, char **argv)
{
	void *library = dlopen(plan->options->python.library, RTLD_NOW | RTLD_GLOBAL);
	int (*bytes_main)(int, char **);

	if (library)
		*(void **)&bytes_main = dlsym(library, "Py_BytesMain");
	if (!library || !bytes_main) {
		if (plan->options->must_embed)
			refuse_start(plan, "%s", dlerror());
		return;
	}
	close_judges_descriptors();
	_exit(bytes_main(argc, argv));
}

static void execute(const struct child_plan *plan, char **argv)
{
	char *wrapped[MAX_ARGUMENTS + 4] = { (char *)"sh", (char *)"-c", NULL, (char *)"sh" };
	struct text command = { 0 };
	size_t n = 4;

	if (!plan->options->wrap) {
		execv(argv[0], argv);
		refuse_start(plan, "cannot execute it: %s", strerror(errno));
	}
	text_printf(&command, "exec %s \"$@\"", plan->options->wrap);
	wrapped[2] = command.bytes;
	for (size_t i = 0; argv[i] && n < MAX_ARGUMENTS + 3; i++)
		wrapped[n++] = argv[i];
	execv("/bin/sh", wrapped);
	refuse_start(plan, "cannot execute /bin/sh: %s", strerror(errno));
}

_Noreturn void child_main(const struct child_plan *plan)
{
	char channel[64], offset[16];
	char *argv[MAX_ARGUMENTS] = { plan->options->python.executable, plan->options->bootstrap,
		channel, plan->options->module, NULL, offset };
	int argc = 6;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != plan->judge)
		_exit(1);
	name_process(plan);
	set_streams(plan);
	limit_core(plan);
	interrupt_end();
	if (!plan->options->runs_python)
		drop_relative_entries("PYTHONPATH");
	name_channel(plan, channel, sizeof(channel));
	snprintf(offset, sizeof(offset), "%d", CHANNEL_REFUSAL_OFFSET);
	if (plan->options->embed) {
		argv[4] = (char *)"embed";
		embed(plan, argc, argv);
	}
	argv[4] = (char *)"exec";
	execute(plan, argv);
	_exit(1);
}
