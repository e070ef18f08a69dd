// SPDX-License-Identifier: MIT
/* The engine with invented rules: requirements, selection, severities, editions, facts, limits. */
#include "base/array_size.h"
#include "base/test.h"
#include "base/text.h"
#include "rules/engine/run.h"

#include <stdlib.h>
#include <string.h>

static void check_pass(const struct subject *subject, struct report *report)
{
	(void)subject;
	(void)report;
}

static void check_fail(const struct subject *subject, struct report *report)
{
	(void)subject;
	rule_fail(report, "shape[1]", "is %d", 7);
}

static void check_skip(const struct subject *subject, struct report *report)
{
	(void)subject;
	rule_skip(report, "no %s here", "driver");
}

static void check_many(const struct subject *subject, struct report *report)
{
	(void)subject;
	for (int i = 0; i < 20; i++)
		rule_fail(report, NULL, "number %d", i);
}

/* Fails if the declared dictionary has the key `bad`. */
static void check_bad(const struct subject *subject, struct report *report)
{
	if (value_get(subject->declared, "bad"))
		rule_fail(report, "bad", "bad is present");
}

#define RULE(ID, PROTOCOLS, SEVERITY, FACTS, CHECK)                                             \
	.id = (ID), .name = "name", .protocols = (PROTOCOLS), .severity = (SEVERITY),           \
	.facts = (FACTS), .clause = "clause", .summary = "summary", .why = "why", .fix = "fix", \
	.check = (CHECK)

static const struct rule aaa_rules[] = {
	{ RULE("AAA001", "cuda sycl", SEVERITY_ERROR, FACT_DICT, check_bad) },
	{ RULE("AAA002", "cuda sycl", SEVERITY_ERROR, FACT_DICT, check_pass),
		.requires = { "AAA001" } },
	{ RULE("AAA003", "cuda", SEVERITY_NOTE, FACT_DICT, check_fail), .requires = { "AAA002" } },
	{ RULE("AAA101", "cuda", SEVERITY_WARNING, FACT_DICT, check_fail), .level = LEVEL_SHOULD },
	{ RULE("AAA102", "cuda", SEVERITY_WARNING, FACT_DICT, check_skip) },
	{ RULE("AAA103", "cuda", SEVERITY_WARNING, FACT_DICT, check_pass),
		.requires = { "AAA102" } },
	{ RULE("AAA201", "cuda", SEVERITY_ERROR, FACT_DICT, check_fail), .since = "cai=3" },
	{ RULE("AAA202", "cuda", SEVERITY_ERROR, FACT_DICT, check_fail), .until = "cai=2" },
	{ RULE("AAA203", "cuda", SEVERITY_ERROR, FACT_DICT, check_fail),
		.until = "array-api=2022.12" },
	{ .id = NULL },
};

static const struct rule bbb_rules[] = {
	{ RULE("BBB001", NULL, SEVERITY_ERROR, FACT_DICT, check_many) },
	{ RULE("BBB002", NULL, SEVERITY_ERROR, FACT_DICT, check_pass), .requires = { "AAA001" } },
	{ RULE("BBB401", "cuda", SEVERITY_ERROR, FACT_MEMORY, check_fail) },
	{ RULE("BBB402", "cuda", SEVERITY_NOTE, FACT_DICT, check_pass), .requires = { "BBB401" } },
	{ RULE("BBB403", NULL, SEVERITY_NOTE, FACT_DICT, check_pass),
		.optional_facts = FACT_CALLS },
	{ RULE("BBB501", NULL, SEVERITY_ERROR, FACT_DICT, check_fail),
		.subsumed_by = { "AAA001", "BBB402" } },
	{ RULE("BBB502", "sycl", SEVERITY_ERROR, FACT_DICT, check_fail),
		.subsumed_by = { "AAA001" } },
	{ RULE("BBB503", NULL, SEVERITY_NOTE, FACT_DICT, check_pass), .requires = { "BBB501" } },
	{ .id = NULL },
};

