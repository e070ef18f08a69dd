// SPDX-License-Identifier: MIT
/*
 * Chooses the interpreter, and embeds it only if it is a program whose DT_NEEDED names libpython3.N
 * and whose run path contains that file; in any other case it is executed.
 */
#include "supervisor/find_python.h"

#include "base/array_size.h"
#include "base/debug.h"
#include "base/memory.h"
#include "base/program_directory.h"
#include "base/text.h"
#include "supervisor/elf.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_program(const char *path)
{
	struct stat stat_of;

	return !stat(path, &stat_of) && S_ISREG(stat_of.st_mode) && !access(path, X_OK);
}

static bool is_directory(const char *path)
{
	struct stat stat_of;

	return !stat(path, &stat_of) && S_ISDIR(stat_of.st_mode);
}

static bool is_file(const char *path)
{
	return !access(path, R_OK) && !is_directory(path);
}

/* Gives the path directory/name (free with free) if it passes the test; otherwise NULL. */
static char *join(
	const char *directory, size_t n_chars, const char *name, bool (*test)(const char *))
{
	struct text path = { 0 };

	/* An empty entry in a list of directories is the working directory. */
	text_add_bytes(&path, n_chars ? directory : ".", n_chars ? n_chars : 1);
	text_printf(&path, "/%s", name);
	if (test(path.bytes))
		return path.bytes;
	text_free(&path);
	return NULL;
}

static char *search(const char *directories, const char *name, bool (*test)(const char *))
{
	while (directories) {
		size_t n = strcspn(directories, ":");
		char *path = join(directories, n, name, test);

		if (path)
			return path;
		directories = directories[n] ? directories + n + 1 : NULL;
	}
	return NULL;
}

/* Searches the absolute entries of PATH: a relative one would let the working directory choose the
 * interpreter. */
static char *search_path(const char *name)
{
	const char *entry = getenv("PATH");
	char *path = NULL;

	while (entry && !path) {
		size_t n = strcspn(entry, ":");

		if (*entry == '/')
			path = join(entry, n, name, is_program);
		entry = entry[n] ? entry + n + 1 : NULL;
	}
	return path;
}

static char *in_environment(const char *directory)
{
	char *path = join(directory, strlen(directory), "bin/python3", is_program);

	return path ? path : join(directory, strlen(directory), "bin/python", is_program);
}

/* Sets err if a path is a symbolic link to what does not exist, as in a virtual environment
 * whose interpreter was removed or replaced by another version. */
static bool is_broken_link(const char *source, const char *path, int code, struct err *err)
{
	char missing[PATH_MAX] = "";
	struct stat stat_of;

	/* At ENOENT, glibc returns the first part of the path that does not exist, which can be a
	 * directory, except for 2.35, which leaves the buffer unchanged. */
	if (lstat(path, &stat_of) || !S_ISLNK(stat_of.st_mode) || realpath(path, missing) ||
		errno != ENOENT)
		return false;
	err_set(err, code,
		"%s: '%s' is a broken symbolic link%s%s%s; create the environment again, or use --python to choose another interpreter",
		source, path, *missing ? ": '" : "", missing, *missing ? "' does not exist" : "");
	return true;
}

static bool has_broken_link(const char *source, const char *directory, int code, struct err *err)
{
	char path[PATH_MAX];

	return snprintf(path, sizeof(path), "%s/bin/python3", directory) < (int)sizeof(path) &&
	       is_broken_link(source, path, code, err);
}

/* Gives the interpreter that --python or $SUAI_PYTHON names: a program in PATH, a path, or the
 * directory of an environment. NULL: there is none. */
static char *resolve_choice(const char *chosen)
{
	if (!strchr(chosen, '/')) {
		char *path = search_path(chosen);

		return path || !is_directory(chosen) ? path : in_environment(chosen);
	}
	if (is_directory(chosen))
		return in_environment(chosen);
	return is_program(chosen) ? mem_copy_text(chosen) : NULL;
}

static char *in_variable(const char *variable)
{
	const char *directory = getenv(variable);
	char *path = directory && *directory ? in_environment(directory) : NULL;

	if (!path && directory && *directory)
		DEBUG_LOG("supervisor", "%s=%s contains no python", variable, directory);
	return path;
}

/* Gives the virtual environment in which suai is installed (free with free), or NULL. *for_tool:
 * pipx or uv created the environment for suai only. */
static char *own_environment(bool *for_tool)
{
	char *own = program_directory(), *slash = own ? strrchr(own, '/') : NULL;
	char *marker = NULL, *metadata = NULL, *receipt = NULL;

	if (slash && slash > own) { /* an empty path would be the working directory */
		*slash = '\0';
		marker = join(own, strlen(own), "pyvenv.cfg", is_file);
		metadata = join(own, strlen(own), "pipx_metadata.json", is_file);
		receipt = join(own, strlen(own), "uv-receipt.toml", is_file);
	}
	*for_tool = metadata || receipt;
	if (!marker) {
		free(own);
		own = NULL;
	}
	free(marker);
	free(metadata);
	free(receipt);
	return own;
}

enum { MIN_MINOR = 11, MAX_MINOR = 40 };

/* Gives the python3.N of PATH if suai was installed for only that version, without an environment
 * (pip install --user, --prefix): the module is then in lib/python3.N next to the program. */
static char *of_installed_version(void)
{
	char *own = program_directory(), *slash = own ? strrchr(own, '/') : NULL;
	char name[sizeof("python3.") + 11] = "", path[sizeof(name) + 64];
	int n_versions = 0;

	for (int minor = MIN_MINOR; slash && slash > own && minor < MAX_MINOR; minor++) {
		char *module;

		*slash = '\0';
		snprintf(
			path, sizeof(path), "lib/python3.%d/site-packages/suai/__init__.py", minor);
		module = join(own, strlen(own), path, is_file);
		if (module && ++n_versions == 1)
			snprintf(name, sizeof(name), "python3.%d", minor);
		free(module);
	}
	free(own);
	return n_versions == 1 ? search_path(name) : NULL;
}

