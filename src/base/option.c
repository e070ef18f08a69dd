// SPDX-License-Identifier: MIT
/* The command line by option rows: long and short options, grouped flags, lists, suggestions. */
#include "base/option.h"

#include "base/memory.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORDS = 256, MAX_WORD_CHARS = 64 };

struct parser {
	const struct option_tables *tables;
	int argc, next;
	char **argv;
	char *settings;
	struct err *err;
};

void option_list_add(struct option_list *list, const char *item)
{
	list->items = mem_resize(list->items, (list->n_items + 1) * sizeof(*list->items));
	list->items[list->n_items++] = item;
}

void option_list_free(struct option_list *list)
{
	free(list->items);
	*list = (struct option_list){ 0 };
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Edits (insert, delete, replace, swap two neighbours) from a to b; both under MAX_WORD_CHARS. */
static size_t edit_distance(const char *a, size_t n_a, const char *b, size_t n_b)
{
	size_t rows[3][MAX_WORD_CHARS + 1];

	for (size_t j = 0; j <= n_b; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= n_a; i++) {
		size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];

		row[0] = i;
		for (size_t j = 1; j <= n_b; j++) {
			row[j] = least(above[j], row[j - 1]) + 1;
			row[j] = least(row[j], above[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = least(row[j], above2[j - 2] + 1);
		}
	}
	return rows[n_a % 3][n_b];
}

const char *option_suggest(const char *word, const char *const *words, size_t n_words)
{
	size_t n_chars = strlen(word), best = n_chars / 3 + 1;
	const char *nearest = NULL;

	if (n_chars > MAX_WORD_CHARS)
		return NULL;
	for (size_t i = 0; i < n_words; i++) {
		size_t n_candidate = strlen(words[i]), distance;

		if (n_candidate > MAX_WORD_CHARS)
			continue;
		distance = edit_distance(word, n_chars, words[i], n_candidate);
		if (distance < best) {
			best = distance;
			nearest = words[i];
		}
	}
	return nearest;
}

/* The row that matches in one table, by name or by letter. */
static const struct option *find_in(
	const struct option *table, const char *name, size_t n_chars, char letter)
{
	for (; table && table->name; table++) {
		if (name ? strlen(table->name) == n_chars && !memcmp(table->name, name, n_chars)
			 : table->letter == letter)
			return table;
	}
	return NULL;
}

static const struct option *find(
	const struct option_tables *tables, const char *name, size_t n_chars, char letter)
{
	const struct option *row = find_in(tables->own, name, n_chars, letter);

	return row ? row : find_in(tables->shared, name, n_chars, letter);
}

static int unknown_option(const struct parser *parser, const char *name, size_t n_chars)
{
	const struct option *both[] = { parser->tables->own, parser->tables->shared };
	const char *names[MAX_WORDS], *nearest;
	char word[MAX_WORD_CHARS + 1] = "";
	size_t n_names = 0;

	for (size_t i = 0; i < 2; i++)
		for (const struct option *row = both[i]; row && row->name; row++)
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

/* Splits choices at spaces, in place, into words. */
static size_t split_words(char *choices, const char *words[MAX_WORDS])
{
	char *rest = NULL;
	size_t n_words = 0;

	for (char *word = strtok_r(choices, " ", &rest); word && n_words < MAX_WORDS;
		word = strtok_r(NULL, " ", &rest))
		words[n_words++] = word;
	return n_words;
}

/* Whether value is one of the row's choices; rows without choices take anything. */
static int check_choice(const struct parser *parser, const struct option *row, const char *value)
{
	const char *words[MAX_WORDS], *nearest;
	char *choices;
	size_t n_words;
	int result = -1;

	if (!row->choices)
		return 0;
	choices = mem_copy_text(row->choices);
	n_words = split_words(choices, words);
	for (size_t i = 0; i < n_words && result; i++)
		result = strcmp(words[i], value) ? -1 : 0;
	if (result) {
		nearest = option_suggest(value, words, n_words);
		err_set(parser->err, EXIT_USAGE, "--%s: unknown value '%s' (%s%s)", row->name,
			value,
			nearest ? "did you mean " : "one of: ", nearest ? nearest : row->choices);
	}
	free(choices);
	return result;
}

static int store_number(const struct parser *parser, const struct option *row, const char *value)
{
	int64_t *field = (void *)(parser->settings + row->offset);
	char *end;

	errno = 0;
	*field = strtoll(value, &end, 10);
	if (errno || end == value || *end)
		return err_set(
			parser->err, EXIT_USAGE, "--%s: '%s' is not a number", row->name, value);
	return 0;
}

static int store_items(const struct parser *parser, const struct option *row, char *value)
{
	struct option_list *list = (void *)(parser->settings + row->offset);
	char *rest = value;

	if (!row->split) {
		option_list_add(list, value);
		return check_choice(parser, row, value);
	}
	while (rest) {
		char *item = strsep(&rest, ",");

		if (!*item)
			continue;
		if (check_choice(parser, row, item))
			return -1;
		option_list_add(list, item);
	}
	return 0;
}

/* Puts a value (NULL: none was given) where the row says. */
static int store(const struct parser *parser, const struct option *row, char *value)
{
	char *field = parser->settings + row->offset;

	switch (row->kind) {
	case OPTION_FLAG:
		if (value)
			return err_set(parser->err, EXIT_USAGE, "--%s: takes no value", row->name);
		*(bool *)field = true;
		return 0;
	case OPTION_OPTIONAL_NUMBER:
		if (value)
			return store_number(parser, row, value);
		*(int64_t *)(void *)field = row->absent;
		return 0;
	case OPTION_NUMBER:
		return store_number(parser, row, value);
	case OPTION_LIST:
		return store_items(parser, row, value);
	default:
		*(const char **)(void *)field = value;
		return check_choice(parser, row, value);
	}
}

/* Takes the next argument as the row's value where none stands with the option. */
static int store_or_take(struct parser *parser, const struct option *row, char *value)
{
	bool needs = row->kind != OPTION_FLAG && row->kind != OPTION_OPTIONAL_NUMBER;

	if (needs && !value) {
		if (parser->next >= parser->argc)
			return err_set(parser->err, EXIT_USAGE, "--%s: needs a value (%s)",
				row->name, row->argument ? row->argument : "VALUE");
		value = parser->argv[parser->next++];
	}
	return store(parser, row, value);
}

static int parse_long(struct parser *parser, char *name)
{
	size_t n_chars = strcspn(name, "=");
	const struct option *row = find(parser->tables, name, n_chars, 0);

	if (!row)
		return unknown_option(parser, name, n_chars);
	return store_or_take(parser, row, name[n_chars] ? name + n_chars + 1 : NULL);
}

/* One argument of letters: flags, and at last one that may take the rest as its value. */
static int parse_letters(struct parser *parser, char *letters)
{
	for (; *letters; letters++) {
		const struct option *row = find(parser->tables, NULL, 0, *letters);

		if (!row)
			return err_set(parser->err, EXIT_USAGE, "unknown option '-%c'", *letters);
		if (row->kind != OPTION_FLAG)
			return store_or_take(parser, row, letters[1] ? letters + 1 : NULL);
		if (store(parser, row, NULL))
			return -1;
	}
	return 0;
}

int option_parse(const struct option_tables *tables, int argc, char **argv, void *settings,
	struct option_list *operands, struct err *err)
{
	struct parser parser = { tables, argc, 1, argv, settings, err };
	bool options_end = false;

	while (parser.next < argc) {
		char *word = argv[parser.next++];

		if (options_end || word[0] != '-' || !word[1]) {
			option_list_add(operands, word);
			continue;
		}
		if (!strcmp(word, "--")) {
			options_end = true;
			continue;
		}
		if (word[1] == '-' ? parse_long(&parser, word + 2)
				   : parse_letters(&parser, word + 1))
			return -1;
	}
	return 0;
}

static bool mentions_all(const char *text, const char *choices)
{
	char word[64];

	while (*choices) {
		size_t n_chars = strcspn(choices, " ");

		snprintf(word, sizeof(word), "%.*s", (int)n_chars, choices);
		if (!strstr(text, word))
			return false;
		choices += n_chars + (choices[n_chars] == ' ');
	}
	return true;
}

bool option_help_has_choices(const struct option *option, bool paragraph_too)
{
	return !option->choices || mentions_all(option->help, option->choices) ||
	       (paragraph_too && option->more && mentions_all(option->more, option->choices));
}
