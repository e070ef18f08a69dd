// SPDX-License-Identifier: MIT
/* The rules as a list of tables, the names of their fields, and finding a rule by its id. */
#include "rules/engine/rule.h"

#include "base/text.h"
#include "rules/engine/families.h"

#include <ctype.h>
#include <string.h>

#define DECLARE(NAME) extern const struct rule NAME##_rules[];
RULE_FAMILIES(DECLARE)

#define ROW(NAME) NAME##_rules,
const struct rule *const rule_families[] = { RULE_FAMILIES(ROW) NULL };

void rule_id_normalise(const char *word, char id[RULE_ID_CHARS])
{
	size_t n_chars = 0;

	for (; *word && n_chars < RULE_ID_CHARS - 1; word++)
		if (*word != '-')
			id[n_chars++] = (char)toupper((unsigned char)*word);
	id[n_chars] = '\0';
}

const struct rule *rule_find(const char *word)
{
	char id[RULE_ID_CHARS];

	rule_id_normalise(word, id);
	for (size_t i = 0; rule_families[i]; i++)
		for (const struct rule *rule = rule_families[i]; rule->id; rule++)
			if (!strcmp(rule->id, id) ||
				(rule->replaces && !strcmp(rule->replaces, id)))
				return rule;
	return NULL;
}

bool rule_is_retired(const char *word)
{
	const struct rule *rule = rule_find(word);
	char id[RULE_ID_CHARS];

	rule_id_normalise(word, id);
	return rule && strcmp(rule->id, id) != 0;
}

/* Whether both ids are of one family, and the first is the greater. */
static bool is_later_id(const char *id, const char *other)
{
	size_t n_prefix = strcspn(id, "0123456789");

	return !strncmp(id, other, n_prefix) && strcmp(id, other) > 0;
}

const struct rule **rules_by_id(struct arena *arena, size_t *n_rules)
{
	const struct rule **rules;
	size_t n = 0;

	for (size_t i = 0; rule_families[i]; i++)
		for (const struct rule *rule = rule_families[i]; rule->id; rule++)
			n++;
	rules = arena_alloc(arena, n * sizeof(*rules));
	*n_rules = n;
	n = 0;
	for (size_t i = 0; rule_families[i]; i++)
		for (const struct rule *rule = rule_families[i]; rule->id; rule++) {
			size_t at = n++;

			for (; at > 0 && is_later_id(rules[at - 1]->id, rule->id); at--)
				rules[at] = rules[at - 1];
			rules[at] = rule;
		}
	return rules;
}

bool interface_was_read(const struct fact_interface *interface)
{
	return interface->status == INTERFACE_NULL || interface->status == INTERFACE_OK;
}

bool rule_covers_protocol(const struct rule *rule, const char *protocol)
{
	return text_lists_word(rule->protocols, protocol);
}

const char *rule_level_name(enum rule_level level)
{
	static const char *const names[] = { "must", "should", "may", "logic", "fact", "hazard" };

	return names[level];
}
