// SPDX-License-Identifier: MIT
/* What select.c decides and run.c follows. */
#ifndef RULES_ENGINE_SELECTION_H
#define RULES_ENGINE_SELECTION_H

#include "rules/engine/run.h"

enum { RULE_ID_CHARS = 16 };

/* "cai-401" is "CAI401"; what is too long is cut. */
void rule_id_normalise(const char *word, char id[RULE_ID_CHARS]);

struct selected_rule {
	const struct rule *rule;
	bool shown; /* selected: its findings and skips are told */
	bool runs;  /* shown, or needed by one that is, or tells of its cause */
	size_t requires[RULE_MAX_REQUIRED]; /* indices */
	size_t n_required;
	size_t subsumed_by[RULE_MAX_SUBSUMING]; /* indices; only rules that can run */
	size_t n_subsuming;
};

struct rule_selection {
	struct selected_rule *rules; /* every rule, in the order they run */
	size_t n_rules;
	struct rule_request request;
	const char
		*disabled; /* $SUAI_DISABLE_CHECK: the rule whose check is switched off, or NULL */
};

/*
 * Whether a rule holds in the edition that subject is judged by: the one of --spec, else the one
 * its interface declares, else the newest.
 */
bool edition_covers(const struct rule_selection *selection, const struct rule *rule,
	const struct subject *subject);

/* The severity of a rule's failures; producer, or NULL, is what is known of the object. */
enum rule_severity rule_effective_severity(const struct rule_request *request,
	const struct rule *rule, const struct rule_producer *producer);

/*
 * What the user, or else suai, knows for the rule of the object's type or, where it inherits the
 * interface, of a type that it derives from (target.mro), the nearest first; NULL: nothing. An
 * interface that a subclass defines itself is not what is known of its bases. interface NULL: the
 * object as a whole.
 */
const struct rule_producer *rule_producer_of(const struct rule_request *request,
	const struct rule *rule, const struct value *target, const struct value *interface);

#endif
