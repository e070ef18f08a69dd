// SPDX-License-Identifier: MIT
/* A line for each id that another rule took over. */
#include "findings/rule_aliases.h"

#include "output/notice.h"
#include "rules/engine/rule.h"

void retired_tell(const struct option_list *words)
{
	for (size_t i = 0; i < words->n_items; i++) {
		const struct rule *rule = rule_find(words->items[i]);

		if (rule && rule_is_retired(words->items[i]))
			notice("rule '%s' is retired: %s %s judges it now", words->items[i],
				rule->id, rule->name);
	}
}
