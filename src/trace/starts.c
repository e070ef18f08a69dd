// SPDX-License-Identifier: MIT
#include "trace/starts.h"

#include "trace/lock.h"
#include "trace/memory.h"
#include "trace/prefix.h"
#include "trace/record.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char preload_key[] = "LD_PRELOAD=", memory_key[] = TRACE_ENVIRONMENT "=";
static const char *own_library, *own_memory;
static bool is_following, is_counting;

void trace_starts_follow(const char *library, const char *memory)
{
	own_library = library;
	own_memory = memory;
	is_following = true;
}

void trace_starts_count(const char *library, const char *memory)
{
	own_library = library;
	own_memory = memory;
	is_counting = true;
}

/* What a call needs; nothing is allocated, since the child of a vfork() may call. */
struct environment_size {
	size_t n_entries, n_preload_chars;
};

static struct environment_size measure_environment(char *const environment[])
{
	struct environment_size size = { 0, 0 };

	for (; environment && environment[size.n_entries]; size.n_entries++)
		if (trace_has_prefix(environment[size.n_entries], preload_key))
			size.n_preload_chars += strlen(environment[size.n_entries]); /* all */
	size.n_preload_chars += strlen(preload_key) + strlen(own_library) + 2;
	return size;
}

/* The end of the text. */
static char *append_text(char *end, const char *text)
{
	size_t n_chars = strlen(text);

	memcpy(end, text, n_chars + 1);
	return end + n_chars;
}

/* The environment with both entries; preload and memory are buffers that are large enough. */
static void extend_environment(char *const environment[], char **out, char *preload, char *memory)
{
	char *end = append_text(preload, preload_key);

	for (; environment && *environment; environment++) {
		if (trace_has_prefix(*environment, preload_key))
			end = append_text(append_text(preload, *environment), ":");
		else if (!trace_has_prefix(*environment, memory_key))
			*out++ = *environment;
	}
	append_text(end, own_library);
	append_text(append_text(memory, memory_key), own_memory);
	*out++ = preload;
	*out++ = memory;
	*out = NULL;
}

/* A call that starts a program, but for the environment. */
struct start_call {
	enum start_function {
		START_EXECVE,
		START_EXECVPE,
		START_FEXECVE,
		START_SPAWN,
		START_SPAWNP
	} function;
	int fd;
	const char *path;
	char *const *arguments;
	pid_t *pid;
	const posix_spawn_file_actions_t *actions;
	const posix_spawnattr_t *attributes;
};

static int start_with(const struct start_call *call, char *const environment[])
{
	switch (call->function) {
	case START_FEXECVE:
		return fexecve(call->fd, call->arguments, environment);
	case START_SPAWN:
		return posix_spawn(call->pid, call->path, call->actions, call->attributes,
			call->arguments, environment);
	case START_SPAWNP:
		return posix_spawnp(call->pid, call->path, call->actions, call->attributes,
			call->arguments, environment);
	case START_EXECVPE:
		return execvpe(call->path, call->arguments, environment);
	case START_EXECVE:
		break;
	}
	return execve(call->path, call->arguments, environment);
}

static int start_with_memory(const struct start_call *call, char *const environment[])
{
	const struct environment_size size = measure_environment(environment);
	char **extended = __builtin_alloca((size.n_entries + 3) * sizeof(*extended));
	char *preload = __builtin_alloca(size.n_preload_chars);
	char *memory = __builtin_alloca(sizeof(memory_key) + strlen(own_memory));

	extend_environment(environment, extended, preload, memory);
	return start_with(call, extended);
}

/* Where the library does not exist, the loader would report that. */
static bool has_library(void)
{
	return !access(own_library, R_OK);
}

/* A user may not open the memory who differs from that of suai, nor does it exist after chroot().
 */
static bool is_memory_reachable(void)
{
	return has_library() && !faccessat(AT_FDCWD, own_memory, R_OK | W_OK, AT_EACCESS);
}

/* --- counting --- */

/* The end of a name of interpreters: python, python3, python3.14t; NULL: it is another one. */
static const char *skip_python(const char *name)
{
	static const char python[] = "python";

	if (!trace_has_prefix(name, python))
		return NULL;
	name += strlen(python);
	name += strspn(name, "0123456789.");
	return name + strspn(name, "dt");
}

/* Whether a command of a shell, or a word, contains the name of an interpreter, which may follow a
 * path, as a word that is not an option. */
static bool mentions_python(const char *command)
{
	static const char separators[] = " \t\n;&|()`'\"";

	for (command += strspn(command, separators); *command;
		command += strspn(command, separators)) {
		const char *end = command + strcspn(command, separators), *name = end, *behind;

		while (name > command && name[-1] != '/')
			name--;
		behind = *command == '-' ? NULL : skip_python(name);
		if (behind && behind == end)
			return true;
		command = end;
	}
	return false;
}

