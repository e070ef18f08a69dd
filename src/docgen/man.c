// SPDX-License-Identifier: MIT
/*
 * The man pages as mdoc(7), from the command and option rows. Text that no row contains is in
 * text.h.
 */
#include "base/text.h"
#include "docgen/docs.h"
#include "docgen/mdoc.h"
#include "docgen/text.h"
#include "protocols/protocol.h"

#include <ctype.h>
#include <string.h>

static void man_write_option(FILE *out, const struct option *option)
{
	fputs(".It", out);
	if (option->letter)
		fprintf(out, " Fl %c ,", option->letter);
	fprintf(out, " Fl -%s", option->name);
	if (option->kind == OPTION_OPTIONAL_NUMBER)
		fprintf(out, " Ns Op = Ns Ar %s", option->argument);
	else if (option->argument)
		fprintf(out, " Ar %s", option->argument);
	fputs("\n", out);
	mdoc_write_sentence(out, option->help, strlen(option->help), ".");
	if (!option_help_has_choices(option, true))
		mdoc_write_choices(out, option);
	if (option->more)
		mdoc_write_prose(out, option->more);
}

static void man_write_options(FILE *out, const struct option *row)
{
	if (!row || !row->name)
		return;
	fputs(".Bl -tag -width Ds\n", out);
	for (; row->name; row++)
		man_write_option(out, row);
	fputs(".El\n", out);
}

static void write_synopsis(FILE *out, const struct command *command)
{
	fprintf(out, ".Nm suai\n.Cm %s\n", command->name);
	if (command_option(command, 0))
		fputs(".Op Ar option ...\n", out);
	if (command->usage && *command->usage) {
		fputs(".Ar ", out);
		mdoc_write_filled(out, command->usage, strlen(command->usage));
	}
}

static void man_write_command(FILE *out, const struct command *command)
{
	mdoc_write_sentence(out, command->summary, strlen(command->summary), ".");
	if (command->prose && *command->prose) {
		fputs(".Pp\n", out);
		mdoc_write_prose(out, command->prose);
	}
	man_write_options(out, command->options);
}

/* "command line\n  what it shows\n": writes the remark, then the line. */
static void write_examples(FILE *out, const char *examples)
{
	while (*examples) {
		size_t n_line = strcspn(examples, "\n");
		const char *remark = examples + n_line + (examples[n_line] == '\n');
		size_t n_remark = *remark == ' ' ? strcspn(remark, "\n") : 0;
		struct text line = { 0 };

		if (n_remark)
			mdoc_write_sentence(out, remark + 2, n_remark - 2, ":");
		mdoc_add_word(&line, examples, n_line);
		fprintf(out, ".Bd -literal -offset indent\n%s\n.Ed\n", line.bytes);
		text_free(&line);
		examples = remark + n_remark + (remark[n_remark] == '\n');
		fputs(*examples ? ".Pp\n" : "", out);
	}
}

/* Options shared by several commands, with the names of these commands. */
static void write_common(FILE *out, const struct option *rows)
{
	const struct command *command;
	const char *separator = "";

	fputs(".Ss Options of", out);
	for (size_t i = 0; (command = command_listed(i)); i++) {
		if (!command_takes(command, rows))
			continue;
		fprintf(out, "%s %s", separator, command->name);
		separator = ",";
	}
	fputs("\n", out);
	man_write_options(out, rows);
}

static void write_ending(FILE *out)
{
	fputs(".Sh ENVIRONMENT\n", out);
	mdoc_write_rows(out, "-tag -width Ds", docs_environment, "Ev ");
	fputs(".Pp\n", out);
	mdoc_write_prose(out, docs_environment_more);
	mdoc_write_rows(out, "-tag -width Ds", docs_environment_tests, "Ev ");
	fputs(".Sh FILES\n", out);
	mdoc_write_rows(out, "-tag -width Ds", docs_files, "Pa ");
	fputs(".Sh EXIT STATUS\n", out);
	mdoc_write_rows(out, "-tag -width Ds", docs_exit_status, "");
	fputs(".Pp\n", out);
	mdoc_write_filled(out, docs_exit_order, strlen(docs_exit_order));
}

static void write_head(FILE *out, const char *name, const char *summary)
{
	fprintf(out,
		".\\\" SPDX-License-Identifier: MIT\n.\\\" Written by `suai docs man`.\n"
		".Dd %s\n.Dt ",
		docs_date);
	for (const char *letter = name; *letter; letter++)
		fputc(toupper((unsigned char)*letter), out);
	fprintf(out, " 1\n.Os Linux\n.Sh NAME\n.Nm %s\n.Nd %s\n.Sh SYNOPSIS\n", name, summary);
}

static void write_protocols(FILE *out)
{
	fputs(".Ss Protocols\nIn the order in which they are shown:\n"
	      ".Bl -tag -width numpy-struct -compact\n",
		out);
	for (size_t i = 0; protocols[i]; i++) {
		const char *title = protocol_title(protocols[i]);

		if (protocols[i]->is_of_files)
			continue;
		fprintf(out, ".It Cm %s\n", protocols[i]->name);
		mdoc_write_filled(out, title, strlen(title));
	}
	fputs(".El\n", out);
}

static void write_page(FILE *out)
{
	const struct command *command;

	write_head(out, "suai", docs_summary);
	for (size_t i = 0; (command = command_listed(i)); i++)
		write_synopsis(out, command);
	fputs(".Nm\n.Fl -version\n.Sh DESCRIPTION\n", out);
	mdoc_write_prose(out, docs_description);
	write_protocols(out);
	fputs(".Ss Targets\n", out);
	mdoc_write_rows(out, "-tag -width Ds", docs_targets, "Ar ");
	fputs(".Pp\n", out);
	mdoc_write_prose(out, docs_targets_more);
	for (size_t i = 0; (command = command_listed(i)); i++) {
		fprintf(out, ".Ss suai %s\n", command->name);
		man_write_command(out, command);
	}
	write_common(out, target_options);
	write_common(out, shared_options);
	write_ending(out);
	fputs(".Sh EXAMPLES\n", out);
	for (size_t i = 0; (command = command_listed(i)); i++) {
		if (!command->examples)
			continue;
		fputs(i ? ".Pp\n" : "", out);
		write_examples(out, command->examples);
	}
	fputs(".Sh SEE ALSO\n.Xr suai.yaml 5 ,\n.Xr suai-rules 7\n.Sh STANDARDS\n", out);
	mdoc_write_rows(out, "-bullet", docs_standards, "");
}

static void write_command_page(FILE *out, const struct command *command)
{
	char name[64];

	snprintf(name, sizeof(name), "suai-%s", command->name);
	write_head(out, name, command->summary);
	write_synopsis(out, command);
	fputs(".Sh DESCRIPTION\n", out);
	man_write_command(out, command);
	if (command->loads)
		write_common(out, target_options);
	if (command->shares)
		write_common(out, shared_options);
	if (command->examples) {
		fputs(".Sh EXAMPLES\n", out);
		write_examples(out, command->examples);
	}
}

void docs_write_man(FILE *out, const struct command *command)
{
	if (command)
		write_command_page(out, command);
	else
		write_page(out);
}
