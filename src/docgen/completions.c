// SPDX-License-Identifier: MIT
#include "docgen/completions.h"

#include <string.h>

enum docs_words docs_option_words(const struct option *option)
{
	if (option->choices)
		return DOCS_CHOICES;
	if (option->complete &&
		(!strcmp(option->complete, "file") || !strcmp(option->complete, "program")))
		return DOCS_FILES;
	return option->complete ? DOCS_ASKED : DOCS_NOTHING;
}

enum docs_words docs_operand_words(const struct command *command)
{
	if (!command->usage)
		return DOCS_NOTHING;
	if (strstr(command->usage, "TARGET"))
		return DOCS_TARGETS;
	if (strstr(command->usage, "PROGRAM"))
		return DOCS_FILES;
	if (strstr(command->usage, "COMMAND"))
		return DOCS_COMMANDS;
	return strstr(command->usage, "RULE") ? DOCS_ASKED : DOCS_NOTHING;
}

bool docs_takes_value(const struct option *option)
{
	return option->kind != OPTION_FLAG && option->kind != OPTION_OPTIONAL_NUMBER;
}

bool docs_takes_list(const struct option *option)
{
	return option->split || (option->complete && !strcmp(option->complete, "query"));
}

void docs_write_escaped(FILE *out, const char *text, const char *characters, const char *quote)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputs(quote, out);
		else
			fprintf(out, "%s%c", strchr(characters, *text) ? "\\" : "", *text);
	}
}
