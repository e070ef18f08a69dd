// SPDX-License-Identifier: MIT
/* `suai help [COMMAND]` and --help, printed from the tables. */
#include "commands/help.h"

#include "base/array_size.h"
#include "base/terminal.h"
#include "base/text.h"
#include "docgen/docs.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* In a narrow terminal, the text of an option begins below its name. */
enum { HELP_COLUMN = 29, NARROW_HELP_COLUMN = 10, NARROW_COLUMNS = 60, SUMMARY_COLUMN = 13 };

/* Fills lines of the width of standard output: the first starts at column, the next at indent. */
static void print_filled(const char *text, size_t column, size_t indent)
{
	const size_t n_columns = (size_t)terminal_find(STDOUT_FILENO, false, "never").columns;
	bool begins_line = true;

	while (*text) {
		size_t n_word = strcspn(text, " \n"), n_breaks = strspn(text + n_word, "\n");

		if (!begins_line && column + 1 + n_word > n_columns) {
			printf("\n%*s", (int)indent, "");
			column = indent;
			begins_line = true;
		}
		column += (size_t)printf("%s%.*s", begins_line ? "" : " ", (int)n_word, text);
		begins_line = n_breaks > 0;
		for (size_t i = 0; i < n_breaks; i++, column = indent)
			puts("");
		text += n_word + n_breaks;
		text += *text == ' ';
	}
	puts("");
}

static void print_overview(void)
{
	static const char *const lines[] = {
		"a TARGET is FILE.py[:EXPR], package.module[:EXPR], FILE.ipynb[:EXPR], FILE.npy, FILE.yaml or - (a dump), or an EXPR with -c CODE",
		"exit status: 0 success, 1 findings, 2 usage error or missing target, 3 a target's code failed, 4 not available on this machine, 70 a bug in suai",
		"settings: suai.yaml in the working directory or a parent, $SUAI_OPTS; --show-settings prints all",
		"'suai help COMMAND' and 'suai COMMAND --help' describe a command",
	};

	puts("usage: suai COMMAND [OPTION...] TARGET...\n");
	print_filled("Read, check and convert the array interfaces of Python objects.", 0, 0);
	puts("\ncommands:");
	for (size_t i = 0; commands[i]; i++)
		if (!commands[i]->hidden) {
			printf("  %-10s ", commands[i]->name);
			print_filled(commands[i]->summary, SUMMARY_COLUMN, SUMMARY_COLUMN);
		}
	puts("");
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		print_filled(lines[i], 0, 4);
}

static void print_help_line(const struct option *option, size_t column)
{
	struct text line = { 0 };

	text_add(&line, option->help);
	if (!option_help_has_choices(option, false)) {
		text_add(&line, ": ");
		for (const char *choice = option->choices; *choice; choice++)
			text_printf(&line, *choice == ' ' ? ", " : "%c", *choice);
	}
	print_filled(line.bytes, column, column);
	text_free(&line);
}

static void print_option(const struct option *option)
{
	bool is_narrow = terminal_find(STDOUT_FILENO, false, "never").columns < NARROW_COLUMNS;
	int column = is_narrow ? NARROW_HELP_COLUMN : HELP_COLUMN, n_chars;
	char left[64];

	n_chars = option->letter ? snprintf(left, sizeof(left), "-%c, ", option->letter)
				 : snprintf(left, sizeof(left), "    ");
	n_chars += snprintf(left + n_chars, sizeof(left) - (size_t)n_chars, "--%s", option->name);
	if (option->kind == OPTION_OPTIONAL_NUMBER)
		snprintf(left + n_chars, sizeof(left) - (size_t)n_chars, "[=%s]", option->argument);
	else if (option->argument)
		snprintf(left + n_chars, sizeof(left) - (size_t)n_chars, " %s", option->argument);
	if (is_narrow || strlen(left) > HELP_COLUMN - 3)
		printf("  %s\n%*s", left, column, "");
	else
		printf("  %-*s", HELP_COLUMN - 2, left);
	print_help_line(option, (size_t)column);
}

/* The command lines as they are, for copying; the explanations below them are filled. */
static void print_examples(const char *line)
{
	for (size_t n_chars; *line; line += n_chars + (line[n_chars] == '\n')) {
		char explanation[256];

		n_chars = strcspn(line, "\n");
		snprintf(explanation, sizeof(explanation), "%.*s", (int)n_chars, line);
		if (strncmp(line, "  ", 2) != 0 || n_chars >= sizeof(explanation)) {
			printf("%.*s\n", (int)n_chars, line);
		} else {
			fputs("  ", stdout);
			print_filled(explanation + 2, 2, 2);
		}
	}
}

static void print_command(const struct command *command)
{
	bool has_options = command_option(command, 0) != NULL;
	const struct option *option;

	printf("usage: suai %s%s%s%s\n\n", command->name, has_options ? " [OPTION...]" : "",
		command->usage && *command->usage ? " " : "", command->usage ? command->usage : "");
	print_filled(command->summary, 0, 0);
	if (command->prose) {
		puts("");
		print_filled(command->prose, 0, 0);
	}
	if (has_options)
		puts("\noptions:");
	for (size_t i = 0; (option = command_option(command, i)); i++)
		print_option(option);
	if (command->examples) {
		puts("\nexamples:");
		print_examples(command->examples);
	}
}

bool help_wanted(const struct command *command, int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (command->runs_program && argv[i][0] != '-')
			return false;
		else if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return true;
	return false;
}

int help_print(const struct command *command)
{
	print_command(command);
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
		print_overview();
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
