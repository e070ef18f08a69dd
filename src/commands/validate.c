// SPDX-License-Identifier: MIT
/* `suai validate`: judges what each interface says by the rules of its document. */
#include "cli/command.h"
#include "commands/dlpack_options.h"
#include "commands/rule_document.h"
#include "commands/validate_settings.h"
#include "findings/baseline.h"
#include "findings/rule_aliases.h"
#include "findings/statistics.h"
#include "findings/target_ignores.h"
#include "rules/engine/run.h"
#include "run/query.h"
#include "run/run.h"

#include <string.h>

struct validation {
	const struct validate_settings *settings;
	struct rule_selection *selection;
	struct baseline *baseline; /* NULL: none is given */
	bool judged;               /* some target was whole */
	bool met_step;             /* --only-step's was called or held */
};

static void on_module(struct run *run, const char *label, const struct fact_texts *names)
{
	const struct validation *validation = run->context;

	if (validation->baseline && names->known)
		baseline_take_module(validation->baseline, label, names);
}

static struct fact_baseline summarise_baseline(const struct run *run, struct arena *arena)
{
	const struct validation *validation = run->context;

	return baseline_summary(validation->baseline, arena);
}

static bool has_exchange_call(const struct fact_interface *interface, const char *step)
{
	const struct value *calls = value_at(interface->details, "exchange.calls");

	for (size_t i = 0; value_is_sequence(calls) && i < calls->n_items; i++)
		if (value_is_text(value_get(calls->items[i], "step"), step))
			return true;
	return false;
}

/* Whether the target has a call or a trial of that name, or ended at it. */
static bool has_step(struct arena *arena, const struct fact_target *target, const char *step)
{
	bool has = fact_text_is(target->step, step);

	for (size_t i = 0; !has && i < target->interfaces.n_items; i++)
		has = fact_text_is(target->interfaces.items[i].again.step, step) ||
		      has_exchange_call(&target->interfaces.items[i], step);
	for (size_t i = 0; !has && i < target->calls.n_items; i++)
		has = fact_text_is(target->calls.items[i].step, step);
	for (size_t i = 0; !has && i < target->trials.n_items; i++) {
		const struct fact_trial *trial = &target->trials.items[i];

		has = fact_text_is(trial->step, step) ||
		      (trial->trial &&
			      !strcmp(step, arena_printf(arena, "trial %s of %s", trial->trial,
						    trial->protocol ? trial->protocol : "")));
	}
	return has;
}

static void meet_step(
	struct validation *validation, struct arena *arena, const struct fact_target *target)
{
	const char *step = validation->settings->only_step;

	if (!step || validation->met_step)
		return;
	validation->judged |= target->status == STATUS_OK;
	validation->met_step = has_step(arena, target, step);
}

static int validate_on_target(struct run *run, struct arena *arena, struct fact_target *target,
	enum exit_code *code, struct err *err)
{
	struct validation *validation = run->context;
	const struct validate_settings *settings = validation->settings;
	struct rule_results results = rules_run(validation->selection, target, arena);

	(void)err;
	meet_step(validation, arena, target);
	target_ignores_apply(settings->shared.config, arena, fact_text_or(target->target, "?"),
		&results.findings, &results.skipped);
	/* What the baseline knows of leaves the results. */
	target->known = (struct fact_finding_list){ .known = true };
	if (validation->baseline)
		target->known = baseline_take(validation->baseline, arena, target, &results);
	target->findings = results.findings;
	target->skipped = results.skipped;
	if ((rules_findings_fail(validation->selection, &results.findings) ||
		    (settings->no_skips && results.skipped.n_items)) &&
		!settings->exit_zero)
		*code = exit_code_worse(*code, EXIT_FINDINGS);
	if (settings->statistics)
		statistics_add(run, &results.findings);
	return 0;
}

static int validate_print_query(struct run *run, FILE *out, const struct fact_target *target,
	enum exit_code *code, struct err *err)
{
	const struct validation *validation = run->context;

	return query_print_findings(run, out, target, validation->settings->query, *code, err);
}

