// SPDX-License-Identifier: MIT
#include "exchanges/traced_program.h"

#include "base/array_size.h"
#include "base/file_size_signal.h"
#include "base/limit.h"
#include "base/memory.h"
#include "base/proc_path.h"
#include "base/standard_descriptors.h"
#include "base/text.h"
#include "exchanges/group_witness.h"
#include "supervisor/worker_options.h"
#include "trace/record.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { MAX_SCRIPT_DEPTH = 4, MAX_HEADERS = 64, FIRST_LINE_BYTES = 256 };

#if defined(__x86_64__)
enum { OWN_MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
enum { OWN_MACHINE = EM_AARCH64 };
#endif

/* --- finding --- */

static bool is_executable(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISREG(status.st_mode) && !access(path, X_OK);
}

static char *search_command(const char *name)
{
	const char *entry = getenv("PATH");

	if (strchr(name, '/'))
		return is_executable(name) ? mem_copy_text(name) : NULL;
	while (entry) {
		int n_chars = (int)strcspn(entry, ":");
		struct text path = { 0 };

		text_printf(&path, "%.*s/%s", n_chars ? n_chars : 1, n_chars ? entry : ".", name);
		if (is_executable(path.bytes))
			return path.bytes;
		text_free(&path);
		entry = entry[n_chars] ? entry + n_chars + 1 : NULL;
	}
	return NULL;
}

/* --- whether a library can be preloaded --- */

static int refuse_program(const char *path, const char *reason, struct err *err)
{
	return err_set(err, EXIT_UNAVAILABLE, "cannot trace '%s': %s", path, reason);
}

/* The loader of a program is in *loader; empty: it has none. */
static bool read_loader(int fd, char loader[PATH_MAX])
{
	Elf64_Phdr headers[MAX_HEADERS];
	Elf64_Ehdr elf;
	size_t n_bytes;

	*loader = 0;
	if (pread(fd, &elf, sizeof(elf), 0) != sizeof(elf) || elf.e_phnum > MAX_HEADERS ||
		elf.e_phentsize != sizeof(*headers))
		return false;
	n_bytes = elf.e_phnum * sizeof(*headers);
	if (pread(fd, headers, n_bytes, (off_t)elf.e_phoff) != (ssize_t)n_bytes)
		return false;
	for (size_t i = 0; i < elf.e_phnum; i++)
		if (headers[i].p_type == PT_INTERP && headers[i].p_filesz < PATH_MAX) {
			n_bytes = headers[i].p_filesz;
			if (pread(fd, loader, n_bytes, (off_t)headers[i].p_offset) !=
				(ssize_t)n_bytes)
				return false;
			loader[n_bytes] = 0;
		}
	return true;
}

static int check_elf(const char *path, int fd, const unsigned char *start, struct err *err)
{
	char loader[PATH_MAX];
	Elf64_Half machine;

	memcpy(&machine, start + offsetof(Elf64_Ehdr, e_machine), sizeof(machine));
	if (start[EI_CLASS] != ELFCLASS64 || machine != OWN_MACHINE)
		return refuse_program(path,
			"it is a program for another architecture than suai; install suai for that one",
			err);
	if (!read_loader(fd, loader))
		return refuse_program(path, "its program headers are invalid", err);
	if (!*loader)
		return refuse_program(path,
			"it is statically linked, so that no library can be preloaded; use a dynamically linked build",
			err);
	if (strstr(loader, "/ld-musl"))
		return refuse_program(path, "it uses musl; suai trace requires glibc", err);
	return 0;
}

/* The loader ignores LD_PRELOAD in programs that gain privileges. */
static int check_privileges(const char *path, int fd, struct err *err)
{
	struct stat status;
	bool gains;

	if (fstat(fd, &status))
		return 0;
	gains = ((status.st_mode & S_ISUID) && status.st_uid != getuid()) ||
		((status.st_mode & S_ISGID) && status.st_gid != getgid()) ||
		(getuid() && fgetxattr(fd, "security.capability", NULL, 0) > 0);
	return gains ? refuse_program(path,
			       "it is setuid, setgid or has file capabilities, so that nothing can be preloaded; "
			       "trace the program that it starts",
			       err)
		     : 0;
}

static int check_program(const char *path, int depth, struct err *err);

/* The interpreter of a script's first line. */
static int check_script(const char *path, char *line, int depth, struct err *err)
{
	char *name = line + 2 + strspn(line + 2, " \t");

	name[strcspn(name, " \t\n")] = 0;
	if (*name && access(name, F_OK) && errno == ENOENT) {
		const size_t n_chars = strcspn(name, "\r");

		return err_set(err, EXIT_USAGE,
			"cannot execute '%s': its interpreter '%.*s' does not exist%s", path,
			(int)n_chars, name,
			name[n_chars]
				? " with a carriage return in its name; convert the line ends of the script"
				: "");
	}
	return *name && depth < MAX_SCRIPT_DEPTH ? check_program(name, depth + 1, err) : 0;
}

static int check_program(const char *path, int depth, struct err *err)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), status = 0;
	unsigned char start[FIRST_LINE_BYTES + 1] = { 0 };

	/* One that cannot be read may still be executed. */
	if (fd < 0)
		return 0;
	if (pread(fd, start, FIRST_LINE_BYTES, 0) >= (ssize_t)sizeof(Elf64_Ehdr) &&
		!memcmp(start, ELFMAG, SELFMAG))
		status =
			check_elf(path, fd, start, err) || check_privileges(path, fd, err) ? -1 : 0;
	else if (start[0] == '#' && start[1] == '!')
		status = check_script(path, (char *)start, depth, err);
	close(fd);
	return status;
}

