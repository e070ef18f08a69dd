// SPDX-License-Identifier: MIT
/* The head, the summary and the output of a document. */
#include "run/run.h"

#include "documents/document.h"
#include "formats/source_location.h"
#include "formats/verdict.h"
#include "output/notice.h"
#include "run/run_inputs.h"

#include <stdio.h>

struct fact_head run_document_head(const struct run *run)
{
	struct fact_head head = run->head;

	head.present = true;
	head.suai = fact_int(DOCUMENT_FORMAT);
	head.command = run->command;
	return head;
}

struct fact_summary run_summary(const struct run *run, const struct run_counts *counts)
{
	struct fact_summary summary = { .present = true,
		.targets = fact_int(counts->targets),
		.failed_targets = fact_int(counts->failed_targets),
		.errors = fact_int(counts->errors),
		.warnings = fact_int(counts->warnings),
		.notes = fact_int(counts->notes),
		.skipped = fact_int(counts->skipped),
		.ignored = fact_int(counts->ignored) };

	if (run->summarise)
		run->summarise(run, run->arena, &summary);
	return summary;
}

int run_open_output(const struct run *run, const char *path, struct result_file *file,
	struct format_output *output, struct err *err)
{
	const struct shared_settings *settings = run->settings;

	if (run_check_output(run, "-o", path, err) || result_file_open(file, path, err))
		return -1;
	*output = (struct format_output){ .stream = file->stream,
		.command = run->command,
		.terminal = result_file_terminal(file, settings->color),
		.verbosity = settings->quiet ? -1 : settings->verbose,
		.fail_from = run->fail_from,
		.has_baseline = run->baseline_path != NULL,
		.no_summary = run->no_summary,
		.no_hints = run->no_hints,
		.skips_fail = run->skips_fail,
		.asks = run->job.only_step ? 0 : run->job.facts };
	return 0;
}

int run_print_head(struct run *run, struct format_output *output, const struct run_counts *counts,
	struct err *err)
{
	const struct format *format = format_find(run->settings->format);
	const struct fact_head head = run_document_head(run);
	const struct fact_summary summary = run_summary(run, counts);
	struct err ignored;
	int status = format->begin(output, &head, err);

	if (format->end(output, &summary, status ? &ignored : err))
		return -1;
	return status;
}

int run_print(struct run *run, struct err *err)
{
	const struct run_counts none = { 0 };
	struct result_file file;
	struct format_output output;
	int status;

	if (run_open_output(run, run->settings->output_path, &file, &output, err))
		return -1;
	status = run_print_head(run, &output, &none, err) ? result_file_fail(&file, err)
							  : result_file_commit(&file, err);
	result_file_close(&file);
	return status;
}

void run_report_failure(
	const struct run *run, const struct fact_target *target, enum exit_code code)
{
	const char *name = fact_text_or(target->target, "?"), *raised_at;
	struct arena arena = { 0 };
	struct text text = { 0 };

	for (size_t i = 0; run->skips_fail && i < target->skipped.n_items; i++)
		notice("%s: skipped %s: %s", name, target->skipped.items[i].rule,
			target->skipped.items[i].reason);
	if (code == EXIT_DONE || code == EXIT_FINDINGS)
		return;
	if (target->status == STATUS_OK)
		text_add(&text, fact_text_or(target->error.message, "failed"));
	else
		verdict_add_failure(&text, target);
	raised_at = stack_raised_at(&arena, target->error.traceback);
	notice(raised_at ? "%s: %s; %s" : "%s: %s", name, text.bytes, raised_at);
	text_free(&text);
	arena_free(&arena);
}
