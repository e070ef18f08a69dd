// SPDX-License-Identifier: MIT
#include "commands/fuzz.h"

#include "consumers/draw.h"
#include "output/notice.h"
#include "run/run_targets.h"

#include <inttypes.h>
#include <string.h>

/* The results of a run over cases. */
struct fuzz_run {
	const struct fuzz_request *request;
	const struct option_list *cases;
	const char **failed; /* for each case, the id of the first rule that failed; or NULL */
};

static int fuzz_take_target(struct run *run, struct arena *arena, struct fact_target *target,
	enum exit_code *code, struct err *err)
{
	const struct fuzz_run *state = run->context;
	const struct rule_results results = rules_run(state->request->selection, target, arena);
	const char *failed = NULL;

	(void)code;
	(void)err;
	for (size_t i = 0; i < results.findings.n_items && !failed; i++)
		if (results.findings.items[i].severity != SEVERITY_NOTE)
			failed = rule_find(results.findings.items[i].rule)->id;
	for (size_t i = 0; i < state->cases->n_items; i++)
		if (fact_text_is(target->consumption.id, state->cases->items[i]))
			state->failed[i] = failed;
	return 0;
}

/* Prints nothing: the run after fuzzing reports what cannot be loaded. */
static int fuzz_print_nothing(struct run *run, FILE *out, const struct fact_target *target,
	enum exit_code *code, struct err *err)
{
	(void)run;
	(void)out;
	(void)target;
	(void)code;
	(void)err;
	return 0;
}

static int run_drawn_cases(const struct run *template, const struct fuzz_request *request,
	const struct option_list *cases, const char **failed, struct err *err)
{
	struct shared_settings settings = *template->settings;
	struct fuzz_run state = { request, cases, failed };
	struct consumer_words words = request->consumer;
	struct source_list sources;
	struct run run = { .command = template->command,
		.settings = &settings,
		.arena = template->arena,
		.job = template->job,
		.fail_from = template->fail_from,
		.on_target = fuzz_take_target,
		.print = fuzz_print_nothing,
		.trial_findings = template->trial_findings,
		.context = &state };
	const struct option_list no_operands = { 0 };

	settings.output_path = NULL;
	settings.quiet = true;
	words.cases = cases;
	if (consumer_targets(run.arena, &words, &run.job.consumer, &sources, err))
		return -1;
	run.sources = &sources;
	return run_targets(&run, &no_operands, err) < 0 ? -1 : 0;
}

static void add_drawn_case(struct arena *arena, struct option_list *cases, const char *id)
{
	cases->items = arena_grow(arena, cases->items, cases->n_items, sizeof(*cases->items));
	cases->items[cases->n_items++] = id;
}

/* Replaces *id by the simplest case for which the rule fails. */
static int reduce_case(const struct run *run, const struct fuzz_request *request, const char *rule,
	const char **id, struct err *err)
{
	const char *simpler;

	do {
		const char *const *reductions = consumer_case_reductions(run->arena, *id);
		struct option_list cases = { 0 };
		const char **failed;

		simpler = NULL;
		for (; *reductions; reductions++)
			add_drawn_case(run->arena, &cases, *reductions);
		failed = arena_alloc(run->arena, (cases.n_items + 1) * sizeof(*failed));
		memset(failed, 0, (cases.n_items + 1) * sizeof(*failed));
		if (cases.n_items && run_drawn_cases(run, request, &cases, failed, err))
			return -1;
		for (size_t i = 0; i < cases.n_items && !simpler; i++)
			if (failed[i] && !strcmp(failed[i], rule))
				simpler = *id = cases.items[i];
	} while (simpler);
	return 0;
}

int fuzz_find_cases(const struct run *run, const struct fuzz_request *request,
	struct option_list *cases, struct err *err)
{
	struct option_list drawn = { 0 };
	const char **failed = arena_alloc(run->arena, (size_t)request->n_cases * sizeof(*failed));

	*cases = (struct option_list){ 0 };
	memset(failed, 0, (size_t)request->n_cases * sizeof(*failed));
	for (int64_t i = 0; i < request->n_cases; i++)
		add_drawn_case(run->arena, &drawn,
			arena_printf(run->arena, "fuzz-%" PRId64 "-%" PRId64, request->seed, i));
	if (run_drawn_cases(run, request, &drawn, failed, err))
		return -1;
	for (size_t i = 0; i < drawn.n_items; i++) {
		const char *rule = failed[i], *id = drawn.items[i];
		size_t n_failed = 0;

		if (!rule)
			continue;
		for (size_t k = i; k < drawn.n_items; k++)
			if (failed[k] && !strcmp(failed[k], rule)) {
				failed[k] = NULL;
				n_failed++;
			}
		if (reduce_case(run, request, rule, &id, err))
			return -1;
		notice("%s: %zu of %zu tensors; the simplest is %s", rule, n_failed, drawn.n_items,
			id);
		add_drawn_case(run->arena, cases, id);
	}
	if (!cases->n_items)
		*cases = drawn;
	return 0;
}