/* --static leaves out the memory; check_asked() lets nothing else be asked beside it. */
static int request_facts(const struct validate_settings *settings)
{
	return FACT_DICT | FACT_STRUCT | (settings->only_static ? 0 : FACT_MEMORY) |
	       (settings->calls || settings->all ? FACT_CALLS : 0) |
	       (settings->lifetime || settings->all ? FACT_LIFETIME : 0) |
	       (settings->live || settings->all ? FACT_LIVE : 0);
}

static struct rule_request make_rule_request(const struct validate_settings *settings)
{
	const struct config *config = settings->shared.config;
	struct rule_request request = {
		.select = settings->select,
		.extend_select = settings->extend_select,
		.ignore = settings->ignore,
		.spec = settings->spec,
		.strict = settings->strict,
		.severities = config->severities,
		.n_severities = config->n_severities,
		.producers = config->producers,
		.report_from = SEVERITY_NOTE,
		.fail_from = SEVERITY_ERROR,
		.facts = request_facts(settings),
	};

	if (settings->severity && severity_from_name(settings->severity, &request.report_from))
		request.fail_from = request.report_from;
	return request;
}

/* What is asked beside --static would be asked of nobody, or against its word. */
static int check_asked(const struct validate_settings *settings, struct err *err)
{
	const char *asks = settings->all        ? "--all"
			   : settings->live     ? "--live"
			   : settings->lifetime ? "--lifetime"
			   : settings->calls    ? "--calls"
						: NULL;

	if (settings->only_static && asks)
		return err_set(err, EXIT_USAGE,
			"--static judges what objects say, and %s tries what they do: give one of them",
			asks);
	if (settings->producer_stream && !settings->live && !settings->all)
		return err_set(err, EXIT_USAGE,
			"--producer-stream is for the trials of --live: give --live or --all as well");
	return 0;
}

static int check_validate_settings(const struct validate_settings *settings, struct err *err)
{
	const char *format = settings->shared.format;

	if (settings->only_step && !settings->calls && !settings->lifetime && !settings->live &&
		!settings->all)
		return err_set(err, EXIT_USAGE, "--only-step needs --calls, --lifetime or --live");
	if (check_asked(settings, err))
		return -1;
	if (settings->query && settings->statistics)
		return err_set(err, EXIT_USAGE,
			"--query prints findings, and --statistics counts them: give one of them");
	if (settings->query && query_check(&query_findings, settings->query, err))
		return -1;
	if (settings->statistics && strcmp(format, "text") != 0 && strcmp(format, "yaml") != 0 &&
		strcmp(format, "json") != 0)
		return err_set(err, EXIT_USAGE,
			"--statistics is printed as text, yaml or json, not as %s", format);
	return 0;
}

static void tell_retired(const struct validate_settings *settings)
{
	const struct config *config = settings->shared.config;

	rule_aliases_report(&settings->select);
	rule_aliases_report(&settings->extend_select);
	rule_aliases_report(&settings->ignore);
	for (size_t i = 0; i < config->n_ignores; i++)
		rule_aliases_report(&config->ignores[i].rules);
}

/* Those of suai.yaml where the command line names none. */
static const struct option_list *choose_targets(
	const struct shared_settings *shared, const struct option_list *operands)
{
	bool named = operands->n_items || shared->code || shared->target_files.n_items;

	return named || !shared->config->targets.n_items ? operands : &shared->config->targets;
}

/* Opens the baseline where one is asked for. */
static int begin_baseline(
	struct validation *validation, struct run *run, struct baseline *baseline, struct err *err)
{
	const struct validate_settings *settings = validation->settings;

	if (!settings->baseline)
		return settings->update_baseline
			       ? err_set(err, EXIT_USAGE,
					 "--update-baseline needs --baseline FILE, which it writes")
			       : 0;
	validation->baseline = baseline;
	run->baseline_path = settings->baseline;
	run->updates_baseline = settings->update_baseline;
	run->on_module = on_module;
	run->baseline = summarise_baseline;
	return baseline_open(baseline, settings->baseline, settings->update_baseline,
		validation->selection, err);
}

/* After the run, which ended with the code. */
static int end_baseline(
	const struct validate_settings *settings, struct baseline *baseline, struct err *err)
{
	if (settings->update_baseline && baseline_write(baseline, err))
		return -1;
	if (!settings->shared.quiet)
		baseline_report(baseline);
	return 0;
}

