// SPDX-License-Identifier: MIT
/* Runs a selection of rules over the facts of an object. */
#ifndef RULES_ENGINE_RUN_H
#define RULES_ENGINE_RUN_H

#include "base/error.h"
#include "base/option.h"
#include "rules/engine/rule.h"

/* The severity that a user wants the findings of a rule to have. */
struct rule_severity_choice {
	const char *rule; /* an id or the beginning of ids */
	enum rule_severity severity;
};

/* What the user asks for. */
struct rule_request {
	const struct rule *const *families; /* NULL: rule_families */
	/*
	 * Ids or the beginnings of ids ("DLP", "DLP3", "cai-401"); an empty select means all. Where
	 * several fit a rule the longest decides, and ignore before the others.
	 */
	struct option_list select, extend_select, ignore;
	struct option_list spec; /* "cai=2": judge by this edition, whatever the object declares */
	bool strict;             /* failures of SHOULD and FACT rules are errors */
	/* Of those that fit a rule the longest decides, and of equals the last; before strict. */
	const struct rule_severity_choice *severities;
	size_t n_severities;
	const struct rule_producer *producers; /* asked before rule_producers; ends with a NULL
						  type; NULL: none */
	enum rule_severity report_from;        /* lesser findings are left out */
	enum rule_severity fail_from;          /* lesser findings do not fail */
	int facts; /* that the worker may gather; rules that cannot do without others do not run */
};

struct rule_selection; /* lives in the arena it was made in */

/* NULL with err set (EXIT_USAGE) where an id fits no rule or an edition cannot be read. */
struct rule_selection *rules_select(
	struct arena *arena, const struct rule_request *request, struct err *err);

/* Whether word is an id or the beginning of ids: 0, or -1 with err set (EXIT_USAGE), with the
 * nearest id. */
int rules_check_word(const char *word, struct err *err);

/* Whether word is an edition such as cai=2: 0, or -1 with err set (EXIT_USAGE). */
int rules_check_edition(const char *word, struct err *err);

/* Whether word is the id, begins it, or is the retired id that the rule took over. */
bool rule_matches_word(const char *word, const struct rule *rule);

/* Whether the findings of the rule are wanted. */
bool rules_is_selected(const struct rule_selection *selection, const struct rule *rule);

/* The least severity of a finding that fails. */
enum rule_severity rules_fail_from(const struct rule_selection *selection);

/* Whether a failure of the rule, on the object of those facts, is told with severity from or a
 * graver one. */
bool rules_reports(const struct rule_selection *selection, const struct rule *rule,
	const struct value *target, enum rule_severity from);

/* The facts that the selected rules and the rules they need read, or-ed. */
int rules_facts(const struct rule_selection *selection);

struct rule_results {
	struct value *findings; /* {rule, name, severity, protocol, field, message, why, hint,
				   clause} */
	struct value *skipped;  /* {rule, reason} */
	bool fails;             /* a finding is as severe as fail_from, or worse */
};

/* Whether one of findings is severe enough to fail. */
bool rules_findings_fail(const struct rule_selection *selection, const struct value *findings);

/* Judges the facts of one target (docs/facts.md). Rules that are only needed run silently. */
struct rule_results rules_run(
	const struct rule_selection *selection, const struct value *target, struct arena *arena);

#endif
