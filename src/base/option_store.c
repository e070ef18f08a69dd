// SPDX-License-Identifier: MIT
/* Values of options: checked by their row, and put where it says. */
#include "base/memory.h"
#include "base/option.h"
#include "base/text.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORDS = 256 };

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
	if (result && *value && text_lists_word(row->elsewhere, value)) {
		err_set(err, EXIT_USAGE, "unknown value '%s' (%s)", value, row->elsewhere_hint);
	} else if (result) {
		nearest = option_suggest(value, words, n_words);
		err_set(err, EXIT_USAGE, "unknown value '%s' (%s%s)", value,
			nearest ? "did you mean " : "one of: ", nearest ? nearest : row->choices);
	}
	free(choices);
	return result;
}

static int store_number(
	const struct option *row, const char *value, int64_t *field, struct err *err)
{
	char *end;

	errno = 0;
	*field = strtoll(value, &end, 10);
	if (errno || end == value || *end)
		return err_set(err, EXIT_USAGE, "'%s' is not a number", value);
	if (row->least && *field < row->least)
		return err_set(
			err, EXIT_USAGE, "%s is too small, %lld is the least", value, row->least);
	return 0;
}

static int store_items(
	const struct option *row, char *value, struct option_list *list, struct err *err)
{
	char *rest = value;

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
	}
	return 0;
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