/* A Python script that is named in place of the interpreter. */
static bool is_script(const char *name)
{
	const char *suffix = strrchr(name, '.');

	return suffix && !strcmp(suffix, ".py") && !access(name, R_OK);
}

char *traced_program_find(const char *name, struct err *err)
{
	char *path = search_command(name);

	if (!path) {
		err_set(err, EXIT_USAGE, "no such program: '%s'%s%s", name,
			is_script(name) ? "; to trace a script, use: suai trace -- python3 " : "",
			is_script(name) ? name : "");
		return NULL;
	}
	if (check_program(path, 0, err)) {
		free(path);
		return NULL;
	}
	return path;
}

/* --- the memory --- */

uint32_t traced_program_max_processes(const struct trace_choice *choice)
{
	uint32_t n_processes = choice->is_following ? TRACE_MAX_SEGMENTS : 1;
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit))
		return n_processes;
	while (n_processes > 1 &&
		trace_segment_offset(n_processes, choice->max_events) > limit.rlim_cur)
		n_processes--;
	return n_processes;
}

int traced_program_share(int memory_fd, const struct trace_choice *choice, struct err *err)
{
	struct trace_head head = { .magic = TRACE_MAGIC,
		.min_bytes = choice->min_bytes,
		.layers = choice->layers,
		.max_segments = traced_program_max_processes(choice),
		.is_following = choice->is_following,
		.max_events = choice->max_events };

	/* A file of the program has other seals, or none that can be added. */
	if (fcntl(memory_fd, F_GET_SEALS) != 0)
		return err_set(err, EXIT_UNAVAILABLE,
			"cannot create shared memory: not a new memory file that can be sealed");
	if (ftruncate(memory_fd, (off_t)trace_segment_offset(head.max_segments, head.max_events)) ||
		fcntl(memory_fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) ||
		pwrite(memory_fd, &head, sizeof(head), 0) != sizeof(head))
		return err_set(err, EXIT_UNAVAILABLE, "cannot create shared memory: %s%s",
			strerror(errno), limit_advice(errno));
	return 0;
}

