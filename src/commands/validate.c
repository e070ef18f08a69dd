// SPDX-License-Identifier: MIT
/* `suai validate`: judges what each interface says by the rules of its document. */
#include "commands/command.h"
#include "commands/finding_query.h"
#include "commands/retired.h"
#include "commands/rule_document.h"
#include "commands/run.h"
#include "commands/statistics.h"
#include "commands/target_ignores.h"
#include "rules/run.h"

#include <string.h>

struct validate_settings {
	struct shared_settings shared;
	struct option_list select, extend_select, ignore, spec;
	const char *severity, *query;
	bool strict, only_static, calls, lifetime, live, all, no_skips, no_summary, exit_zero;
	bool statistics;
};

#define FIELD(NAME) offsetof(struct validate_settings, NAME)

#define RULE_OPTION(NAME, FIELD_NAME)                                                         \
	.name = (NAME), .kind = OPTION_LIST, .offset = FIELD(FIELD_NAME), .argument = "RULE", \
	.split = true, .complete = "rule", .check = rules_check_word

static const struct option options[] = {
	{ .letter = 'f',
		.name = "format",
		.kind = OPTION_CHOICE,
		.offset = FIELD(shared.format),
		.argument = "FORMAT",
		.choices = "text concise yaml json sarif junit tap github",
		.setting = "concise",
		.help = "text (default), concise, yaml, json, sarif, junit, tap or github",
		.more = "concise is one line a finding. sarif (2.1.0), junit and tap (13) are what CI servers read, "
			"github what GitHub shows as annotations of a change. They name the file of a FILE.py target, "
			"and the line that defines the object where it can be found." },
	{ RULE_OPTION("select", select), .setting = "[SUAI, DLP3]",
		.renews = "extend-select ignore",
		.help = "judge by these rules alone, ids or their beginnings",
		.more = "RULE is such as SUAI, SUAI3 or SUAI302, in upper or lower case; repeatable, or with commas. Where "
			"several of --select, --extend-select and --ignore fit a rule the longest decides, and --ignore "
			"before the others. On the command line it begins anew: what suai.yaml says of the three does not "
			"count." },
	{ RULE_OPTION("extend-select", extend_select), .setting = "[CAI401]", .adds = true,
		.help = "judge by these rules as well" },
	{ RULE_OPTION("ignore", ignore), .setting = "[SUAI205, NAI]", .adds = true,
		.help = "do not judge by these rules" },
	{ .letter = 'S',
		.name = "severity",
		.kind = OPTION_CHOICE,
		.offset = FIELD(severity),
		.argument = "LEVEL",
		.choices = "error warning note",
		.setting = "warning",
		.help = "show findings from LEVEL on, and fail on them",
		.more = "Without it all findings are shown, and errors fail." },
	{ .name = "strict",
		.kind = OPTION_FLAG,
		.offset = FIELD(strict),
		.setting = "true",
		.help = "take recommendations, and what a reference consumer demands, for errors" },
	{ .name = "spec",
		.kind = OPTION_LIST,
		.offset = FIELD(spec),
		.argument = "KEY=EDITION",
		.split = true,
		.setting = "{dlpack: 1.1, array-api: 2023.12}",
		.adds = true,
		.check = rules_check_edition,
		.help = "judge by these editions of the documents, whatever objects declare",
		.more = "One is dlpack=1.1, two are dlpack=1.1,array-api=2023.12. KEY is sycl (1), cai (0 1 2 3), dlpack (0.8 1.0 1.1 "
			"1.2 1.3), array-api (2021.12 2022.12 2023.12 2024.12 2025.12), numpy (3) or pep3118 (3). "
			"Without it an object is judged by the edition that it declares, and else by the newest." },
	{ .name = "static",
		.kind = OPTION_FLAG,
		.offset = FIELD(only_static),
		.setting = "true",
		.help = "judge dictionaries and structs alone; ask no driver" },
	{ .name = "calls",
		.kind = OPTION_FLAG,
		.offset = FIELD(calls),
		.setting = "true",
		.help = "ask each object in every way that its protocols have",
		.more = "The keyword grid of __dlpack__, over 200 calls. What would copy more than 1 MiB is skipped, with "
			"the reason, unless --live is given." },
	{ .name = "lifetime",
		.kind = OPTION_FLAG,
		.offset = FIELD(lifetime),
		.setting = "true",
		.help = "judge deleters, owners and leaks, in workers of their own" },
	{ .name = "live",
		.kind = OPTION_FLAG,
		.offset = FIELD(live),
		.setting = "true",
		.help = "let devices work and data be copied for a proof" },
	{ .name = "all",
		.kind = OPTION_FLAG,
		.offset = FIELD(all),
		.setting = "true",
		.help = "--calls, --lifetime and --live" },
	{ .name = "no-skips",
		.kind = OPTION_FLAG,
		.offset = FIELD(no_skips),
		.setting = "true",
		.help = "fail where a rule had to be skipped, and say which and why",
		.more = "A rule is skipped where one that it needs failed, and where this machine lacks what could "
			"tell: a driver, dpctl." },
	{ .name = "no-summary",
		.kind = OPTION_FLAG,
		.offset = FIELD(no_summary),
		.setting = "true",
		.help = "end text and concise after the last finding, without the line of counts" },
	QUERY_OPTION(FIELD(query),
		"print these keys of each finding alone, such as target,rule, one line each",
		"Keys are target, type, rule, name, severity, protocol, field, message, why, hint and clause. The exit status "
		"is the same as without it.",
		"."),
	{ .name = "exit-zero",
		.kind = OPTION_FLAG,
		.offset = FIELD(exit_zero),
		.help = "exit with 0 whatever is found" },
	{ .name = "statistics",
		.kind = OPTION_FLAG,
		.offset = FIELD(statistics),
		.help = "print how often each rule was broken instead of the findings" },
	{ 0 },
};