/* Gives the interpreter of the active environment, that of suai's own, or the one in PATH; NULL:
 * none, with err set. A Conda environment, which may be active in every shell, comes after suai's
 * own unless that is only for suai. */
static char *search_default(struct err *err)
{
	const char *active = getenv("VIRTUAL_ENV");
	char *path = in_variable("VIRTUAL_ENV"), *own;
	bool for_tool;

	if (path)
		return path;
	/* The packages of another interpreter are not those that its user expects. */
	if (active && *active && has_broken_link("VIRTUAL_ENV", active, EXIT_UNAVAILABLE, err))
		return NULL;
	own = own_environment(&for_tool);
	if (own && !for_tool)
		path = in_environment(own);
	if (!path)
		path = in_variable("CONDA_PREFIX");
	if (!path && own)
		path = in_environment(own);
	free(own);
	if (!path)
		path = of_installed_version();
	if (!path)
		path = search_path("python3");
	if (!path)
		err_set(err, EXIT_UNAVAILABLE,
			"no Python found: python3 is not in PATH; use --python to choose an interpreter");
	return path;
}

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

/* Reads up to the length of the answer, the end, or the timeout. */
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

/* Whether a program is a Python interpreter: its name contains python or pypy, or it answers `-c
 * 'print(6 * 7)'` as Python does. Otherwise --python ls would fail with a message about suai's
 * bootstrap. Other output of the program is discarded. */
static bool is_python(const char *executable)
{
	bool answers;
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
	answers = pid < 0 || is_answer(fds[0]);
	close(fds[0]);
	if (pid > 0)
		kill(pid, SIGKILL);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return answers;
}

static int choose_executable(const char *chosen, struct python *out, struct err *err)
{
	const char *source = "--python";

	/* As of a shell variable that is not set: another interpreter would be used silently. */
	if (chosen && !*chosen)
		return err_set(err, EXIT_USAGE, "--python: expected an interpreter, got ''");
	if (!chosen) {
		source = "SUAI_PYTHON";
		chosen = getenv("SUAI_PYTHON");
	}
	if (!chosen || !*chosen) {
		out->executable = search_default(err);
		return out->executable ? 0 : -1;
	}
	out->executable = resolve_choice(chosen);
	if (!out->executable && (is_broken_link(source, chosen, EXIT_USAGE, err) ||
					has_broken_link(source, chosen, EXIT_USAGE, err)))
		return -1;
	if (!out->executable)
		return err_set(
			err, EXIT_USAGE, "%s: '%s' is not an executable file", source, chosen);
	if (!is_python(out->executable))
		return err_set(
			err, EXIT_USAGE, "%s: '%s' is not a Python interpreter", source, chosen);
	return 0;
}

/* Expands $ORIGIN in a run path. False if the path is empty or contains another token of the
 * loader. */
static bool expand_run_path(const char *run_path, const char *origin, struct text *out)
{
	while (*run_path) {
		size_t n_plain = strcspn(run_path, "$");

		text_add_bytes(out, run_path, n_plain);
		run_path += n_plain;
		if (!*run_path)
			break;
		if (!strncmp(run_path, "$ORIGIN", 7))
			run_path += 7;
		else if (!strncmp(run_path, "${ORIGIN}", 9))
			run_path += 9;
		else
			return false;
		text_add(out, origin);
	}
	return out->n_bytes > 0;
}

/* The loader searches LD_LIBRARY_PATH before DT_RUNPATH. */
static bool is_overridden(const char *library, const char *soname)
{
	char *other = search(getenv("LD_LIBRARY_PATH"), soname, is_file);
	struct stat a, b;
	bool differs = other && (stat(other, &a) || stat(library, &b) || a.st_dev != b.st_dev ||
					a.st_ino != b.st_ino);

	free(other);
	return differs;
}

/* Gives the libpython that the loader would load; NULL with *why set. */
static char *find_library(const char *executable, const char **why)
{
	char *real = mem_real_path(executable), *library = NULL;
	struct text run_path = { 0 };
	struct elf_python elf;

	if (!real) {
		*why = "its path cannot be resolved";
		return NULL;
	}
	elf_read_python(real, &elf);
	*strrchr(real, '/') = '\0';
	if (!elf.is_elf)
		*why = "it is a script, a static program, or a program for another system";
	else if (!elf.soname[0])
		*why = "it is built without a shared libpython";
	else if (!expand_run_path(elf.run_path, real, &run_path))
		*why = "its run path is empty or not supported";
	else
		library = search(run_path.bytes, elf.soname, is_file);
	if (!library && run_path.n_bytes)
		*why = "its libpython is not in its run path";
	if (library && is_overridden(library, elf.soname)) {
		*why = "LD_LIBRARY_PATH contains another libpython";
		free(library);
		library = NULL;
	}
	text_free(&run_path);
	free(real);
	return library;
}

int python_find(const char *chosen, struct python *out, struct err *err)
{
	*out = (struct python){ 0 };
	if (choose_executable(chosen, out, err))
		return -1;
	out->library = find_library(out->executable, &out->why_executed);
	DEBUG_LOG("supervisor", "python '%s': %s%s", out->executable,
		out->library ? "embeds " : "executed: ",
		out->library ? out->library : out->why_executed);
	return 0;
}

void python_free(struct python *python)
{
	free(python->executable);
	free(python->library);
	*python = (struct python){ 0 };
}