int traced_program_memory(const struct trace_choice *choice, struct err *err)
{
	int fd = memfd_create("suai-trace", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return err_set(err, EXIT_UNAVAILABLE, "cannot create shared memory: %s%s",
			strerror(errno), limit_advice(errno));
	if (!traced_program_share(fd, choice, err))
		return fd;
	close(fd);
	return -1;
}

/* --- the process --- */

enum { WATCH_MS = 200 };

static volatile sig_atomic_t traced_pid;
static struct group_witness group_witness;

/* Whether only suai received a signal that is for the program. Signals from the terminal also reach
 * the program; those that the kernel raises are for suai. */
static bool is_for_suai_only(const siginfo_t *info, pid_t pid)
{
	const bool is_for_group = group_witness_saw(&group_witness, info);

	return info->si_code <= 0 && info->si_pid != getpid() &&
	       (!is_for_group || getpgid(pid) != getpgrp());
}

static bool is_fault(int number)
{
	return number == SIGILL || number == SIGTRAP || number == SIGBUS || number == SIGFPE ||
	       number == SIGSEGV || number == SIGSYS;
}

static void pass_signal_on(int number, siginfo_t *info, void *context)
{
	const pid_t pid = (pid_t)traced_pid;
	int saved = errno;

	(void)context;
	if (info->si_code > 0 && is_fault(number)) { /* of suai itself */
		signal(number, SIG_DFL);
		raise(number);
	} else if (pid > 0 && is_for_suai_only(info, pid)) {
		if (info->si_code == SI_QUEUE)
			sigqueue(pid, number, info->si_value);
		else
			kill(pid, number);
	}
	errno = saved;
}

/* All but real-time signals, SIGKILL, those that stop a process, SIGCHLD, and SIGXFSZ, which suai
 * ignores. */
static const int passed_signals[] = { SIGHUP, SIGINT, SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS,
	SIGFPE, SIGUSR1, SIGSEGV, SIGUSR2, SIGPIPE, SIGALRM, SIGTERM, SIGSTKFLT, SIGCONT, SIGURG,
	SIGXCPU, SIGVTALRM, SIGPROF, SIGWINCH, SIGIO, SIGPWR, SIGSYS };

enum { N_PASSED = ARRAY_SIZE(passed_signals), MAX_REALTIME = 64 };

static int passed_signal(size_t i)
{
	return i < N_PASSED ? passed_signals[i] : SIGRTMIN + (int)(i - N_PASSED);
}

static size_t n_passed_signals(void)
{
	const int n_realtime = SIGRTMAX - SIGRTMIN + 1;

	return N_PASSED + (size_t)(n_realtime < MAX_REALTIME ? n_realtime : MAX_REALTIME);
}

static const int timers[] = { ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF };

/* What the program and, afterwards, suai have again; timers, such as that of alarm(), which a
 * process keeps when it executes another program, the program only. */
struct saved_signals {
	struct sigaction passed[N_PASSED + MAX_REALTIME], child;
	sigset_t mask;
	struct itimerval timers[ARRAY_SIZE(timers)];
};

/* Handles the signals that are passed on, which stay blocked until the program has been started.
 * SIGCHLD gets its default action: if it is ignored, waitpid() cannot report how the program
 * ended. */
static void handle_signals(struct saved_signals *saved)
{
	const struct sigaction normal = { .sa_handler = SIG_DFL };
	struct sigaction action = { .sa_sigaction = pass_signal_on,
		.sa_flags = SA_SIGINFO | SA_RESTART };
	const struct itimerval stopped = { 0 };
	sigset_t passed;

	sigfillset(&action.sa_mask);
	sigemptyset(&passed);
	for (size_t i = 0; i < n_passed_signals(); i++)
		sigaddset(&passed, passed_signal(i));
	sigprocmask(SIG_BLOCK, &passed, &saved->mask);
	for (size_t i = 0; i < n_passed_signals(); i++) {
		sigaction(passed_signal(i), NULL, &saved->passed[i]);
		if (saved->passed[i].sa_handler != SIG_IGN)
			sigaction(passed_signal(i), &action, NULL);
	}
	sigaction(SIGCHLD, &normal, &saved->child);
	for (size_t i = 0; i < ARRAY_SIZE(timers); i++)
		setitimer(timers[i], &stopped, &saved->timers[i]);
}

static void restore_timers(const struct saved_signals *saved)
{
	for (size_t i = 0; i < ARRAY_SIZE(timers); i++)
		setitimer(timers[i], &saved->timers[i], NULL);
}

static void restore_signals(const struct saved_signals *saved)
{
	for (size_t i = 0; i < n_passed_signals(); i++)
		sigaction(passed_signal(i), &saved->passed[i], NULL);
	sigaction(SIGCHLD, &saved->child, NULL);
	sigprocmask(SIG_SETMASK, &saved->mask, NULL);
}

/* The library's path for LD_PRELOAD, whose entries end at a colon or a space, and in which $ has a
 * meaning. */
static void add_preload(struct text *out, const char *library)
{
	const char *before = getenv("LD_PRELOAD");

	if (before)
		text_printf(out, "%s:", before);
	if (strpbrk(library, ": $")) {
		/* Stays open, so that the program can load it by that name. */
		char opened[PROC_PATH_CHARS];

		proc_fd_path(opened, proc_own_pid(), open(library, O_RDONLY | O_CLOEXEC));
		text_add(out, opened);
	} else {
		text_add(out, library);
	}
}

_Noreturn static void execute_program(
	const char *path, char **words, const char *preload, const char *memory, int error_fd)
{
	int error;

	file_size_signal_restore();
	standard_descriptors_restore();
	if (!setenv("LD_PRELOAD", preload, 1) && !setenv(TRACE_ENVIRONMENT, memory, 1))
		execv(path, words);
	error = errno;
	if (write(error_fd, &error, sizeof(error)) != sizeof(error))
		_exit(EXIT_BUG);
	_exit(EXIT_USAGE);
}

/* Returns once the child has ended. */
static void watch_program(pid_t child, const struct trace_watch *watch)
{
	struct pollfd event = { .fd = (int)syscall(SYS_pidfd_open, child, 0), .events = POLLIN };
	int n_events;

	if (event.fd < 0) /* before Linux 5.3 */
		return;
	while ((n_events = poll(&event, 1, WATCH_MS)) <= 0 && (!n_events || errno == EINTR))
		watch->look(watch->context);
	close(event.fd);
}

static int wait_for_program(
	pid_t child, const struct trace_watch *watch, int *wait_status, struct err *err)
{
	if (watch->look)
		watch_program(child, watch);
	while (waitpid(child, wait_status, 0) != child)
		if (errno != EINTR)
			return err_set(err, EXIT_BUG, "waitpid: %s", strerror(errno));
	return 0;
}

/* Starts the program, and returns once it runs: the pipe closes by exec. */
static pid_t start_program(const char *path, char **words, const char *preload, const char *memory,
	const struct saved_signals *saved, struct err *err)
{
	int pipes[2], error = 0;
	pid_t child;

	if (pipe2(pipes, O_CLOEXEC))
		return err_set(err, EXIT_UNAVAILABLE, "cannot create a pipe: %s%s", strerror(errno),
			limit_advice(errno));
	child = fork();
	if (!child) {
		restore_signals(saved);
		restore_timers(saved);
		execute_program(path, words, preload, memory, pipes[1]);
	}
	close(pipes[1]);
	if (child < 0) {
		err_set(err, EXIT_UNAVAILABLE, "cannot start a process: %s%s", strerror(errno),
			limit_advice(errno));
	} else {
		traced_pid = (sig_atomic_t)child;
		sigprocmask(SIG_SETMASK, &saved->mask, NULL);
		if (read(pipes[0], &error, sizeof(error)) == sizeof(error)) {
			waitpid(child, NULL, 0);
			child = err_set(
				err, EXIT_USAGE, "cannot execute '%s': %s", path, strerror(error));
		}
	}
	close(pipes[0]);
	return child;
}

int traced_program_run(const char *path, const char *const *arguments, size_t n_arguments,
	int memory_fd, const struct trace_watch *watch, int *wait_status, struct err *err)
{
	struct saved_signals saved;
	struct text preload = { 0 };
	char memory[PROC_PATH_CHARS];
	char **words, *library;
	int status = -1;
	pid_t child;

	if (worker_find_part(TRACE_LIBRARY_FILE, NULL, &library, err))
		return -1;
	words = mem_alloc((n_arguments + 1) * sizeof(*words));
	for (size_t i = 0; i < n_arguments; i++)
		words[i] = mem_copy_text(arguments[i]);
	add_preload(&preload, library);
	proc_fd_path(memory, proc_own_pid(), memory_fd);
	handle_signals(&saved);
	group_witness_start(&group_witness);
	child = start_program(path, words, preload.bytes, memory, &saved, err);
	if (child > 0)
		status = wait_for_program(child, watch, wait_status, err);
	traced_pid = 0;
	restore_signals(&saved);
	group_witness_end(&group_witness);
	for (size_t i = 0; i < n_arguments; i++)
		free(words[i]);
	free(words);
	free(library);
	text_free(&preload);
	return status;
}

int traced_program_exit_status(int wait_status)
{
	return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

void traced_program_die(int wait_status)
{
	const struct rlimit no_core = { 0, 0 };

	if (!WIFSIGNALED(wait_status))
		return;
	/* The program may have written a core file; suai does not write another. */
	setrlimit(RLIMIT_CORE, &no_core);
	signal(WTERMSIG(wait_status), SIG_DFL);
	raise(WTERMSIG(wait_status));
}
