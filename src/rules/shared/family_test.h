// SPDX-License-Identifier: MIT
/*
 * For the tests of a family of rules: tables of changes to healthy facts with the ids that they
 * raise, and the property that describe fails exactly when a structural error is found.
 */
#ifndef RULES_SHARED_FAMILY_TEST_H
#define RULES_SHARED_FAMILY_TEST_H

#include "base/array_size.h"
#include "base/text.h"
#include "protocols/literal.h"
#include "rules/engine/run.h"
#include "rules/shared/shared.h"

/* In a family_case, `expected` holds the ids raised, in order, separated by spaces. */
#define family_case literal_case

/* The newest editions, all facts; spec (NULL: none) is one word of --spec. */
static struct rule_selection *family_select(struct arena *arena, const char *spec)
{
	struct rule_request request = { .fail_from = SEVERITY_ERROR, .facts = FACT_ALL };
	struct err err;

	if (spec) {
		request.spec.items = arena_alloc(arena, sizeof(spec));
		request.spec.items[request.spec.n_items++] = spec;
	}
	return rules_select(arena, &request, &err);
}

/*
 * A target with the interface base, changed. Keys "type", "own", "calls" and "trials" are the
 * target's, "second" is a second interface; all others are those of literal_facts.
 */
static const struct fact_target *family_target(
	struct arena *arena, const char *base, const char *changes)
{
	struct fact_target *typed = arena_alloc(arena, sizeof(*typed));
	struct err err = { 0 };
	const char *text = arena_printf(arena, "{%s}", changes);
	struct value *target = value_map(arena), *interfaces = value_list(arena);
	struct value *interface = literal_read(arena, &base), *map = literal_read(arena, &text);
	struct value *second = NULL;

	value_set(arena, target, "type", value_text(arena, "m.Array"));
	value_set(arena, target, "own", value_map(arena));
	for (size_t i = 0; i < map->n_items; i++) {
		const char *key = map->keys[i];

		if (!strcmp(key, "type") || !strcmp(key, "calls") || !strcmp(key, "trials") ||
			!strncmp(key, "own", 3))
			target = literal_change(arena, target, key, map->items[i]);
		else if (!strcmp(key, "second"))
			second = map->items[i];
		else
			interface = literal_set_fact(arena, interface, key, map->items[i]);
	}
	value_append(arena, interfaces, interface);
	if (second)
		value_append(arena, interfaces, second);
	value_set(arena, target, "interfaces", interfaces);
	CHECK(!fact_read(&fact_target_record, arena, target, FACT_WIRE, NULL, typed, &err),
		"{%s}: %s", changes, err.message);
	return typed;
}

/* The ids of findings on the object and its first interface; the second one has its own test. */
static const char *family_ids(
	struct arena *arena, const struct fact_target *target, const struct rule_results *results)
{
	const char *protocol = target->interfaces.items[0].protocol;
	const char *ids = "";

	for (size_t i = 0; i < results->findings.n_items; i++) {
		const struct fact_finding *finding = &results->findings.items[i];

		if (finding->protocol && strcmp(finding->protocol, protocol) != 0)
			continue;
		ids = arena_printf(arena, "%s%s%s", ids, *ids ? " " : "", finding->rule);
	}
	return ids;
}

__attribute__((unused)) static void family_check(
	const char *base, const struct family_case *cases, size_t n_cases, const char *spec)
{
	struct arena arena = { 0 };
	struct rule_selection *selection = family_select(&arena, spec);

	for (size_t i = 0; i < n_cases; i++) {
		const struct fact_target *target = family_target(&arena, base, cases[i].changes);
		struct rule_results results = rules_run(selection, target, &arena);
		const char *ids = family_ids(&arena, target, &results);

		CHECK(!strcmp(ids, cases[i].expected), "{%s}%s%s raised '%s'", cases[i].changes,
			spec ? " by " : "", spec ? spec : "", ids);
	}
	arena_free(&arena);
}

/* An error of the layers 0 to 3 that the facts of the interface alone show. A wrong descr leaves
 * the element that typestr has. */