static const struct rule *const families[] = { aaa_rules, bbb_rules, NULL };

static void add_interface(struct arena *arena, struct fact_interface_list *list,
	const char *protocol, const char *key)
{
	struct fact_interface *interface = FACT_LIST_ADD(arena, list);
	struct value *declared = value_map(arena);

	interface->protocol = protocol;
	interface->status = INTERFACE_OK;
	interface->declared = declared;
	value_set(arena, declared, "version", value_int(arena, 2));
	if (key)
		value_set(arena, declared, key, value_null(arena));
}

static const struct fact_target *new_target(
	struct arena *arena, const char *cuda_key, const char *sycl_key)
{
	struct fact_target *target = arena_alloc(arena, sizeof(*target));

	*target = (struct fact_target){ .present = true, .type = "m.Array" };
	add_interface(arena, &target->interfaces, PROTOCOL_CUDA, cuda_key);
	add_interface(arena, &target->interfaces, PROTOCOL_SYCL, sycl_key);
	return target;
}

/* "AAA003:note:cuda BBB001:error:-", or "AAA002(requires AAA001, which failed)". */
static const char *list_results(struct arena *arena, const struct rule_results *results, bool skips)
{
	const struct fact_finding_list *findings = &results->findings;
	const struct fact_skip_list *skipped = &results->skipped;
	struct text text = { 0 };
	const char *listed;

	text_add(&text, "");
	for (size_t i = 0; skips && i < skipped->n_items; i++)
		text_printf(&text, "%s%s(%s)", i ? " " : "", skipped->items[i].rule,
			skipped->items[i].reason);
	for (size_t i = 0; !skips && i < findings->n_items; i++)
		text_printf(&text, "%s%s:%s:%s", i ? " " : "", findings->items[i].rule,
			severity_name(findings->items[i].severity),
			fact_text_or(findings->items[i].protocol, "-"));
	listed = arena_copy(arena, text.bytes, text.n_bytes);
	text_free(&text);
	return listed;
}

static void set_list(struct option_list *list, struct arena *arena, const char *words)
{
	char *rest = arena_copy(arena, words, strlen(words)), *word;

	list->items = arena_alloc(arena, 8 * sizeof(*list->items));
	list->n_items = 0;
	while ((word = strsep(&rest, " ")))
		if (*word && list->n_items < 8)
			list->items[list->n_items++] = word;
}

