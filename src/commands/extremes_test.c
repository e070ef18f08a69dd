// SPDX-License-Identifier: MIT
/*
 * Facts are not trusted: a dump can be edited, and an object can report any number. Each integer of
 * each rule's fixtures, and several at once, take extreme values; describing and checking the
 * result must neither overflow nor divide by zero, which the sanitized build of this test sees.
 */
#include "base/array_size.h"
#include "base/test.h"
#include "documents/document.h"
#include "formats/format.h"
#include "formats/yaml/yaml_read.h"
#include "rules/engine/examples.h"
#include "rules/engine/run.h"

#include <stdio.h>
#include <string.h>

enum { MAX_NUMBERS = 256, ROUNDS = 10 };

static const int64_t extremes[] = { INT64_MIN, -1, 0, INT64_C(1) << 33, INT64_C(1) << 62,
	INT64_MAX };

enum { N_EXTREMES = ARRAY_SIZE(extremes) };

/* The integers of a document, wherever they are. */
struct numbers {
	struct value *items[MAX_NUMBERS];
	size_t n_items;
};

static void find_numbers(struct value *value, struct numbers *numbers)
{
	if (value_is(value, VALUE_INT) && numbers->n_items < MAX_NUMBERS)
		numbers->items[numbers->n_items++] = value;
	for (size_t i = 0;
		(value_is_sequence(value) || value_is(value, VALUE_MAP)) && i < value->n_items; i++)
		find_numbers(value->items[i], numbers);
}

static struct rule_selection *selection;
static FILE *nowhere;
static long n_checked, n_findings;

static void check_target(const struct value *document_target)
{
	struct arena arena = { 0 };
	struct err err;
	const struct fact_summary summary = { .present = true };
	const struct fact_head head = { .present = true };
	const struct format *text = format_find("text");
	struct format_output output = { .stream = nowhere, .command = "inspect" };
	struct rule_results results;
	struct fact_target target;

	if (!document_read(&arena, document_target, &target, &err)) {
		document_derive(&arena, &target);
		results = rules_run(selection, &target, &arena);
		CHECK(!text->begin(&output, &head, &err) && !text->target(&output, &target, &err) &&
				!text->end(&output, &summary, &err),
			"%s", err.message);
		n_findings += (long)results.findings.n_items;
		n_checked++;
	}
	arena_free(&arena);
}

static uint64_t seed = 1;

static size_t below(size_t n)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (size_t)(seed >> 33) % n;
}

static void try_all(struct value *target)
{
	struct numbers numbers = { .n_items = 0 };
	int64_t before[MAX_NUMBERS];

	find_numbers(target, &numbers);
	for (size_t i = 0; i < numbers.n_items; i++) {
		before[i] = numbers.items[i]->integer;
		for (size_t k = 0; k < N_EXTREMES; k++) {
			numbers.items[i]->integer = extremes[k];
			check_target(target);
		}
		numbers.items[i]->integer = before[i];
	}
	for (int round = 0; numbers.n_items && round < ROUNDS; round++) {
		for (size_t n = 2 + below(4); n; n--)
			numbers.items[below(numbers.n_items)]->integer =
				extremes[below(N_EXTREMES)];
		check_target(target);
		for (size_t i = 0; i < numbers.n_items; i++)
			numbers.items[i]->integer = before[i];
	}
}

int main(void)
{
	const struct rule_request request = { .facts = FACT_ALL };
	struct arena arena = { 0 };
	struct err err;

	nowhere = fopen("/dev/null", "we");
	selection = rules_select(&arena, &request, &err);
	CHECK(selection, "%s", err.message);
	for (const struct rule_example *example = rule_examples; selection && example->rule;
		example++) {
		struct arena one = { 0 };
		struct value *document =
			strstr(example->name, ".yaml")
				? yaml_read(&one, example->text, strlen(example->text), &err)
				: NULL;
		const struct value *targets = value_get(document, "targets");

		for (size_t i = 0; value_is_sequence(targets) && i < targets->n_items; i++)
			try_all(targets->items[i]);
		arena_free(&one);
	}
	CHECK(n_checked > 10000 && n_findings > n_checked, "%ld checked, %ld findings", n_checked,
		n_findings);
	fclose(nowhere);
	arena_free(&arena);
	return test_end();
}
