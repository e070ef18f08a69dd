// SPDX-License-Identifier: MIT
/* Runs a selection of rules over the facts of an object. */
#ifndef RULES_ENGINE_RUN_H
#define RULES_ENGINE_RUN_H

#include "base/error.h"
#include "base/option.h"
#include "rules/engine/rule.h"

/* A severity that the user assigns to rules. */
struct rule_severity_choice {
	const char *rule; /* an id or a prefix of ids */
	enum severity severity;
};

/* The options that select rules and severities. */
struct rule_request {
	const struct rule *const *families; /* NULL: rule_families */
	/*
	 * Ids, prefixes of ids or names ("DLP", "DLP3", "cai-401"); an empty select means all. The
	 * longest match decides; of equal ones, ignore.
	 */
	struct option_list select, extend_select, ignore;
	struct option_list
		spec; /* "cai=2": check against this edition, whatever the object declares */
	bool strict;  /* failures of SHOULD and FACT rules are errors */
	/* The longest match decides; of equal ones, the last. Overrides strict. */
	const struct rule_severity_choice *severities;
	size_t n_severities;
	const struct rule_producer *producers; /* consulted before rule_producers; ends with a
						  NULL type; NULL: none */
	enum severity report_from;             /* findings of lower severity are omitted */
	enum severity fail_from;               /* findings of lower severity do not fail */
	int facts; /* that the worker may capture; rules that require others do not run */
};

struct rule_selection; /* allocated in the arena of rules_select() */

/* NULL with err set (EXIT_USAGE) if an id matches no rule or an edition is invalid. */
struct rule_selection *rules_select(
	struct arena *arena, const struct rule_request *request, struct err *err);

/* 0 if word matches a rule, by id, prefix or name; otherwise -1 with err set (EXIT_USAGE), which
 * suggests the nearest id. */
int rules_check_word(const char *word, struct err *err);

/* 0 if word is a valid edition such as cai=2; otherwise -1 with err set (EXIT_USAGE). */
int rules_check_edition(const char *word, struct err *err);

/* Whether word is the id or a prefix of it, the name, or the retired id that the rule replaces. */
bool rule_matches_word(const char *word, const struct rule *rule);

/* Whether the findings of the rule are reported. */
bool rules_is_selected(const struct rule_selection *selection, const struct rule *rule);

/* Whether the findings of any rule that the word names are reported. */
bool rules_select_word(const struct rule_selection *selection, const char *word);

/* The lowest severity that fails. */
enum severity rules_fail_from(const struct rule_selection *selection);

/* Whether a failure of the rule on that object would be reported with severity `from` or higher. */
bool rules_reports(const struct rule_selection *selection, const struct rule *rule,
	const struct fact_target *target, enum severity from);

/* The facts that the selected rules, and those that these require, read; or-ed. */
int rules_facts(const struct rule_selection *selection);

struct rule_results {
	struct fact_finding_list findings; /* known, as is skipped */
	struct fact_skip_list skipped;
};

/* Whether a rule is listed as skipped. */
bool rules_was_skipped(const struct fact_skip_list *skipped, const char *id);

/* Whether any finding of the list has severity fail_from or higher. */
bool rules_findings_fail(
	const struct rule_selection *selection, const struct fact_finding_list *findings);

/* Checks one target. Rules that run only because others require them report nothing. The results
 * borrow from target. */
struct rule_results rules_run(const struct rule_selection *selection,
	const struct fact_target *target, struct arena *arena);

#endif
