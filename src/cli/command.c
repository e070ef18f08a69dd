// SPDX-License-Identifier: MIT
/* Commands as rows: their list, looking one up, its options, and the options that commands share.
 */
#include "cli/command.h"

#include "base/array_size.h"
#include "protocols/names.h"

#include <string.h>

/* In the order in which help shows them. */
#define COMMAND_LIST(EACH) \
	EACH(inspect)      \
	EACH(validate)     \
	EACH(convert)      \
	EACH(matrix)       \
	EACH(why)          \
	EACH(trace)        \
	EACH(devices)      \
	EACH(rule)         \
	EACH(init)         \
	EACH(version)      \
	EACH(help)         \
	EACH(docs)         \
	EACH(complete)     \
	EACH(trace_memory)

#define DECLARE(NAME) extern const struct command NAME##_command;
COMMAND_LIST(DECLARE)

#define ROW(NAME) &NAME##_command,
const struct command *const commands[] = { COMMAND_LIST(ROW) NULL };

#define FIELD(NAME) offsetof(struct shared_settings, NAME)

const struct option target_options[] = {
	{ .letter = 'p',
		.name = "protocol",
		.kind = OPTION_LIST,
		.offset = FIELD(protocols),
		.argument = "P",
		.choices = PROTOCOL_NAMES,
		.split = true,
		.help = "use only this protocol; repeatable",
		.more = "Objects that expose only a buffer are found without an EXPR only if buffer is named." },
	{ .letter = 'c',
		.name = "code",
		.kind = OPTION_TEXT,
		.offset = FIELD(code),
		.argument = "CODE",
		.help = "run CODE as the module; every TARGET is an expression in it" },
	{ .name = "main",
		.kind = OPTION_FLAG,
		.offset = FIELD(as_main),
		.help = "run scripts and modules as __main__, as python FILE.py and python -m do",
		.more = "Bodies of `if __name__ == \"__main__\":` run, and the names that they define are targets. A package runs "
			"its __main__.py. sys.exit() with no argument, None or 0 ends the script successfully, and its names stay; any "
			"other exit status is an error of the import." },
	{ .name = "targets-from",
		.kind = OPTION_LIST,
		.offset = FIELD(target_files),
		.argument = "FILE",
		.complete = "file",
		.help = "read more TARGETs from FILE, one per line; - is standard input",
		.more = "They follow those of the command line. Relative paths are resolved against the working directory, not the directory of FILE. Empty lines and lines that begin with # are ignored. If FILE contains a NUL byte, its entries are separated by NUL bytes instead of newlines, as `find -print0` and `git ls-files -z` write them. Repeatable. A FILE without a TARGET is an error." },
	{ .letter = 'j',
		.name = "jobs",
		.kind = OPTION_NUMBER,
		.offset = FIELD(jobs),
		.argument = "N",
		.most = JOBS_MAX,
		.setting = "4",
		.help = "run N workers in parallel (default 1)",
		.more = "0 means the number of cores. Each file or module is imported once for all its targets, in its own worker "
			"process, so no script sees another's modules, sys.path, working directory or "
			"environment; results do not depend on N and are printed in the order of the TARGETs. Each worker "
			"has its own memory and device contexts, which is why 1 is the default. Trials whose results must be "
			"confirmed use up to 4 workers unless -j is given. Output of scripts is "
			"written to standard error as it arrives. Unless N is 1, their standard input is empty." },
	{ 0 },
};