static const struct run_case {
	const char *select, *ignore, *spec;
	bool strict, fails;
	enum severity report_from, fail_from;
	const char *cuda_key, *findings, *skipped;
} run_cases[] = {
	{ "AAA0", "", "", false, false, SEVERITY_NOTE, SEVERITY_ERROR, NULL, "AAA003:note:cuda",
		"" },
	{ "AAA0", "", "", false, true, SEVERITY_NOTE, SEVERITY_NOTE, NULL, "AAA003:note:cuda", "" },
	{ "AAA0", "", "", false, false, SEVERITY_WARNING, SEVERITY_WARNING, NULL, "", "" },
	{ "AAA0", "", "", false, true, SEVERITY_NOTE, SEVERITY_ERROR, "bad", "AAA001:error:cuda",
		"AAA002(requires AAA001, which failed) AAA003(requires AAA001, which failed)" },
	{ "AAA003", "", "", false, false, SEVERITY_NOTE, SEVERITY_ERROR, "bad", "",
		"AAA003(requires AAA001, which failed)" },
	{ "aaa-003", "", "", false, false, SEVERITY_NOTE, SEVERITY_ERROR, NULL, "AAA003:note:cuda",
		"" },
	{ "AAA0", "AAA003", "", false, false, SEVERITY_NOTE, SEVERITY_ERROR, NULL, "", "" },
	{ "AAA003 AAA101", "AAA", "", false, false, SEVERITY_NOTE, SEVERITY_ERROR, NULL,
		"AAA003:note:cuda AAA101:warning:cuda", "" },
	{ "AAA10", "", "", false, false, SEVERITY_NOTE, SEVERITY_ERROR, NULL, "AAA101:warning:cuda",
		"AAA102(no driver here) AAA103(requires AAA102, which was skipped)" },
	{ "AAA101 AAA003", "", "", true, true, SEVERITY_NOTE, SEVERITY_ERROR, NULL,
		"AAA003:note:cuda AAA101:error:cuda", "" },
	{ "AAA2", "", "", false, true, SEVERITY_NOTE, SEVERITY_ERROR, NULL, "AAA202:error:cuda",
		"" },
	{ "AAA2", "", "cai=3", false, true, SEVERITY_NOTE, SEVERITY_ERROR, NULL,
		"AAA201:error:cuda", "" },
	{ "AAA2", "", "cai=3 array-api=2021.12", false, true, SEVERITY_NOTE, SEVERITY_ERROR, NULL,
		"AAA201:error:cuda AAA203:error:cuda", "" },
	{ "BBB002", "", "", false, false, SEVERITY_NOTE, SEVERITY_ERROR, "bad", "",
		"BBB002(requires AAA001, which failed)" },
	{ "BBB4", "", "", false, false, SEVERITY_NOTE, SEVERITY_ERROR, NULL, "",
		"BBB401(the memory at the array's address was not looked up) "
		"BBB402(requires BBB401, which was skipped)" },
	{ "BBB5", "", "", false, true, SEVERITY_NOTE, SEVERITY_ERROR, NULL,
		"BBB501:error:- BBB502:error:sycl", "BBB503(requires BBB501, which failed)" },
	{ "BBB5", "", "", false, false, SEVERITY_NOTE, SEVERITY_ERROR, "bad", "",
		"BBB501(reported by AAA001, which failed but is not selected) "
		"BBB502(reported by AAA001, which failed but is not selected) "
		"BBB503(requires AAA001, which failed)" },
	{ "BBB5 AAA001", "", "", false, true, SEVERITY_NOTE, SEVERITY_ERROR, "bad",
		"AAA001:error:cuda", "BBB503(requires AAA001, which failed)" },
};

static void test_runs(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(run_cases); i++) {
		const struct run_case *c = &run_cases[i];
		struct rule_request request = { .families = families,
			.strict = c->strict,
			.report_from = c->report_from,
			.fail_from = c->fail_from,
			.facts = FACT_ALL };
		struct arena arena = { 0 };
		struct rule_selection *selection;
		struct rule_results results;
		const char *listed;
		struct err err;

		set_list(&request.select, &arena, c->select);
		set_list(&request.ignore, &arena, c->ignore);
		set_list(&request.spec, &arena, c->spec);
		selection = rules_select(&arena, &request, &err);
		CHECK(selection, "case %zu: %s", i, err.message);
		if (!selection)
			continue;
		results = rules_run(selection, new_target(&arena, c->cuda_key, NULL), &arena);
		listed = list_results(&arena, &results, false);
		CHECK(!strcmp(listed, c->findings), "case %zu: %s", i, listed);
		listed = list_results(&arena, &results, true);
		CHECK(!strcmp(listed, c->skipped), "case %zu: %s", i, listed);
		CHECK(rules_findings_fail(selection, &results.findings) == c->fails, "case %zu", i);
		arena_free(&arena);
	}
}

static struct rule_results run(struct arena *arena, const char *select, int facts, int *needed,
	const struct fact_target *target)
{
	struct rule_request request = {
		.families = families, .fail_from = SEVERITY_ERROR, .facts = facts
	};
	struct rule_selection *selection;
	struct err err;

	set_list(&request.select, arena, select);
	selection = rules_select(arena, &request, &err);
	*needed = rules_facts(selection);
	return rules_run(selection, target, arena);
}

