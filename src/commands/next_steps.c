// SPDX-License-Identifier: MIT
/* `suai` without arguments: three commands that work on this machine, and where to read on. */
#include "commands/next_steps.h"

#include "base/error.h"
#include "model/escape.h"
#include "supervisor/find_python.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ANSWER_SECONDS = 2 };

/* What the interpreter is; the numbers are the exit codes of `question`. */
enum python_kind { HAS_NUMPY = 40, HAS_NO_NUMPY, IS_UNUSABLE };

/* Earlier versions have no -P, and builds without the GIL have abiflags t. */
static const char question[] =
	"import sys, importlib.util\n"
	"supported = sys.implementation.name == 'cpython' and 't' not in sys.abiflags\n"
	"sys.exit(42 if not supported else 40 if importlib.util.find_spec('numpy') else 41)";

/* Runs nothing from the working directory. */
static enum python_kind ask_python(const char *executable)
{
	int status = 0;
	pid_t child = fork();

	if (!child) {
		int null = open("/dev/null", O_RDWR);

		for (int fd = 0; fd <= 2; fd++)
			dup2(null, fd);
		alarm(ANSWER_SECONDS); /* remains set after execl() */
		execl(executable, executable, "-P", "-c", question, (char *)NULL);
		_exit(IS_UNUSABLE);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
		WEXITSTATUS(status) < HAS_NUMPY || WEXITSTATUS(status) > IS_UNUSABLE)
		return IS_UNUSABLE;
	return (enum python_kind)WEXITSTATUS(status);
}

static enum python_kind find_python_kind(struct err *err)
{
	enum python_kind kind = IS_UNUSABLE;
	struct python python;

	if (!python_find(NULL, &python, err)) {
		kind = ask_python(python.executable);
		err_set(err, EXIT_UNAVAILABLE,
			"'%s' does not run as CPython 3.11 or later with a GIL; use --python to choose another",
			python.executable);
	}
	python_free(&python);
	return kind;
}

/* The program's name as typed, if a shell reads it as one word. */
static const char *typed_name(const char *program)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_./+-";

	return program && strchr(program, '/') && !program[strspn(program, plain)] ? program
										   : "suai";
}

int next_steps_print(const char *program)
{
	static const struct {
		const char *command, *shows;
	} steps[][3] = {
		{ { "inspect -p numpy -c 'import numpy as np' 'np.arange(6).reshape(2, 3).T'",
			  "show what a NumPy array declares, and decode it" },
			{ "validate -c 'import numpy as np' 'np.arange(6).reshape(2, 3).T'",
				"check all its interfaces against their specifications and the memory" },
			{ "devices", "list the host and the devices of each runtime" } },
		{ { "inspect -c 'import array; a = array.array(\"d\", [1, 2, 3])' a",
			  "show what an array.array declares, and decode it" },
			{ "validate -c 'import array; a = array.array(\"d\", [1, 2, 3])' a",
				"check its buffer against the specification and the memory" },
			{ "devices", "list the host and the devices of each runtime" } },
		{ { "rule", "list what suai checks" },
			{ "rule SUAI302", "describe a rule: the requirement, why, and the fix" },
			{ "help inspect", "describe a command" } },
	};
	const char *name = typed_name(program);
	struct err err = { 0 };
	enum python_kind kind = find_python_kind(&err);
	size_t i = kind == HAS_NUMPY ? 0 : kind == HAS_NO_NUMPY ? 1 : 2;

	fputs("suai shows, checks and converts the arrays that Python objects export.\n\n", stderr);
	if (i == 2) {
		fputs("Scripts cannot be loaded: ", stderr);
		escape_print(stderr, err.message);
		fputs(".\n\n", stderr);
	}
	fprintf(stderr, "Try%s:\n", i == 2 ? ", without Python" : "");
	for (size_t k = 0; k < 3; k++)
		fprintf(stderr, "  %s %s\n      %s\n", name, steps[i][k].command,
			steps[i][k].shows);
	if (i < 2)
		fprintf(stderr, "\nThen your own arrays: %s validate FILE.py\n", name);
	fprintf(stderr,
		"%sAll commands: %s help. One of them: %s help COMMAND. The manual: man suai\n",
		i < 2 ? "" : "\n", name, name);
	return EXIT_USAGE;
}
