// SPDX-License-Identifier: MIT
/* The severity of a failure: from the rule, the options, and the known producers. */
#include "rules/engine/selection.h"

#include <string.h>

enum severity rule_effective_severity(const struct rule_request *request, const struct rule *rule,
	const struct rule_producer *producer)
{
	const struct rule_severity_choice *choice = NULL;
	bool is_soft = rule->level == LEVEL_SHOULD || rule->level == LEVEL_FACT;

	if (producer)
		return SEVERITY_NOTE;
	for (size_t i = 0; i < request->n_severities; i++) {
		const struct rule_severity_choice *each = &request->severities[i];

		if (rule_matches_word(each->rule, rule) &&
			(!choice || strlen(each->rule) >= strlen(choice->rule)))
			choice = each;
	}
	if (choice)
		return choice->severity;
	return request->strict && is_soft ? SEVERITY_ERROR : rule->severity;
}

/* The last match in the list of the user, which is from the nearest file. */
static const struct rule_producer *find_last_producer(
	const struct rule_producer *producers, const struct rule *rule, const char *type)
{
	const struct rule_producer *last = NULL;

	for (; producers && (producers = rule_producer_find_in(producers, rule, type)); producers++)
		last = producers;
	return last;
}

/* The row of the first of the types that the user lists, otherwise of the first that suai does. */
static const struct rule_producer *find_of_types(const struct rule_request *request,
	const struct rule *rule, const char *const *types, size_t n_types)
{
	const struct rule_producer *found = NULL;

	for (size_t i = 0; !found && i < n_types; i++)
		found = find_last_producer(request->producers, rule, types[i]);
	for (size_t i = 0; !found && i < n_types; i++)
		found = rule_producer_find(rule, types[i]);
	return found;
}

/*
 * The number of types of mro, in which attributes are looked up, whose rows apply to the interface:
 * up to the one that defines it, which overrides those of later ones. All if that is unknown or not
 * listed, because __getattr__ or the object itself may forward to another.
 */
static size_t first_inherited(const struct fact_texts *mro, const struct fact_interface *interface)
{
	const char *defined_by = interface ? interface->defined_by : NULL;

	for (size_t i = 0; defined_by && i < mro->n_items; i++)
		if (!strcmp(mro->items[i], defined_by))
			return i + 1;
	return mro->n_items;
}

/* Of a buffer that another object exports, such as the array of a pickle.PickleBuffer: its type. */
static const char *find_exporter_type(const struct fact_interface *interface)
{
	return interface ? value_text_or(value_get(interface->details, "exporter"), NULL) : NULL;
}

const struct rule_producer *rule_producer_of(const struct rule_request *request,
	const struct rule *rule, const struct fact_target *target,
	const struct fact_interface *interface)
{
	const char *type = fact_text_or(target->type, "");
	bool has_mro = target->mro.n_items > 0;
	const char *const *types = has_mro ? target->mro.items : &type;
	size_t n_types = has_mro ? first_inherited(&target->mro, interface) : 1;
	const struct rule_producer *found = find_of_types(request, rule, types, n_types);
	const char *exporter = find_exporter_type(interface);

	return found || !exporter ? found : find_of_types(request, rule, &exporter, 1);
}

bool rules_findings_fail(
	const struct rule_selection *selection, const struct fact_finding_list *findings)
{
	for (size_t i = 0; i < findings->n_items; i++)
		if (findings->items[i].severity >= selection->request.fail_from)
			return true;
	return false;
}

enum severity rules_fail_from(const struct rule_selection *selection)
{
	return selection->request.fail_from;
}

bool rules_reports(const struct rule_selection *selection, const struct rule *rule,
	const struct fact_target *target, enum severity from)
{
	const struct rule_request *request = &selection->request;

	for (size_t i = 0; rule && i < selection->n_rules; i++) {
		const struct selected_rule *row = &selection->rules[i];
		enum severity severity;

		if (row->rule != rule)
			continue;
		severity = rule_effective_severity(
			request, rule, rule_producer_of(request, rule, target, NULL));
		return row->shown && row->runs && severity >= from &&
		       severity >= request->report_from;
	}
	return false;
}
