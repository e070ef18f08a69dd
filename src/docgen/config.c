// SPDX-License-Identifier: MIT
/* suai.yaml(5) as mdoc(7): the options that are keys, from their rows, and the other keys. */
#include "settings/config.h"
#include "base/text.h"
#include "docgen/docs.h"
#include "docgen/mdoc.h"
#include "docgen/text.h"
#include "settings/settings.h"

#include <string.h>

/* Writes the form of the value of an option. */
static void write_form(FILE *out, const struct option *row)
{
	const char *equals;

	switch (row->kind) {
	case OPTION_FLAG:
		fputs("true or false", out);
		break;
	case OPTION_NUMBER:
	case OPTION_OPTIONAL_NUMBER:
		fputs(row->least > 0 ? "a positive integer" : "a non-negative integer", out);
		break;
	case OPTION_LIST:
		equals = strchr(row->argument, '=');
		if (equals)
			fprintf(out, "map from %.*s to %s", (int)(equals - row->argument),
				row->argument, equals + 1);
		else
			fprintf(out, "%s, or list of %s", row->argument, row->argument);
		break;
	default:
		fputs(row->argument, out);
	}
}

/* Writes lines of YAML verbatim. */
static void write_lines(FILE *out, const char *lines)
{
	fputs(".Bd -literal -offset indent\n", out);
	while (*lines) {
		size_t n_chars = strcspn(lines, "\n");
		struct text line = { 0 };

		mdoc_add_word(&line, lines, n_chars);
		fprintf(out, "%s\n", line.bytes ? line.bytes : "");
		text_free(&line);
		lines += n_chars + (lines[n_chars] == '\n');
	}
	fputs(".Ed\n", out);
}

static void config_write_option(FILE *out, const struct option *row)
{
	struct text example = { 0 };

	fprintf(out, ".It Cm %s : Ar ", row->name);
	write_form(out, row);
	fputs("\n", out);
	mdoc_write_sentence(out, row->help, strlen(row->help), ".");
	if (!option_help_has_choices(row, true))
		mdoc_write_choices(out, row);
	if (row->more)
		mdoc_write_prose(out, row->more);
	text_printf(&example, "%s: %s\n", row->name, row->setting);
	write_lines(out, example.bytes);
	text_free(&example);
}

/* The keys of one command (NULL: of all commands) that are options. */
static void config_write_options(FILE *out, const struct command *command)
{
	const struct command *owner;
	const struct option *row;

	fputs(".Bl -tag -width Ds\n", out);
	for (size_t i = 0; (row = settings_key_at(i, &owner)); i++)
		if (owner == command)
			config_write_option(out, row);
	for (const struct config_key *key = config_keys; command && key->name; key++) {
		if (strcmp(key->command, command->name) != 0)
			continue;
		fprintf(out, ".It Cm %s : Ar %s\n", key->name, key->form);
		mdoc_write_sentence(out, key->help, strlen(key->help), ".");
		mdoc_write_prose(out, key->more);
		write_lines(out, key->example);
	}
	fputs(".El\n", out);
}

void docs_write_config(FILE *out)
{
	fprintf(out,
		".\\\" SPDX-License-Identifier: MIT\n.\\\" Written by `suai docs config`.\n"
		".Dd %s\n.Dt SUAI.YAML 5\n.Os Linux\n.Sh NAME\n.Nm suai.yaml\n"
		".Nd settings of suai\n.Sh DESCRIPTION\n",
		docs_date);
	mdoc_write_prose(out, docs_config_description);
	fputs(".Ss Keys of every command that loads targets\n", out);
	config_write_options(out, NULL);
	for (size_t i = 0; commands[i]; i++) {
		if (!settings_has_keys(commands[i]))
			continue;
		fprintf(out, ".Ss Keys of %s\n", commands[i]->name);
		config_write_options(out, commands[i]);
	}
	fputs(".Sh ENVIRONMENT\n", out);
	mdoc_write_rows(out, "-tag -width Ds", docs_config_environment, "Ev ");
	fputs(".Sh FILES\n", out);
	mdoc_write_rows(out, "-tag -width Ds", docs_config_files, "Pa ");
	fputs(".Sh EXAMPLES\nA project that checks its arrays with the rules of two interfaces:\n",
		out);
	write_lines(out, docs_config_example);
	fputs(".Sh SEE ALSO\n.Xr suai 1 ,\n.Xr suai-rules 7\n", out);
}
