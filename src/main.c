// SPDX-License-Identifier: MIT
/* Selects the command, runs it, prints its error and returns its exit code. */
#include "base/file_size_signal.h"
#include "base/standard_descriptors.h"
#include "cli/command.h"
#include "commands/help.h"
#include "commands/next_steps.h"
#include "output/notice.h"
#include "output/result_file.h"
#include "settings/settings.h"
#include "supervisor/interrupt.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int run_command(const struct command *command, int argc, char **argv, struct err *err)
{
	struct option_list operands = { 0 };
	void *settings = settings_new(command);
	int code = -1;

	if (!settings_parse(command, argc, argv, settings, &operands, err))
		code = settings_wanted(command, settings) ? settings_show(command, settings, err)
							  : command->run(settings, &operands, err);
	settings_free(command, settings);
	option_list_free(&operands);
	return code;
}

/* The command's name; --help and --version are other spellings of commands. */
static const char *command_name(const char *word)
{
	if (!strcmp(word, "--help") || !strcmp(word, "-h"))
		return "help";
	return !strcmp(word, "--version") || !strcmp(word, "-V") ? "version" : word;
}

int main(int argc, char **argv)
{
	const struct command *command = argc > 1 ? command_find(command_name(argv[1])) : NULL;
	struct err err = { 0 };
	int code, error;

	standard_descriptors_fill();
	file_size_signal_ignore();
	if (argc < 2)
		code = next_steps_print(argv[0]);
	else if (!command)
		code = command_unknown(argv[1], &err);
	else if (help_wanted(command, argc - 1, argv + 1))
		code = help_print(command);
	else
		code = run_command(command, argc - 1, argv + 1, &err);
	error = result_stream_flush(stdout);
	if (code < 0 && interrupt_signal() != SIGPIPE)
		notice("%s", err.message);
	interrupt_die();
	if (code < 0)
		code = (int)err.code;
	else if (error)
		notice("cannot write to standard output: %s", strerror(error));
	return error ? (int)exit_code_worse((enum exit_code)code, EXIT_USAGE) : code;
}
