// SPDX-License-Identifier: MIT
/* `suai help [COMMAND]` and --help, printed from the tables. */
#include "commands/help.h"

#include "base/text.h"
#include "docgen/docs.h"

#include <stdio.h>
#include <string.h>

enum { LINE_COLUMNS = 100, HELP_COLUMN = 29 };

static void print_overview(FILE *out)
{
	fputs("usage: suai COMMAND [OPTION...] TARGET...\n\n"
	      "Read, check and convert the array interfaces of Python objects.\n\n"
	      "commands:\n",
		out);
	for (size_t i = 0; commands[i]; i++)
		if (!commands[i]->hidden)
			fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
	fputs("\na TARGET is FILE.py[:EXPR], package.module[:EXPR], FILE.ipynb[:EXPR], FILE.npy,\n"
	      "    FILE.yaml or - (a dump), or an EXPR with -c CODE\n"
	      "exit status: 0 success, 1 findings, 2 usage error or missing target, 3 a target's code failed,\n"
	      "    4 not available on this machine, 70 a bug in suai\n"
	      "settings: suai.yaml in the working directory or a parent, $SUAI_OPTS; --show-settings prints all\n"
	      "'suai help COMMAND' and 'suai COMMAND --help' describe a command\n",
		out);
}

/* Fills lines of LINE_COLUMNS: the first starts at column, the next at indent.
 */
static void print_filled(FILE *out, const char *text, size_t column, size_t indent)
{
	while (*text) {
		size_t n_word = strcspn(text, " \n"), n_breaks = strspn(text + n_word, "\n");

		if (column > indent && column + 1 + n_word > LINE_COLUMNS) {
			fprintf(out, "\n%*s", (int)indent, "");
			column = indent;
		}
		column += (size_t)fprintf(
			out, "%s%.*s", column > indent ? " " : "", (int)n_word, text);
		for (size_t i = 0; i < n_breaks; i++, column = indent)
			fputs("\n", out);
		text += n_word + n_breaks;
		text += *text == ' ';
	}
	fputs("\n", out);
}

static void print_help_line(FILE *out, const struct option *option)
{
	struct text line = { 0 };

	text_add(&line, option->help);
	if (!option_help_has_choices(option, false)) {
		text_add(&line, ": ");
		for (const char *choice = option->choices; *choice; choice++)
			text_printf(&line, *choice == ' ' ? ", " : "%c", *choice);
	}
	print_filled(out, line.bytes, HELP_COLUMN, HELP_COLUMN);
	text_free(&line);
}

static void print_option(FILE *out, const struct option *option)
{
	char left[64];
	int n_chars;

	n_chars = option->letter ? snprintf(left, sizeof(left), "-%c, ", option->letter)
				 : snprintf(left, sizeof(left), "    ");
	n_chars += snprintf(left + n_chars, sizeof(left) - (size_t)n_chars, "--%s", option->name);
	if (option->kind == OPTION_OPTIONAL_NUMBER)
		snprintf(left + n_chars, sizeof(left) - (size_t)n_chars, "[=%s]", option->argument);
	else if (option->argument)
		snprintf(left + n_chars, sizeof(left) - (size_t)n_chars, " %s", option->argument);
	if (strlen(left) > HELP_COLUMN - 3)
		fprintf(out, "  %s\n%*s", left, HELP_COLUMN, "");
	else
		fprintf(out, "  %-*s", HELP_COLUMN - 2, left);
	print_help_line(out, option);
}

static void print_command(FILE *out, const struct command *command)
{
	bool has_options = command_option(command, 0) != NULL;
	const struct option *option;

	fprintf(out, "usage: suai %s%s%s%s\n\n%s\n", command->name,
		has_options ? " [OPTION...]" : "", command->usage && *command->usage ? " " : "",
		command->usage ? command->usage : "", command->summary);
	if (command->prose) {
		fputs("\n", out);
		print_filled(out, command->prose, 0, 0);
	}
	if (has_options)
		fputs("\noptions:\n", out);
	for (size_t i = 0; (option = command_option(command, i)); i++)
		print_option(out, option);
	if (command->examples)
		fprintf(out, "\nexamples:\n%s", command->examples);
}

bool help_wanted(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return true;
	return false;
}

int help_print(const struct command *command)
{
	print_command(stdout, command);
	return EXIT_DONE;
}

static int help_run(void *settings, const struct option_list *operands, struct err *err)
{
	const struct command *command;

	(void)settings;
	if (operands->n_items > 1)
		return err_set(
			err, EXIT_USAGE, "help: expected one COMMAND, got %zu", operands->n_items);
	if (!operands->n_items) {
		print_overview(stdout);
		return EXIT_DONE;
	}
	command = command_find(operands->items[0]);
	return command ? help_print(command) : command_unknown(operands->items[0], err);
}

const struct command help_command = {
	.name = "help",
	.summary = "list the commands, or describe one",
	.usage = "[COMMAND]",
	.prose =
		"'suai --help' is the same as 'suai help', and 'suai COMMAND --help' as 'suai help COMMAND'; -h is short for "
		"--help.",
	.run = help_run,
};
