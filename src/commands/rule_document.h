// SPDX-License-Identifier: MIT
/* The `rules` of a document. */
#ifndef COMMANDS_RULE_DOCUMENT_H
#define COMMANDS_RULE_DOCUMENT_H

#include "rules/engine/run.h"
#include "run/query.h"

/* The selected rules, sorted by id within each family. */
struct fact_rule_page_list rule_document_list(
	struct arena *arena, const struct rule_selection *selection);

/* The keys of such a page that --query accepts. */
extern const struct query_table query_rules;

#endif