/* Whether the file is the interpreter of this process, or a script of one. */
static bool is_python_file(const char *path)
{
	struct stat own, file;
	char line[128];
	ssize_t n_bytes;
	int fd;

	if (stat(path, &file) || !S_ISREG(file.st_mode))
		return false;
	if (!stat("/proc/self/exe", &own) && own.st_dev == file.st_dev && own.st_ino == file.st_ino)
		return true;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n_bytes = read(fd, line, sizeof(line) - 1);
	close(fd);
	line[n_bytes > 0 ? n_bytes : 0] = 0;
	line[strcspn(line, "\n")] = 0;
	return trace_has_prefix(line, "#!") && mentions_python(line + 2);
}

static bool starts_python(const struct start_call *call)
{
	const int error = errno;
	bool is_python = call->path && is_python_file(call->path);

	for (char *const *word = call->arguments; !is_python && word && *word; word++)
		is_python = mentions_python(*word);
	errno = error;
	return is_python;
}

/* Not forked processes, which are counted as such; the child of vfork() has the memory of its
 * parent. */
static bool is_counted(const struct start_call *call)
{
	return is_counting && trace_is_on() && starts_python(call);
}

static bool replaces_process(const struct start_call *call)
{
	return call->function == START_EXECVE || call->function == START_EXECVPE ||
	       call->function == START_FEXECVE;
}

/* A program that the process executes in its place is traced if nothing was exchanged before. */
static bool passes_memory(const struct start_call *call)
{
	const int error = errno;
	bool passes;

	if (!replaces_process(call))
		return false;
	passes = is_memory_reachable() && trace_memory_leave();
	errno = error;
	return passes;
}

static int start_counted(const struct start_call *call, char *const environment[])
{
	const bool counts = is_counted(call);
	int status;

	if (counts && passes_memory(call)) {
		status = start_with_memory(call, environment);
		trace_memory_return();
		return status;
	}
	if (counts)
		trace_memory_count(1); /* before exec */
	status = start_with(call, environment);
	if (counts && status)
		trace_memory_count(-1);
	return status;
}

static void count_shell(const char *command)
{
	if (is_counting && trace_is_on() && command && mentions_python(command))
		trace_memory_count(1);
}

/* --- functions of the C library --- */

/* A program that cannot open the memory is not traced. */
static int start_followed(const struct start_call *call, char *const environment[])
{
	const int error = errno;
	const bool loads_library = has_library();
	const bool counts = !is_memory_reachable() && starts_python(call);
	int status;

	errno = error;
	if (counts)
		trace_memory_count_unreachable(1); /* before exec */
	status = loads_library ? start_with_memory(call, environment)
			       : start_with(call, environment);
	if (counts && status)
		trace_memory_count_unreachable(-1);
	return status;
}

static int start_traced(const struct start_call *call, char *const environment[])
{
	return is_following ? start_followed(call, environment) : start_counted(call, environment);
}

int trace_execve(const char *path, char *const arguments[], char *const environment[])
{
	return start_traced(
		&(struct start_call){ START_EXECVE, .path = path, .arguments = arguments },
		environment);
}

int trace_execv(const char *path, char *const arguments[])
{
	return trace_execve(path, arguments, environ);
}

int trace_execvpe(const char *file, char *const arguments[], char *const environment[])
{
	return start_traced(
		&(struct start_call){ START_EXECVPE, .path = file, .arguments = arguments },
		environment);
}

int trace_execvp(const char *file, char *const arguments[])
{
	return trace_execvpe(file, arguments, environ);
}

static size_t count_arguments(const char *argument, va_list others)
{
	size_t n = 0;

	for (; argument; argument = va_arg(others, const char *))
		n++;
	return n;
}

static void read_arguments(char **out, const char *argument, va_list *others)
{
	for (; argument; argument = va_arg(*others, const char *))
		*out++ = (char *)argument;
	*out = NULL;
}

/* Makes an array, on the stack of the caller, of the arguments that end with a null pointer, after
 * which others continues. */
#define LIST_ARGUMENTS(LIST, FIRST, OTHERS)                                               \
	va_start(OTHERS, FIRST);                                                          \
	(LIST) = __builtin_alloca((count_arguments(FIRST, OTHERS) + 1) * sizeof *(LIST)); \
	va_end(OTHERS);                                                                   \
	va_start(OTHERS, FIRST);                                                          \
	read_arguments(LIST, FIRST, &(OTHERS))

int trace_execl(const char *path, const char *argument, ...)
{
	va_list others;
	char **arguments;

	LIST_ARGUMENTS(arguments, argument, others);
	va_end(others);
	return trace_execv(path, arguments);
}

