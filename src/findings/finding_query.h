// SPDX-License-Identifier: MIT
/* `validate --query`: keys of each finding. */
#ifndef FINDINGS_FINDING_QUERY_H
#define FINDINGS_FINDING_QUERY_H

#include "run/query.h"

extern const struct query_table query_findings;

/* Prints the keys for each finding of a target; a target that failed is told on standard error. */
int finding_query_print(struct run *run, FILE *out, const struct value *document, const char *keys,
	enum exit_code code, struct err *err);

#endif
