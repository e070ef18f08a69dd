// SPDX-License-Identifier: MIT
/*
 * `suai version`: the build, and the interpreter, libraries and drivers of this machine. Drivers
 * are opened in a child process: suai itself never opens one.
 */
#include "base/array_size.h"
#include "cli/command.h"
#include "model/escape.h"
#include "supervisor/find_python.h"

#include <dlfcn.h>
#include <dlpack/dlpack.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <yaml.h>

static const struct {
	const char *name, *library;
} drivers[] = {
	{ "CUDA driver", "libcuda.so.1" },
	{ "OpenCL loader", "libOpenCL.so.1" },
};

static bool opens_in_child(const char *library)
{
	pid_t child;
	int status;

	fflush(stdout);
	child = fork();
	/* Leaves the working directory, which a relative run path of a library could name. */
	if (!child)
		_exit(!chdir("/") && dlopen(library, RTLD_LAZY | RTLD_LOCAL) ? 0 : 1);
	return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
	       WEXITSTATUS(status) == 0;
}

static void print_python(void)
{
	struct python python = { 0 };
	struct err err;

	fputs("python: ", stdout);
	if (python_find(NULL, &python, &err)) {
		fputs("none (", stdout);
		escape_print(stdout, err.message);
	} else {
		escape_print(stdout, python.executable);
		fputs(python.library ? " (embeds " : " (executed: ", stdout);
		escape_print(stdout, python.library ? python.library : python.why_executed);
	}
	fputs(")\n", stdout);
	python_free(&python);
}

static int version_run(void *settings, const struct option_list *operands, struct err *err)
{
	(void)settings;
	if (operands->n_items)
		return err_set(
			err, EXIT_USAGE, "version: unexpected argument '%s'", operands->items[0]);
	printf("suai %s\n", SUAI_VERSION);
	printf("dlpack.h: %d.%d\n", DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION);
	printf("libyaml: %s\n", yaml_get_version_string());
	printf("jansson: %s\n", jansson_version_str());
	printf("kernels: %s\n", *SUAI_KERNEL_FORMS ? SUAI_KERNEL_FORMS " OpenCL C"
						   : "OpenCL C only, no SPIR-V or PTX");
	print_python();
	for (size_t i = 0; i < ARRAY_SIZE(drivers); i++)
		printf("%s: %s%s\n", drivers[i].name, drivers[i].library,
			opens_in_child(drivers[i].library) ? "" : " cannot be loaded");
	return EXIT_DONE;
}

const struct command version_command = {
	.name = "version",
	.summary = "print the version, and the libraries, interpreter and drivers found",
	.prose = "'suai --version' and 'suai -V' print the same.",
	.examples = "suai version\n"
		    "  the build, and what it finds on this machine\n",
	.run = version_run,
};