static void test_subjects(void)
{
	struct arena arena = { 0 };
	struct rule_results results;
	int facts;

	results = run(&arena, "AAA0", FACT_ALL, &facts, new_target(&arena, NULL, "bad"));
	CHECK(!strcmp(list_results(&arena, &results, false), "AAA001:error:sycl AAA003:note:cuda"),
		"%s", list_results(&arena, &results, false));
	results = run(&arena, "BBB001", FACT_ALL, &facts, new_target(&arena, NULL, NULL));
	CHECK(results.findings.n_items == 8, "%zu findings", results.findings.n_items);
	CHECK(!strcmp(results.findings.items[7].message,
		      "number 7 (similar findings not shown: 12)"),
		"%s", results.findings.items[7].message);
	arena_free(&arena);
}

static void test_facts(void)
{
	struct arena arena = { 0 };
	const struct fact_target *target = new_target(&arena, NULL, NULL);
	struct rule_results results;
	int facts;

	run(&arena, "", FACT_ALL, &facts, target);
	CHECK(facts == (FACT_DICT | FACT_MEMORY | FACT_CALLS), "%d", facts);
	run(&arena, "AAA", FACT_ALL, &facts, target);
	CHECK(facts == FACT_DICT, "%d", facts);
	results = run(&arena, "BBB4", FACT_DICT, &facts, target);
	CHECK(facts == FACT_DICT, "%d", facts);
	CHECK(!results.skipped.n_items && !results.findings.n_items, "rules ran without facts");
	run(&arena, "BBB501", FACT_ALL, &facts, target);
	CHECK(facts == (FACT_DICT | FACT_MEMORY), "%d", facts);
	results = run(&arena, "BBB501", FACT_DICT, &facts, target);
	CHECK(facts == FACT_DICT, "%d", facts);
	CHECK(!strcmp(list_results(&arena, &results, false), "BBB501:error:-"), "%s",
		list_results(&arena, &results, false));
	arena_free(&arena);
}

static void test_refusals(void)
{
	static const char *const cases[][3] = {
		{ "AAA111", "", "unknown rule 'AAA111' (did you mean 'AAA101'?)" },
		{ "XYZ", "", "unknown rule 'XYZ'; run 'suai rule' to list all rules" },
		{ "", "cuda=1",
			"'cuda=1': unknown key; expected KEY=EDITION, such as cai=2; the keys are "
			"array-api, sycl, cai, dlpack, numpy and pep3118" },
		{ "", "cai", "'cai': unknown edition; the editions of cai are 0, 1, 2 and 3" },
		{ "", "cai=", "'cai=': unknown edition; the editions of cai are 0, 1, 2 and 3" },
		{ "", "cai=4", "'cai=4': unknown edition; the editions of cai are 0, 1, 2 and 3" },
		{ "", "dlpack=1",
			"'dlpack=1': unknown edition; the editions of dlpack are 0.8, 1.0, 1.1, 1.2 and 1.3" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct rule_request request = { .families = families, .facts = FACT_ALL };
		struct arena arena = { 0 };
		struct err err = { 0 };

		set_list(&request.select, &arena, cases[i][0]);
		set_list(&request.spec, &arena, cases[i][1]);
		CHECK(!rules_select(&arena, &request, &err), "case %zu", i);
		CHECK(err.code == EXIT_USAGE && !strcmp(err.message, cases[i][2]), "case %zu: %s",
			i, err.message);
		arena_free(&arena);
	}
}

static void test_switched_off(void)
{
	struct arena arena = { 0 };
	struct rule_results results;
	int facts;

	setenv("SUAI_DISABLE_CHECK", "AAA001", 1);
	results = run(&arena, "AAA0", FACT_ALL, &facts, new_target(&arena, "bad", NULL));
	unsetenv("SUAI_DISABLE_CHECK");
	CHECK(!strcmp(list_results(&arena, &results, false), "AAA003:note:cuda"), "%s",
		list_results(&arena, &results, false));
	arena_free(&arena);
}

int main(void)
{
	test_runs();
	test_subjects();
	test_facts();
	test_refusals();
	test_switched_off();
	return test_end();
}
