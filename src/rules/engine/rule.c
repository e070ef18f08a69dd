// SPDX-License-Identifier: MIT
/* The rules as a list of tables, the names of their fields, and finding a rule by its id. */
#include "rules/engine/rule.h"

#include "base/array_size.h"
#include "base/text.h"
#include "protocols/protocol.h"
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

/* The index of the first rule with the same prefix and a greater id or, if there is none, the one
 * after the last with that prefix, or after all. */
static size_t find_place(const struct rule **rules, size_t n_rules, const char *id)
{
	size_t n_prefix = strcspn(id, "0123456789"), place = n_rules;

	for (size_t i = 0; i < n_rules; i++) {
		if (strncmp(rules[i]->id, id, n_prefix) != 0)
			continue;
		if (strcmp(rules[i]->id, id) > 0)
			return i;
		place = i + 1;
	}
	return place;
}

#define PREFIX_ROW(PREFIX, TITLE) { PREFIX, TITLE },

const char *rule_family_title(struct arena *arena, const char *id)
{
	static const struct {
		const char *prefix, *title;
	} others[] = { RULE_OTHER_PREFIXES(PREFIX_ROW) };
	size_t n_prefix = strcspn(id, "0123456789");
	const char *prefix = arena_copy(arena, id, n_prefix), *title = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (!strcmp(others[i].prefix, prefix))
			return others[i].title;
	for (size_t i = 0; protocols[i]; i++)
		if (!strcmp(protocols[i]->rule_prefix, prefix))
			title = arena_printf(arena, "%s%s%s", title ? title : "",
				title ? " and " : "", protocol_title(protocols[i]));
	return title ? title : prefix;
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
			size_t at = find_place(rules, n, rule->id);

			memmove(rules + at + 1, rules + at, (n++ - at) * sizeof(*rules));
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

static const char *join_clauses(
	struct arena *arena, const struct rule_clause *clauses, const char *protocol)
{
	const char *joined = NULL;

	for (const struct rule_clause *row = clauses; row->clause; row++) {
		if (protocol && !text_lists_word(row->protocols, protocol))
			continue;
		joined = joined ? arena_printf(arena, "%s; %s", joined, row->clause) : row->clause;
	}
	return joined;
}

const char *rule_clause(struct arena *arena, const struct rule *rule, const char *protocol)
{
	const char *joined;

	if (!rule->protocol_clauses)
		return rule->clause;
	joined = join_clauses(arena, rule->protocol_clauses, protocol);
	if (!joined)
		joined = join_clauses(arena, rule->protocol_clauses, NULL);
	return rule->is_derived ? arena_printf(arena, "derived from %s", joined) : joined;
}

const char *rule_level_name(enum rule_level level)
{
	static const char *const names[] = { "must", "should", "may", "logic", "fact", "hazard" };

	return names[level];
}
