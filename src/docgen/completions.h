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
	DOCS_TARGETS,  /* file names, and the names in a script */
	DOCS_COMMANDS, /* names of commands */
	DOCS_ASKED,    /* what `suai complete KIND COMMAND` prints */
};

/* What a shell suggests as the value of an option, and as the operands of a command. */
enum docs_words docs_option_words(const struct option *option);
enum docs_words docs_operand_words(const struct command *command);

/* The KIND of DOCS_ASKED operands. */
#define DOCS_OPERAND_KIND "rules"

/* Whether a value must follow the option, and whether it is a list that commas separate. */
bool docs_takes_value(const struct option *option);
bool docs_takes_list(const struct option *option);

/* Writes text with a backslash before each of the characters, and with ' quoted for sh ('\''). */
void docs_write_escaped(FILE *out, const char *text, const char *characters, const char *quote);

#endif
