// SPDX-License-Identifier: MIT
/*
 * Option rows: one row is the parser, the help line, the man page entry and the completion of an
 * option. The value is stored at an offset into the command's settings.
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
	OPTION_LIST,   /* struct option_list: repeatable; a comma separates too if split is set */
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
	const char *more;     /* a paragraph for the man page; NULL: help suffices */
	long long absent;     /* OPTION_OPTIONAL_NUMBER */
	bool split;           /* OPTION_LIST: "a,b" is two items */
	const char *complete; /* what the shell completes: "file", "program" (a file, or a name on
				 PATH), or a kind of `suai complete`; NULL: choices or nothing */
	long long least;      /* of a number: the minimum */
	long long most;       /* of a number: the maximum; 0: any */
	bool once;            /* a command line that has it twice is an error */

	const char *elsewhere;      /* words that are another option's choices; NULL: none */
	const char *elsewhere_hint; /* what to use instead */
	/* For options that can be set in suai.yaml, too, and only those: */
	const char *setting; /* an example of the value there, as YAML; NULL: no key of suai.yaml */
	bool adds; /* OPTION_LIST: adds to the list of an earlier source instead of replacing it */
	const char *renews;      /* options whose values from earlier sources this one clears */
	const char *environment; /* a variable that overrides files, and is overridden by the
				    command line */
	bool chooses_program;    /* refused in a suai.yaml that was discovered, not named */
	bool writes_file;        /* there a path must be below the directory of the file */
	/* OPTION_LIST: whether an item of a file's list is valid. */
	int (*check)(const char *item, struct err *err);
};

/* An option on a command line. */
struct option_given {
	const struct option *row;
	char *value; /* NULL: none was given */
	bool undone; /* a flag: --no-X was given for --X */
};

/* Tables end with a row whose name is NULL. */
struct option_tables {
	const struct option *of[3];         /* each may be NULL; the first that has a name counts */
	const struct option *const *others; /* tables of options that are ignored with their values;
					       ends with NULL; NULL: none */
	bool passes_arguments; /* `--` after an operand or another `--`: what follows is for the
				  program that the operands name */
	bool ends_at_operand;  /* an operand ends options, as `--` does */
};

/* Zero-initialise. */
struct option_line {
	struct option_given *items;
	size_t n_items;
	struct option_list operands;
	struct option_list arguments; /* after the `--` of passes_arguments */
};

/*
 * Reads argv[1..]: `--` ends options, `-` is an operand, --name=value and --name value, -fvalue and
 * -f value, and grouped flags are read; flags that suai.yaml may set are undone by --no-name.
 * EXIT_USAGE for an unknown option, with the nearest name suggested. Values point into argv. Gives
 * line's memory in any case (free with option_line_free).
 */
int option_read(const struct option_tables *tables, int argc, char **argv, struct option_line *line,
	struct err *err);
void option_line_free(struct option_line *line);

/*
 * Puts a value into settings. EXIT_USAGE if the row does not accept it; the message does not name
 * the option. Lists are split in place; texts and items point into value.
 */
int option_store(const struct option_given *given, void *settings, struct err *err);

/*
 * Both at once; operands (targets) go to *operands in order. Lists' memory is given (free with
 * option_list_free).
 */
int option_parse(const struct option_tables *tables, int argc, char **argv, void *settings,
	struct option_list *operands, struct err *err);

void option_list_add(struct option_list *list, const char *item);
void option_list_free(struct option_list *list);

/* Whether the help line, or the paragraph too, names all choices; true if there are none. */
bool option_help_has_choices(const struct option *option, bool paragraph_too);

/* The candidate nearest to word (edit distance at most a third of its length; case only decides
 * between equals), or NULL. n_words candidates. */
const char *option_suggest(const char *word, const char *const *words, size_t n_words);

#endif
