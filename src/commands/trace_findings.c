// SPDX-License-Identifier: MIT
#include "commands/trace_findings.h"

#include "commands/rule_document.h"
#include "model/job.h"
#include "rules/engine/run.h"

static struct fact_int known(uint64_t number)
{
	return (struct fact_int){ .known = true, .value = (int64_t)number };
}

static const char *escaped(struct arena *arena, const char *text)
{
	return text ? value_text_escaped(arena, text)->bytes : NULL;
}

static struct fact_call_site call_site_facts(struct arena *arena, const struct exchange *exchange)
{
	return (struct fact_call_site){ .present = true,
		.file = escaped(arena, exchange->file),
		.line = { .known = exchange->file != NULL, .value = exchange->line },
		.function = escaped(arena, exchange->function),
		.in_library = exchange->is_library ? ANSWER_YES : ANSWER_NO,
		.protocol = exchange->protocol,
		.producer = escaped(arena, exchange->producer),
		.consumer = escaped(arena, exchange->consumer),
		.exchanges = known(exchange->n_exchanges),
		.bytes = known(exchange->n_bytes),
		.copied = known(exchange->n_copied),
		.copied_bytes = known(exchange->n_copied_bytes),
		.narrowed = known(exchange->n_narrowed),
		.narrowed_bytes = known(exchange->n_narrowed_bytes),
		.held = known(exchange->n_held),
		.held_bytes = known(exchange->n_held_bytes),
		.leaked = known(exchange->n_leaked),
		.leaked_bytes = known(exchange->n_leaked_bytes),
		.unconsumed = known(exchange->n_unconsumed),
		.unconsumed_bytes = known(exchange->n_unconsumed_bytes),
		.released_twice = known(exchange->n_released_twice),
		.released_late = known(exchange->n_released_late) };
}

/* "app.py:12 in load: numpy > jax, dlpack" */
static const char *call_site_name(struct arena *arena, const struct exchange *exchange)
{
	const char *place = "(no Python frame)";

	if (exchange->file)
		place = arena_printf(arena, "%s:%lld%s%s", exchange->file,
			(long long)exchange->line, exchange->function ? " in " : "",
			exchange->function ? exchange->function : "");
	return escaped(arena,
		arena_printf(arena, "%s: %s > %s, %s", place,
			exchange->producer ? exchange->producer : "unknown",
			exchange->consumer ? exchange->consumer : "none", exchange->protocol));
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
		const struct exchange *exchange = &list->items[i];
		struct fact_target target = { .present = true,
			.target = call_site_name(arena, exchange),
			.status = STATUS_OK,
			.source = { .present = exchange->file != NULL,
				.file = escaped(arena, exchange->file),
				.line = { .known = exchange->file != NULL,
					.value = exchange->line } },
			.call_site = call_site_facts(arena, exchange) };
		struct rule_results results;

		if (exchange->transfers != TRANSFERS_NONE)
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
