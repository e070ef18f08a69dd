// SPDX-License-Identifier: MIT
/*
 * The command line by option rows: long and short options, grouped flags; their values, checked and
 * stored; the nearest name if one is unknown.
 */
#include "base/option.h"

#include "base/memory.h"
#include "base/text.h"
#include "base/utf8.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
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

/* The flag X that --no-X undoes, or the flag no-X that --X undoes, if a settings file can set it.
 */
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

/* Finds an option in the tables of ignored options. */
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
	char word[MAX_WORD_CHARS + 1] = "", spelled[MAX_WORD_CHARS + sizeof("--")];
	size_t n_names = 0;

	for (size_t t = 0; t < N_TABLES; t++)
		for (const struct option *row = parser->tables->of[t]; row && row->name; row++)
			if (n_names < MAX_WORDS)
				names[n_names++] = row->name;
	if (n_chars < sizeof(word))
		memcpy(word, name, n_chars);
	nearest = option_suggest(word, names, n_names);
	err_set(parser->err, EXIT_USAGE, "unknown option '--%.*s'", (int)n_chars, name);
	snprintf(spelled, sizeof(spelled), "--%s", nearest ? nearest : "");
	return err_suggest(parser->err, nearest ? spelled : NULL, NULL);
}

static void add_given(struct option_line *line, struct option_given given)
{
	line->items = mem_resize(line->items, (line->n_items + 1) * sizeof(*line->items));
	line->items[line->n_items++] = given;
}

/* Uses the next argument as the row's value if the option has none attached. */
static int take_value(
	struct parser *parser, const struct option *row, char *value, bool passed_over)
{
	bool needs = row->kind != OPTION_FLAG && row->kind != OPTION_OPTIONAL_NUMBER;

