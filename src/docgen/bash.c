// SPDX-License-Identifier: MIT
/* Completions for bash, which need nothing but bash and suai: tables by command and option. */
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
	"# _suai_value COMMAND OPTION: sets words, asks or files, and list if commas separate values;\n"
	"# fails if the option takes no value.\n"
	"_suai_value()\n"
	"{\n"
	"\tcase $1:$2 in\n";

static const char operands_head[] = "\t*) return 1 ;;\n"
				    "\tesac\n"
				    "}\n"
				    "\n"
				    "# _suai_operand COMMAND: sets words, asks or files.\n"
				    "_suai_operand()\n"
				    "{\n"
				    "\tcase $1 in\n";

static const char tail[] =
	"\tesac\n"
	"}\n"
	"\n"
	"# _suai_quote: quotes line, which replaces the word or what follows its opening quote.\n"
	"_suai_quote()\n"
	"{\n"
	"\tcase $word in\n"
	"\t\\'*) : ;;\n"
	"\t\\\"*) line=${line//\\$/\\\\$} line=${line//\\`/\\\\\\`} ;; # it has no other special characters\n"
	"\t*) printf -v line %q \"$line\" ;;\n"
	"\tesac\n"
	"}\n"
	"\n"
	"# _suai_ask: sets COMPREPLY to what suai suggests for asks.\n"
	"_suai_ask()\n"
	"{\n"
	"\tlocal plain=${word//[\\\\\\'\\\"]/} argument=$command line\n"
	"\n"
	"\tplain=${plain/#\\~\\//$HOME/}\n"
	"\t[ -n \"$typed\" ] && typed=${plain%\"${plain##*:}\"}\n"
	"\t[ \"$asks\" = targets ] && argument=$plain\n"
	"\t[ \"$asks\" = steps ] && compopt -o filenames 2>/dev/null # quotes blanks\n"
	"\twhile IFS= read -r line; do\n"
	"\t\tline=${line%%$'\\t'*}\n"
	"\t\t[[ $line == \"$plain\"* ]] || continue\n"
	"\t\t[ \"$asks$typed\" = targets ] && _suai_quote\n"
	"\t\tCOMPREPLY+=(\"$prefix$line\")\n"
	"\tdone < <(suai complete \"$asks\" \"$argument\" 2>/dev/null)\n"
	"}\n"
	"\n"
	"_suai()\n"
	"{\n"
	"\tlocal index=$COMP_CWORD word=${COMP_WORDS[COMP_CWORD]} before\n"
	"\tlocal command='' words='' asks='' list='' files='' prefix='' typed=''\n"
	"\tlocal IFS=$' \\t\\n'\n"
	"\n"
	"\tCOMPREPLY=()\n"
	"\t[ \"$COMP_CWORD\" -gt 1 ] && command=${COMP_WORDS[1]}\n"
	"\t# Readline splits words at colons, and replaces only what follows the last one.\n"
	"\twhile [ \"$index\" -gt 2 ] && [[ ${COMP_WORDS[index]} == : || ${COMP_WORDS[index - 1]} == : ]]; do\n"
	"\t\tindex=$((index - 1))\n"
	"\t\tword=${COMP_WORDS[index]}$word\n"
	"\t\ttyped=${word%\"${word##*:}\"}\n"
	"\tdone\n"
	"\tbefore=${COMP_WORDS[index - 1]}\n"
	"\tif [ \"$word\" = = ]; then\n"
	"\t\tword=''\n"
	"\telif [ \"$before\" = = ]; then\n"
	"\t\tbefore=${COMP_WORDS[index - 2]}\n"
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
	"\tif [ \"$asks\" = targets ] && [[ ! $word =~ (\\.py|\\.ipynb|^[A-Za-z_][A-Za-z0-9_.]*): ]]; then\n"
	"\t\tasks='' files=1\n"
	"\tfi\n"
	"\tif [ -n \"$asks\" ]; then\n"
	"\t\t_suai_ask\n"
	"\telif [ -n \"$files\" ]; then\n"
	"\t\tcompopt -o filenames 2>/dev/null\n"
	"\t\tIFS=$'\\n' COMPREPLY=($(compgen -f -- \"$word\"))\n"
	"\telse\n"
	"\t\tCOMPREPLY=($(compgen -P \"$prefix\" -W \"$words\" -- \"$word\"))\n"
	"\tfi\n"
	"\t[ -n \"$typed\" ] && COMPREPLY=(\"${COMPREPLY[@]#\"$typed\"}\")\n"
	"}\n"
	"\n"
	"complete -F _suai suai\n";

/* text: the choices, or the kind of what suai is asked for. */
static void bash_write_words(FILE *out, enum docs_words words, const char *text)
{
	switch (words) {
	case DOCS_FILES:
		fputs("files=1", out);
		break;
	case DOCS_TARGETS:
		fputs("asks=targets", out);
		break;
	case DOCS_ASKED:
		fprintf(out, "asks=%s", text);
		break;
	case DOCS_CHOICES:
		fprintf(out, "words='%s'", text);
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
			docs_takes_list(option) ? "list=1 " : "");
		bash_write_words(out, docs_option_words(option),
			option->choices ? option->choices : option->complete);
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
		bash_write_words(out, docs_operand_words(command), DOCS_OPERAND_KIND);
		fputs(" ;;\n", out);
	}
	fputs(tail, out);
}
