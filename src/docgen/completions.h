// SPDX-License-Identifier: MIT
/* What the completions of all shells share. */
#ifndef DOCGEN_COMPLETIONS_H
#define DOCGEN_COMPLETIONS_H

#include "cli/command.h"

#include <stdbool.h>
#include <stdio.h>

enum docs_words {
	DOCS_NOTHING,  /* no value is expected, or none can be suggested */
	DOCS_CHOICES,  /* the row's choices */
	DOCS_FILES,    /* file names */
	DOCS_RULES,    /* ids of rules */
	DOCS_COMMANDS, /* names of commands */
};

/* What a shell suggests as the value of an option, and as the operands of a command. */
enum docs_words docs_option_words(const struct option *option);
enum docs_words docs_operand_words(const struct command *command);

/* Whether a value must follow the option. */
bool docs_takes_value(const struct option *option);

/* Writes text with a backslash before each of the characters, and with ' quoted for sh ('\''). */
void docs_write_escaped(FILE *out, const char *text, const char *characters, const char *quote);

/* The command that lists the ids of all rules, for completions. */
#define DOCS_LIST_RULES "suai rule --query rule 2>/dev/null"

#endif
