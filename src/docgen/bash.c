// SPDX-License-Identifier: MIT
/* Completions for bash, which need nothing but bash: two tables by command and option. */
#include "docgen/docs.h"

#include "docgen/completions.h"

static const char head[] = "# SPDX-License-Identifier: MIT\n"
			   "# shellcheck shell=bash disable=SC2034,SC2207\n"
			   "# Completions of suai for bash. Written by `suai docs bash`.\n"
			   "\n"
			   "# _suai_options COMMAND: sets words to its options.\n"
			   "_suai_options()\n"
			   "{\n"
			   "\tcase $1 in\n";

static const char middle[] =
	"\tesac\n"
	"}\n"
	"\n"
	"# _suai_value COMMAND OPTION: sets words, and list if commas separate them, or files; fails if\n"
	"# the option takes no value.\n"
	"_suai_value()\n"
	"{\n"
	"\tcase $1:$2 in\n";

static const char operands_head[] = "\t*) return 1 ;;\n"
				    "\tesac\n"
				    "}\n"
				    "\n"
				    "# _suai_operand COMMAND: sets words or files.\n"
				    "_suai_operand()\n"
				    "{\n"
				    "\tcase $1 in\n";

static const char tail[] =
	"\tesac\n"
	"}\n"
	"\n"
	"_suai()\n"
	"{\n"
	"\tlocal word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
	"\tlocal command='' words='' list='' files='' prefix=''\n"
	"\tlocal IFS=$' \\t\\n'\n"
	"\n"
	"\tCOMPREPLY=()\n"
	"\t[ \"$COMP_CWORD\" -gt 1 ] && command=${COMP_WORDS[1]}\n"
	"\tif [ \"$word\" = = ]; then\n"
	"\t\tword=''\n"
	"\telif [ \"$before\" = = ]; then\n"
	"\t\tbefore=${COMP_WORDS[COMP_CWORD - 2]}\n"
	"\tfi\n"
	"\tif _suai_value \"$command\" \"$before\"; then\n"
	"\t\t:\n"
	"\telif [ -z \"$command\" ] || [ \"${word:0:1}\" = - ]; then\n"
	"\t\t_suai_options \"$command\"\n"
	"\telse\n"
	"\t\t_suai_operand \"$command\"\n"
	"\tfi\n"
	"\tif [ -n \"$list\" ] && [ \"$word\" != \"${word%,*}\" ]; then\n"
	"\t\tprefix=${word%,*},\n"
	"\t\tword=${word##*,}\n"
	"\tfi\n"
	"\tif [ -n \"$files\" ]; then\n"
	"\t\tcompopt -o filenames 2>/dev/null\n"
	"\t\tIFS=$'\\n' COMPREPLY=($(compgen -f -- \"$word\"))\n"
	"\telse\n"
	"\t\tCOMPREPLY=($(compgen -P \"$prefix\" -W \"$words\" -- \"$word\"))\n"
	"\tfi\n"
	"}\n"
	"\n"
	"complete -F _suai suai\n";

static void bash_write_words(FILE *out, enum docs_words words, const char *choices)
{
	switch (words) {
	case DOCS_FILES:
		fputs("files=1", out);
		break;
	case DOCS_RULES:
		fputs("words=$(" DOCS_LIST_RULES ")", out);
		break;
	case DOCS_CHOICES:
		fprintf(out, "words='%s'", choices);
		break;
	case DOCS_COMMANDS:
		fputs("words='", out);
		for (size_t i = 0; command_listed(i); i++)
			fprintf(out, "%s%s", i ? " " : "", command_listed(i)->name);
		fputs("'", out);
		break;
	default:
		fputs(":", out);
	}
}

static void bash_write_options(FILE *out, const struct command *command)
{
	const struct option *option;

	fprintf(out, "\t%s) words='", command->name);
	for (size_t i = 0; (option = command_option(command, i)); i++) {
		if (option->letter)
			fprintf(out, "-%c ", option->letter);
		fprintf(out, "--%s ", option->name);
	}
	fputs("--help' ;;\n", out);
}

static void write_values(FILE *out, const struct command *command)
{
	const struct option *option;

	for (size_t i = 0; (option = command_option(command, i)); i++) {
		if (!docs_takes_value(option))
			continue;
		fputs("\t", out);
		if (option->letter)
			fprintf(out, "%s:-%c | ", command->name, option->letter);
		fprintf(out, "%s:--%s) %s", command->name, option->name,
			option->split ? "list=1 " : "");
		bash_write_words(out, docs_option_words(option), option->choices);
		fputs(" ;;\n", out);
	}
}

void docs_write_bash(FILE *out)
{
	const struct command *command;

	fputs(head, out);
	fputs("\t'') ", out);
	bash_write_words(out, DOCS_COMMANDS, NULL);
	fputs(" words+=' --help --version' ;;\n", out);
	for (size_t i = 0; (command = command_listed(i)); i++)
		bash_write_options(out, command);
	fputs(middle, out);
	for (size_t i = 0; (command = command_listed(i)); i++)
		write_values(out, command);
	fputs(operands_head, out);
	for (size_t i = 0; (command = command_listed(i)); i++) {
		if (docs_operand_words(command) == DOCS_NOTHING)
			continue;
		fprintf(out, "\t%s) ", command->name);
		bash_write_words(out, docs_operand_words(command), NULL);
		fputs(" ;;\n", out);
	}
	fputs(tail, out);
}