struct validation {
	const struct validate_settings *settings;
	struct rule_selection *selection;
	struct statistics statistics;
};

static int on_target(struct run *run, struct arena *arena, const struct value *facts,
	struct value *document, enum exit_code *code, struct err *err)
{
	struct validation *validation = run->context;
	const struct validate_settings *settings = validation->settings;
	struct rule_results results = rules_run(validation->selection, facts, arena);

	(void)err;
	target_ignores_apply(settings->shared.config, arena,
		value_text_or(value_get(facts, "name"), "?"), results.findings, results.skipped);
	results.fails = rules_findings_fail(validation->selection, results.findings);
	value_set(arena, document, "findings", results.findings);
	value_set(arena, document, "skipped", results.skipped);
	if ((results.fails || (settings->no_skips && results.skipped->n_items)) &&
		!settings->exit_zero)
		*code = exit_code_worse(*code, EXIT_FINDINGS);
	if (settings->statistics)
		statistics_add(&validation->statistics, run->arena, results.findings);
	return 0;
}

static int print_query(struct run *run, FILE *out, const struct value *document,
	enum exit_code *code, struct err *err)
{
	const struct validation *validation = run->context;

	return finding_query_print(run, out, document, validation->settings->query, *code, err);
}

static int finish(
	struct run *run, struct output *output, const struct run_counts *counts, struct err *err)
{
	struct validation *validation = run->context;

	return statistics_print(&validation->statistics, run, output, counts, err);
}

/* --static leaves out the memory, and takes back none of what is asked for beside it. */
static int request_facts(const struct validate_settings *settings)
{
	return FACT_DICT | FACT_STRUCT | (settings->only_static ? 0 : FACT_MEMORY) |
	       (settings->calls || settings->all ? FACT_CALLS : 0) |
	       (settings->lifetime || settings->all ? FACT_LIFETIME : 0) |
	       (settings->live || settings->all ? FACT_LIVE : 0);
}

static struct rule_request make_request(const struct validate_settings *settings)
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
		.report_from = SEV_NOTE,
		.fail_from = SEV_ERROR,
		.facts = request_facts(settings),
	};

	for (int i = SEV_NOTE; settings->severity && i <= SEV_ERROR; i++)
		if (!strcmp(settings->severity, rule_severity_name((enum rule_severity)i)))
			request.report_from = request.fail_from = (enum rule_severity)i;
	return request;
}

static struct value *make_job(struct arena *arena, int facts)
{
	struct value *job = value_map(arena), *read = value_map(arena);

	value_set(arena, read, "values", value_null(arena));
	value_set(arena, read, "stats", value_bool(arena, false));
	value_set(arena, read, "checksum", value_bool(arena, false));
	value_set(arena, job, "facts", rule_facts_to_value(arena, facts));
	value_set(arena, job, "dlpack", value_map(arena));
	value_set(arena, job, "read", read);
	value_set(arena, job, "convert", value_null(arena));
	return job;
}

static int check_settings(const struct validate_settings *settings, struct err *err)
{
	const char *format = settings->shared.format;

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

	retired_tell(&settings->select);
	retired_tell(&settings->extend_select);
	retired_tell(&settings->ignore);
	for (size_t i = 0; i < config->n_ignores; i++)
		retired_tell(&config->ignores[i].rules);
}

/* Those of suai.yaml where the command line names none. */
static const struct option_list *choose_targets(
	const struct shared_settings *shared, const struct option_list *operands)
{
	bool named = operands->n_items || shared->code || shared->target_files.n_items;

	return named || !shared->config->targets.n_items ? operands : &shared->config->targets;
}

static int validate_run(void *opaque, const struct option_list *operands, struct err *err)
{
	const struct validate_settings *settings = opaque;
	const struct rule_request request = make_request(settings);
	struct arena arena = { 0 };
	struct validation validation = { .settings = settings };
	struct run run = { .command = "validate",
		.settings = &settings->shared,
		.arena = &arena,
		.from_dumps = true,
		.fail_from = settings->severity,
		.skips_fail = settings->no_skips,
		.no_summary = settings->no_summary,
		.on_target = on_target,
		.context = &validation };
	const struct option_list *targets;
	int code = -1;

	if (check_settings(settings, err))
		return -1;
	validation.selection = rules_select(&arena, &request, err);
	if (!validation.selection)
		goto out;
	tell_retired(settings);
	if (settings->query)
		run.print = print_query;
	if (settings->statistics) {
		run.print = statistics_hide;
		run.finish = finish;
	}
	if (!strcmp(settings->shared.format, "sarif")) {
		run.head = value_map(&arena);
		value_set(&arena, run.head, "rules",
			rule_document_list(&arena, validation.selection));
	}
	run.job = make_job(&arena, rules_facts(validation.selection));
	targets = choose_targets(&settings->shared, operands);
	code = run_targets(&run, targets, err);
	if (code >= 0 && !settings->shared.quiet)
		target_ignores_report(settings->shared.config, validation.selection,
			targets != operands || settings->shared.verbose);
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
		"An interface that raises is a finding, and the others are still judged. Array data is never read. What is "
		"known of a library's objects is taken into account, and said in the finding.\n\n"
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
	.options = options,
	.shares = true,
	.settings_bytes = sizeof(struct validate_settings),
	.run = validate_run,
};