static bool family_is_structural(
	const struct protocol *protocol, const struct fact_finding *finding)
{
	const char *id = finding->rule;
	bool is_descr = finding->field && !strncmp(finding->field, "descr", 5) &&
			!strstr(finding->message, "descr is NULL");
	size_t n_prefix = strlen(protocol->rule_prefix);

	return !is_descr && finding->severity == SEVERITY_ERROR &&
	       !strncmp(id, protocol->rule_prefix, n_prefix) && id[n_prefix] <= '3' &&
	       !(rule_find(id)->facts & FACT_MEMORY);
}

/* One to three changes of pool to base, chosen by seed: describe fails exactly when a structural
 * error is found. */
static void family_try(const struct protocol *protocol, const struct rule_selection *selection,
	const char *base, const char *const *pool, size_t n_pool)
{
	struct arena arena = { 0 };
	const char *changes = "";
	struct rule_results results;
	const struct fact_target *target;
	bool is_broken = false, is_refused = false, failed;
	struct array array;
	struct err err = { 0 };

	for (int n = rand() % 3; n >= 0; n--)
		changes = arena_printf(&arena, "%s%s%s", changes, *changes ? ", " : "",
			pool[(size_t)rand() % n_pool]);
	target = family_target(&arena, base, changes);
	results = rules_run(selection, target, &arena);
	for (size_t i = 0; i < results.findings.n_items; i++) {
		const struct fact_finding *finding = &results.findings.items[i];

		if (!family_is_structural(protocol, finding))
			continue;
		/* An interface that consumers reject may still be described. */
		if (rule_find(finding->rule)->level == LEVEL_FACT)
			is_refused = true;
		else
			is_broken = true;
	}
	/* So may an array that exceeds the address space. */
	failed = protocol->describe(target->interfaces.items, &array, &err) != 0;
	CHECK((is_refused && !is_broken) ||
			is_broken == (failed || !shared_is_in_address_space(&array)),
		"{%s}: describe fails with '%s'", changes, err.message);
	arena_free(&arena);
}

__attribute__((unused)) static void family_check_describe(
	const struct protocol *protocol, const char *base, const char *const *pool, size_t n_pool)
{
	struct arena arena = { 0 };
	struct rule_selection *selection = family_select(&arena, NULL);

	srand(1);
	for (int round = 0; round < 6000; round++)
		family_try(protocol, selection, base, pool, n_pool);
	arena_free(&arena);
}

/* --- pairs of defects --- */

/* A rule, or a change (a part of its text), that hides another rule if both are violated, because
 * they have the same cause, or the second cannot be evaluated. "*" is any. */
struct family_excuse {
	const char *hides, *hidden; /* hidden: ids, separated by spaces */
	const char *reason;
};

/* The path of a key of a change: "declared.shape", "own.dtype". */
static const char *family_path(struct arena *arena, const char *key)
{
	static const char *const others[] = { "declared", "details", "memory", "status", "error",
		"type", "calls", "trials", "own", "second" };

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (!strncmp(key, others[i], strlen(others[i])))
			return key;
	return arena_printf(arena, "declared.%s", key);
}

/* Whether one of the two paths is within the other. */
static bool family_paths_overlap(const char *a, const char *b)
{
	size_t n = 0;

	while (a[n] && a[n] == b[n])
		n++;
	return (!a[n] && (!b[n] || b[n] == '.')) || (!b[n] && a[n] == '.');
}

/* Whether two changes can be made at once. */
static bool family_can_combine(struct arena *arena, const struct value *a, const struct value *b)
{
	for (size_t i = 0; i < a->n_items; i++)
		for (size_t j = 0; j < b->n_items; j++)
			if (family_paths_overlap(
				    family_path(arena, a->keys[i]), family_path(arena, b->keys[j])))
				return false;
	return true;
}

/* Whether it is an error or a warning that depends only on the facts of the interface. */
static bool family_is_independent(const char *id)
{
	const struct rule *rule = rule_find(id);

	return rule && rule->severity > SEVERITY_NOTE && !(rule->facts & FACT_MEMORY);
}

static bool family_is_excused(struct family_excuse *excuses, bool *used, size_t n_excuses,
	const struct family_case *hides, const char *hidden)
{
	for (size_t i = 0; i < n_excuses; i++) {
		bool by = !strcmp(excuses[i].hides, "*") ||
			  text_lists_word(hides->expected, excuses[i].hides) ||
			  strstr(hides->changes, excuses[i].hides);

		if (!by || (strcmp(excuses[i].hidden, "*") != 0 &&
				   !text_lists_word(excuses[i].hidden, hidden)))
			continue;
		used[i] = true;
		return true;
	}
	return false;
}

