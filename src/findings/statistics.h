// SPDX-License-Identifier: MIT
/* `validate --statistics`: the number of findings per rule. */
#ifndef FINDINGS_STATISTICS_H
#define FINDINGS_STATISTICS_H

#include "facts/facts.h"
#include "run/run.h"

/* Counts findings by rule and severity in the document's head. */
void statistics_add(struct run *run, const struct fact_finding_list *findings);

/* For struct run's print: shows no target; reports one that failed on standard error. */
int statistics_hide(struct run *run, FILE *out, const struct fact_target *target,
	enum exit_code *code, struct err *err);

/* For struct run's finish: prints the counts, the largest first, as text or as a document. */
int statistics_print(struct run *run, struct format_output *output, const struct run_counts *counts,
	struct err *err);

#endif
