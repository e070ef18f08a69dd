// SPDX-License-Identifier: MIT
/* Forks of a loaded process; see worker/process/fork.h. */
#include "worker/process/fork.h"

#include "base/array_size.h"
#include "base/environment.h"
#include "base/read_file.h"
#include "worker/process/mpi.h"
#include "worker/process/report.h"
#include "worker/process/step.h"
#include "worker/process/timers.h"
#include "worker/python/python.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_DESCRIPTORS = 1024 };

static volatile bool *ended; /* shared with the child: by process_end_child() */
static bool is_child;

static bool is_open_before[MAX_DESCRIPTORS];

/* INT_MAX: they cannot be listed. */
static int count_threads(void)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *entry;
	int n_threads = 0;

	while (tasks && (entry = readdir(tasks)))
		n_threads += entry->d_name[0] != '.';
	if (tasks)
		closedir(tasks);
	return n_threads ? n_threads : INT_MAX;
}

bool process_has_one_thread(void)
{
	return count_threads() == 1;
}

/* --- what a fork lacks, or shares with its parent --- */

/* The files of standard output and error, by descriptor, when the module was loaded. */
static struct stat standard_files[STDERR_FILENO + 1];

/* Whether the descriptor is of the same file as standard output or error, now or when the module
 * was loaded: pytest's capfd replaces those. A fork shares them in any case. */
static bool is_standard_file(int fd)
{
	struct stat file, other;

	if (fstat(fd, &file))
		return false;
	for (int i = STDOUT_FILENO; i <= STDERR_FILENO; i++) {
		if (!fstat(i, &other) && file.st_ino == other.st_ino && file.st_dev == other.st_dev)
			return true;
		other = standard_files[i];
		if (other.st_mode && file.st_ino == other.st_ino && file.st_dev == other.st_dev)
			return true;
	}
	return false;
}

/* suai's own memory, such as that of suai.trace(), which a forked child does not use. */
static const char own_memory[] = "/memfd:suai";

static bool is_own_memory(int fd)
{
	char path[sizeof("/proc/self/fd/2147483647")], target[sizeof(own_memory) - 1];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return readlink(path, target, sizeof(target)) == (ssize_t)sizeof(target) &&
	       !memcmp(target, own_memory, sizeof(target));
}

/* Marks the open descriptors in is_open, or with NULL finds one that was not open before. -1: they
 * cannot be listed. */
static int scan_descriptors(bool *is_open)
{
	DIR *directory = opendir("/proc/self/fd");
	struct dirent *entry;
	int n_new = 0;

	while (directory && (entry = readdir(directory))) {
		int fd = entry->d_name[0] == '.' ? dirfd(directory) : atoi(entry->d_name);

		if (fd == dirfd(directory))
			continue;
		if (is_open && fd < MAX_DESCRIPTORS)
			is_open[fd] = true;
		n_new += (fd >= MAX_DESCRIPTORS || !is_open_before[fd]) && !is_standard_file(fd) &&
			 !is_own_memory(fd);
	}
	if (!directory)
		return -1;
	closedir(directory);
	return n_new;
}

void process_note_descriptors(void)
{
	scan_descriptors(is_open_before);
	for (int i = STDOUT_FILENO; i <= STDERR_FILENO; i++)
		if (fstat(i, &standard_files[i]))
			standard_files[i].st_mode = 0;
}

/* A line of maps: "low-high rw-s offset device inode name". */
static bool is_unforkable_mapping(const char *line, const char *end)
{
	static const char *const runtimes[] = { "/libcuda.so", "/libnvidia", "/libOpenCL.so",
		"/libsycl.so", "/libze_loader.so", "/libamdhip64.so", "/libhsa-runtime64.so" };
	const char *access = memchr(line, ' ', (size_t)(end - line));
	const char *name;

	if (access && end - access > 4 && access[2] == 'w' && access[4] == 's')
		return !memmem(line, (size_t)(end - line), own_memory, strlen(own_memory));
	name = memchr(line, '/', (size_t)(end - line));
	for (size_t i = 0; name && i < ARRAY_SIZE(runtimes); i++)
		if (memmem(name, (size_t)(end - name), runtimes[i], strlen(runtimes[i])))
			return true;
	return false;
}

static bool has_unforkable_mappings(void)
{
	struct text text = { 0 };
	struct err ignored;
	bool found = read_file("/proc/self/maps", &text, &ignored) || !text.n_bytes;
	const char *line = text.bytes;

	while (!found && line && *line) {
		const char *end = strchr(line, '\n');

		end = end ? end : line + strlen(line);
		found = is_unforkable_mapping(line, end);
		line = *end ? end + 1 : NULL;
	}
	text_free(&text);
	return found;
}

static bool has_child_processes(void)
{
	siginfo_t info;

	return !waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT);
}

