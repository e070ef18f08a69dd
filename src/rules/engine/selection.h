// SPDX-License-Identifier: MIT
/* The selection that select.c makes, and run.c and severity.c apply. */
#ifndef RULES_ENGINE_SELECTION_H
#define RULES_ENGINE_SELECTION_H

#include "rules/engine/run.h"

struct selected_rule {
	const struct rule *rule;
	bool shown; /* selected: its findings and skips are reported */
	bool runs;  /* shown, or required by or subsuming a rule that runs */
	size_t requires[RULE_MAX_REQUIRED]; /* indices */
	size_t n_required;
	size_t subsumed_by[RULE_MAX_SUBSUMING]; /* indices; only rules that can run */
	size_t n_subsuming;
};

struct rule_selection {
	struct selected_rule *rules; /* every rule, in the order they run */
	size_t n_rules;
	struct rule_request request;
	const char *disabled; /* $SUAI_DISABLE_CHECK: a rule whose check is not called; or NULL */
};

/*
 * Whether a rule applies to the edition that subject is checked against: that of --spec, otherwise
 * the one that its interface declares, otherwise the newest.
 */
bool edition_covers(const struct rule_selection *selection, const struct rule *rule,
	const struct subject *subject);

/* The severity of a rule's failures, given the known producer (or NULL). */
enum severity rule_effective_severity(const struct rule_request *request, const struct rule *rule,
	const struct rule_producer *producer);

/*
 * The known producer that applies to the rule: looked up first in the user's list, then in
 * rule_producers; by the object's type or, if it inherits the interface, by its bases in the order
 * of target.mro. An interface that a subclass defines itself is not looked up by its bases.
 * interface NULL: the object as a whole. Or NULL.
 */
const struct rule_producer *rule_producer_of(const struct rule_request *request,
	const struct rule *rule, const struct fact_target *target,
	const struct fact_interface *interface);

#endif
