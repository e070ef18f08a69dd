// SPDX-License-Identifier: MIT
#include "findings/source_ignores.h"

#include "output/notice.h"

#include <inttypes.h>
#include <string.h>

enum {
	MAX_LINES = 10,
	MIN_BUCKETS = 64,     /* a power of two */
	MIN_PREFIX_CHARS = 3, /* a shorter one is likelier a typing error */
};

struct listed_rule {
	const char *word;
	const char *error; /* NULL: some rule has this name, id or prefix */
	bool is_used;
	bool was_checked; /* on a target of the line */
};

struct source_ignore {
	const char *file;
	int64_t line, cell; /* cell 0: not a notebook */
	const char *error;  /* NULL: valid */
	bool is_met;        /* a target is defined there */
	struct listed_rule *rules;
	size_t n_rules;
	struct source_ignore *next; /* with the same hash */
};

static size_t hash_of_place(const char *file, int64_t line, int64_t cell)
{
	uint64_t hash = (uint64_t)line ^ (uint64_t)cell << 32;

	while (*file)
		hash = (hash ^ (unsigned char)*file++) * UINT64_C(0x100000001b3);
	return (size_t)(hash ^ hash >> 32);
}

static void insert_source_ignore(struct source_ignores *ignores, struct source_ignore *ignore)
{
	const size_t i =
		hash_of_place(ignore->file, ignore->line, ignore->cell) & (ignores->n_buckets - 1);

	ignore->next = ignores->buckets[i];
	ignores->buckets[i] = ignore;
}

/* Keeps at least as many buckets as comments. */
static void reserve_buckets(struct source_ignores *ignores)
{
	if (ignores->n_items < ignores->n_buckets)
		return;
	ignores->n_buckets = ignores->n_buckets ? 2 * ignores->n_buckets : MIN_BUCKETS;
	ignores->buckets =
		arena_alloc(&ignores->arena, ignores->n_buckets * sizeof(struct source_ignore *));
	memset(ignores->buckets, 0, ignores->n_buckets * sizeof(struct source_ignore *));
	for (size_t i = 0; i < ignores->n_items; i++)
		insert_source_ignore(ignores, ignores->items[i]);
}

static struct source_ignore *add_source_ignore(
	struct source_ignores *ignores, const char *file, const struct fact_ignore *comment)
{
	struct arena *arena = &ignores->arena;
	struct source_ignore *ignore;
	struct err why = { 0 };

	reserve_buckets(ignores);
	ignores->items =
		arena_grow(arena, ignores->items, ignores->n_items, sizeof(struct source_ignore *));
	ignore = arena_alloc(arena, sizeof(*ignore));
	ignores->items[ignores->n_items++] = ignore;
	*ignore = (struct source_ignore){ .file = arena_copy(arena, file, strlen(file)),
		.line = fact_int_or(comment->line, 0),
		.cell = fact_int_or(comment->cell, 0),
		.rules =
			arena_alloc(arena, (comment->rules.n_items + 1) * sizeof(*ignore->rules)) };
	if (comment->error)
		ignore->error = arena_copy(arena, comment->error, strlen(comment->error));
	for (size_t i = 0; i < comment->rules.n_items; i++) {
		const char *word = comment->rules.items[i];
		struct listed_rule *rule = &ignore->rules[ignore->n_rules++];

		*rule = (struct listed_rule){ .word = arena_copy(arena, word, strlen(word)) };
		if (rules_check_word(word, &why))
			rule->error = arena_copy(arena, why.message, strlen(why.message));
		else if (strlen(word) < MIN_PREFIX_CHARS)
			rule->error =
				"expected the id or name of a rule, or a prefix of ids such as NAI";
	}
	insert_source_ignore(ignores, ignore);
	return ignore;
}

static struct source_ignore *find_source_ignore(
	struct source_ignores *ignores, const char *file, const struct fact_ignore *comment)
{
	const int64_t line = fact_int_or(comment->line, 0), cell = fact_int_or(comment->cell, 0);
	struct source_ignore *at = ignores->n_buckets
					   ? ignores->buckets[hash_of_place(file, line, cell) &
							      (ignores->n_buckets - 1)]
					   : NULL;

	for (; at; at = at->next)
		if (at->line == line && at->cell == cell && !strcmp(at->file, file))
			return at;
	return add_source_ignore(ignores, file, comment);
}

