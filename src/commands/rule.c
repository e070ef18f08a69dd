// SPDX-License-Identifier: MIT
/* `suai rule`: the list of the rules, the page of one, the whole book for programs. */
#include "rules/rule.h"
#include "commands/command.h"
#include "commands/run.h"
#include "rules/examples.h"
#include "rules/run.h"

#include <string.h>

struct rule_settings {
	struct shared_settings shared;
};

#define FIELD(NAME) offsetof(struct rule_settings, shared.NAME)

static const struct option options[] = {
	{ .letter = 'f',
		.name = "format",
		.kind = OPTION_CHOICE,
		.offset = FIELD(format),
		.argument = "FORMAT",
		.choices = "text yaml json",
		.help = "text (default), yaml or json" },
	{ .letter = 'o',
		.name = "output",
		.kind = OPTION_TEXT,
		.offset = FIELD(output_path),
		.argument = "FILE",
		.complete = "file",
		.help = "write the result to FILE, whole or not at all" },
	{ .name = "color",
		.kind = OPTION_CHOICE,
		.offset = FIELD(color),
		.argument = "WHEN",
		.choices = "auto always never",
		.help = "colour the text: auto (on a terminal), always or never" },
	{ 0 },
};

static void set_defaults(void *opaque)
{
	struct rule_settings *settings = opaque;

	settings->shared.format = "text";
	settings->shared.color = "auto";
}

static void set_text(struct arena *arena, struct value *map, const char *key, const char *text)
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

static struct value *list_needs(struct arena *arena, const struct rule *rule)
{
	struct value *list = value_list(arena);

	for (size_t i = 0; i < RULE_MAX_NEEDS && rule->needs[i]; i++)
		value_append(arena, list, value_text(arena, rule->needs[i]));
	return list;
}

static struct value *list_producers(struct arena *arena, const struct rule *rule)
{
	struct value *list = value_list(arena), *map;

	for (const struct rule_producer *known = rule_producers; known->type; known++) {
		if (strcmp(known->rule, rule->id) != 0)
			continue;
		map = value_append(arena, list, value_map(arena));
		set_text(arena, map, "type", known->type);
		set_text(arena, map, "versions", known->versions);
		set_text(arena, map, "effect", rule_producer_effect_name(known->effect));
		set_text(arena, map, "evidence", known->evidence);
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
			set_text(arena, map, "name", example->name);
			value_set(arena, map, "passes", value_bool(arena, passes));
			set_text(arena, map, "text", example->text);
		}
	return list;
}

static struct value *rule_to_value(struct arena *arena, const struct rule *rule)
{
	struct value *map = value_map(arena);

	set_text(arena, map, "rule", rule->id);
	set_text(arena, map, "name", rule->name);
	set_text(arena, map, "severity", rule_severity_name(rule->severity));
	set_text(arena, map, "level", rule_level_name(rule->level));
	value_set(arena, map, "protocols", list_words(arena, rule->protocols));
	value_set(arena, map, "facts", rule_facts_to_value(arena, rule->facts | rule->more_facts));
	value_set(arena, map, "needs", list_needs(arena, rule));
	set_text(arena, map, "took_over", rule->took_over);
	set_text(arena, map, "since", rule->since);
	set_text(arena, map, "until", rule->until);
	set_text(arena, map, "clause", rule->clause);
	set_text(arena, map, "says", rule->says);
	set_text(arena, map, "why", rule->why);
	set_text(arena, map, "hint", rule->fix);
	value_set(arena, map, "known_producers", list_producers(arena, rule));
	value_set(arena, map, "examples", list_examples(arena, rule));
	return map;
}

/* The rules that the operands begin; all without any. NULL with err set where one begins none. */
static struct value *list_rules(
	struct arena *arena, const struct option_list *operands, struct err *err)
{
	struct rule_request request = { .select = *operands, .facts = FACT_ALL };
	struct rule_selection *selection = rules_select(arena, &request, err);
	struct value *list = value_list(arena);
	const struct rule **rules;
	size_t n_rules;

	if (!selection)
		return NULL;
	rules = rules_by_id(arena, &n_rules);
	for (size_t i = 0; i < n_rules; i++)
		if (rules_selects(selection, rules[i]))
			value_append(arena, list, rule_to_value(arena, rules[i]));
	return list;
}

static int rule_run(void *opaque, const struct option_list *operands, struct err *err)
{
	struct rule_settings *settings = opaque;
	struct arena arena = { 0 };
	struct run run = { .command = "rule",
		.settings = &settings->shared,
		.arena = &arena,
		.head = value_map(&arena) };
	struct value *rules = list_rules(&arena, operands, err);
	int status = -1;

	if (rules) {
		value_set(&arena, run.head, "rules", rules);
		status = run_print(&run, err);
	}
	arena_free(&arena);
	return status;
}

const struct command rule_command = {
	.name = "rule",
	.summary =
		"explain a rule: what must hold, why, by which clause, how to mend it; or list all",
	.usage = "[RULE...]",
	.prose =
		"RULE is an id such as SUAI302, or the beginning of ids, such as SUAI3. One rule is shown as a page, with "
		"an example that passes and one that fails; several as a list. -f json and -f yaml hold all of it in any "
		"case; without a RULE they are the whole book.",
	.examples = "suai rule SUAI302\n"
		    "  the page of a rule\n"
		    "suai rule SUAI3\n"
		    "  the rules of layout\n"
		    "suai rule -f json | jq -r '.rules[] | [.rule, .severity, .says] | @tsv'\n"
		    "  a table of all rules\n",
	.options = options,
	.settings_bytes = sizeof(struct rule_settings),
	.set_defaults = set_defaults,
	.run = rule_run,
};
