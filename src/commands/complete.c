// SPDX-License-Identifier: MIT
/*
 * `suai complete`: what the completions of shells suggest, one per line, perhaps with a tab and a
 * description. Runs no code of a target.
 */
#include "base/array_size.h"
#include "cli/command.h"
#include "commands/devices.h"
#include "protocols/protocol.h"
#include "rules/engine/rule.h"
#include "run/query.h"
#include "targets/script_names.h"

#include <stdio.h>
#include <string.h>

/* Prints the suggestions for an argument, which may be "". Returns the exit code; -1 with err set.
 */
typedef int (*complete_kind)(const char *argument, struct err *err);

static int complete_rules(const char *argument, struct err *err)
{
	struct arena arena = { 0 };
	size_t n_rules;
	const struct rule **rules = rules_by_id(&arena, &n_rules);

	(void)argument;
	(void)err;
	for (size_t i = 0; i < n_rules; i++)
		printf("%s\t%s\n", rules[i]->id, rules[i]->summary);
	for (size_t i = 0; i < n_rules; i++) {
		size_t first = 0; /* of that name, which rules of several families may share */

		while (strcmp(rules[first]->name, rules[i]->name) != 0)
			first++;
		if (first == i)
			printf("%s\t%s\n", rules[i]->name, rules[i]->summary);
	}
	arena_free(&arena);
	return EXIT_DONE;
}

static int complete_query(const char *command_name, struct err *err)
{
	const struct command *command = command_find(command_name);

	if (!command)
		return command_unknown(command_name, err);
	if (command->query)
		query_print_keys(stdout, command->query);
	return EXIT_DONE;
}

static int complete_devices(const char *argument, struct err *err)
{
	(void)argument;
	return devices_print_names(stdout, err);
}

/* The steps that --only-step accepts whatever the target. */
static int complete_steps(const char *argument, struct err *err)
{
	(void)argument;
	(void)err;
	for (size_t i = 0; protocols[i]; i++) {
		const char *trial = protocols[i]->trials;

		for (size_t n_chars; trial && *trial; trial += n_chars + (trial[n_chars] == ' ')) {
			n_chars = strcspn(trial, " ");
			printf("trial %.*s of %s\n", (int)n_chars, trial, protocols[i]->name);
		}
	}
	return EXIT_DONE;
}

/* FILE.py:WORD as FILE.py:NAME for each name of the script; private names only for a word that
 * begins with an underscore. Prints nothing for other words, and scripts that cannot be read. */
static int complete_targets(const char *target, struct err *err)
{
	const char *colon = strstr(target, ".py:");
	struct arena arena = { 0 };
	struct script_names names = { 0 };
	const char *path;

	if (!colon)
		return EXIT_DONE;
	colon += strlen(".py");
	path = arena_copy(&arena, target, (size_t)(colon - target));
	if (!script_names_read(&arena, path, &names, err))
		for (size_t i = 0; i < names.n_items; i++)
			if (names.items[i][0] != '_' || colon[1] == '_')
				printf("%s:%s\n", path, names.items[i]);
	arena_free(&arena);
	return EXIT_DONE;
}

static int complete_run(void *settings, const struct option_list *operands, struct err *err)
{
	static const struct {
		const char *name;
		complete_kind print;
	} kinds[] = {
		{ "targets", complete_targets },
		{ "query", complete_query },
		{ "rules", complete_rules },
		{ "devices", complete_devices },
		{ "steps", complete_steps },
	};
	const char *name = operands->n_items ? operands->items[0] : "";
	const char *argument = operands->n_items > 1 ? operands->items[1] : "";

	(void)settings;
	for (size_t i = 0; i < ARRAY_SIZE(kinds) && operands->n_items <= 2; i++)
		if (!strcmp(kinds[i].name, name))
			return kinds[i].print(argument, err);
	return err_set(err, EXIT_USAGE,
		"complete: expected 'targets WORD', 'query COMMAND', 'rules', 'devices' or 'steps'");
}

const struct command complete_command = {
	.name = "complete",
	.summary = "print what the completions of shells suggest, one per line",
	.usage = "targets WORD | query COMMAND | rules | devices | steps",
	.prose =
		"The shell completions that 'make install' installs call this command. 'targets' finds the names of FILE.py:WORD in the text of "
		"FILE.py, which is not run.",
	.examples = "suai complete targets arrays.py:\n"
		    "  the names that arrays.py defines\n",
	.run = complete_run,
	.hidden = true,
};
