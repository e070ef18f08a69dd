// SPDX-License-Identifier: MIT
/*
 * `--query KEYS`: values for shell scripts, one line each: what a document's row (an array, a
 * finding, a device, a rule) holds under each of the keys.
 */
#ifndef RUN_QUERY_H
#define RUN_QUERY_H

#include "base/error.h"
#include "facts/facts.h"
#include "run/run.h"

#include <stdio.h>

/* What every --query says beside its keys, for the man page. */
#define QUERY_RULES                                                                                                                                              \
	"Keys are separated by commas, in one --query (of two the last counts), and each is one line, whatever it holds: lists have a space between items, and " \
	"control characters are written as escapes such as \\x0a. So `while IFS= read -r` reads them, and nothing needs "                                        \
	"eval. Whatever -f says, there is no document. A key without a value is an empty line"

/* An option row; FIELD is an offset of a const char *, MORE names the keys, END ends the rules. */
#define QUERY_OPTION(FIELD, HELP, MORE, END)                                                 \
	{                                                                                    \
		.name = "query", .kind = OPTION_TEXT, .offset = (FIELD), .argument = "KEYS", \
		.help = (HELP), .more = MORE " " QUERY_RULES END                             \
	}

/* The keys of query_arrays, for the man page. */
#define QUERY_ARRAY_KEYS                                                                                          \
	"Keys are those of `array` in the document: dtype, typestr, itemsize, ndim, shape, strides_bytes, "       \
	"strides_elements, elements, nbytes, pointer, readonly, c_contiguous, f_contiguous, and from its groups " \
	"such as extent.low, device.type and memory.kind; and target, type, status, protocol, version. "

/* The keys that a row has: those of records in documents. */
struct query_table {
	const char *subject; /* "an array" */
	struct query_keys {
		const struct fact_record *record; /* NULL: none */
		const char *names; /* of its fields, separated by spaces; NULL: all */
	} keys[3];
};

/* Of the array that an interface describes, and of its target. */
extern const struct query_table query_arrays;

/* Whether each of keys means something: 0, or -1 with err set (EXIT_USAGE). */
int query_check(const struct query_table *table, const char *keys, struct err *err);

/*
 * Prints one line for each of keys, dotted paths in row; items of lists are separated by spaces.
 * Returns 0; EXIT_FINDINGS where a value is missing (its line is empty); -1 with err set.
 */
int query_print(FILE *out, const struct value *row, const char *keys, struct err *err);

/* The row of query_arrays: of a derived target, and of the best of its interfaces, or the one of
 * protocol. */
struct value *query_array_row(
	struct arena *arena, const struct fact_target *target, const char *protocol);

/* Of which of an object's interfaces. */
struct query_choice {
	const char *keys;
	const char *protocol; /* NULL: the best that was described */
};

/*
 * Prints the keys of query_arrays for one derived target: of the first of sycl, cuda, dlpack,
 * numpy and buffer that was described, or of the protocol chosen. Tells a target that failed on
 * standard error. *code gets worse where a value is missing.
 */
int query_print_target(struct run *run, FILE *out, const struct fact_target *target,
	const struct query_choice *choice, enum exit_code *code, struct err *err);

/* Of a finding and its target. */
extern const struct query_table query_findings;

/* Prints the keys for each finding of a target; reports a target that failed on standard error. */
int query_print_findings(struct run *run, FILE *out, const struct fact_target *target,
	const char *keys, enum exit_code code, struct err *err);

/* Prints the keys of each row of a list of records to where the settings say. Gives the exit code;
 * -1 with err set. */
int query_print_list(struct run *run, const struct fact_record *record, const void *list,
	const char *keys, struct err *err);

#endif