/* Marks the words of the comment that name the rule as used; false: there are none. */
static bool mark_used(struct source_ignore *ignore, const char *id)
{
	const struct rule *rule = rule_find(id);
	bool is_listed = false;

	for (size_t i = 0; rule && i < ignore->n_rules; i++) {
		if (ignore->rules[i].error || !rule_matches_word(ignore->rules[i].word, rule))
			continue;
		ignore->rules[i].is_used = true;
		is_listed = true;
	}
	return is_listed;
}

/* Whether the run captures all that the rule can use: protocols, calls and trials. */
static bool captures_all_of(const struct source_ignores *ignores, const struct rule *rule)
{
	int facts = rule->optional_facts | rule->alternative_facts;

	if (facts & (FACT_CALLS | FACT_LIFETIME | FACT_LIVE) & ~ignores->facts)
		return false;
	if (!ignores->protocols.n_items)
		return true;
	for (size_t i = 0; protocols[i]; i++) {
		bool is_chosen = false;

		for (size_t k = 0; k < ignores->protocols.n_items; k++)
			is_chosen |= !strcmp(ignores->protocols.items[k], protocols[i]->name);
		if (!is_chosen &&
			(!rule->protocols || rule_covers_protocol(rule, protocols[i]->name)))
			return false;
	}
	return true;
}

static bool covers_target(const struct rule *rule, const struct fact_target *target)
{
	bool covers = !rule->protocols;

	for (size_t i = 0; i < target->interfaces.n_items; i++)
		covers |= rule_covers_protocol(rule, target->interfaces.items[i].protocol);
	return covers;
}

/* Whether the rule checks such targets: call sites, or objects. */
static bool is_rule_of_targets(const struct source_ignores *ignores, const struct rule *rule)
{
	return ((rule->facts & FACT_EXCHANGE) != 0) == ignores->of_call_sites;
}

/* Whether a rule that the word names was checked on the target with all facts that it can use. If
 * several rules have the name, the object may need it for one that was not selected. */
static bool was_word_checked(
	const struct source_ignores *ignores, const char *word, const struct fact_target *target)
{
	bool was_checked = false;

	for (size_t i = 0; rule_families[i]; i++)
		for (const struct rule *rule = rule_families[i]; rule->id; rule++) {
			if (!rule_matches_word(word, rule) || !is_rule_of_targets(ignores, rule))
				continue;
			if (!strcmp(word, rule->name) && covers_target(rule, target) &&
				!rules_is_selected(ignores->selection, rule))
				return false;
			was_checked |=
				captures_all_of(ignores, rule) &&
				rules_reports(ignores->selection, rule, target, SEVERITY_NOTE);
		}
	return was_checked;
}

static void take_findings(struct source_ignore *ignore, const char *reason, struct arena *arena,
	struct rule_results *results, struct fact_finding_list *taken)
{
	size_t n_kept = 0;

	for (size_t i = 0; i < results->findings.n_items; i++) {
		struct fact_finding *finding = &results->findings.items[i];

		if (mark_used(ignore, finding->rule)) {
			finding->reason = reason;
			*FACT_LIST_ADD(arena, taken) = *finding;
		} else {
			results->findings.items[n_kept++] = *finding;
		}
	}
	results->findings.n_items = n_kept;
	n_kept = 0;
	for (size_t i = 0; i < results->skipped.n_items; i++)
		if (!mark_used(ignore, results->skipped.items[i].rule))
			results->skipped.items[n_kept++] = results->skipped.items[i];
	results->skipped.n_items = n_kept;
}

