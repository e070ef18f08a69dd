// SPDX-License-Identifier: MIT
/* How severe a failure is: by the rule, by what the user asks for, by what is known of the
 * producer.
 */
#include "rules/selection.h"

#include <string.h>

static const struct rule_severity_choice *chosen_severity(
	const struct rule_request *request, const struct rule *rule)
{
	const struct rule_severity_choice *chosen = NULL;

	for (size_t i = 0; i < request->n_severities; i++) {
		const struct rule_severity_choice *choice = &request->severities[i];

		if (rule_word_fits(choice->rule, rule) &&
			(!chosen || strlen(choice->rule) >= strlen(chosen->rule)))
			chosen = choice;
	}
	return chosen;
}

enum rule_severity severity_of(const struct rule_request *request, const struct rule *rule,
	const struct rule_producer *producer)
{
	const struct rule_severity_choice *choice = chosen_severity(request, rule);
	bool is_soft = rule->level == LEVEL_SHOULD || rule->level == LEVEL_FACT;

	if (producer)
		return SEV_NOTE;
	if (choice)
		return choice->severity;
	return request->strict && is_soft ? SEV_ERROR : rule->severity;
}

const struct rule_producer *producer_of(
	const struct rule_request *request, const struct rule *rule, const char *type)
{
	const struct rule_producer *known = request->producers, *own = NULL;

	for (; known && (known = rule_producer_find_in(known, rule, type)); known++)
		own = known; /* the last: the nearest file's */
	return own ? own : rule_producer_find(rule, type);
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
	const char *type, enum rule_severity from)
{
	const struct rule_request *request = &selection->request;

	for (size_t i = 0; rule && i < selection->n_rules; i++) {
		const struct selected_rule *row = &selection->rules[i];
		enum rule_severity severity;

		if (row->rule != rule)
			continue;
		severity = severity_of(request, rule, producer_of(request, rule, type));
		return row->shown && row->runs && severity >= from &&
		       severity >= request->report_from;
	}
	return false;
}