	if (needs && !value) {
		if (parser->next >= parser->argc)
			return err_set(parser->err, EXIT_USAGE, "--%s: requires a value (%s)",
				row->name, row->argument ? row->argument : "VALUE");
		value = parser->argv[parser->next++];
	}
	for (size_t i = 0; row->once && !passed_over && i < parser->line->n_items; i++)
		if (parser->line->items[i].row == row)
			return err_set(parser->err, EXIT_USAGE,
				"--%s: expected one %s, got '%s' and '%s'", row->name,
				row->argument, parser->line->items[i].value, value);
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

static int unknown_letter(const struct parser *parser, const char *letters)
{
	int n_bytes = 1;

	while (utf8_continues(letters[n_bytes]))
		n_bytes++;
	return err_set(parser->err, EXIT_USAGE, "unknown option '-%.*s'", n_bytes, letters);
}

/* One argument of letters: flags, and a last option that may take the rest as its value. */
static int read_letters(struct parser *parser, char *letters)
{
	for (; *letters; letters++) {
		const struct option *row = find_option(parser->tables, NULL, 0, *letters);
		bool is_other = !row;

		if (!row)
			row = find_passed_over(parser->tables, NULL, 0, *letters);
		if (!row)
			return unknown_letter(parser, letters);
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

		if (tables->passes_arguments && !strcmp(word, "--") &&
			(options_end || line->operands.n_items)) {
			while (parser.next < argc)
				option_list_add(&line->arguments, argv[parser.next++]);
			break;
		}
		if (options_end || word[0] != '-' || !word[1]) {
			option_list_add(&line->operands, word);
			options_end = options_end || tables->ends_at_operand;
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
	option_list_free(&line->arguments);
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
static int check_choice(const struct option *row, const char *value, struct err *err)
{
	const char *words[MAX_WORDS];
	char *choices;
	size_t n_words;
	int result = -1;

	if (!row->choices)
		return 0;
	choices = mem_copy_text(row->choices);
	n_words = split_words(choices, words);
	for (size_t i = 0; i < n_words && result; i++)
		result = strcmp(words[i], value) ? -1 : 0;
	if (result && *value && text_lists_word(row->elsewhere, value)) {
		err_set(err, EXIT_USAGE, "unknown value '%s' (%s)", value, row->elsewhere_hint);
	} else if (result) {
		err_set(err, EXIT_USAGE, "unknown value '%s'", value);
		err_suggest(
			err, option_suggest(value, words, n_words), " (one of: %s)", row->choices);
	}
	free(choices);
	return result;
}

static int store_number(
	const struct option *row, const char *value, int64_t *field, struct err *err)
{
	char *end;

	if (!value)
		return err_set(err, EXIT_USAGE, "expected an integer");
	errno = 0;
	*field = strtoll(value, &end, 10);
	if (end == value || *end)
		return err_set(err, EXIT_USAGE, "'%s' is not an integer", value);
	if (errno)
		return err_set(err, EXIT_USAGE, "'%s' is out of range", value);
	if (*field < row->least)
		return err_set(
			err, EXIT_USAGE, "%s is too small; the minimum is %lld", value, row->least);
	if (row->most && *field > row->most)
		return err_set(
			err, EXIT_USAGE, "%s is too large; the maximum is %lld", value, row->most);
	return 0;
}

static int store_items(
	const struct option *row, char *value, struct option_list *list, struct err *err)
{
	char *rest = value;
	bool is_empty = true;

	if (!row->split) {
		option_list_add(list, value);
		return check_choice(row, value, err);
	}
	while (rest) {
		char *item = strsep(&rest, ",");

		if (!*item)
			continue;
		if (check_choice(row, item, err))
			return -1;
		option_list_add(list, item);
		is_empty = false;
	}
	if (is_empty && !row->choices)
		return err_set(err, EXIT_USAGE, "expected %s, got an empty value", row->argument);
	return is_empty ? check_choice(row, "", err) : 0;
}

int option_store(const struct option_given *given, void *settings, struct err *err)
{
	const struct option *row = given->row;
	void *field = (char *)settings + row->offset;

	switch (row->kind) {
	case OPTION_FLAG:
		if (given->value)
			return err_set(err, EXIT_USAGE, "takes no value");
		*(bool *)field = !given->undone;
		return 0;
	case OPTION_OPTIONAL_NUMBER:
		if (given->value)
			return store_number(row, given->value, field, err);
		*(int64_t *)field = row->absent;
		return 0;
	case OPTION_NUMBER:
		return store_number(row, given->value, field, err);
	case OPTION_LIST:
		return store_items(row, given->value, field, err);
	default:
		*(const char **)field = given->value;
		return check_choice(row, given->value, err);
	}
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

/* Case decides between equally near words: EDIT exceeds the cost of all letters of a word. */
enum { OTHER_CASE = 1, EDIT = 2 * MAX_WORD_CHARS };

static size_t least_cost(size_t a, size_t b)
{
	return a < b ? a : b;
}

static bool is_same_letter(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Edits (insert, delete, replace, swap two neighbours) from a to b; both under MAX_WORD_CHARS. */
static size_t edit_distance(const char *a, size_t n_a, const char *b, size_t n_b)
{
	size_t rows[3][MAX_WORD_CHARS + 1];

	for (size_t j = 0; j <= n_b; j++)
		rows[0][j] = j * EDIT;
	for (size_t i = 1; i <= n_a; i++) {
		size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];

		row[0] = i * EDIT;
		for (size_t j = 1; j <= n_b; j++) {
			row[j] = least_cost(above[j], row[j - 1]) + EDIT;
			size_t replaced = a[i - 1] == b[j - 1]                 ? 0
					  : is_same_letter(a[i - 1], b[j - 1]) ? OTHER_CASE
									       : EDIT;
			row[j] = least_cost(row[j], above[j - 1] + replaced);
			if (i > 1 && j > 1 && is_same_letter(a[i - 1], b[j - 2]) &&
				is_same_letter(a[i - 2], b[j - 1]))
				row[j] = least_cost(row[j], above2[j - 2] + EDIT);
		}
	}
	return rows[n_a % 3][n_b];
}

const char *option_suggest(const char *word, const char *const *words, size_t n_words)
{
	size_t n_chars = strlen(word), best = (n_chars / 3 + 1) * EDIT;
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
