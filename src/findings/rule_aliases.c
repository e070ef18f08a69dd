// SPDX-License-Identifier: MIT
/* A line for each id that another rule replaces. */
#include "findings/rule_aliases.h"

#include "output/notice.h"
#include "rules/engine/rule.h"

void rule_aliases_report(const struct option_list *words)
{
	for (size_t i = 0; i < words->n_items; i++) {
		const struct rule *rule = rule_find(words->items[i]);

		if (rule && rule_is_retired(words->items[i]))
			notice("rule '%s' was replaced by %s %s", words->items[i], rule->id,
				rule->name);
	}
}
