// SPDX-License-Identifier: MIT
/*
 * Option rows: one row is the parser, the help line, the man page entry and
 * the completion of an option. Where the value goes is an offset into the
 * command's settings.
 */
#ifndef BASE_OPTION_H
#define BASE_OPTION_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

enum option_kind {
	OPTION_FLAG,   /* bool: present or not */
	OPTION_NUMBER, /* int64_t */
	OPTION_TEXT,   /* const char * */
	OPTION_CHOICE, /* const char *, one of `choices` */
	OPTION_LIST, /* struct option_list: repeatable; a comma separates too where split is set */
	OPTION_OPTIONAL_NUMBER, /* int64_t; --values or --values=N; `absent` is the value without N
				 */
};

struct option_list {
	const char **items;
	size_t n_items;
};

struct option {
	char letter;      /* 0: none */
	const char *name; /* without the dashes */
	enum option_kind kind;
	size_t offset;        /* of the field in the settings */
	const char *argument; /* "FILE", "SEC"; NULL for a flag */
	const char *choices;  /* "text yaml json", for OPTION_CHOICE and for checked OPTION_LISTs */
	const char *help;     /* one line, lower case, no full stop */
	const char *more;     /* a paragraph for the man page; NULL: help says all */
	long long absent;     /* OPTION_OPTIONAL_NUMBER */
	bool split;           /* OPTION_LIST: "a,b" is two items */
	const char *complete; /* what the shell completes: "file", "rule", "protocol"; NULL: choices
				 or nothing */
};

/* Tables end with a row whose name is NULL. */
struct option_tables {
	const struct option *own, *shared; /* both may be NULL */
};

/*
 * Parses argv[1..] into settings; operands (targets) go to *operands in order. `--` ends options,
 * `-` is an operand, --name=value and --name value, -fvalue and -f value, and grouped flags are
 * read. Unknown options and values: EXIT_USAGE, with the nearest name suggested. Operand items
 * point into argv (split lists are cut apart there); lists' memory is given (free with
 * option_list_free).
 */
int option_parse(const struct option_tables *tables, int argc, char **argv, void *settings,
	struct option_list *operands, struct err *err);

void option_list_add(struct option_list *list, const char *item);
void option_list_free(struct option_list *list);

/* Whether the help line, or the paragraph too, names all choices; true where there are none. */
bool option_help_has_choices(const struct option *option, bool paragraph_too);

/* The candidate nearest to word (edit distance at most a third of its length), or NULL. n_words
 * candidates. */
const char *option_suggest(const char *word, const char *const *words, size_t n_words);

#endif