static int run_rules(struct run *run, const struct option_list *operands, struct err *err)
{
	const struct validation *validation = run->context;
	const struct validate_settings *settings = validation->settings;
	const struct option_list *targets = choose_targets(&settings->shared, operands);
	int code;

	run->job.facts = rules_facts(validation->selection);
	run->job.only_step = settings->only_step;
	if (producer_option_parse(settings->producer_stream, &run->job.producer_stream, err))
		return -1;
	code = run_targets(run, targets, err);
	if (code >= 0 && validation->judged && !validation->met_step)
		return err_set(err, EXIT_USAGE,
			"--only-step '%s': no target has a call or a trial of this name; "
			"without it, -f yaml tells the steps of calls and trials",
			settings->only_step);
	if (code >= 0 && validation->baseline && end_baseline(settings, validation->baseline, err))
		return -1;
	if (code >= 0 && !settings->shared.quiet)
		target_ignores_report(settings->shared.config, validation->selection,
			targets != operands || settings->shared.verbose);
	return code;
}

static int validate_run(void *opaque, const struct option_list *operands, struct err *err)
{
	const struct validate_settings *settings = opaque;
	const struct rule_request request = make_rule_request(settings);
	struct arena arena = { 0 };
	struct validation validation = { .settings = settings };
	struct run run = { .command = "validate",
		.settings = &settings->shared,
		.arena = &arena,
		.from_dumps = true,
		.fail_from = request.fail_from,
		.skips_fail = settings->no_skips,
		.no_summary = settings->no_summary,
		.on_target = validate_on_target,
		.context = &validation };
	struct baseline baseline = { 0 };
	int code = -1;

	if (check_validate_settings(settings, err))
		return -1;
	validation.selection = rules_select(&arena, &request, err);
	if (!validation.selection)
		goto out;
	tell_retired(settings);
	if (settings->query)
		run.print = validate_print_query;
	if (settings->statistics) {
		run.print = statistics_hide;
		run.finish = statistics_print;
	}
	if (!strcmp(settings->shared.format, "sarif"))
		run.head.rules = rule_document_list(&arena, validation.selection);
	if (!begin_baseline(&validation, &run, &baseline, err))
		code = run_rules(&run, operands, err);
	baseline_close(&baseline);
out:
	arena_free(&arena);
	return code;
}

const struct command validate_command = {
	.name = "validate",
	.summary = "check every interface against its document; say what, why and how to mend it",
	.usage = "TARGET...",
	.prose =
		"Loads each TARGET in a process of its own, reads the interfaces that it exposes, and judges what they "
		"say by the rules that 'suai rule' lists. All findings come in one run: a rule that needs another one is "
		"skipped where that one failed, so that one cause gives one finding. -v shows what was skipped, and why; "
		"with --no-skips that fails.\n\n"
		"An interface that raises is a finding, and the others are still judged. Array data is not "
		"read; --calls and --live let libraries copy it. What is known of a library's objects is taken into account, and said in the finding.\n\n"
		"The exit status is 1 where a finding is an error, or as severe as --severity says.\n\n"
		"What a project always wants can stand in a suai.yaml, see suai.yaml(5): options, the targets to take where none "
		"is named, and findings that are known.",
	.examples =
		"suai validate -c 'import array; a = array.array(\"d\", [1, 2, 3])' a\n"
		"  a healthy buffer: no finding\n"
		"suai validate --select SUAI --severity warning arrays.py\n"
		"  every array of the file, by the rules of __sycl_usm_array_interface__\n"
		"suai validate -f github arrays.py\n"
		"  annotations of the lines of a change, in a job of GitHub Actions\n"
		"suai inspect -f yaml arrays.py:a | suai validate -\n"
		"  judge a dump, which needs no Python\n"
		"suai validate --query rule,message arrays.py | while read -r rule && IFS= read -r message; do "
		"echo \"$message ($rule)\"; done\n"
		"  the findings in a loop of the shell\n",
	.options = validate_options,
	.loads = true,
	.shares = true,
	.settings_bytes = sizeof(struct validate_settings),
	.run = validate_run,
};
