// SPDX-License-Identifier: MIT
/* `suai validate`: checks each interface against the rules of its specification. */
#include "base/text.h"
#include "cli/command.h"
#include "commands/dlpack_options.h"
#include "commands/fuzz.h"
#include "commands/rule_document.h"
#include "commands/validate_settings.h"
#include "consumers/cases.h"
#include "documents/document.h"
#include "findings/baseline.h"
#include "findings/source_ignores.h"
#include "findings/statistics.h"
#include "findings/target_ignores.h"
#include "output/notice.h"
#include "rules/engine/run.h"
#include "run/query.h"
#include "run/run_targets.h"
#include "targets/consumer_target.h"

#include <string.h>

struct validation {
	const struct validate_settings *settings;
	struct rule_selection *selection;
	struct source_ignores source_ignores;
	struct baseline *baseline; /* NULL: no --baseline */
	bool has_ok_target;        /* the status of some target is ok */
	bool found_step;           /* some target has the step of --only-step */
	const char *found_case;    /* the first case with an error or a warning */
};

static void on_module(struct run *run, const char *label, const struct fact_module_result *module)
{
	struct validation *validation = run->context;

	source_ignores_take_module(&validation->source_ignores,
		fact_text_or(module->source.file, "?"), &module->ignores);
	if (validation->baseline && module->names.known)
		baseline_take_module(
			validation->baseline, label, module, &validation->source_ignores.protocols);
}

static void summarise_validation(
	const struct run *run, struct arena *arena, struct fact_summary *summary)
{
	const struct validation *validation = run->context;

	summary->unused_ignores = source_ignores_unused(&validation->source_ignores, arena);
	if (validation->baseline)
		summary->baseline = baseline_summary(validation->baseline, arena);
}

static bool has_exchange_call(const struct fact_interface *interface, const char *step)
{
	const struct value *calls = value_at(interface->details, "exchange.calls");

	for (size_t i = 0; value_is_sequence(calls) && i < calls->n_items; i++)
		if (value_is_text(value_get(calls->items[i], "step"), step))
			return true;
	return false;
}

/* Whether the target has a call or a trial named step, or ended at it. */
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
		      (trial->trial && trial->protocol &&
			      !strcmp(step, job_trial_step(arena, trial->trial, trial->protocol)));
	}
	return has;
}

static void find_only_step(
	struct validation *validation, struct arena *arena, const struct fact_target *target)
{
	const char *step = validation->settings->only_step;

	if (!step || validation->found_step)
		return;
	validation->has_ok_target |= target->status == STATUS_OK;
	validation->found_step = has_step(arena, target, step);
}

static const char *validate_trial_findings(const struct run *run, struct arena *arena,
	const struct fact_target *target, bool with_messages)
{
	const struct validation *validation = run->context;
	const struct rule_results results = rules_run(validation->selection, target, arena);
	const char *words = "";

	for (size_t i = 0; i < results.findings.n_items; i++) {
		const struct fact_finding *finding = &results.findings.items[i];
		const struct rule *rule = rule_find(fact_text_or(finding->rule, ""));
		int facts = rule ? rule->facts | rule->alternative_facts | rule->optional_facts : 0;

		if (facts & (FACT_LIFETIME | FACT_LIVE))
			words = arena_printf(arena, "%s%s %s\n", words, rule->id,
				with_messages ? fact_text_or(finding->message, "") : "");
	}
	return words;
}

/* Notes the first case to suggest for --reproduce. Not if the consumer does not read the tensor:
 * the message then states all that matters. */
static void find_case_to_reproduce(
	struct validation *validation, struct arena *arena, const struct fact_target *target)
{
	for (size_t i = 0; i < target->findings.n_items && !validation->found_case; i++)
		if (target->findings.items[i].severity != SEVERITY_NOTE && target->consumption.id &&
			strcmp(target->findings.items[i].rule, CONSUMER_READS_RULE) != 0)
			validation->found_case = arena_copy(
				arena, target->consumption.id, strlen(target->consumption.id));
}

static int validate_on_target(struct run *run, struct arena *arena, struct fact_target *target,
	enum exit_code *code, struct err *err)
{
	struct validation *validation = run->context;
	const struct validate_settings *settings = validation->settings;
	struct rule_results results = rules_run(validation->selection, target, arena);

