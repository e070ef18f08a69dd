// SPDX-License-Identifier: MIT
/*
 * `--query KEYS`: values for shell scripts, one per line or, with -f tsv, per column: those of a
 * document's row (an array, a finding, a device, a rule) for each of the keys.
 */
#ifndef RUN_QUERY_H
#define RUN_QUERY_H

#include "base/error.h"
#include "facts/facts.h"
#include "run/run.h"

#include <stdio.h>

/* The text about --query that all commands share, for the man page. */
#define QUERY_RULES                                                                                        \
	"Keys are separated by commas; if --query is repeated, the last one is used. Each value is one "   \
	"line: items of lists are separated by spaces, and control characters are written as escapes "     \
	"such as \\x0a, so that `while IFS= read -r` can read them without eval. With -f tsv, the values " \
	"of all keys are one line, separated by tabs, in the order of KEYS and without a header. No "      \
	"document is printed, whatever -f is. A key without a value prints an empty line, or an empty "    \
	"column"

/* The row of --format of a command with --query; OFFSET is that of a const char *. */
#define QUERY_FORMAT_OPTION(OFFSET)                                                         \
	{                                                                                   \
		.letter = 'f', .name = "format", .kind = OPTION_CHOICE, .offset = (OFFSET), \
		.argument = "FORMAT", .choices = "text yaml json tsv",                      \
		.help = "print text (default), yaml, json or, with --query, tsv"            \
	}

/* The row of --query; FIELD is an offset of a const char *, MORE lists the keys, END ends the text.
 */
#define QUERY_OPTION(FIELD, HELP, MORE, END)                                                 \
	{                                                                                    \
		.name = "query", .kind = OPTION_TEXT, .offset = (FIELD), .argument = "KEYS", \
		.complete = "query", .help = (HELP), .more = MORE " " QUERY_RULES END        \
	}

/* The keys of query_arrays, for the man page. */
#define QUERY_ARRAY_KEYS                                                                                              \
	"Keys are those of `array` in the document: dtype, typestr, itemsize, ndim, shape, strides_bytes, "           \
	"strides_elements, elements, nbytes, pointer, readonly, c_contiguous, f_contiguous, and those of its groups " \
	"such as extent.low, device.type and memory.kind; and target, type, status, protocol, version. "

/* The keys of a row: those of records in documents. */
struct query_table {
	const char *subject; /* "an array" */
	struct query_keys {
		const struct fact_record *record; /* NULL: none */
		const char *names; /* of its fields, separated by spaces; NULL: all */
	} keys[3];
	const struct fact_record *unlisted; /* keys of this record are accepted, but neither
					       completed nor listed; NULL: none */
};

/* The array that an interface describes, and its target; only convert has a copy to describe. */
extern const struct query_table query_arrays, query_conversions;

/* Checks that each of keys exists, and that -f is not tsv if they are NULL: 0, or -1 with err set
 * (EXIT_USAGE). */
int query_check(
	const struct query_table *table, const char *keys, const char *format, struct err *err);

/* Prints each listed key, one per line. */
void query_print_keys(FILE *out, const struct query_table *table);

/*
 * Prints the value of each of keys, dotted paths in row, as a line, or as a column if the format is
 * tsv; items of lists are separated by spaces. Returns 0; EXIT_FINDINGS if a value is missing (it
 * is empty); -1 with err set.
 */
int query_print(
	FILE *out, const struct value *row, const char *keys, const char *format, struct err *err);

/* The row of query_arrays of a derived target and one of its interfaces: that of protocol; NULL:
 * that of the lowest rank. */
struct value *query_array_row(
	struct arena *arena, const struct fact_target *target, const char *protocol);

/* The keys, and the interface from which they are read. */
struct query_choice {
	const char *keys;
	const char *protocol; /* NULL: the lowest rank */
};

/*
 * Prints the keys of query_arrays for one derived target: of the first decoded of sycl, cuda,
 * dlpack, numpy and buffer, or of the protocol chosen. Reports a target that failed on standard
 * error. *code gets worse if a value is missing.
 */
int query_print_target(struct run *run, FILE *out, const struct fact_target *target,
	const struct query_choice *choice, enum exit_code *code, struct err *err);

/* A finding and its target. */
extern const struct query_table query_findings;

/* Prints the keys for each finding of a target; reports a target that failed on standard error. */
int query_print_findings(struct run *run, FILE *out, const struct fact_target *target,
	const char *keys, enum exit_code code, struct err *err);

/* Prints the keys of each row of a list of records to the output of the settings. Returns the exit
 * code; -1 with err set. */
int query_print_list(struct run *run, const struct fact_record *record, const void *list,
	const char *keys, struct err *err);

#endif
