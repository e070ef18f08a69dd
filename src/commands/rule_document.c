// SPDX-License-Identifier: MIT
/* Rules as values: what `suai rule` prints, and what formats say of the rules that were broken. */
#include "commands/rule_document.h"

#include "rules/engine/examples.h"

#include <string.h>

static const struct document_key rule_keys[] = {
	{ "rule", .kinds = KEY_TEXT },
	{ "name", .kinds = KEY_TEXT },
	{ "severity", .kinds = KEY_TEXT },
	{ "level", .kinds = KEY_TEXT },
	{ "protocols", .kinds = KEY_LIST },
	{ "facts", .kinds = KEY_LIST },
	{ "needs", .kinds = KEY_LIST },
	{ "took_over", .kinds = KEY_TEXT },
	{ "since", .kinds = KEY_TEXT },
	{ "until", .kinds = KEY_TEXT },
	{ "clause", .kinds = KEY_TEXT },
	{ "says", .kinds = KEY_TEXT },
	{ "why", .kinds = KEY_TEXT },
	{ "hint", .kinds = KEY_TEXT },
	{ 0 },
};

const struct query_table query_rules = { "a rule", rule_keys, NULL };

static void set_rule_text(struct arena *arena, struct value *map, const char *key, const char *text)
{
	value_set(arena, map, key, value_text(arena, text));
}

/* "numpy numpy-struct" as a list. */
static struct value *list_words(struct arena *arena, const char *words)
{
	struct value *list = value_list(arena);

	for (size_t n_chars; words && *words; words += n_chars + (words[n_chars] == ' ')) {
		n_chars = strcspn(words, " ");
		value_append(arena, list, value_text_n(arena, words, n_chars));
	}
	return list;
}

static struct value *list_ids(struct arena *arena, const char *const *ids, size_t max_ids)
{
	struct value *list = value_list(arena);

	for (size_t i = 0; i < max_ids && ids[i]; i++)
		value_append(arena, list, value_text(arena, ids[i]));
	return list;
}

static struct value *list_producers(struct arena *arena, const struct rule *rule)
{
	struct value *list = value_list(arena), *map;

	for (const struct rule_producer *known = rule_producers; known->type; known++) {
		if (strcmp(known->rule, rule->id) != 0)
			continue;
		map = value_append(arena, list, value_map(arena));
		set_rule_text(arena, map, "type", known->type);
		set_rule_text(arena, map, "versions", known->versions);
		set_rule_text(arena, map, "effect", rule_producer_effect_name(known->effect));
		set_rule_text(arena, map, "evidence", known->evidence);
	}
	return list;
}

/* The good one first. */
static struct value *list_examples(struct arena *arena, const struct rule *rule)
{
	struct value *list = value_list(arena), *map;

	for (int pass = 1; pass >= 0; pass--)
		for (const struct rule_example *example = rule_examples; example->rule; example++) {
			bool passes = !strncmp(example->name, "good", 4);

			if (strcmp(example->rule, rule->id) != 0 || passes != (pass == 1))
				continue;
			map = value_append(arena, list, value_map(arena));
			set_rule_text(arena, map, "name", example->name);
			value_set(arena, map, "passes", value_bool(arena, passes));
			set_rule_text(arena, map, "text", example->text);
		}
	return list;
}

static struct value *rule_to_value(struct arena *arena, const struct rule *rule)
{
	struct value *map = value_map(arena);

	set_rule_text(arena, map, "rule", rule->id);
	set_rule_text(arena, map, "name", rule->name);
	set_rule_text(arena, map, "severity", severity_name(rule->severity));
	set_rule_text(arena, map, "level", rule_level_name(rule->level));
	value_set(arena, map, "protocols", list_words(arena, rule->protocols));
	value_set(
		arena, map, "facts", job_facts_to_value(arena, rule->facts | rule->optional_facts));
	value_set(arena, map, "needs", list_ids(arena, rule->requires, RULE_MAX_REQUIRED));
	value_set(arena, map, "said_by", list_ids(arena, rule->subsumed_by, RULE_MAX_SUBSUMING));
	set_rule_text(arena, map, "took_over", rule->replaces);
	set_rule_text(arena, map, "since", rule->since);
	set_rule_text(arena, map, "until", rule->until);
	set_rule_text(arena, map, "clause", rule->clause);
	set_rule_text(arena, map, "says", rule->summary);
	set_rule_text(arena, map, "why", rule->why);
	set_rule_text(arena, map, "hint", rule->fix);
	value_set(arena, map, "known_producers", list_producers(arena, rule));
	value_set(arena, map, "examples", list_examples(arena, rule));
	return map;
}

struct value *rule_document_list(struct arena *arena, const struct rule_selection *selection)
{
	struct value *list = value_list(arena);
	size_t n_rules;
	const struct rule **rules = rules_by_id(arena, &n_rules);

	for (size_t i = 0; i < n_rules; i++)
		if (rules_is_selected(selection, rules[i]))
			value_append(arena, list, rule_to_value(arena, rules[i]));
	return list;
}