int trace_execlp(const char *file, const char *argument, ...)
{
	va_list others;
	char **arguments;

	LIST_ARGUMENTS(arguments, argument, others);
	va_end(others);
	return trace_execvp(file, arguments);
}

int trace_execle(const char *path, const char *argument, ...)
{
	va_list others;
	char **arguments, *const *environment;

	LIST_ARGUMENTS(arguments, argument, others);
	environment = va_arg(others, char *const *);
	va_end(others);
	return trace_execve(path, arguments, environment);
}

int trace_fexecve(int fd, char *const arguments[], char *const environment[])
{
	return start_traced(&(struct start_call){ START_FEXECVE, .fd = fd, .arguments = arguments },
		environment);
}

int trace_posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[])
{
	return start_traced(
		&(struct start_call){ START_SPAWN, -1, path, arguments, pid, actions, attributes },
		environment);
}

int trace_posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[])
{
	return start_traced(
		&(struct start_call){ START_SPAWNP, -1, file, arguments, pid, actions, attributes },
		environment);
}

/* Calls of system() at the same time, of which the first ignores signals, and the last restores
 * what the program had set. */
static struct {
	unsigned int n_calls;
	struct sigaction interrupt, quit;
} shells;

static void begin_shell(void)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };

	trace_lock();
	if (!shells.n_calls++) {
		sigaction(SIGINT, &ignore, &shells.interrupt);
		sigaction(SIGQUIT, &ignore, &shells.quit);
	}
	trace_unlock();
}

static void end_shell(void)
{
	trace_lock();
	if (!--shells.n_calls) {
		sigaction(SIGINT, &shells.interrupt, NULL);
		sigaction(SIGQUIT, &shells.quit, NULL);
	}
	trace_unlock();
}

/* The shell, with the signals that a command of system() has. */
static int spawn_shell(pid_t *pid, const char *command, const sigset_t *mask)
{
	char name[] = "sh", option[] = "-c", *arguments[] = { name, option, (char *)command, NULL };
	posix_spawnattr_t attributes;
	sigset_t reset;
	int error;

	sigemptyset(&reset);
	if (shells.interrupt.sa_handler != SIG_IGN)
		sigaddset(&reset, SIGINT);
	if (shells.quit.sa_handler != SIG_IGN)
		sigaddset(&reset, SIGQUIT);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigdefault(&attributes, &reset);
	posix_spawnattr_setsigmask(&attributes, mask);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
	error = trace_posix_spawn(pid, "/bin/sh", NULL, &attributes, arguments, environ);
	posix_spawnattr_destroy(&attributes);
	return error;
}

/* Replaces system(), since the C library's starts the shell with the environment of the process. */
int trace_system(const char *command)
{
	sigset_t child, mask;
	int status = 127 << 8, error; /* that of a shell that cannot be executed */
	pid_t pid = 0;

	if (!command || !is_following) {
		count_shell(command);
		return system(command);
	}
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	begin_shell();
	pthread_sigmask(SIG_BLOCK, &child, &mask);
	error = spawn_shell(&pid, command, &mask);
	while (!error && waitpid(pid, &status, 0) != pid)
		if (errno != EINTR) {
			status = -1;
			break;
		}
	end_shell();
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	return status;
}

/* Appends the text as one word of a shell. */
static char *append_quoted(char *end, const char *text)
{
	*end++ = '\'';
	for (; *text; text++)
		if (*text == '\'')
			end = append_text(end, "'\\''");
		else
			*end++ = *text;
	*end++ = '\'';
	*end = 0;
	return end;
}

/* The C library's popen() takes no environment: the shell sets it for what it starts. */
FILE *trace_popen(const char *command, const char *type)
{
	static const char set_preload[] = "export LD_PRELOAD=",
			  set_memory[] = " " TRACE_ENVIRONMENT "=", end_set[] = "; ";
	const char *preload = getenv("LD_PRELOAD");
	size_t n_library = preload ? strlen(preload) + 1 : 0;
	char *library, *extended, *end;
	FILE *file;

	if (!is_following) {
		count_shell(command);
		return popen(command, type);
	}
	n_library += strlen(own_library);
	if (!has_library())
		return popen(command, type);
	library = malloc(n_library + 1);
	extended = malloc(sizeof(set_preload) + sizeof(set_memory) + sizeof(end_set) +
			  4 * (n_library + strlen(own_memory) + 1) + strlen(command));
	if (library && extended) {
		end = preload ? append_text(append_text(library, preload), ":") : library;
		append_text(end, own_library);
		end = append_quoted(append_text(extended, set_preload), library);
		end = append_quoted(append_text(end, set_memory), own_memory);
		append_text(append_text(end, end_set), command);
	}
	file = popen(library && extended ? extended : command, type);
	free(extended);
	free(library);
	return file;
}
