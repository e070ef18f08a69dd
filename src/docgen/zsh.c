// SPDX-License-Identifier: MIT
/* Completions for zsh: one _arguments call for each command. */
#include "docgen/docs.h"

#include "docgen/completions.h"

static const char head[] =
	"#compdef suai\n"
	"# SPDX-License-Identifier: MIT\n"
	"# Completions of suai for zsh. Written by `suai docs zsh`.\n"
	"\n"
	"_suai_targets() {\n"
	"\tlocal plain=${(Q)PREFIX}\n"
	"\n"
	"\tif compset -P 1 '*.(py|ipynb):' || { [[ $PREFIX != */* ]] && compset -P 1 '*:'; }; then\n"
	"\t\tcompadd -- ${${(f)\"$(suai complete targets ${plain/#\\~\\//$HOME/} 2>/dev/null)\"}##*:}\n"
	"\telse\n"
	"\t\t_files\n"
	"\tfi\n"
	"}\n"
	"\n"
	"# _suai_ask KIND OPTION...: adds what suai suggests, with the options of compadd.\n"
	"_suai_ask() {\n"
	"\tlocal -a found\n"
	"\n"
	"\tfound=(${${(f)\"$(suai complete $1 $words[1] 2>/dev/null)\"}%%$'\\t'*})\n"
	"\tcompadd \"${@:2}\" -a found\n"
	"}\n"
	"\n"
	"_suai_commands() {\n"
	"\tlocal -a commands=(\n";

static const char body[] =
	"\t)\n"
	"\t_describe -t commands command commands\n"
	"}\n"
	"\n"
	"_suai() {\n"
	"\tlocal curcontext=$curcontext state state_descr line\n"
	"\ttypeset -A opt_args\n"
	"\n"
	"\t_arguments -C '(- *)'{-h,--help}'[list the commands]' \\\n"
	"\t\t'(- *)'{-V,--version}'[print the version and the features of this build]' \\\n"
	"\t\t'1:command:_suai_commands' '*::argument:->argument' && return\n"
	"\tcase $words[1] in\n";

static const char tail[] = "\tesac\n"
			   "}\n"
			   "\n"
			   "_suai \"$@\"\n";

/*
 * Writes text inside single quotes, escaped for _arguments, which interprets brackets and colons.
 */
static void zsh_write_text(FILE *out, const char *text)
{
	docs_write_escaped(out, text, "\\[]:", "'\\''");
}

static void zsh_write_words(FILE *out, const struct option *option)
{
	if (!option->argument)
		return;
	fputs(option->kind == OPTION_OPTIONAL_NUMBER ? "::" : ":", out);
	zsh_write_text(out, option->argument);
	switch (docs_option_words(option)) {
	case DOCS_FILES:
		fputs(":_files", out);
		break;
	case DOCS_ASKED:
		fprintf(out, ":%s _suai_ask %s", docs_takes_list(option) ? "_sequence" : "",
			option->complete);
		break;
	case DOCS_CHOICES:
		fprintf(out, option->split ? ":_sequence compadd - %s" : ":(%s)", option->choices);
		break;
	default:
		fputs(": ", out);
	}
}

static void zsh_write_option(FILE *out, const struct option *option)
{
	const char *sign = docs_takes_value(option)                 ? "="
			   : option->kind == OPTION_OPTIONAL_NUMBER ? "=-"
								    : "";
	const char *letter_sign = docs_takes_value(option) ? "+" : "";
	bool repeats = option->kind == OPTION_LIST;

	fputs("\t\t\t", out);
	if (option->letter && !repeats)
		fprintf(out, "'(-%c --%s)'", option->letter, option->name);
	if (option->letter)
		fprintf(out, "%s{-%c%s,--%s%s}'[", repeats ? "\\*" : "", option->letter,
			letter_sign, option->name, sign);
	else
		fprintf(out, "'%s--%s%s[", repeats ? "*" : "", option->name, sign);
	zsh_write_text(out, option->help);
	fputs("]", out);
	zsh_write_words(out, option);
	fputs("' \\\n", out);
}

static void zsh_write_command(FILE *out, const struct command *command)
{
	static const char *const operands[] = {
		[DOCS_NOTHING] = "",
		[DOCS_FILES] = " \\\n\t\t\t'*:target:_files'",
		[DOCS_TARGETS] = " \\\n\t\t\t'*:target:_suai_targets'",
		[DOCS_ASKED] = (" \\\n\t\t\t'*:rule: _suai_ask " DOCS_OPERAND_KIND "'"),
		[DOCS_COMMANDS] = " \\\n\t\t\t'1:command:_suai_commands'",
	};
	const struct option *option;

	fprintf(out, "\t%s)\n\t\t_arguments -s -S \\\n", command->name);
	for (size_t i = 0; (option = command_option(command, i)); i++)
		zsh_write_option(out, option);
	fprintf(out, "\t\t\t'(- *)--help[show help for the command]'%s ;;\n",
		operands[docs_operand_words(command)]);
}

void docs_write_zsh(FILE *out)
{
	const struct command *command;

	fputs(head, out);
	for (size_t i = 0; (command = command_listed(i)); i++) {
		fprintf(out, "\t\t'%s:", command->name);
		zsh_write_text(out, command->summary);
		fputs("'\n", out);
	}
	fputs(body, out);
	for (size_t i = 0; (command = command_listed(i)); i++)
		zsh_write_command(out, command);
	fputs(tail, out);
}