struct fact_finding_list source_ignores_take(struct source_ignores *ignores, struct arena *arena,
	const struct fact_target *target, struct rule_results *results)
{
	const char *file = fact_text_or(target->source.file, "?");
	struct fact_finding_list taken = { .known = true };

	for (size_t i = 0; i < target->ignores.n_items; i++) {
		const struct fact_ignore *comment = &target->ignores.items[i];
		struct source_ignore *ignore = find_source_ignore(ignores, file, comment);

		ignore->is_met = true;
		for (size_t k = 0; k < ignore->n_rules && target->status == STATUS_OK; k++)
			ignore->rules[k].was_checked |=
				was_word_checked(ignores, ignore->rules[k].word, target);
		for (size_t k = 0; k < results->findings.n_items; k++)
			mark_used(ignore, results->findings.items[k].rule);
		for (size_t k = 0; k < results->skipped.n_items; k++)
			mark_used(ignore, results->skipped.items[k].rule);
	}
	for (size_t i = 0; i < target->ignores.n_items; i++) {
		const struct fact_ignore *comment = &target->ignores.items[i];

		take_findings(find_source_ignore(ignores, file, comment), comment->reason, arena,
			results, &taken);
	}
	ignores->n_ignored += (int64_t)taken.n_items;
	return taken;
}

void source_ignores_take_module(
	struct source_ignores *ignores, const char *file, const struct fact_ignore_list *comments)
{
	for (size_t i = 0; i < comments->n_items; i++)
		find_source_ignore(ignores, file, &comments->items[i]);
}

/* --- comments that ignore nothing --- */

/* Whether the word is that of a selected rule of objects, or of call sites if targets are these. */
static bool is_word_of_targets(const struct source_ignores *ignores, const char *word)
{
	for (size_t i = 0; rule_families[i]; i++)
		for (const struct rule *rule = rule_families[i]; rule->id; rule++)
			if (rule_matches_word(word, rule) && is_rule_of_targets(ignores, rule) &&
				rules_is_selected(ignores->selection, rule))
				return true;
	return false;
}

/* NULL: the rule ignores something, or was not checked. */
static const char *find_fault(const struct source_ignores *ignores, struct arena *arena,
	const struct source_ignore *ignore, const struct listed_rule *rule)
{
	if (rule->error)
		return arena_printf(arena, "suai: ignore[%s]: %s", rule->word, rule->error);
	if (!ignore->is_met && !ignores->protocols.n_items && !ignores->is_partial &&
		is_word_of_targets(ignores, rule->word))
		return arena_printf(arena, "suai: ignore[%s] is unused: %s", rule->word,
			ignores->of_call_sites ? "no exchange at this line in this run"
					       : "no target is defined on this line");
	if (ignore->is_met && !rule->is_used && rule->was_checked)
		return arena_printf(
			arena, "suai: ignore[%s] is unused: no such finding", rule->word);
	return NULL;
}

static void add_unused(struct arena *arena, struct fact_unused_ignore_list *list,
	const struct source_ignore *ignore, const char *rule, const char *message)
{
	struct fact_unused_ignore *unused = FACT_LIST_ADD(arena, list);

	unused->file = ignore->file;
	unused->line = fact_int(ignore->line);
	unused->cell = (struct fact_int){ .known = ignore->cell != 0, .value = ignore->cell };
	unused->rule = rule;
	unused->message = message;
}

struct fact_unused_ignore_list source_ignores_unused(
	const struct source_ignores *ignores, struct arena *arena)
{
	struct fact_unused_ignore_list list = { .known = true };

	for (size_t i = 0; i < ignores->n_items; i++) {
		const struct source_ignore *ignore = ignores->items[i];

		if (ignore->error)
			add_unused(arena, &list, ignore, NULL, ignore->error);
		for (size_t k = 0; k < ignore->n_rules && !ignore->error; k++) {
			const struct listed_rule *rule = &ignore->rules[k];
			const char *fault = find_fault(ignores, arena, ignore, rule);

			if (fault)
				add_unused(arena, &list, ignore, rule->error ? NULL : rule->word,
					fault);
		}
	}
	return list;
}

void source_ignores_report(const struct fact_unused_ignore_list *unused)
{
	for (size_t i = 0; i < unused->n_items && i < MAX_LINES; i++) {
		const struct fact_unused_ignore *item = &unused->items[i];

		if (item->cell.known)
			notice("%s: cell %" PRId64 ", line %" PRId64 ": %s", item->file,
				item->cell.value, item->line.value, item->message);
		else
			notice("%s:%" PRId64 ": %s", item->file, item->line.value, item->message);
	}
	if (unused->n_items > MAX_LINES)
		notice("unused or invalid ignores: %zu more", unused->n_items - MAX_LINES);
}

void source_ignores_free(struct source_ignores *ignores)
{
	arena_free(&ignores->arena);
	*ignores = (struct source_ignores){ 0 };
}
