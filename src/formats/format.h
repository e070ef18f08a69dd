// SPDX-License-Identifier: MIT
/* Output formats. A document is written as a stream: begin, one call per target, end. */
#ifndef FORMATS_FORMAT_H
#define FORMATS_FORMAT_H

#include "base/error.h"
#include "base/terminal.h"
#include "base/text.h"
#include "facts/facts.h"

#include <stdbool.h>
#include <stdio.h>

/* Destination and options of a document. */
struct format_output {
	FILE *stream;
	const char *command; /* "inspect", "validate", "convert", "devices" */
	struct terminal terminal;
	int verbosity;           /* -1: -q; 0; 1: -v */
	enum severity fail_from; /* findings of lower severity do not fail */
	bool has_baseline;       /* `known` and the baseline in the summary are meaningful */
	bool no_summary;         /* text and concise omit the last line */
	bool no_hints;           /* text does not mention what -v would add */
	bool is_partial;         /* before end: the run was interrupted, or failed */
	bool skips_fail;         /* skipped rules are reported as failures at any verbosity */
	int asks;                /* enum job_facts: those that requested all calls and trials */
	void *state;             /* of the format: allocated by begin, freed by end */
	/* Set by end if the document is complete but what belongs beside it could not be written;
	 * reported once the document is in place. */
	struct err beside;
};

struct format {
	const char *name;   /* "text", "yaml", "sarif" */
	bool keeps_partial; /* the output of a run that did not end is of use, as its lines are */
	/* Keeps head until end. -1 with err set, like all three; if the stream could not be
	 * written, err has only the reason (result_file_fail names the file). */
	int (*begin)(struct format_output *output, const struct fact_head *head, struct err *err);
	/* A derived target (documents/document.h). */
	int (*target)(
		struct format_output *output, const struct fact_target *target, struct err *err);
	/* Frees the state. Must also be called after a failure; then the result is ignored. Without
	 * a summary, what was not written yet is dropped. */
	int (*end)(
		struct format_output *output, const struct fact_summary *summary, struct err *err);
};

/* All formats, in the order of the help: x is `const struct format x_format`. */
#define FORMAT_LIST(FIRST, EACH) \
	FIRST(text)              \
	EACH(concise)            \
	EACH(yaml)               \
	EACH(json)               \
	EACH(sarif)              \
	EACH(junit)              \
	EACH(tap)                \
	EACH(github)

#define FORMAT_FIRST_NAME(NAME) #NAME
#define FORMAT_FIRST_DEFAULT(NAME) #NAME " (default)"
#define FORMAT_NAME_AFTER_SPACE(NAME) " " #NAME
#define FORMAT_NAME_AFTER_COMMA(NAME) ", " #NAME
/* "text concise", and for help "text (default), concise". */
#define FORMAT_NAMES FORMAT_LIST(FORMAT_FIRST_NAME, FORMAT_NAME_AFTER_SPACE)
#define FORMAT_NAMES_HELP FORMAT_LIST(FORMAT_FIRST_DEFAULT, FORMAT_NAME_AFTER_COMMA)

extern const struct format *const formats[]; /* ends with NULL */

/* NULL if there is no such format. */
const struct format *format_find(const char *name);

#endif
