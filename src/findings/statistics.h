// SPDX-License-Identifier: MIT
/* `validate --statistics`: how often each rule was broken. */
#ifndef FINDINGS_STATISTICS_H
#define FINDINGS_STATISTICS_H

#include "facts/facts.h"
#include "run/run.h"

/* Zero-initialise; rows live in the arena of the run. */
struct statistics {
	struct value *rows; /* {rule, name, severity, count}; a severity of its own each */
};

void statistics_add(struct statistics *statistics, struct arena *arena,
	const struct fact_finding_list *findings);

/* For struct run's print: a target is not shown; one that failed is named on standard error. */
int statistics_hide(struct run *run, FILE *out, const struct fact_target *target,
	enum exit_code *code, struct err *err);

/* Prints the rows, the most frequent first: as text, or as the `statistics` of a document. */
int statistics_print(struct statistics *statistics, struct run *run, struct output *output,
	const struct run_counts *counts, struct err *err);

#endif
