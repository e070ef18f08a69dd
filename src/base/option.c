// SPDX-License-Identifier: MIT
/* The command line by option rows: long and short options, grouped flags, lists, suggestions. */
#include "base/option.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	MAX_WORDS = 256,
	MAX_WORD_CHARS = 64,
	N_TABLES = sizeof(((struct option_tables *)0)->of) / sizeof(struct option *),
};

struct parser {
	const struct option_tables *tables;
	int argc, next;
	char **argv;
	struct option_line *line;
	struct err *err;
};

/* The row that matches in one table, by name or by letter. */
static const struct option *find_option_in(
	const struct option *table, const char *name, size_t n_chars, char letter)
{
	for (; table && table->name; table++) {
		if (name ? strlen(table->name) == n_chars && !memcmp(table->name, name, n_chars)
			 : table->letter == letter)
			return table;
	}
	return NULL;
}

static const struct option *find_option(
	const struct option_tables *tables, const char *name, size_t n_chars, char letter)
{
	const struct option *row = NULL;

	for (size_t t = 0; t < N_TABLES && !row; t++)
		row = find_option_in(tables->of[t], name, n_chars, letter);
	return row;
}

/* The flag that --no-X undoes, or, named no-X, --X. Only what a file may have set needs undoing. */
static const struct option *find_negated(
	const struct option_tables *tables, const char *name, size_t n_chars)
{
	char longer[MAX_WORD_CHARS];
	const struct option *row = NULL;

	if (n_chars > 3 && !strncmp(name, "no-", 3))
		row = find_option(tables, name + 3, n_chars - 3, 0);
	if (!row && n_chars + 3 < sizeof(longer)) {
		snprintf(longer, sizeof(longer), "no-%.*s", (int)n_chars, name);
		row = find_option(tables, longer, n_chars + 3, 0);
	}
	return row && row->kind == OPTION_FLAG && row->setting ? row : NULL;
}

/* The same in the tables that are passed over. */
static const struct option *find_passed_over(
	const struct option_tables *tables, const char *name, size_t n_chars, char letter)
{
	const struct option *row = NULL;

	for (size_t i = 0; tables->others && tables->others[i] && !row; i++) {
		const struct option_tables other = { .of = { tables->others[i] } };

		row = find_option(&other, name, n_chars, letter);
		if (!row && name)
			row = find_negated(&other, name, n_chars);
	}
	return row;
}

static int unknown_option(const struct parser *parser, const char *name, size_t n_chars)
{
	const char *names[MAX_WORDS], *nearest;
	char word[MAX_WORD_CHARS + 1] = "";
	size_t n_names = 0;

	for (size_t t = 0; t < N_TABLES; t++)
		for (const struct option *row = parser->tables->of[t]; row && row->name; row++)
			if (n_names < MAX_WORDS)
				names[n_names++] = row->name;
	if (n_chars < sizeof(word))
		memcpy(word, name, n_chars);
	nearest = option_suggest(word, names, n_names);
	if (nearest)
		return err_set(parser->err, EXIT_USAGE,
			"unknown option '--%.*s' (did you mean '--%s'?)", (int)n_chars, name,
			nearest);
	return err_set(parser->err, EXIT_USAGE, "unknown option '--%.*s'", (int)n_chars, name);
}

static void add_given(struct option_line *line, struct option_given given)
{
	line->items = mem_resize(line->items, (line->n_items + 1) * sizeof(*line->items));
	line->items[line->n_items++] = given;
}

/* Takes the next argument as the row's value where none stands with the option. */
static int take_value(
	struct parser *parser, const struct option *row, char *value, bool passed_over)
{
	bool needs = row->kind != OPTION_FLAG && row->kind != OPTION_OPTIONAL_NUMBER;

	if (needs && !value) {
		if (parser->next >= parser->argc)
			return err_set(parser->err, EXIT_USAGE, "--%s: needs a value (%s)",
				row->name, row->argument ? row->argument : "VALUE");
		value = parser->argv[parser->next++];
	}
	if (!passed_over)
		add_given(parser->line, (struct option_given){ .row = row, .value = value });
	return 0;
}

static int read_long(struct parser *parser, char *name)
{
	size_t n_chars = strcspn(name, "=");
	char *value = name[n_chars] ? name + n_chars + 1 : NULL;
	const struct option *row = find_option(parser->tables, name, n_chars, 0);

	if (row)
		return take_value(parser, row, value, false);
	row = find_negated(parser->tables, name, n_chars);
	if (row) {
		add_given(parser->line,
			(struct option_given){ .row = row, .value = value, .undone = true });
		return 0;
	}
	row = find_passed_over(parser->tables, name, n_chars, 0);
	return row ? take_value(parser, row, value, true) : unknown_option(parser, name, n_chars);
}

/* One argument of letters: flags, and at last one that may take the rest as its value. */
static int read_letters(struct parser *parser, char *letters)
{
	for (; *letters; letters++) {
		const struct option *row = find_option(parser->tables, NULL, 0, *letters);
		bool is_other = !row;

		if (!row)
			row = find_passed_over(parser->tables, NULL, 0, *letters);
		if (!row)
			return err_set(parser->err, EXIT_USAGE, "unknown option '-%c'", *letters);
		if (row->kind != OPTION_FLAG)
			return take_value(parser, row, letters[1] ? letters + 1 : NULL, is_other);
		if (take_value(parser, row, NULL, is_other))
			return -1;
	}
	return 0;
}

int option_read(const struct option_tables *tables, int argc, char **argv, struct option_line *line,
	struct err *err)
{
	struct parser parser = { tables, argc, 1, argv, line, err };
	bool options_end = false;

	while (parser.next < argc) {
		char *word = argv[parser.next++];

		if (options_end || word[0] != '-' || !word[1]) {
			option_list_add(&line->operands, word);
			continue;
		}
		if (!strcmp(word, "--")) {
			options_end = true;
			continue;
		}
		if (word[1] == '-' ? read_long(&parser, word + 2) : read_letters(&parser, word + 1))
			return -1;
	}
	return 0;
}

void option_line_free(struct option_line *line)
{
	free(line->items);
	option_list_free(&line->operands);
	*line = (struct option_line){ 0 };
}

int option_parse(const struct option_tables *tables, int argc, char **argv, void *settings,
	struct option_list *operands, struct err *err)
{
	struct option_line line = { 0 };
	int status = option_read(tables, argc, argv, &line, err);

	for (size_t i = 0; i < line.n_items && !status; i++) {
		status = option_store(&line.items[i], settings, err);
		if (status)
			err_wrap(err, "--%s", line.items[i].row->name);
	}
	for (size_t i = 0; i < line.operands.n_items; i++)
		option_list_add(operands, line.operands.items[i]);
	option_line_free(&line);
	return status;
}
