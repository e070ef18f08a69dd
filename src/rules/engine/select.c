// SPDX-License-Identifier: MIT
/*
 * Selects the rules that run: by the ids and prefixes of the user, the rules that those require,
 * and the available facts.
 */
#include "rules/engine/selection.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The length of the longest item that is a prefix of the id, or the retired id; 0: none. A name,
 * which must be complete, is longer than any. */
static size_t longest_match(const struct option_list *list, const struct rule *rule)
{
	char prefix[RULE_ID_CHARS];
	size_t longest = 0, n_chars;

	for (size_t i = 0; i < list->n_items; i++) {
		if (!strcmp(list->items[i], rule->name))
			return RULE_ID_CHARS;
		rule_id_normalise(list->items[i], prefix);
		n_chars = strlen(prefix);
		if (n_chars > longest &&
			(!strncmp(rule->id, prefix, n_chars) ||
				(rule->replaces && !strcmp(rule->replaces, prefix))))
			longest = n_chars;
	}
	return longest;
}

bool rule_matches_word(const char *word, const struct rule *rule)
{
	const struct option_list one = { &word, 1 };

	return longest_match(&one, rule) > 0;
}

static bool is_selected(const struct rule_request *request, const struct rule *rule)
{
	size_t selected = longest_match(&request->select, rule);
	size_t extended = longest_match(&request->extend_select, rule);
	size_t ignored = longest_match(&request->ignore, rule);

	if (extended > selected)
		selected = extended;
	if (!selected)
		return !request->select.n_items && !ignored;
	return selected > ignored;
}

static size_t common_chars(const char *a, const char *b)
{
	size_t n_chars = 0;

	while (a[n_chars] && a[n_chars] == b[n_chars])
		n_chars++;
	return n_chars;
}

static const char *nearest_rule_name(
	struct arena *arena, const struct rule_selection *selection, const char *word)
{
	const char **names = arena_alloc(arena, selection->n_rules * sizeof(*names));

	for (size_t i = 0; i < selection->n_rules; i++)
		names[i] = selection->rules[i].rule->name;
	return option_suggest(word, names, selection->n_rules);
}

/* The letters of the first id of the rules of a protocol: "SUAI" for sycl; NULL if the word names
 * none. */
static const char *prefix_of_protocol(
	struct arena *arena, const struct rule_selection *selection, const char *word)
{
	for (size_t i = 0; i < selection->n_rules; i++) {
		const struct rule *rule = selection->rules[i].rule;

		if (rule->protocols && !strcasecmp(rule->protocols, word))
			return arena_copy(arena, rule->id, strcspn(rule->id, "0123456789"));
	}
	return NULL;
}

/* Suggests the rules of the protocol that the word names, otherwise the nearest of the ids that
 * share the longest prefix with it, otherwise a name. */
static int unknown_rule_word(struct arena *arena, const struct rule_selection *selection,
	const char *word, struct err *err)
{
	const char **ids = arena_alloc(arena, selection->n_rules * sizeof(*ids)), *near;
	size_t n_ids = 0, n_common = 0;
	char id[RULE_ID_CHARS];

	rule_id_normalise(word, id);
	for (size_t i = 0; i < selection->n_rules; i++) {
		const char *candidate = selection->rules[i].rule->id;
		size_t n_chars = common_chars(id, candidate);

		if (n_chars > n_common)
			n_ids = 0;
		if (n_chars < n_common)
			continue;
		n_common = n_chars;
		ids[n_ids++] = candidate;
	}
	near = prefix_of_protocol(arena, selection, word);
	if (!near)
		near = option_suggest(id, ids, n_ids);
	if (!near)
		near = nearest_rule_name(arena, selection, word);
	err_set(err, EXIT_USAGE, "unknown rule '%s'", word);
	return err_suggest(err, near, "; run 'suai rule' to list all rules");
}

/* Each word must match a rule. */
static int check_rule_words(struct arena *arena, const struct rule_selection *selection,
	const struct option_list *words, struct err *err)
{
	for (size_t i = 0; i < words->n_items; i++) {
		bool fits = false;

		for (size_t r = 0; r < selection->n_rules && !fits; r++)
			fits = rule_matches_word(words->items[i], selection->rules[r].rule);
		if (!fits)
			return unknown_rule_word(arena, selection, words->items[i], err);
	}
	return 0;
}

static size_t find_rule_index(const struct rule_selection *selection, const char *id)
{
	size_t i = 0;

	while (i < selection->n_rules && strcmp(selection->rules[i].rule->id, id) != 0)
		i++;
	return i;
}

/* The index of a rule that rule r depends on: an earlier one, usually of the same family. */
static size_t find_earlier_rule(const struct rule_selection *selection, size_t r, const char *id)
{
	while (strcmp(selection->rules[--r].rule->id, id) != 0)
		;
	return r;
}

static void list_families(
	struct arena *arena, struct rule_selection *selection, const struct rule *const *families)
{
	size_t n_rules = 0;

	for (size_t i = 0; families[i]; i++)
		for (const struct rule *rule = families[i]; rule->id; rule++)
			n_rules++;
	selection->rules = arena_alloc(arena, n_rules * sizeof(*selection->rules));
	for (size_t i = 0; families[i]; i++)
		for (const struct rule *rule = families[i]; rule->id; rule++)
			selection->rules[selection->n_rules++].rule = rule;
}

/* Fills requires and subsumed_by; false if the facts of the rule, or of one that it requires,
 * cannot be captured. */
