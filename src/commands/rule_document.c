// SPDX-License-Identifier: MIT
/* Pages of rules, for `suai rule` and for formats that list rules. */
#include "commands/rule_document.h"

#include "output/notice.h"
#include "rules/engine/examples.h"

#include <string.h>

const struct query_table query_rules = { .subject = "a rule",
	.keys = { { &fact_rule_page_record, NULL } } };

/* "numpy numpy-struct" as a list. */
static struct fact_texts list_words(struct arena *arena, const char *words)
{
	struct fact_texts list = { .known = true };

	for (size_t n_chars; words && *words; words += n_chars + (words[n_chars] == ' ')) {
		n_chars = strcspn(words, " ");
		fact_texts_add(arena, &list, arena_copy(arena, words, n_chars));
	}
	return list;
}

static struct fact_texts list_ids(struct arena *arena, const char *const *ids, size_t max_ids)
{
	struct fact_texts list = { .known = true };

	for (size_t i = 0; i < max_ids && ids[i]; i++)
		fact_texts_add(arena, &list, ids[i]);
	return list;
}

static void add_producers(
	struct arena *arena, struct fact_producer_list *list, const struct rule *rule)
{
	for (const struct rule_producer *known = rule_producers; known->type; known++) {
		struct fact_producer *producer;

		if (strcmp(known->rule, rule->id) != 0)
			continue;
		producer = FACT_LIST_ADD(arena, list);
		producer->type = known->type;
		producer->versions = known->versions;
		producer->effect = rule_producer_effect_name(known->effect);
		producer->evidence = known->evidence;
	}
}

/* The good one first. */
static void add_examples(
	struct arena *arena, struct fact_example_list *list, const struct rule *rule)
{
	for (int pass = 1; pass >= 0; pass--)
		for (const struct rule_example *known = rule_examples; known->rule; known++) {
			bool passes = !strncmp(known->name, "good", 4);
			struct fact_example *example;

			if (strcmp(known->rule, rule->id) != 0 || passes != (pass == 1))
				continue;
			example = FACT_LIST_ADD(arena, list);
			example->name = known->name;
			example->passes = answer_of(passes);
			example->text = known->text;
		}
}

static void set_page(struct arena *arena, struct fact_rule_page *page, const struct rule *rule)
{
	const struct value *facts = job_facts_to_value(arena, rule->facts | rule->optional_facts);

	*page = (struct fact_rule_page){ .present = true,
		.rule = rule->id,
		.name = rule->name,
		.severity = rule->severity,
		.level = rule_level_name(rule->level),
		.protocols = list_words(arena, rule->protocols),
		.needs = list_ids(arena, rule->requires, RULE_MAX_REQUIRED),
		.said_by = list_ids(arena, rule->subsumed_by, RULE_MAX_SUBSUMING),
		.took_over = rule->replaces,
		.since = rule->since,
		.until = rule->until,
		.clause = rule_clause(arena, rule, NULL),
		.says = rule->summary,
		.why = rule->why,
		.hint = rule->fix };
	for (size_t i = 0; i < facts->n_items; i++)
		fact_texts_add(arena, &page->facts, facts->items[i]->bytes);
	add_producers(arena, &page->known_producers, rule);
	add_examples(arena, &page->examples, rule);
}

struct fact_rule_page_list rule_document_list(
	struct arena *arena, const struct rule_selection *selection)
{
	struct fact_rule_page_list list = { .known = true };
	size_t n_rules;
	const struct rule **rules = rules_by_id(arena, &n_rules);

	for (size_t i = 0; i < n_rules; i++)
		if (rules_is_selected(selection, rules[i]))
			set_page(arena, FACT_LIST_ADD(arena, &list), rules[i]);
	return list;
}

void rule_aliases_report(const struct option_list *words)
{
	for (size_t i = 0; i < words->n_items; i++) {
		const struct rule *rule = rule_find(words->items[i]);

		if (rule && rule_is_retired(words->items[i]))
			notice("rule '%s' was replaced by %s %s", words->items[i], rule->id,
				rule->name);
	}
}
