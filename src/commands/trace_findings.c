// SPDX-License-Identifier: MIT
#include "commands/trace_findings.h"

#include "commands/rule_document.h"
#include "documents/call_site.h"
#include "model/job.h"
#include "rules/engine/run.h"

static struct fact_int known(uint64_t number)
{
	return (struct fact_int){ .known = true, .value = (int64_t)number };
}

static void count_findings(struct fact_summary *summary, const struct fact_finding_list *findings)
{
	summary->targets.value++;
	summary->failed_targets.value += findings->n_items > 0;
	for (size_t i = 0; i < findings->n_items; i++) {
		enum severity severity = findings->items[i].severity;

		summary->errors.value += severity == SEVERITY_ERROR;
		summary->warnings.value += severity == SEVERITY_WARNING;
		summary->notes.value += severity == SEVERITY_NOTE;
	}
}

static int write_call_sites(const struct format *format, struct format_output *output,
	const struct exchange_list *list, const struct rule_selection *selection,
	struct fact_summary *summary, struct arena *arena, struct err *err)
{
	for (size_t i = 0; i < list->n_items; i++) {
		const struct fact_call_site *site = &list->items[i].site;
		struct fact_target target = call_site_target(arena, site);
		struct rule_results results;

		if (list->items[i].transfers != TRANSFERS_NONE)
			continue;
		results = rules_run(selection, &target, arena);
		target.findings = results.findings;
		target.skipped = results.skipped;
		count_findings(summary, &target.findings);
		if (format->target(output, &target, err))
			return -1;
	}
	return 0;
}

int trace_write_findings(const struct format *format, struct format_output *output,
	const struct exchange_list *list, struct err *err)
{
	const struct rule_request request = {
		.report_from = SEVERITY_NOTE, .fail_from = SEVERITY_WARNING, .facts = FACT_EXCHANGE
	};
	struct fact_summary summary = { .present = true,
		.targets = known(0),
		.failed_targets = known(0),
		.errors = known(0),
		.warnings = known(0),
		.notes = known(0),
		.skipped = known(0),
		.ignored = known(0) };
	struct fact_head head = { .present = true, .suai = known(1), .command = "trace" };
	struct arena arena = { 0 };
	const struct rule_selection *selection = rules_select(&arena, &request, err);
	int status = -1;

	if (selection) {
		head.rules = rule_document_list(&arena, selection);
		output->fail_from = request.fail_from;
		status = format->begin(output, &head, err);
		if (!status)
			status = write_call_sites(
				format, output, list, selection, &summary, &arena, err);
		if (format->end(output, status ? NULL : &summary, err))
			status = -1;
	}
	arena_free(&arena);
	return status;
}