static bool can_run(const struct rule_selection *selection, size_t r, bool *can)
{
	struct selected_rule *row = &selection->rules[r];
	const struct rule *rule = row->rule;

	if (rule->facts & ~selection->request.facts &&
		!(rule->alternative_facts & selection->request.facts))
		return false;
	for (size_t i = 0; i < RULE_MAX_REQUIRED && rule->requires[i]; i++) {
		size_t needed = find_earlier_rule(selection, r, rule->requires[i]);

		if (!can[needed])
			return false;
		row->requires[row->n_required++] = needed;
	}
	for (size_t i = 0; i < RULE_MAX_SUBSUMING && rule->subsumed_by[i]; i++) {
		size_t subsuming = find_earlier_rule(selection, r, rule->subsumed_by[i]);

		if (can[subsuming])
			row->subsumed_by[row->n_subsuming++] = subsuming;
	}
	return true;
}

/* The rules that one depends on come earlier, so one pass backwards finds all of them. */
static void mark_running_rules(struct arena *arena, struct rule_selection *selection)
{
	bool *can = arena_alloc(arena, selection->n_rules * sizeof(*can));

	for (size_t r = 0; r < selection->n_rules; r++) {
		struct selected_rule *row = &selection->rules[r];

		can[r] = can_run(selection, r, can);
		row->shown = can[r] && is_selected(&selection->request, row->rule);
	}
	for (size_t r = selection->n_rules; r-- > 0;) {
		struct selected_rule *row = &selection->rules[r];

		row->runs |= row->shown;
		for (size_t i = 0; row->runs && i < row->n_required; i++)
			selection->rules[row->requires[i]].runs = true;
		for (size_t i = 0; row->runs && i < row->n_subsuming; i++)
			selection->rules[row->subsumed_by[i]].runs = true;
	}
}

/* " --calls", " --lifetime without --static": the options that capture those facts. */
static const char *options_for(struct arena *arena, int facts)
{
	bool needs_option = facts & (FACT_CALLS | FACT_LIFETIME | FACT_LIVE);

	return arena_printf(arena, "%s%s%s%s%s", facts & FACT_CALLS ? " --calls" : "",
		facts & FACT_LIFETIME ? " --lifetime" : "", facts & FACT_LIVE ? " --live" : "",
		facts & FACT_MEMORY && !needs_option ? " a run" : "",
		facts & FACT_MEMORY ? " without --static" : "");
}

/* A word none of whose rules can run would find nothing, as if the object passed them. */
static int check_words_can_run(struct arena *arena, const struct rule_selection *selection,
	const struct option_list *words, struct err *err)
{
	for (size_t i = 0; i < words->n_items; i++) {
		struct option_list one = { words->items + i, 1 };
		bool runs = false;
		int lacking = 0, alternatives = FACT_ALL;

		for (size_t r = 0; r < selection->n_rules && !runs; r++) {
			const struct rule *rule = selection->rules[r].rule;

			if (!longest_match(&one, rule) || !is_selected(&selection->request, rule))
				continue;
			runs = selection->rules[r].shown;
			lacking |= rule->facts & ~selection->request.facts;
			alternatives &= rule->alternative_facts;
		}
		if (!runs && lacking)
			return err_set(err, EXIT_USAGE, "the rules that '%s' selects require%s%s",
				words->items[i], options_for(arena, lacking),
				alternatives & FACT_LIVE ? " or --live" : "");
	}
	return 0;
}

/* Nor would a selection without rules. */
static int check_any_runs(const struct rule_selection *selection, struct err *err)
{
	for (size_t r = 0; r < selection->n_rules; r++)
		if (selection->rules[r].shown)
			return 0;
	return selection->request.select.n_items && selection->request.ignore.n_items
		       ? err_set(err, EXIT_USAGE,
				 "no rules are selected: '%s' is both selected and ignored",
				 selection->request.select.items[0])
		       : 0;
}

struct rule_selection *rules_select(
	struct arena *arena, const struct rule_request *request, struct err *err)
{
	struct rule_selection *selection = arena_alloc(arena, sizeof(*selection));

	selection->request = *request;
	selection->disabled = getenv("SUAI_DISABLE_CHECK");
	list_families(arena, selection, request->families ? request->families : rule_families);
	if (check_rule_words(arena, selection, &request->select, err) ||
		check_rule_words(arena, selection, &request->extend_select, err) ||
		check_rule_words(arena, selection, &request->ignore, err))
		return NULL;
	for (size_t i = 0; i < request->spec.n_items; i++)
		if (rules_check_edition(request->spec.items[i], err))
			return NULL;
	mark_running_rules(arena, selection);
	if (check_words_can_run(arena, selection, &request->select, err) ||
		check_words_can_run(arena, selection, &request->extend_select, err) ||
		check_any_runs(selection, err))
		return NULL;
	return selection;
}

int rules_check_word(const char *word, struct err *err)
{
	const struct option_list one = { &word, 1 };
	struct rule_selection selection = { 0 };
	struct arena arena = { 0 };
	int status;

	list_families(&arena, &selection, rule_families);
	status = check_rule_words(&arena, &selection, &one, err);
	arena_free(&arena);
	return status;
}

bool rules_is_selected(const struct rule_selection *selection, const struct rule *rule)
{
	size_t r = find_rule_index(selection, rule->id);

	return r < selection->n_rules && selection->rules[r].shown;
}

bool rules_select_word(const struct rule_selection *selection, const char *word)
{
	for (size_t r = 0; r < selection->n_rules; r++)
		if (selection->rules[r].shown && rule_matches_word(word, selection->rules[r].rule))
			return true;
	return false;
}

int rules_facts(const struct rule_selection *selection)
{
	int facts = 0;

	for (size_t r = 0; r < selection->n_rules; r++)
		if (selection->rules[r].runs)
			facts |= (selection->rules[r].rule->facts |
					 selection->rules[r].rule->alternative_facts |
					 selection->rules[r].rule->optional_facts) &
				 selection->request.facts;
	return facts;
}
