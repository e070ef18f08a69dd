// SPDX-License-Identifier: MIT
/*
 * `suai complete`: what the completions of shells suggest, one per line, perhaps with a tab and a
 * description. Runs no code of a target.
 */
#include "base/array_size.h"
#include "base/identifier.h"
#include "base/read_file.h"
#include "base/text.h"
#include "cli/command.h"
#include "commands/devices.h"
#include "consumers/cases.h"
#include "formats/yaml/yaml_read.h"
#include "protocols/protocol.h"
#include "rules/engine/rule.h"
#include "run/query.h"
#include "targets/script_names.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_NOTEBOOK_BYTES = 16 << 20 }; /* read while the user waits */

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

/* The cases of --consumer. */
static int complete_cases(const char *argument, struct err *err)
{
	(void)argument;
	(void)err;
	for (const struct consumer_case *row = consumer_cases; row->id; row++)
		printf("%s\t%s\n", row->id, row->about);
	return EXIT_DONE;
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

/* The names that the code cells of a notebook bind. */
static int read_notebook_names(
	struct arena *arena, const char *path, struct script_names *names, struct err *err)
{
	struct text file = { 0 }, code = { 0 };
	const struct value *document, *cells;
	struct stat there;
	int status = stat(path, &there) || !S_ISREG(there.st_mode) ||
		     there.st_size > MAX_NOTEBOOK_BYTES || read_file(path, &file, err);

	document = status ? NULL : yaml_read(arena, file.bytes, file.n_bytes, err);
	cells = value_get(document, "cells");
	for (size_t i = 0; value_is_sequence(cells) && i < cells->n_items; i++) {
		const struct value *cell = cells->items[i], *source = value_get(cell, "source");

		if (!value_is_text(value_get(cell, "cell_type"), "code"))
			continue;
		text_add(&code, value_text_or(source, ""));
		for (size_t k = 0; value_is_sequence(source) && k < source->n_items; k++)
			text_add(&code, value_text_or(source->items[k], ""));
		text_add(&code, "\n");
	}
	if (code.n_bytes)
		script_names_find(arena, code.bytes, code.n_bytes, names);
	text_free(&code);
	text_free(&file);
	return document ? 0 : -1;
}

/* The file of a dotted module below the working directory. */
static const char *find_module_file(struct arena *arena, const char *module)
{
	char *path = arena_copy(arena, module, strlen(module));
	const char *package;

	for (char *dot = path; (dot = strchr(dot, '.'));)
		*dot = '/';
	package = arena_printf(arena, "%s/__init__.py", path);
	return access(package, F_OK) ? arena_printf(arena, "%s.py", path) : package;
}

/* FILE:WORD and MODULE:WORD with each name of the script or notebook; private names only for a word
 * that begins with an underscore. Prints nothing for other words, and files that cannot be read. */
static int complete_targets(const char *target, struct err *err)
{
	const char *colon = strstr(target, ".py:"), *cell_colon = strstr(target, ".ipynb:");
	struct arena arena = { 0 };
	struct script_names names = { 0 };
	const char *file;
	int status;

	colon = colon        ? colon + strlen(".py")
		: cell_colon ? cell_colon + strlen(".ipynb")
			     : strchr(target, ':');
	if (!colon)
		return EXIT_DONE;
	for (const char *name = colon + 1; *name; name++)
		if (!is_identifier_byte(*name))
			return EXIT_DONE; /* the name is complete */
	file = arena_copy(&arena, target, (size_t)(colon - target));
	if (cell_colon)
		status = read_notebook_names(&arena, file, &names, err);
	else
		status = script_names_read(&arena,
			strstr(target, ".py:") || strchr(file, '/')
				? file
				: find_module_file(&arena, file),
			&names, err);
	for (size_t i = 0; i < names.n_items && !status; i++)
		if (names.items[i][0] != '_' || colon[1] == '_')
			printf("%s:%s\n", file, names.items[i]);
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
		{ "cases", complete_cases },
	};
	const char *name = operands->n_items ? operands->items[0] : "";
	const char *argument = operands->n_items > 1 ? operands->items[1] : "";

	(void)settings;
	for (size_t i = 0; i < ARRAY_SIZE(kinds) && operands->n_items <= 2; i++)
		if (!strcmp(kinds[i].name, name))
			return kinds[i].print(argument, err);
	return err_set(err, EXIT_USAGE,
		"complete: expected 'targets WORD', 'query COMMAND', 'rules', 'devices', 'steps' or 'cases'");
}

const struct command complete_command = {
	.name = "complete",
	.summary = "print the suggestions of shell completion, one per line",
	.usage = "KIND [WORD]",
	.prose =
		"The shell completions that 'make install' installs call this command. KIND is one of: targets, the names of FILE.py:WORD in the text of "
		"FILE.py, which is not run; query, the keys of --query of the command WORD; rules; devices; steps, the values of --only-step; "
		"and cases, the tensors of 'suai validate --consumer', with a description of each.",
	.examples = "suai complete targets arrays.py:\n"
		    "  the names that arrays.py defines\n"
		    "suai complete cases\n"
		    "  the names of --case\n",
	.run = complete_run,
};
