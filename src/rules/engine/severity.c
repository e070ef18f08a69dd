// SPDX-License-Identifier: MIT
/* How severe a failure is: by the rule, by what the user asks for, by what is known of the
 * producer.
 */
#include "rules/engine/selection.h"

#include <string.h>

static const struct rule_severity_choice *chosen_severity(
	const struct rule_request *request, const struct rule *rule)
{
	const struct rule_severity_choice *chosen = NULL;

	for (size_t i = 0; i < request->n_severities; i++) {
		const struct rule_severity_choice *choice = &request->severities[i];

		if (rule_matches_word(choice->rule, rule) &&
			(!chosen || strlen(choice->rule) >= strlen(chosen->rule)))
			chosen = choice;
	}
	return chosen;
}

enum rule_severity rule_effective_severity(const struct rule_request *request,
	const struct rule *rule, const struct rule_producer *producer)
{
	const struct rule_severity_choice *choice = chosen_severity(request, rule);
	bool is_soft = rule->level == LEVEL_SHOULD || rule->level == LEVEL_FACT;

	if (producer)
		return SEV_NOTE;
	if (choice)
		return choice->severity;
	return request->strict && is_soft ? SEV_ERROR : rule->severity;
}

/* The last row of a user's list: the nearest file's. */
static const struct rule_producer *find_last(
	const struct rule_producer *producers, const struct rule *rule, const char *type)
{
	const struct rule_producer *last = NULL;

	for (; producers && (producers = rule_producer_find_in(producers, rule, type)); producers++)
		last = producers;
	return last;
}

/*
 * How many types of mro, which the object's attributes are looked up in, have rows that hold for
 * the interface: what a type defines itself is not what is known of those that it overrides. NULL
 * and types that are not listed: all, for __getattr__ or the object itself may pass it on.
 */
static size_t first_inherited(const struct value *mro, const struct value *interface)
{
	const char *defined_by = value_text_or(value_get(interface, "defined_by"), NULL);

	for (size_t i = 0; defined_by && i < mro->n_items; i++)
		if (value_is_text(mro->items[i], defined_by))
			return i + 1;
	return mro->n_items;
}

const struct rule_producer *rule_producer_of(const struct rule_request *request,
	const struct rule *rule, const struct value *target, const struct value *interface)
{
	const char *type = value_text_or(value_get(target, "type"), "");
	const struct value *mro = value_get(target, "mro");
	const struct rule_producer *found = NULL;
	bool has_mro = value_is_sequence(mro) && mro->n_items;
	size_t n_types = has_mro ? first_inherited(mro, interface) : 1;

	for (size_t i = 0; !found && i < n_types; i++)
		found = find_last(request->producers, rule,
			has_mro ? value_text_or(mro->items[i], "") : type);
	for (size_t i = 0; !found && i < n_types; i++)
		found = rule_producer_find(rule, has_mro ? value_text_or(mro->items[i], "") : type);
	return found;
}

bool rules_findings_fail(const struct rule_selection *selection, const struct value *findings)
{
	enum rule_severity severity = selection->request.fail_from;

	for (size_t i = 0; i < findings->n_items; i++)
		for (int s = severity; s <= SEV_ERROR; s++)
			if (value_is_text(value_get(findings->items[i], "severity"),
				    rule_severity_name((enum rule_severity)s)))
				return true;
	return false;
}

enum rule_severity rules_fail_from(const struct rule_selection *selection)
{
	return selection->request.fail_from;
}

bool rules_reports(const struct rule_selection *selection, const struct rule *rule,
	const struct value *target, enum rule_severity from)
{
	const struct rule_request *request = &selection->request;

	for (size_t i = 0; rule && i < selection->n_rules; i++) {
		const struct selected_rule *row = &selection->rules[i];
		enum rule_severity severity;

		if (row->rule != rule)
			continue;
		severity = rule_effective_severity(
			request, rule, rule_producer_of(request, rule, target, NULL));
		return row->shown && row->runs && severity >= from &&
		       severity >= request->report_from;
	}
	return false;
}
