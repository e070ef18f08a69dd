// SPDX-License-Identifier: MIT
/* A format: how documents are written. Formats stream: begin, one call for each target, end. */
#ifndef FORMATS_FORMAT_H
#define FORMATS_FORMAT_H

#include "base/error.h"
#include "base/text.h"
#include "facts/facts.h"

#include <stdbool.h>
#include <stdio.h>

struct output {
	FILE *stream;
	const char *command;   /* "inspect", "validate", "convert", "devices" */
	bool color;            /* terminal colours wanted */
	int verbosity;         /* -1: -q; 0; 1: -v */
	const char *fail_from; /* findings of this severity fail, and graver ones; NULL: errors */
	bool has_baseline;     /* `known` and the summary's `baseline` mean something */
	bool no_summary;       /* text and concise end without their last line */
	bool skips_fail;       /* skipped rules are shown as failures, whatever the verbosity */
	int asks;    /* enum job_facts: those by which all calls and trials were requested */
	void *state; /* the format's own, made by begin, freed by end */
};

struct format {
	const char *name; /* "text", "yaml", "sarif" */
	/* Keeps head until end. */
	int (*begin)(struct output *output, const struct fact_head *head, struct err *err);
	/* A derived target (documents/document.h). */
	int (*target)(struct output *output, const struct fact_target *target, struct err *err);
	/* Also called after a failure, with err already set, to free the state. */
	int (*end)(struct output *output, const struct fact_summary *summary, struct err *err);
};

extern const struct format *const formats[]; /* ends with NULL */

/* NULL when no format has the name. */
const struct format *format_find(const char *name);

#endif