const struct option shared_options[] = {
	{ OUTPUT_OPTION(FIELD(output_path)),
		.help = "write the result to FILE, completely or not at all",
		.more = "Without -f, the format is that of the suffix of FILE, if the command has it: " OUTPUT_SUFFIXES_HELP
			". An existing file keeps its mode and, if permitted, its owner and group. FILE must not be a file that "
			"the run reads." },
	{ .letter = 'q',
		.name = "quiet",
		.kind = OPTION_FLAG,
		.offset = FIELD(quiet),
		.help = "print one line per interface or finding, and no summary" },
	{ .letter = 'v',
		.name = "verbose",
		.kind = OPTION_FLAG,
		.offset = FIELD(verbose),
		.help = "print more: each call, all details, every note, and skipped rules" },
	{ COLOR_OPTION(FIELD(color)), .setting = "never",
		.more = "auto also honours the environment variables NO_COLOR, FORCE_COLOR, CLICOLOR and CLICOLOR_FORCE." },
	{ .name = "python",
		.kind = OPTION_TEXT,
		.offset = FIELD(python),
		.argument = "EXE",
		.complete = "program",
		.setting = "python3.13",
		.environment = "SUAI_PYTHON",
		.chooses_program = true,
		.help = "use the interpreter EXE (default $SUAI_PYTHON, $VIRTUAL_ENV, that of suai's own virtual environment, $CONDA_PREFIX, python3)",
		.more = "CPython 3.11 or later with a GIL. A name without a slash is searched for in those directories of "
			"PATH that begin with a slash. A suai.yaml may set it only if it is the user's own file or that of "
			"--config; a project uses $VIRTUAL_ENV, which is set when its environment is activated." },
	{ .name = "timeout",
		.kind = OPTION_NUMBER,
		.offset = FIELD(timeout_seconds),
		.argument = "SEC",
		.least = 1,
		.most = TIMEOUT_MAX_SECONDS,
		.setting = "20",
		.help = "limit the import, then each target, to SEC seconds (default 60)",
		.more = "The time of a target includes its calls, its trials and new imports of its module after a worker was lost. A step that does not return is terminated, and the remaining steps are skipped with this reason. A first read that begins late may exceed the limit, up to twice SEC in total; so may a trial that hangs, which is repeated once with the full time. Imports for trials do not count, and each part of a long copy has the full time." },
	{ .name = "wrap",
		.kind = OPTION_TEXT,
		.offset = FIELD(wrap),
		.argument = "CMD",
		.help = "run the worker process under CMD, such as 'valgrind -q' or 'gdb --args'" },
	{ .name = "host",
		.kind = OPTION_CHOICE,
		.offset = FIELD(host),
		.argument = "HOW",
		.choices = "auto embed exec",
		.help = "choose how to run the interpreter: auto, embed or exec; for tests" },
	{ .name = "config",
		.kind = OPTION_TEXT,
		.offset = FIELD(config_path),
		.argument = "FILE",
		.complete = "file",
		.help = "read FILE instead of the nearest suai.yaml and the user's settings" },
	{ .name = "isolated",
		.kind = OPTION_FLAG,
		.offset = FIELD(isolated),
		.help = "read no suai.yaml" },
	{ .name = "show-settings",
		.kind = OPTION_FLAG,
		.offset = FIELD(show_settings),
		.help = "print each setting and its origin, and exit",
		.more = "The output is a valid suai.yaml in which comments name the origins." },
	{ 0 },
};

const struct command *command_find(const char *name)
{
	for (size_t i = 0; commands[i]; i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}

int command_unknown(const char *name, struct err *err)
{
	const char *names[32];
	size_t n_names = 0;

	for (size_t i = 0; commands[i] && n_names < 32; i++)
		if (!commands[i]->hidden)
			names[n_names++] = commands[i]->name;
	if (*name == '-')
		return err_set(err, EXIT_USAGE,
			"'%s': expected a command, which options follow; 'suai help' lists the commands",
			name);
	err_set(err, EXIT_USAGE, "unknown command '%s'", name);
	return err_suggest(
		err, option_suggest(name, names, n_names), "; 'suai help' lists the commands");
}

struct option_tables command_tables(const struct command *command)
{
	struct option_tables tables = { .of = { command->options } };

	tables.passes_arguments = command->loads;
	tables.ends_at_operand = command->runs_program;
	if (command->loads)
		tables.of[1] = target_options;
	if (command->shares)
		tables.of[2] = shared_options;
	return tables;
}

const struct option *command_option(const struct command *command, size_t i)
{
	const struct option_tables tables = command_tables(command);

	for (size_t t = 0; t < ARRAY_SIZE(tables.of); t++)
		for (const struct option *row = tables.of[t]; row && row->name; row++)
			if (!i--)
				return row;
	return NULL;
}

bool command_takes(const struct command *command, const struct option *row)
{
	const struct option *option;

	for (size_t i = 0; (option = command_option(command, i)); i++)
		if (option == row)
			return true;
	return false;
}

const struct command *command_listed(size_t i)
{
	for (size_t k = 0; commands[k]; k++)
		if (!commands[k]->hidden && !i--)
			return commands[k];
	return NULL;
}
