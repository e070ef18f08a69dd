// SPDX-License-Identifier: MIT
/* `suai docs`, for packagers: the man pages and the completions, written by `make docs`. */
#include "docgen/docs.h"

#include "base/array_size.h"

#include <string.h>

static int docs_run(void *settings, const struct option_list *operands, struct err *err)
{
	static const struct {
		const char *name;
		void (*write)(FILE *out);
	} kinds[] = {
		{ "rules", docs_write_rules },
		{ "config", docs_write_config },
		{ "bash", docs_write_bash },
		{ "zsh", docs_write_zsh },
		{ "fish", docs_write_fish },
	};
	const char *kind = operands->n_items ? operands->items[0] : "";
	const struct command *command = NULL;

	(void)settings;
	if (!strcmp(kind, "man") && operands->n_items <= 2) {
		if (operands->n_items == 2)
			command = command_find(operands->items[1]);
		if (operands->n_items == 2 && !command)
			return command_unknown(operands->items[1], err);
		docs_write_man(stdout, command);
		return EXIT_DONE;
	}
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (strcmp(kind, kinds[i].name) != 0 || operands->n_items != 1)
			continue;
		kinds[i].write(stdout);
		return EXIT_DONE;
	}
	return err_set(err, EXIT_USAGE,
		"docs: expected 'man [COMMAND]', 'rules', 'config', 'bash', 'zsh' or 'fish'");
}

const struct command docs_command = {
	.name = "docs",
	.summary = "write a man page or a shell's completions",
	.usage = "man [COMMAND] | rules | config | bash | zsh | fish",
	.examples = "suai docs man inspect | mandoc\n"
		    "  the man page of a command\n",
	.run = docs_run,
	.hidden = true,
};
