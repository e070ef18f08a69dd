// SPDX-License-Identifier: MIT
/*
 * A command: its options, help text and run function. --help, the man pages and the completions
 * are generated from these rows (docgen/). Each command file ends with its struct command.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "base/error.h"
#include "base/option.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of -j and --timeout; more milliseconds than the latter's do not fit the int of poll(2). */
enum { JOBS_MAX = 65536, TIMEOUT_MAX_SECONDS = 2000000 };

/* What selected the format. */
enum format_origin { FORMAT_DEFAULT, FORMAT_OF_SUFFIX /* that of -o */, FORMAT_CHOSEN };

/*
 * The values of target_options and shared_options; the first member of the settings of all
 * commands that report.
 */
struct shared_settings {
	const char *format; /* set by settings_parse() also without -f */
	enum format_origin format_origin;
	const char *output_path; /* -o; NULL: standard output */
	struct option_list protocols;
	bool quiet, verbose;
	const char *color;
	const char *python;
	int64_t timeout_seconds;
	const char *wrap;
	const char *host;
	const char *code;                /* -c */
	struct option_list target_files; /* --targets-from */
	struct option_list arguments;    /* after --: of the scripts */
	bool as_main;                    /* --main */
	const char *config_path;
	bool isolated, show_settings;
	struct config *config; /* settings/config.h: the contents of the files; NULL in tests */
	int64_t jobs;
};

/* Fields of rows that several commands have; OFFSET is that of a const char *. */
#define OUTPUT_OPTION(OFFSET)                                                     \
	.letter = 'o', .name = "output", .kind = OPTION_TEXT, .offset = (OFFSET), \
	.argument = "FILE", .complete = "file"
/* The suffixes of -o that choose a format, the format, and what follows a suffix in the help. */
#define OUTPUT_SUFFIX_LIST(FIRST, EACH)        \
	FIRST(".json", "json", "")             \
	EACH(".yaml", "yaml", "")              \
	EACH(".yml", "yaml", "")               \
	EACH(".sarif", "sarif", "")            \
	EACH(".xml", "junit", " (junit)")      \
	EACH(".md", "markdown", " (markdown)") \
	EACH(".html", "html", "")

#define OUTPUT_SUFFIX_FIRST(SUFFIX, FORMAT, NOTE) SUFFIX NOTE
#define OUTPUT_SUFFIX_AFTER_COMMA(SUFFIX, FORMAT, NOTE) ", " SUFFIX NOTE
#define OUTPUT_SUFFIXES_HELP OUTPUT_SUFFIX_LIST(OUTPUT_SUFFIX_FIRST, OUTPUT_SUFFIX_AFTER_COMMA)

#define COLOR_OPTION(OFFSET)                                                            \
	.name = "color", .kind = OPTION_CHOICE, .offset = (OFFSET), .argument = "WHEN", \
	.choices = "auto always never",                                                 \
	.help = "colour the text: auto (on a terminal), always or never"

/*
 * A command with formats of its own lists them as LIST(FIRST, EACH), a macro with a line
 * FIRST("name", function) or EACH("name", function) for each: the choices of -f, and the rows of a
 * table.
 */
#define FORMAT_NAME(NAME, WRITE) NAME
#define FORMAT_AFTER_SPACE(NAME, WRITE) " " NAME
#define FORMAT_ROW(NAME, WRITE) { NAME, WRITE },
#define FORMAT_CHOICES(LIST) LIST(FORMAT_NAME, FORMAT_AFTER_SPACE)
#define FORMAT_ROWS(LIST) LIST(FORMAT_ROW, FORMAT_ROW)

/* Options of all commands that load targets, and of all that use an interpreter. */
extern const struct option target_options[], shared_options[];

struct command {
	const char *name;
	const char *summary; /* one line, lower case, no full stop */
	const char *usage;   /* "TARGET..." */
	const char
		*prose; /* paragraphs for --help's man page, separated by blank lines; plain text */
	const char *examples; /* lines "command line\n  what it shows\n", for --help, man, and a
				 test that runs them */
	const struct option *options; /* its own rows; NULL: none */
	bool loads;                   /* has target_options as well, and shares */
	bool runs_program; /* its operands are a command line: the first one ends options */
	bool shares;       /* has shared_options; its settings begin with struct shared_settings */
	const struct query_table *query; /* the keys of --query (run/query.h); NULL: it has none */
	size_t settings_bytes;
	void (*set_defaults)(void *settings); /* NULL: all zero */
	/* Gives the exit code; -1 with err set if the command failed. */
	int (*run)(void *settings, const struct option_list *operands, struct err *err);
	bool hidden; /* omitted from help: for developers and packagers */
};

extern const struct command *const commands[]; /* ends with NULL */

const struct command *command_find(const char *name);

/* All options of a command: its own first, then the shared ones. */
struct option_tables command_tables(const struct command *command);

/* Sets err to EXIT_USAGE with the most similar command name. Returns -1. */
int command_unknown(const char *name, struct err *err);

/* The i-th option of a command, its own first; NULL after the last. */
const struct option *command_option(const struct command *command, size_t i);

/* Whether the row is one of the command's options. */
bool command_takes(const struct command *command, const struct option *row);

/* The i-th command that is not hidden; NULL after the last. */
const struct command *command_listed(size_t i);

#endif
