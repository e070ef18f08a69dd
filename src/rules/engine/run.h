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
	enum rule_severity severity;
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
	enum rule_severity report_from;        /* findings of lower severity are omitted */
	enum rule_severity fail_from;          /* findings of lower severity do not fail */
	int facts; /* that the worker may capture; rules that require others do not run */
};

struct rule_selection; /* allocated in the arena of rules_select() */

/* NULL with err set (EXIT_USAGE) where an id matches no rule or an edition is invalid. */
struct rule_selection *rules_select(
	struct arena *arena, const struct rule_request *request, struct err *err);

/* 0 where word matches a rule, by id, prefix or name; else -1 with err set (EXIT_USAGE), which
 * suggests the nearest id. */
int rules_check_word(const char *word, struct err *err);

/* 0 where word is a valid edition such as cai=2; else -1 with err set (EXIT_USAGE). */
int rules_check_edition(const char *word, struct err *err);

/* Whether word is the id or a prefix of it, the name, or the retired id that the rule replaces. */
bool rule_matches_word(const char *word, const struct rule *rule);

/* Whether the findings of the rule are reported. */
bool rules_is_selected(const struct rule_selection *selection, const struct rule *rule);

/* The lowest severity that fails. */
enum rule_severity rules_fail_from(const struct rule_selection *selection);

/* Whether a failure of the rule on that object would be reported with severity `from` or higher. */
bool rules_reports(const struct rule_selection *selection, const struct rule *rule,
	const struct value *target, enum rule_severity from);

/* The facts that the selected rules, and those that these require, read; or-ed. */
int rules_facts(const struct rule_selection *selection);

struct rule_results {
	struct value *findings; /* {rule, name, severity, protocol, field, message, why, hint,
				   clause} */
	struct value *skipped;  /* {rule, reason} */
	bool fails;             /* some finding has severity fail_from or higher */
};

/* Whether some finding of the list has severity fail_from or higher. */
bool rules_findings_fail(const struct rule_selection *selection, const struct value *findings);

/* Checks the facts of one target (docs/facts.md). Rules that run only because others require them
 * report nothing. */
struct rule_results rules_run(
	const struct rule_selection *selection, const struct value *target, struct arena *arena);

#endif
