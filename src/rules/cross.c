// SPDX-License-Identifier: MIT
/* XPR rules: across the protocols of one object. */
#include "rules/clauses.h"
#include "rules/rule.h"

#include <string.h>

static void check_exposes(const struct subject *subject, struct report *report)
{
	const struct value *interfaces = value_get(subject->target, "interfaces");
	const char *status = value_text_or(value_get(subject->target, "status"), "ok");
	const char *type = value_text_or(value_get(subject->target, "type"), NULL);

	if (value_is_sequence(interfaces) && interfaces->n_items)
		return;
	if (strcmp(status, "ok") != 0)
		rule_skip(report, "the target was not captured: %s", status);
	else if (type)
		rule_fail(report, NULL,
			"it exposes none of the interfaces that were looked for; its type is %s",
			type);
	else
		rule_fail(report, NULL, "no object of the module exposes an interface");
}

const struct rule cross_rules[] = {
	{
		.id = "XPR002",
		.name = "no-interface",
		.severity = SEV_ERROR,
		.level = LEVEL_HAZARD,
		.facts = FACT_DICT | FACT_STRUCT,
		.clause = CLAUSE_SUAI "Something to judge",
		.says = "the object exposes at least one interface",
		.why = "no library can take the memory of an object that exposes nothing, and a check of nothing would "
		       "pass whatever is wrong",
		.fix = "name an array, or define one of the interfaces; 'suai inspect' shows what an object exposes",
		.check = check_exposes,
	},
	{ .id = NULL },
};