/* Whether two changes together cause a third defect, such as strides for another number of
 * dimensions: a rule is raised that neither case has. */
static bool family_has_other(
	const char *ids, const struct family_case *one, const struct family_case *other)
{
	char id[16];

	while (*ids) {
		size_t n = strcspn(ids, " ");

		snprintf(id, sizeof(id), "%.*s", (int)n, ids);
		ids += n + (ids[n] == ' ');
		if (family_is_independent(id) && !text_lists_word(one->expected, id) &&
			!text_lists_word(other->expected, id))
			return true;
	}
	return false;
}

/* Each rule of one case is reported with the changes of the other made as well. */
static void family_check_hidden(const struct family_case *one, const struct family_case *other,
	const char *ids, struct family_excuse *excuses, bool *used, size_t n_excuses)
{
	const char *word = one->expected;
	char id[16];

	while (*word) {
		size_t n = strcspn(word, " ");

		snprintf(id, sizeof(id), "%.*s", (int)n, word);
		word += n + (word[n] == ' ');
		if (!family_is_independent(id) || text_lists_word(ids, id) ||
			family_is_excused(excuses, used, n_excuses, other, id))
			continue;
		CHECK(false,
			"%s is not reported together with %s: {%s, %s} raised '%s'; if that is right, state why in the excuses of this test",
			id, other->expected, one->changes, other->changes, ids);
	}
}

/*
 * Every pair of cases whose changes can be made at once raises the rules of both, unless together
 * they cause a third defect. An excuse that no pair needs fails.
 */
__attribute__((unused)) static void family_check_pairs(const char *base,
	const struct family_case *cases, size_t n_cases, struct family_excuse *excuses,
	size_t n_excuses)
{
	struct arena selected = { 0 };
	struct rule_selection *selection = family_select(&selected, NULL);
	bool *used = arena_alloc(&selected, (n_excuses + 1) * sizeof(*used));

	for (size_t i = 0; i < n_cases; i++)
		for (size_t j = i + 1; j < n_cases; j++) {
			struct arena arena = { 0 };
			const char *a = arena_printf(&arena, "{%s}", cases[i].changes);
			const char *b = arena_printf(&arena, "{%s}", cases[j].changes);
			struct rule_results results;
			const struct fact_target *target;
			const char *ids;

			if (*cases[i].expected && *cases[j].expected &&
				family_can_combine(&arena, literal_read(&arena, &a),
					literal_read(&arena, &b))) {
				target = family_target(&arena, base,
					arena_printf(&arena, "%s, %s", cases[i].changes,
						cases[j].changes));
				results = rules_run(selection, target, &arena);
				ids = family_ids(&arena, target, &results);
				if (!family_has_other(ids, &cases[i], &cases[j])) {
					family_check_hidden(&cases[i], &cases[j], ids, excuses,
						used, n_excuses);
					family_check_hidden(&cases[j], &cases[i], ids, excuses,
						used, n_excuses);
				}
			}
			arena_free(&arena);
		}
	for (size_t i = 0; i < n_excuses; i++)
		CHECK(used[i], "%s no longer hides %s (%s)", excuses[i].hides, excuses[i].hidden,
			excuses[i].reason);
	arena_free(&selected);
}

#define FAMILY_CHECK_PAIRS(BASE, CASES, EXCUSES) \
	family_check_pairs(BASE, CASES, ARRAY_SIZE(CASES), EXCUSES, ARRAY_SIZE(EXCUSES))

#define FAMILY_CHECK(BASE, CASES) family_check(BASE, CASES, ARRAY_SIZE(CASES), NULL)
#define FAMILY_CHECK_SPEC(BASE, CASES, SPEC) family_check(BASE, CASES, ARRAY_SIZE(CASES), SPEC)
#define FAMILY_CHECK_DESCRIBE(PROTOCOL, BASE, POOL) \
	family_check_describe(PROTOCOL, BASE, POOL, ARRAY_SIZE(POOL))

#endif
