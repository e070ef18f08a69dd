// SPDX-License-Identifier: MIT
/*
 * Any words on a command line: the first byte chooses the command, the lines after it are its
 * arguments. They are parsed, or a message states what is wrong; what `validate` then selects is
 * rules, and what --query then prints of an array is one line for each key.
 */
#include "cli/command.h"
#include "commands/validate_settings.h"
#include "documents/document.h"
#include "formats/yaml/yaml_read.h"
#include "rules/engine/run.h"
#include "run/query.h"
#include "settings/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORDS = 32 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes);

static const char target_yaml[] =
	"target: arrays.py:a\n"
	"interfaces:\n"
	"- protocol: numpy\n"
	"  declared: {shape: [3, 4], typestr: '<f4', data: [65536, true], version: 3}\n"
	"  memory: {kind: host, asked: {low: '0x10000', high: '0x10030'}, by: maps}\n";

static void select_words(struct arena *arena, const struct validate_settings *settings)
{
	const struct rule_request request = { .select = settings->select,
		.extend_select = settings->extend_select,
		.ignore = settings->ignore,
		.spec = settings->spec,
		.fail_from = SEVERITY_ERROR,
		.facts = FACT_ALL };
	struct err err = { .message = "" };
	const struct rule_selection *selection = rules_select(arena, &request, &err);

	if (!selection && !err.message[0])
		abort();
	if (selection)
		rules_facts(selection);
}

static void query_words(struct arena *arena, const char *keys, const char *format)
{
	struct fact_target target;
	struct err err = { .message = "" };
	char *line = NULL;
	size_t n_bytes, n_lines = 0, n_keys = 1;
	FILE *stream;

	if (query_check(&query_arrays, keys, format, &err)) {
		if (!err.message[0])
			abort();
		return;
	}
	if (!keys)
		return;
	if (document_read(arena, yaml_read(arena, target_yaml, sizeof(target_yaml) - 1, &err),
		    &target, &err))
		abort();
	document_derive(arena, &target);
	stream = open_memstream(&line, &n_bytes);
	if (query_print(stream, query_array_row(arena, &target, NULL), keys, "text", &err) < 0)
		abort();
	fclose(stream);
	for (const char *c = keys; *c; c++)
		n_keys += *c == ',';
	for (size_t i = 0; i < n_bytes; i++)
		n_lines += line[i] == '\n';
	if (n_lines != n_keys)
		abort();
	free(line);
}

static void read_words(const struct command *command, int n_words, char **words)
{
	struct arena arena = { 0 };
	void *settings = settings_new(command);
	struct option_list operands = { 0 };
	struct err err = { .message = "" };

	if (settings_parse(command, n_words, words, settings, &operands, &err)) {
		if (!err.message[0])
			abort();
	} else if (!strcmp(command->name, "validate")) {
		const struct validate_settings *validate = settings;

		select_words(&arena, validate);
		query_words(&arena, validate->query, validate->shared.format);
		if (operands.n_items)
			query_words(&arena, operands.items[0], NULL);
	}
	settings_free(command, settings);
	option_list_free(&operands);
	arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
	char program[] = "suai", isolated[] = "--isolated", *words[MAX_WORDS + 3], *text, *rest;
	size_t n_commands = 0;
	int n_words = 0;

	while (commands[n_commands])
		n_commands++;
	if (!n_bytes || !n_commands)
		return 0;
	text = rest = strndup((const char *)bytes + 1, n_bytes - 1);
	unsetenv("SUAI_OPTS");
	words[n_words++] = program;
	if (commands[bytes[0] % n_commands]->shares)
		words[n_words++] = isolated;
	while (rest && n_words < MAX_WORDS)
		words[n_words++] = strsep(&rest, "\n");
	words[n_words] = NULL;
	read_words(commands[bytes[0] % n_commands], n_words, words);
	free(text);
	return 0;
}