static bool has_timers(bool may_have_real_one)
{
	struct process_timers timers = process_timers();
	struct text text = { 0 };
	struct err ignored;
	bool found = !read_file("/proc/self/timers", &text, &ignored) && text.n_bytes;

	text_free(&text);
	return found || (timers.real && !may_have_real_one) || timers.virtual_time ||
	       timers.profiling;
}

/* Waits until the child ends. Leaves the status if the module ignores SIGCHLD. */
static void await_end(pid_t child, int *status)
{
	while (waitpid(child, status, 0) < 0 && errno == EINTR)
		;
}

/* Runs the handlers of pthread_atfork once: libraries end threads that they can start again. Those
 * of os.register_at_fork are not run: the child runs no Python, and JAX's warn. */
static bool try_fork(void)
{
	pid_t child = fork();
	int status = -1;

	if (!child)
		_exit(0);
	if (child > 0)
		await_end(child, &status);
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

/* Why a fork would lack something; NULL: it does not, threads aside. */
static const char *copy_obstacle(bool may_have_timer)
{
	if (environment_forces("SUAI_NO_FORK"))
		return "SUAI_NO_FORK is set";
	if (has_child_processes())
		return "the process has child processes";
	if (has_timers(may_have_timer))
		return "the process has timers";
	if (has_unforkable_mappings())
		return "the process has shared memory or the library of a device runtime";
	if (mpi_is_active())
		return "MPI is initialized";
	if (scan_descriptors(NULL))
		return "the process has opened files or sockets that a fork would share";
	if (!process_has_one_thread() && !try_fork())
		return "a fork of the process fails";
	return NULL;
}

const char *process_fork_obstacle(struct process_idle idle)
{
	const char *obstacle = copy_obstacle(idle.has_timer);

	return obstacle || count_threads() <= 1 + idle.n_threads ? obstacle
								 : "the process has other threads";
}

/* --- the child --- */

pid_t process_fork_child(void)
{
	pid_t parent = getpid(), child;

	if (!ended) {
		void *page = mmap(NULL, sizeof(*ended), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);

		if (page == MAP_FAILED)
			return -1;
		ended = page;
	}
	*ended = false;
	PyOS_BeforeFork();
	report_begin_fork();
	child = fork();
	report_end_fork();
	if (child) {
		PyOS_AfterFork_Parent();
		return child;
	}
	is_child = true;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	PyOS_AfterFork_Child();
	return 0;
}

bool process_is_child(void)
{
	return is_child;
}

void process_end_child(void)
{
	*ended = true;
	_exit(0);
}

bool process_await_child(pid_t child, int *status)
{
	await_end(child, status);
	return WIFEXITED(*status) && *ended;
}

/* --- trying what may fail --- */

enum { MAX_TRY_MS = 2000, POLL_MS = 2 };
enum { TRY_WORKED, TRY_FAILED, TRY_UNKNOWN }; /* statuses of its exit */

static _Noreturn void run_try(pid_t parent, bool (*works)(void *context), void *context)
{
	static const int fatal[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM, SIGTERM };
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_DUMPABLE, 0);
	if (getppid() != parent || null < 0)
		_exit(TRY_UNKNOWN);
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	for (size_t i = 0; i < ARRAY_SIZE(fatal); i++) /* whose handlers describe this crash */
		signal(fatal[i], SIG_DFL);
	PyOS_AfterFork_Child();
	_exit(works(context) ? TRY_WORKED : TRY_FAILED);
}

enum answer process_try(bool (*works)(void *context), void *context)
{
	const struct timespec pause = { .tv_nsec = POLL_MS * 1000000L };
	pid_t parent = getpid(), child;
	int status = -1, n_polls = 0;
	pid_t ended_child;
	bool has_threads;

	if (copy_obstacle(false))
		return ANSWER_UNKNOWN;
	has_threads = !process_has_one_thread();
	PyOS_BeforeFork();
	child = fork();
	if (!child)
		run_try(parent, works, context);
	PyOS_AfterFork_Parent();
	if (child < 0)
		return ANSWER_UNKNOWN;
	while (!(ended_child = waitpid(child, &status, WNOHANG)) && worker_has_half_time() &&
		n_polls++ < MAX_TRY_MS / POLL_MS)
		nanosleep(&pause, NULL);
	if (!ended_child) {
		kill(child, SIGKILL);
		await_end(child, &status);
	}
	if (ended_child == child && WIFEXITED(status) && WEXITSTATUS(status) <= TRY_UNKNOWN)
		return WEXITSTATUS(status) == TRY_WORKED   ? ANSWER_YES
		       : WEXITSTATUS(status) == TRY_FAILED ? ANSWER_NO
							   : ANSWER_UNKNOWN;
	/* A fork lacks the other threads, which may hold locks. */
	return has_threads ? ANSWER_UNKNOWN : ANSWER_NO;
}
