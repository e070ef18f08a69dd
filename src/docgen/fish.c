// SPDX-License-Identifier: MIT
/* Completions for fish: one `complete` line for each command and option. */
#include "docgen/docs.h"

#include "docgen/completions.h"

static const char functions[] =
	"# SPDX-License-Identifier: MIT\n"
	"# Completions of suai for fish. Written by `suai docs fish`.\n"
	"\n"
	"# The arguments, each after the part of the word before its last comma.\n"
	"function __suai_list\n"
	"\tset -l before (commandline -ct | string replace -r '^--[^=]*=' '' | string match -r '^.*,')\n"
	"\tprintf '%s\\n' \"$before\"$argv\n"
	"end\n"
	"\n"
	"function __suai_in_script\n"
	"\tstring match -rq '\\\\.(py|ipynb):|^[A-Za-z_][A-Za-z0-9_.]*:' -- (commandline -ct)\n"
	"end\n"
	"\n"
	"function __suai_targets\n"
	"\tsuai complete targets (commandline -ct | string unescape) 2>/dev/null\n"
	"end\n"
	"\n"
	"complete -c suai -f\n"
	"complete -c suai -n __fish_use_subcommand -l help -s h -d 'list the commands'\n"
	"complete -c suai -n __fish_use_subcommand -l version -s V -d 'print the version and the features of this build'\n";

static void write_help(FILE *out, const char *help)
{
	fputs(" -d '", out);
	docs_write_escaped(out, help, "\\", "\\'");
	fputs("'\n", out);
}

static void write_condition(FILE *out, const struct command *command)
{
	fprintf(out, "complete -c suai -n '__fish_seen_subcommand_from %s'", command->name);
}

static void fish_write_option(FILE *out, const struct command *command, const struct option *option)
{
	write_condition(out, command);
	if (option->letter)
		fprintf(out, " -s %c", option->letter);
	fprintf(out, " -l %s", option->name);
	switch (docs_option_words(option)) {
	case DOCS_FILES:
		fputs(" -rF", out);
		break;
	case DOCS_ASKED:
		fprintf(out,
			docs_takes_list(option)
				? " -x -a '(__suai_list (suai complete %s %s 2>/dev/null))'"
				: " -x -a '(suai complete %s %s 2>/dev/null)'",
			option->complete, command->name);
		break;
	case DOCS_CHOICES:
		fprintf(out, option->split ? " -x -a '(__suai_list %s)'" : " -x -a '%s'",
			option->choices);
		break;
	default:
		fputs(docs_takes_value(option) ? " -x" : "", out);
	}
	write_help(out, option->help);
}

static void write_operands(FILE *out, const struct command *command)
{
	switch (docs_operand_words(command)) {
	case DOCS_FILES:
		write_condition(out, command);
		fputs(" -F\n", out);
		break;
	case DOCS_TARGETS:
		/* Else fish would complete files after the colon of FILE.py:NAME. */
		fprintf(out,
			"complete -c suai -n '__fish_seen_subcommand_from %s; and not __suai_in_script' -F\n",
			command->name);
		write_condition(out, command);
		fputs(" -a '(__suai_targets)'\n", out);
		break;
	case DOCS_ASKED:
		write_condition(out, command);
		fputs(" -a '(suai complete " DOCS_OPERAND_KIND " 2>/dev/null)'\n", out);
		break;
	case DOCS_COMMANDS:
		write_condition(out, command);
		fputs(" -a '", out);
		for (size_t i = 0; command_listed(i); i++)
			fprintf(out, "%s%s", i ? " " : "", command_listed(i)->name);
		fputs("'\n", out);
		break;
	default:
		break;
	}
}

void docs_write_fish(FILE *out)
{
	const struct command *command;
	const struct option *option;

	fputs(functions, out);
	for (size_t i = 0; (command = command_listed(i)); i++) {
		fprintf(out, "\ncomplete -c suai -n __fish_use_subcommand -a %s", command->name);
		write_help(out, command->summary);
		for (size_t k = 0; (option = command_option(command, k)); k++)
			fish_write_option(out, command, option);
		write_condition(out, command);
		fputs(" -l help -d 'show help for the command'\n", out);
		write_operands(out, command);
	}
}