	(void)err;
	find_only_step(validation, arena, target);
	target_ignores_apply(settings->shared.config, arena, fact_text_or(target->target, "?"),
		&results.findings, &results.skipped);
	target->ignored = source_ignores_take(&validation->source_ignores, arena, target, &results);
	/* Findings in the baseline are moved to `known`. */
	target->known = (struct fact_finding_list){ .known = true };
	if (validation->baseline)
		target->known = baseline_take(validation->baseline, arena, target, &results);
	target->findings = results.findings;
	if (settings->consumer)
		find_case_to_reproduce(validation, run->arena, target);
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

/* --static omits the memory; check_static() rejects it with any other request. A dump may be of a
 * consumer or a traced program. */
static int request_facts(const struct validate_settings *settings)
{
	if (settings->consumer)
		return FACT_CONSUMER;
	return FACT_CONSUMER | FACT_EXCHANGE | FACT_DICT | FACT_STRUCT |
	       (settings->only_static ? 0 : FACT_MEMORY) |
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

/* Refuses --static with options that call into the target. */
static int check_static(const struct validate_settings *settings, struct err *err)
{
	const char *excluded = settings->all        ? "--all"
			       : settings->live     ? "--live"
			       : settings->lifetime ? "--lifetime"
			       : settings->calls    ? "--calls"
						    : NULL;

	if (settings->only_static && excluded)
		return err_set(err, EXIT_USAGE, "--static cannot be used with %s", excluded);
	if (settings->producer_stream && !settings->live && !settings->all)
		return err_set(err, EXIT_USAGE, "--producer-stream requires --live or --all");
	return 0;
}

/* The interface that exports the tensors of --consumer. */
static const struct tensor_interface *consumer_interface(const struct validate_settings *settings)
{
	const struct option_list *named = &settings->shared.protocols;

	return tensor_interface_named(named->n_items ? named->items[0] : NULL);
}

static int check_consumer_protocol(const struct validate_settings *settings, struct err *err)
{
	const struct option_list *named = &settings->shared.protocols;
	struct arena arena = { 0 };
	int rc = 0;

	if (named->n_items > 1)
		return err_set(err, EXIT_USAGE,
			"-p: expected one protocol with --consumer, got %zu", named->n_items);
	if (!consumer_interface(settings))
		rc = err_set(err, EXIT_USAGE,
			"-p %s cannot be used with --consumer: expected one of %s", named->items[0],
			tensor_interface_names(&arena));
	arena_free(&arena);
	return rc;
}

/* Checks the options of --consumer, which replaces the targets and what is read of them. */
static int check_consumer(const struct validate_settings *settings,
	const struct option_list *operands, struct err *err)
{
	const char *excluded = settings->only_static ? "--static"
			       : settings->all       ? "--all"
			       : settings->live      ? "--live"
			       : settings->lifetime  ? "--lifetime"
			       : settings->calls     ? "--calls"
			       : settings->pieces    ? "--pieces"
						     : NULL;

	if (settings->cases.n_items && !settings->consumer)
		return err_set(err, EXIT_USAGE, "--case requires --consumer");
	if (settings->fuzz && (!settings->consumer || settings->cases.n_items))
		return err_set(err, EXIT_USAGE,
			settings->consumer ? "--fuzz cannot be used with --case"
					   : "--fuzz requires --consumer");
	if (settings->seed && !settings->fuzz)
		return err_set(err, EXIT_USAGE, "--seed requires --fuzz");
	if (settings->fuzz > MAX_FUZZ_CASES)
		return err_set(err, EXIT_USAGE,
			"--fuzz: %lld is too large; the maximum is %d; --seed draws other tensors",
			(long long)settings->fuzz, MAX_FUZZ_CASES);
	if (settings->reproduce && !settings->consumer)
		return err_set(err, EXIT_USAGE, "--reproduce requires --consumer");
	if (settings->reproduce && (settings->fuzz || settings->cases.n_items || settings->query))
		return err_set(err, EXIT_USAGE, "--reproduce cannot be used with %s",
			settings->fuzz            ? "--fuzz"
			: settings->cases.n_items ? "--case"
						  : "--query");
	if (!settings->consumer)
		return 0;
	if (excluded)
		return err_set(err, EXIT_USAGE, "--consumer cannot be used with %s", excluded);
	if (operands->n_items || settings->shared.target_files.n_items)
		return err_set(err, EXIT_USAGE,
			"--consumer takes no TARGET: suai passes tensors of its own to '%s'",
			settings->consumer);
	return check_consumer_protocol(settings, err);
}

static int check_validate_settings(const struct validate_settings *settings, struct err *err)
{
	const char *format = settings->shared.format;
	const bool is_of_suffix = settings->shared.format_origin == FORMAT_OF_SUFFIX;

	if (settings->only_step && !settings->calls && !settings->lifetime && !settings->live &&
		!settings->all)
		return err_set(err, EXIT_USAGE,
			"--only-step requires --calls, --lifetime, --live or --all");
	if (check_static(settings, err))
		return -1;
	if (settings->query && settings->statistics)
		return err_set(err, EXIT_USAGE, "--query cannot be used with --statistics");
	if (query_check(&query_findings, settings->query, format, err))
		return -1;
	if (settings->statistics && strcmp(format, "text") != 0 && strcmp(format, "yaml") != 0 &&
		strcmp(format, "json") != 0)
		return err_set(err, EXIT_USAGE,
			"--statistics cannot be used with %s %s; expected text, yaml or json%s",
			is_of_suffix ? "-o" : "-f",
			is_of_suffix ? settings->shared.output_path : format,
			is_of_suffix ? ", which -f selects" : "");
	return 0;
}

static void report_replaced_rules(const struct validate_settings *settings)
{
	const struct config *config = settings->shared.config;

	rule_aliases_report(&settings->select);
	rule_aliases_report(&settings->extend_select);
	rule_aliases_report(&settings->ignore);
	for (size_t i = 0; i < config->n_ignores; i++)
		rule_aliases_report(&config->ignores[i].rules);
}

/* Opens the baseline if --baseline is given. */
static int begin_baseline(
	struct validation *validation, struct run *run, struct baseline *baseline, struct err *err)
{
	const struct validate_settings *settings = validation->settings;

	if (!settings->baseline)
		return settings->update_baseline
			       ? err_set(err, EXIT_USAGE,
					 "--update-baseline requires --baseline FILE")
			       : 0;
	validation->baseline = baseline;
	run->baseline_path = settings->baseline;
	run->updates_baseline = settings->update_baseline;
	return baseline_open(baseline, settings->baseline, settings->update_baseline,
		validation->selection, err);
}

/* Updates and reports the baseline after the run. */
static int end_baseline(
	const struct validate_settings *settings, struct baseline *baseline, struct err *err)
{
	if (settings->update_baseline && baseline_write(baseline, err))
		return -1;
	if (!settings->shared.quiet)
		baseline_report(baseline);
	return 0;
}

static void report_ignores(const struct run *run, bool all_targets)
{
	const struct validation *validation = run->context;
	const struct fact_unused_ignore_list unused =
		source_ignores_unused(&validation->source_ignores, run->arena);

	target_ignores_report(run->settings->config, validation->selection, all_targets);
	source_ignores_report(&unused);
}

/* The cases of --consumer, those of --case, or those that --fuzz draws, as the run's targets. */
static int set_consumer_sources(
	struct run *run, const struct validation *validation, struct err *err)
{
	const struct validate_settings *settings = validation->settings;
	struct consumer_words words = { settings->consumer, settings->shared.code, &settings->cases,
		consumer_interface(settings) };
	const struct fuzz_request fuzz = { validation->selection, words, settings->fuzz,
		settings->seed };
	struct source_list *sources = arena_alloc(run->arena, sizeof(*sources));
	struct option_list drawn;

	if (settings->fuzz) {
		if (fuzz_find_cases(run, &fuzz, &drawn, err))
			return -1;
		words.cases = &drawn;
	}
	if (consumer_targets(run->arena, &words, &run->job.consumer, sources, err))
		return -1;
	run->sources = sources;
	return 0;
}

static int run_rules(struct run *run, const struct option_list *operands, struct err *err)
{
	const struct validation *validation = run->context;
	const struct validate_settings *settings = validation->settings;
	const struct shared_settings *shared = &settings->shared;
	const struct option_list *targets = operands;
	int code;

	run->job.facts = rules_facts(validation->selection);
	if (settings->consumer && set_consumer_sources(run, validation, err))
		return -1;

	/* The targets of suai.yaml if the command line has no targets. */
	if (!settings->consumer && !operands->n_items && !shared->code &&
		!shared->target_files.n_items && shared->config->targets.n_items)
		targets = &shared->config->targets;
	run->job.only_step = settings->only_step;
	if (producer_option_parse(settings->producer_stream, &run->job.producer_stream, err))
		return -1;
	code = run_targets(run, targets, err);
	if (code >= 0 && validation->has_ok_target && !validation->found_step)
		return err_set(err, EXIT_USAGE,
			"--only-step '%s': no target has such a call or trial; "
			"-f yaml without --only-step lists the steps",
			settings->only_step);
	if (code >= 0 && validation->baseline && end_baseline(settings, validation->baseline, err))
		return -1;
	if (code >= 0 && validation->found_case && settings->consumer && !shared->quiet &&
		!strcmp(shared->format, "text"))
		notice("--reproduce %s prints Python that passes this tensor to the consumer without suai",
			validation->found_case);
	if (code >= 0 && !shared->quiet)
		report_ignores(run, targets != operands || shared->verbose);
	return code;
}

static int print_reproduction(struct run *run, struct err *err)
{
	const struct validation *validation = run->context;
	const struct validate_settings *settings = validation->settings;
	const struct consumer_words words = { settings->consumer, settings->shared.code,
		&settings->cases, consumer_interface(settings) };
	const struct import_settings imports = { settings->shared.python,
		settings->shared.timeout_seconds };
	const char *script =
		consumer_reproduction(run->arena, &words, &imports, settings->reproduce, err);
	struct result_file file;
	struct format_output output;
	int status;

	/* The sources, so that the script does not replace the consumer's file. */
	if (!script || set_consumer_sources(run, validation, err) ||
		run_open_output(run, settings->shared.output_path, &file, &output, err))
		return -1;
	fputs(script, file.stream);
	status = result_file_commit(&file, err);
	result_file_close(&file);
	return status ? -1 : EXIT_DONE;
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
		.pieces = settings->pieces,
		.fail_from = request.fail_from,
		.skips_fail = settings->no_skips,
		.no_summary = settings->no_summary,
		.no_hints = settings->no_hints,
		.on_target = validate_on_target,
		.on_module = on_module,
		.summarise = summarise_validation,
		.trial_findings = validate_trial_findings,
		.context = &validation };
	struct baseline baseline = { 0 };
	int code = -1;

	if (check_validate_settings(settings, err) || check_consumer(settings, operands, err))
		return -1;
	if (settings->reproduce) {
		code = print_reproduction(&run, err);
		goto out;
	}
	validation.selection = rules_select(&arena, &request, err);
	if (!validation.selection)
		goto out;
	validation.source_ignores = (struct source_ignores){ .selection = validation.selection,
		.protocols = settings->shared.protocols,
		.facts = request.facts };
	report_replaced_rules(settings);
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
	source_ignores_free(&validation.source_ignores);
out:
	arena_free(&arena);
	return code;
}

const struct command validate_command = {
	.name = "validate",
	.summary =
		"check every interface against its specification; report what is wrong, why and how to fix it",
	.usage = "TARGET... [-- ARGUMENT...]",
	.prose =
		"Loads each TARGET in a separate process, reads the interfaces that it exposes and checks them against the rules that 'suai rule' lists. One run reports all findings: a rule that requires another one is skipped if that one failed, so that one cause gives one finding. -v shows which rules were skipped and why, except those that had nothing to check because the object was not loaded or refused an export; with --no-skips, all skipped rules fail the run.\n\nA finding that several objects share is printed once, with their names; errors come first. Notes that need no action, and those on known deviations of a library, are counted and printed with -v; -f concise prints one line for each finding, and -f json everything.\n\nAn interface that raises an exception is reported as a finding, and the others are still checked. suai does not read array data unless an option requires it; --calls and --live can make libraries copy it. Known deviations of a library's objects are taken into account and named in the finding.\n\nThe exit status is 1 if a finding is an error or, with --severity, at least as severe as LEVEL.\n\nA suai.yaml can set a project's options, its default targets, and known findings to ignore; see suai.yaml(5). "
		"A comment '# suai: ignore[RULE, ...] reason' on a line of a statement that defines an object or an alias "
		"of it, or on the lines of its own item in a list, dictionary or 'a, b = ...', ignores its findings of these rules, by id or prefix; the reason is optional. Comments that "
		"ignore nothing are reported.\n\n"
		"-f github prints one annotation per cause (notes that need no action only with -v), the most severe first and one object after the other, since GitHub shows ten of "
		"each level, and appends a table to $GITHUB_STEP_SUMMARY. Paths in -f github, sarif and junit are relative to "
		"$GITHUB_WORKSPACE, otherwise to the nearest directory above the first file that contains .git, otherwise to the "
		"working directory; those of other files are absolute.",
	.examples =
		"suai validate -c 'import array; a = array.array(\"d\", [1, 2, 3])' a\n"
		"  a valid buffer: no findings\n"
		"suai validate --select SUAI --severity warning arrays.py\n"
		"  all arrays of the file, only rules of __sycl_usm_array_interface__; fail on warnings\n"
		"suai validate -f github arrays.py\n"
		"  annotate the lines of a pull request in a GitHub Actions job\n"
		"suai inspect -f yaml arrays.py:a | suai validate -\n"
		"  check a dump without Python\n"
		"suai validate --query rule,message arrays.py | while read -r rule && IFS= read -r message; do "
		"echo \"$message ($rule)\"; done\n"
		"  loop over the findings in a shell\n",
	.options = validate_options,
	.loads = true,
	.shares = true,
	.query = &query_findings,
	.settings_bytes = sizeof(struct validate_settings),
	.run = validate_run,
};
