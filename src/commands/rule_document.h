// SPDX-License-Identifier: MIT
/* What commands share about rules: the `rules` of a document, and replaced ids. */
#ifndef COMMANDS_RULE_DOCUMENT_H
#define COMMANDS_RULE_DOCUMENT_H

#include "rules/engine/run.h"
#include "run/query.h"

/* The selected rules, sorted by id within each family. */
struct fact_rule_page_list rule_document_list(
	struct arena *arena, const struct rule_selection *selection);

/* The keys of such a page that --query accepts. */
extern const struct query_table query_rules;

/* Reports on standard error which rule replaced each such id among words. */
void rule_aliases_report(const struct option_list *words);

#endif
